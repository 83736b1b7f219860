/* The four-bar by hand, as fast as we can make gcc go:
 *
 * run_1       one state; the quadrant is a branch, which the processor predicts, so that its latency hides;
 *             polynomials by Estrin's scheme, for the same reason.
 * run_8 ...   WIDTH states at once. A block of WIDTH lanes stays in registers and the first cache for all its
 *             steps. More lanes than a register holds make independent chains that fill each other's
 *             latencies; which width is best depends on the processor, so several are offered.
 *
 * States are structures of arrays: x[component * lanes + lane], lanes a multiple of WIDTH. */
#include <stdint.h>
#include <string.h>

static const double L0 = 0.800, L1 = 0.120, L2 = 0.540, L3 = 0.455;
static const double M1 = 11.10, M2 = 0.40, M3 = 1.23, G = 9.81, DT = 1e-3;

static const double S1 = -1.66666666666666324348e-01, S2 = 8.33333333332248946124e-03,
                    S3 = -1.98412698298579493134e-04, S4 = 2.75573137070700676789e-06,
                    S5 = -2.50507602534068634195e-08, S6 = 1.58969099521155010221e-10;
static const double C1 = 4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03,
                    C3 = 2.48015872894767294178e-05, C4 = -2.75573143513906633035e-07,
                    C5 = 2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;

/* one state */

static inline int64_t as_whole(double x)
{
    int64_t i;
    memcpy(&i, &x, sizeof i);
    return i;
}

#define REAL double
#define WHOLE int64_t
#define NAME(f) f##_1
#define AS_WHOLE(x) as_whole(x)
#define POLYNOMIALS                                                                                     \
    REAL z2 = z * z, z4 = z2 * z2;                                                                      \
    REAL ps = ((S5 + z * S6) * z4 + ((S3 + z * S4) * z2 + (S1 + z * S2))) * (z * r) + r;                \
    REAL pc = ((C5 + z * C6) * z4 + ((C3 + z * C4) * z2 + (C1 + z * C2))) * z2 + (1.0 - 0.5 * z);
#define TURN(q, ps, pc, s, c)                                                                           \
    if (q & 1) {                                                                                        \
        REAL swapped = ps;                                                                              \
        ps = pc;                                                                                        \
        pc = -swapped;                                                                                  \
    }                                                                                                   \
    if (q & 2) {                                                                                        \
        ps = -ps;                                                                                       \
        pc = -pc;                                                                                       \
    }                                                                                                   \
    *s = ps;                                                                                            \
    *c = pc;
#include "four_bar_step.h"
#undef REAL
#undef WHOLE
#undef NAME
#undef AS_WHOLE
#undef POLYNOMIALS
#undef TURN

void run_1(double *x, long lanes, long steps)
{
    for (long lane = 0; lane < lanes; lane++) {
        double state[4];
        for (int k = 0; k < 4; k++)
            state[k] = x[k * lanes + lane];
        for (long n = 0; n < steps; n++)
            step_1(state);
        for (int k = 0; k < 4; k++)
            x[k * lanes + lane] = state[k];
    }
}

/* many states */

#define AS_WHOLE(x) (x)
#define POLYNOMIALS                                                                                     \
    REAL ps = S5 + z * S6;                                                                              \
    REAL pc = C5 + z * C6;                                                                              \
    ps = ps * z + S4, pc = pc * z + C4;                                                                 \
    ps = ps * z + S3, pc = pc * z + C3;                                                                 \
    ps = ps * z + S2, pc = pc * z + C2;                                                                 \
    ps = ps * z + S1, pc = pc * z + C1;                                                                 \
    ps = ps * (z * r) + r, pc = (pc * z - 0.5) * z + 1.0;
#define TURN(q, ps, pc, s, c)                                                                           \
    WHOLE swap = ((WHOLE)ps ^ (WHOLE)pc) & -(q & 1);                                                    \
    *s = (REAL)((WHOLE)ps ^ swap ^ ((q & 2) << 62));                                                    \
    *c = (REAL)((WHOLE)pc ^ swap ^ (((q + 1) & 2) << 62));

#define RUN(WIDTH)                                                                                      \
    void run_##WIDTH(double *x, long lanes, long steps)                                                 \
    {                                                                                                   \
        for (long lane = 0; lane < lanes; lane += WIDTH) {                                              \
            real_##WIDTH state[4];                                                                      \
            for (int k = 0; k < 4; k++)                                                                 \
                memcpy(&state[k], x + k * lanes + lane, sizeof state[k]);                               \
            for (long n = 0; n < steps; n++)                                                            \
                step_##WIDTH(state);                                                                    \
            for (int k = 0; k < 4; k++)                                                                 \
                memcpy(x + k * lanes + lane, &state[k], sizeof state[k]);                               \
        }                                                                                               \
    }

#define KIND(WIDTH)                                                                                     \
    typedef double real_##WIDTH __attribute__((vector_size(8 * WIDTH)));                                \
    typedef int64_t whole_##WIDTH __attribute__((vector_size(8 * WIDTH)));

KIND(4)
KIND(8)
KIND(16)
KIND(32)

#define REAL real_4
#define WHOLE whole_4
#define NAME(f) f##_4
#include "four_bar_step.h"
RUN(4)
#undef REAL
#undef WHOLE
#undef NAME

#define REAL real_8
#define WHOLE whole_8
#define NAME(f) f##_8
#include "four_bar_step.h"
RUN(8)
#undef REAL
#undef WHOLE
#undef NAME

#define REAL real_16
#define WHOLE whole_16
#define NAME(f) f##_16
#include "four_bar_step.h"
RUN(16)
#undef REAL
#undef WHOLE
#undef NAME

#define REAL real_32
#define WHOLE whole_32
#define NAME(f) f##_32
#include "four_bar_step.h"
RUN(32)
