"""The routines in C that generated code brings along, one per operation that libm has not.

``REAL`` stands for the type.
"""

from __future__ import annotations

from biela.expr import philox

_SMALL = {
    "sign": ("REAL a", "a != a ? a : (REAL)((a > 0) - (a < 0))"),
    "min": ("REAL a, REAL b", "a < b || a != a ? a : b"),
    "max": ("REAL a, REAL b", "a > b || a != a ? a : b"),
    "lt": ("REAL a, REAL b", "a < b ? 1 : 0"),
    "le": ("REAL a, REAL b", "a <= b ? 1 : 0"),
    "eq": ("REAL a, REAL b", "a == b ? 1 : 0"),
    "where": ("REAL c, REAL a, REAL b", "c != 0 ? a : b"),
}

_SPLINE = """\
/* The cubic piece of x, by bisection; the end pieces continue outside the knots. */
static REAL op_spline(REAL x, int pieces, const REAL *knots, const REAL (*piece)[4])
{
    int low = 0, high = pieces;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (knots[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const REAL h = x - knots[low];
    return piece[low][0] + h * (piece[low][1] + h * (piece[low][2] + h * piece[low][3]));
}
"""

# 52 random bits in double precision and 23 in single: half a step from 0 and from 1, exactly representable.
_BITS = {
    "double": "((double)((uint64_t)(odd ? c2 : c0) << 20 | (odd ? c3 : c1) >> 12) + 0.5) * 0x1p-52",
    "float": "((float)((odd ? c2 : c0) >> 9) + 0.5f) * 0x1p-23f",
}

_UNIFORM = f"""\
/* Philox4x32-{philox.ROUNDS}: Salmon, Moraes, Dror and Shaw, SC11. */
static REAL op_uniform(REAL seed, REAL step, REAL particle, uint32_t index)
{{
    const uint64_t s = (uint64_t)seed, t = (uint64_t)step;
    uint32_t c0 = (uint32_t)particle, c1 = index / 2u, c2 = (uint32_t)t, c3 = (uint32_t)(t >> 32);
    uint32_t k0 = (uint32_t)s, k1 = (uint32_t)(s >> 32);
    for (int i = 0; i < {philox.ROUNDS}; i++) {{
        const uint64_t p = (uint64_t)0x{philox.MULTIPLIERS[0]:X}u * c0;
        const uint64_t q = (uint64_t)0x{philox.MULTIPLIERS[1]:X}u * c2;
        c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)q;
        c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p;
        k0 += 0x{philox.WEYL[0]:X}u;
        k1 += 0x{philox.WEYL[1]:X}u;
    }}
    const int odd = index % 2u == 1u;
    return BITS;
}}
"""


def routine(operation: str, real: str) -> str:
    """The definition of the routine of an operation; empty when libm or an operator does."""
    if operation in _SMALL:
        parameters, value = _SMALL[operation]
        text = f"static REAL op_{operation}({parameters})\n{{\n    return {value};\n}}\n"
    else:
        text = {"spline": _SPLINE, "uniform": _UNIFORM}.get(operation, "").replace("BITS", _BITS[real])
    return text.replace("REAL", real)
