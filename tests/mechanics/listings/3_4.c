// Listing 3.4 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// [M | delta] of the block-pendulum by columns, negative sign.
// Repaired: nothing; the blank in "_MQ [0]" is left out.
atom10 = -l_p*m_p;
atom13 = sin(-theta)*atom10;
atom14 = atom10*cos(-theta);
_MQ[0] = -m_b-m_p;
_MQ[1] = atom14;
_MQ[2] = atom14;
_MQ[3] = -Iyy_p;
_MQ[4] = -(dtheta*dtheta)*atom13-F_b+c_vis*dx;
_MQ[5] = M_p+g*atom13+k*( theta-theta_0);
