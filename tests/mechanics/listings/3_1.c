// Listing 3.1 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// delta of the block-pendulum, negative sign, atoms as modelled.
// Repaired: C_vis read as c_vis.
atom10 = -l_p*m_p;
atom12 = sin(-theta);
atom13 = atom10*atom12;
atom38 = atom13*dtheta;
atom39 = atom38*dtheta;
atom6 = -c_vis*dx;
atom57 = atom39+atom6;
atom58 = atom57+F_b;
atom4 = theta_0-theta;
atom5 = -k*atom4;
atom15 = atom13*g;
atom59 = atom5+atom15;
atom60 = M_p+atom59;
delta[0] = -atom58;
delta[1] = atom60;
