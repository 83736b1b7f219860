// Listing B.8 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// [Phi | Phi_q] of the four-bar.
// Repaired: 11, 12, 13, 14 read as l1, l2, l3, l4; theta_3 as theta3.
atom26 = cos(theta2);
atom64 = l3*cos(theta3);
atom66 = l2+atom64;
atom65 = -sin(theta3)*l3;
atom27 = sin(theta2);
atom68 = atom65*atom27;
atom69 = atom26*atom66+atom68;
atom73 = atom69+l1;
atom14 = cos(theta1);
atom74 = atom73*atom14;
atom15 = sin(theta1);
atom71 = atom26*atom65;
atom72 = -atom27*atom66+atom71;
atom75 = atom15*atom72;
atom78 = atom14*atom72;
atom79 = atom78-atom73*atom15;
atom308 = atom71-atom27*atom64;
atom311 = -atom26*atom64-atom68;
_PhiPhiq[0] = atom74+atom75-l4;
_PhiPhiq[1] = atom79;
_PhiPhiq[2] = atom79;
_PhiPhiq[3] = -atom74-atom75;
_PhiPhiq[4] = atom78-atom15*atom69;
_PhiPhiq[5] = -atom14*atom69-atom75;
_PhiPhiq[6] =  atom15*atom311+atom14*atom308;
_PhiPhiq[7] =  atom14*atom311-atom15*atom308;
