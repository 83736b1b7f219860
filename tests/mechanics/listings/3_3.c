// Listing 3.3 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// M of the block-pendulum by columns, negative sign.
// Repaired: nothing; the blank in "_M [0]" is left out.
atom14 = -l_p*m_p*cos(-theta);
_M[0] = -m_b-m_p;
_M[1] = atom14;
_M[2] = atom14;
_M[3] = -Iyy_p;
