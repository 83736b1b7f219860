// Listing B.6 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// [M | delta] of the four-bar "without ESST", positive sign; wrong unless all mass centres are at the
// body points.
// Repaired: 11 read as l1, twice, in _MDelta[9].
atom26 = cos(theta2);
atom144 = l1*atom26*l2;
atom108 = (l1*l1);
atom145 = (l2*l2);
atom156 = l2*cg3x*m3;
atom157 = atom156+l1*cg3x*m3;
atom111 = l1*m2*cg2x;
atom1 = sin(theta3);
atom27 = sin(theta2);
atom0 = cos(theta3);
atom88 = -atom1*atom27+atom26*atom0;
atom14 = cos(theta1);
atom85 = dtheta2+dtheta1;
atom185 = -atom85*( l2*dtheta2+l2*dtheta1);
atom91 = atom1*atom26+atom27*atom0;
atom92 = dtheta3+atom85;
atom119 = -g*atom14;
atom178 = (atom92*atom92)*( cg3z*atom88-cg3x*atom91);
atom138 = -l1*(dtheta1*dtheta1);
atom195 = ( Fz3*atom0-atom1*Fx3+( (atom92*atom92)*( cg3x*
atom88+atom91*cg3z)*atom27+atom26*atom178-atom138*atom27
+g*( sin(theta1)*atom27-atom26*atom14))*m3)*l2;
atom227 = -My3+( atom185*cg3z+atom138*cg3z-g*cg3x)*m3;
atom142 = ( cg2z*atom138-g*cg2x)*m2-My2;
atom245 = ( atom144+atom145)*m3+atom157+atom156+atom111+
I2yy+I3yy;
atom246 = atom157+I3yy;
atom248 = atom156+I3yy;
_MDelta[0] = I1yy+2.0*atom157+2.0*atom111+I2yy+I3yy+(
atom108+2.0*atom144+atom145)*m3+atom108*m2;
_MDelta[1] = atom245;
_MDelta[2] = atom246;
_MDelta[3] = atom245;
_MDelta[4] = 2.0*atom156+atom145*m3+I2yy+I3yy;
_MDelta[5] = atom248;
_MDelta[6] = atom246;
_MDelta[7] = atom248;
_MDelta[8] = I3yy;
_MDelta[9] = -atom195-atom227-atom142-l1*( ( ( cg2z*atom26-
    atom27*cg2x)*(atom85*atom85)+atom119)*m2-Fx2*atom27+
    atom26*Fz2)+g*cg1x*m1-l1*( Fz3*atom88-atom91*Fx3+(
    atom185*atom27+atom119+atom178)*m3);
_MDelta[10] = -atom195-atom227-atom142;
_MDelta[11] = -atom227;
