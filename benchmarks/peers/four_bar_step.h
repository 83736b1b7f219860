/* One step of the four-bar by hand, for a kind of number that the includer names:
 *   REAL      double, or a vector of doubles     WHOLE   the integers of the same size
 *   NAME(f)   the name of f for this kind
 *   TURN(q, ps, pc, s, c)   sine and cosine from those of the reduced angle and the quadrant q
 *
 * The map, and where its formulas come from, is told in ../four_bar.py. */

static inline __attribute__((always_inline)) void NAME(sine_cosine)(REAL x, REAL *s, REAL *c)
{
    /* Cody and Waite: x = n pi/2 + r with pi/2 in two doubles, under fused multiply-adds */
    REAL n = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;
    WHOLE q = (WHOLE)AS_WHOLE(n);
    n -= 0x1.8p52;
    REAL r = x - n * 0x1.921fb54442d18p+0;
    r -= n * 0x1.1a62633145c07p-54;
    /* the minimax polynomials of fdlibm on [-pi/4, pi/4] */
    REAL z = r * r;
    POLYNOMIALS
    TURN(q, ps, pc, s, c)
}

static inline __attribute__((always_inline)) void NAME(step)(REAL *x)
{
    const double m12_0 = M2 * L1 * L2 / 2, m22 = M2 * L2 * L2 / 3, m33 = M3 * L3 * L3 / 3;
    const double m11 = M1 * L1 * L1 / 2 + M2 * L1 * L1;
    REAL w = x[1], t2 = x[2], t3 = x[3];
    REAL c1, s1, c2, s2, c3, s3;
    NAME(sine_cosine)(x[0], &s1, &c1);
    NAME(sine_cosine)(t2, &s2, &c2);
    NAME(sine_cosine)(t3, &s3, &c3);
    REAL s12 = s1 * c2 - c1 * s2, s13 = s1 * c3 - c1 * s3, s32 = s3 * c2 - c3 * s2;
    REAL c12 = c1 * c2 + s1 * s2, c13 = c1 * c3 + s1 * s3, c32 = c3 * c2 + s3 * s2;

    /* rates and their rates, in units of the crank's velocity */
    REAL i = 1 / s32;
    REAL r2 = (L1 / L2) * s13 * i, r3 = (L1 / L3) * s12 * i;
    REAL v2 = r2 * r2, v3 = r3 * r3;
    REAL b2 = i * ((L1 / L2) * c13 + c32 * v2 - (L3 / L2) * v3);
    REAL b3 = i * ((L1 / L3) * c12 + (L2 / L3) * v2 - c32 * v3);

    REAL m12 = m12_0 * c12;
    REAL m = m11 + r2 * (2 * m12 + m22 * r2) + m33 * v3;
    REAL h = m12_0 * s12 * (r2 - v2) - m12 * b2 - r2 * (m22 * b2) - r3 * (m33 * b3);
    REAL f = (-M2 * G * L1) * c1 - (M2 * G * L2 / 2) * c2 * r2 - (M3 * G * L3 / 2) * c3 * r3;
    w += DT * ((h * (w * w) + f) / m);
    REAL t1 = x[0] + DT * w;

    NAME(sine_cosine)(t1, &s1, &c1);
    REAL px = L0 - L1 * c1, py = L1 * s1;
    REAL ex = L2 * c2 - L3 * c3 - px, ey = py + L2 * s2 - L3 * s3;
    t2 -= (ex * c3 + ey * s3) * (i * (1 / L2));
    t3 -= (ex * c2 + ey * s2) * (i * (1 / L3));

    NAME(sine_cosine)(t2, &s2, &c2);
    NAME(sine_cosine)(t3, &s3, &c3);
    i = 1 / (s3 * c2 - c3 * s2);
    ex = L2 * c2 - L3 * c3 - px, ey = py + L2 * s2 - L3 * s3;
    x[0] = t1;
    x[1] = w;
    x[2] = t2 - (ex * c3 + ey * s3) * (i * (1 / L2));
    x[3] = t3 - (ex * c2 + ey * s2) * (i * (1 / L3));
}
