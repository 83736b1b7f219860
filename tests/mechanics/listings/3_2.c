// Listing 3.2 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// delta of the block-pendulum, negative sign, atoms used once inlined.
// Repaired: nothing.
atom13 = -l_p*sin(-theta)*m_p;
_delta[0] = -(dtheta*dtheta)*atom13-F_b+c_vis*dx;
_delta[1] = M_p+g*atom13+k*(theta-theta_0);
