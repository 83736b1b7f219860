// Listing B.9 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// h = -Phi and Jac = -Phi_q of the four-bar by Robotran.
// Repaired: nothing; the five lines q = s.q and the like are left out. MATLAB indices (i,j) are written
// [i][j], from 1 as printed, and its comments with //.
// === begin imp_aux ===
// === end imp_aux ===
// ===== BEGIN task 0 =====
// = = Block_0_0_0_0_0_1 = =
// Trigonometric Variables
C1 = cos(q[1]);
S1 = sin(q[1]);
C2 = cos(q[2]);
S2 = sin(q[2]);
C3 = cos(q[3]);
S3 = sin(q[3]);
// = = Block_0_1_0_0_0_1 = =
// Trigonometric Variables
S1p2 = C1*S2+S1*C2;
C1p2 = C1*C2-S1*S2;
S3p1p2 = C3*S1p2+S3*C1p2;
C3p1p2 = C3*C1p2-S3*S1p2;
// Constraints and Constraints Jacobian
RL_1_12 = s.dpt[1][2]*C1;
RL_1_32 = -s.dpt[1][2]*S1;
RL_1_13 = s.dpt[1][3]*C1p2;
RL_1_33 = -s.dpt[1][3]*S1p2;
RL_1_15 = s.dpt[1][4]*C3p1p2;
RL_1_35 = -s.dpt[1][4]*S3p1p2;
PO_1_35 = RL_1_32+RL_1_33+RL_1_35;
JT_1_15_1 = RL_1_32+RL_1_33+RL_1_35;
JT_1_35_1 = -(RL_1_12+RL_1_13+RL_1_15);
JT_1_15_2 = RL_1_33+RL_1_35;
JT_1_35_2 = -(RL_1_13+RL_1_15);
// = = Block_0_1_0_0_1_0 = =
// Constraints and Constraints Jacobian
h_1 = -(RL_1_12+RL_1_13+RL_1_15-s.dpt[1][1]);
// = = Block_0_3_0_0_0_0 = =
// Symbolic Outputs
h[1] = h_1;
h[2] = -PO_1_35;
Jac[1][1] = -JT_1_15_1;
Jac[1][2] = -JT_1_15_2;
Jac[1][3] = -RL_1_35;
Jac[2][1] = -JT_1_35_1;
Jac[2][2] = -JT_1_35_2;
Jac[2][3] = RL_1_15;
