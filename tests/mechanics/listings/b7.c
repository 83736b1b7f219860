// Listing B.7 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// M and c of the four-bar by Robotran, M*qdd + c = Q.
// Repaired: nothing; FA13 keeps its misplaced parenthesis. MATLAB indices (i,j) are written [i][j], from
// 1 as printed, and its comments with //.
C1 = cos(q[1]);
S1 = sin(q[1]);
C2 = cos(q[2]);
S2 = sin(q[2]);
C3 = cos(q[3]);
S3 = sin(q[3]);
// = = Block_0_1_0_0_0_1 = =
// Forward Kinematics
BS11 = -qd[1]*qd[1];
AlF11 = s.g[3]*S1;
AlF31 = -s.g[3]*C1;
OM22 = qd[1]+qd[2];
BS12 = -OM22*OM22;
AlF12 = -(AlF31*S2-C2*(AlF11+BS11*s.dpt[1][1]));
AlF32 = AlF31*C2+S2*(AlF11+BS11*s.dpt[1][1]);
AlM12_1 = s.dpt[1][1]*S2;
AlM32_1 = -s.dpt[1][1]*C2;
OM23 = qd[3]+OM22;
// = = Block_0_2_0_1_0_1 = =
// Backward Dynamics
FA13 = -(s.frc[1][3]+s.m[3]*(AlF32*S3+OM23*OM23*s.l[1][3])
-C3*(AlF12+BS12*s.dpt[1][2]));
FA33 =-(s.frc[3][3]-s.m[3]*(AlF32*C3-OM23*OM23*s.l[3][3]
+S3*(AlF12+BS12*s.dpt[1][2])));
CF23 =-(s.trq[2][3]-FA13*s.l[3][3]+FA33*s.l[1][3]);
FB13_1 =s.m[3]*(s.l[3][3]+AlM12_1*C3
-S3*(AlM32_1-s.dpt[1][2]));
FB33_1 =s.m[3]*(AlM12_1*S3+C3*(AlM32_1-s.dpt[1][2])
-s.l[1][3]);
CM23_1 =s.In[5][3]+FB13_1*s.l[3][3]-FB33_1*s.l[1][3];
FB13_2 =s.m[3]*(s.l[3][3]+s.dpt[1][2]*S3);
FB33_2 =-s.m[3]*(s.l[1][3]+s.dpt[1][2]*C3);
CM23_2 =s.In[5][3]+FB13_2*s.l[3][3]-FB33_2*s.l[1][3];
CM23_3 =s.In[5][3]+s.m[3]*s.l[1][3]*s.l[1][3]+s.m[3]
*s.l[3][3]*s.l[3][3];
FA12 =-(s.frc[1][2]-s.m[2]*(AlF12+BS12*s.l[1][2]));
FA32 =-(s.frc[3][2]-s.m[2]*(AlF32-OM22*OM22*s.l[3][2]));
CF22 =-(s.trq[2][2]-CF23-FA12*s.l[3][2]+FA32*s.l[1][2]
-s.dpt[1][2]*(FA13*S3-FA33*C3));
FB12_1 =s.m[2]*(AlM12_1+s.l[3][2]);
FB32_1 =s.m[2]*(AlM32_1-s.l[1][2]);
CM22_1 =s.In[5][2]+CM23_1+FB12_1*s.l[3][2]-FB32_1*s.l[1][2]
+s.dpt[1][2]*(FB13_1*S3-FB33_1*C3);
CM22_2 =s.In[5][2]+CM23_2+s.m[2]*s.l[1][2]*s.l[1][2]
+s.m[2]*s.l[3][2]*s.l[3][2]+s.dpt[1][2]
*(FB13_2*S3-FB33_2*C3);
CF21 =-(s.trq[2][1]-CF22+s.dpt[1][1]*(C2*(FA32-FA13*S3
+FA33*C3)-S2*(FA12+FA13*C3+FA33*S3))-s.l[1][1]
*(s.frc[3][1]-s.m[1]*(AlF31-qd[1]*qd[1]*s.l[3][1]))
+s.l[3][1]*(s.frc[1][1]-s.m[1]*(AlF11+BS11*s.l[1][1])));
CM21_1 =s.In[5][1]+CM22_1+s.m[1]*s.l[1][1]*s.l[1][1]
+s.m[1]*s.l[3][1]*s.l[3][1]-s.dpt[1][1]*(C2*
(FB32_1-FB13_1*S3+FB33_1*C3)-S2*(FB12_1+FB13_1
*C3+ FB33_1*S3));
// = = Block_0_3_0_0_0_0 = =
// Symbolic Outputs
M[1][1] = CM21_1;
M[1][2] = CM22_1;
M[1][3] = CM23_1;
M[2][1] = CM22_1;
M[2][2] = CM22_2;
M[2][3] = CM23_2;
M[3][1] = CM23_1;
M[3][2] = CM23_2;
M[3][3] = CM23_3;
c[1] = CF21;
c[2] = CF22;
c[3] = CF23;
