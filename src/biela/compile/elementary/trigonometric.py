"""sin, cos and tan: one reduction to [-pi/4, pi/4], two polynomials, a choice by quadrant.

Algorithm (Cody and Waite 1980, with fused multiply-adds):

1. k = x 2/pi rounded to whole, by adding 1.5 2**52: the low bits of that sum are the quadrant.
2. x - k pi/2 = r - tail, with pi/2 in three doubles. The first product cancels exactly: both terms
   are whole multiples of 2**-53 and the difference is below one.
3. sin(r) = r - r r^2 S(r^2), cos(r) = 1 - r^2/2 + r^4 C(r^2). The sine and the cosine take r - tail
   rounded to one double, which costs half an ulp and saves a fifth of the time; the tangent keeps both.
4. Swap the two in odd quadrants and flip the signs.

Limits: the errors of `ACCURACY` hold for every |x| <= `LARGEST`, next to the zeros too. Up to 2**50 the
rounded 2/pi moves the borders of the quadrants outside the polynomials' interval, for less than 10 ulp.
From there on doubles are no finer than a fraction of a turn, and the answer is nan, as it is for nan and
the infinities.
"""

from __future__ import annotations

import math

from biela.compile.elementary.pair import Pair, fast_two_sum, quotient
from biela.compile.elementary.polynomial import horner, paired
from biela.compile.ir import Block

LARGEST = 2.0**46

TOO_LARGE = 2.0**50  # from here on the answer is nan
ROUND = 1.5 * 2.0**52  # the sum has an ulp of 1, and whole numbers to 2**51 of either sign fit
SIGN = -(2**63)
# each part rounded down, so that all are positive: the reduction keeps the sign of -0.0
HALF_PI = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c06p-54"),
           float.fromhex("0x1.c1cd129024e09p-107"))  # fmt: skip
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

# (1 - sin(r)/r) / r^2 in r^2, |r| <= pi/4: error 2**-57.9 of sin
SIN = (0.1666666666666663, -0.00833333333332184, 0.00019841269829358522, -2.7557313538511096e-06,
       2.505073438863332e-08, -1.5895433246210346e-10)  # fmt: skip
MINUS_SIN = tuple(-c for c in SIN)
# (cos(r) - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4: error 2**-63.9 of cos
COS = (0.041666666666666595, -0.0013888888888873342, 2.48015872890021e-05, -2.755731421705159e-07,
       2.087570539867081e-09, -1.1358749420849165e-11)  # fmt: skip


def whole_quarters(block: Block, x: str) -> tuple[str, str]:
    """x 2/pi rounded to the whole number k: as a double whose low bits are k's, and as k."""
    shifted = block.fma(x, block.number(TWO_OVER_PI), block.number(ROUND))
    return shifted, block.sub(shifted, block.number(ROUND))


def reduce(block: Block, x: str) -> tuple[str, str, str]:
    """(r, tail, quadrant) with x = k pi/2 + r - tail; k's low bits are those of the whole ``quadrant``."""
    shifted, k = whole_quarters(block, x)
    first, second, third = block.number(HALF_PI[0]), block.number(HALF_PI[1]), block.number(HALF_PI[2])
    r0 = block.fma(block.neg(k), first, x)
    p = block.mul(k, second)
    r = block.sub(r0, p)
    # Dekker's fast two-sum holds although |r0| may be below |p|: r0's last bit is coarse, 2**-53.
    rounded_off = block.sub(block.sub(r0, r), p)
    below = block.fma(k, third, block.fma(k, second, block.neg(p)))
    return r, block.sub(below, rounded_off), block.convert("bitcast", shifted, "double", "i64")


def sincos(block: Block, x: str) -> tuple[str, str]:
    """The sine and the cosine, for the price of little more than one."""
    shifted, k = whole_quarters(block, x)
    minus_k = block.neg(k)
    second, third = block.number(HALF_PI[1]), block.number(HALF_PI[2])
    # nan enters through a constant, which is ready before k is
    first = or_nan(block, x, block.number(HALF_PI[0]))
    coarse = block.fma(minus_k, second, block.fma(minus_k, first, x))
    r = block.fma(minus_k, third, coarse)
    z = block.mul(coarse, coarse)  # the third part only matters where z does not
    # + 0.0 turns the -0.0 of z = 0 round, so that sin(-0.0) = -0.0 * 0.0 - 0.0 is -0.0
    s = block.fma(r, block.fma(z, horner(block, z, MINUS_SIN), block.number(0.0)), r)
    c = horner(block, z, (1.0, -0.5, *COS))
    swap, flip_s, flip_c = signs(block, block.convert("bitcast", shifted, "double", "i64"))
    return (
        flip(block, block.select(swap, c, s), flip_s),
        flip(block, block.select(swap, s, c), flip_c),
    )


def or_nan(block: Block, x: str, value: str) -> str:
    """``value`` where x is small enough for the reduction, else nan."""
    within = block.compare("olt", block.intrinsic("fabs", x), block.number(TOO_LARGE))
    return block.select(within, value, block.number(math.nan))


def signs(block: Block, quadrant: str) -> tuple[str, str, str]:
    """Whether to swap, and the sign bits to flip in the sine and in the cosine."""
    odd = block.whole("shl", quadrant, block.integer(63))
    flip_s = block.whole("and", block.whole("shl", quadrant, block.integer(62)), block.integer(SIGN))
    swap = block.emit(f"icmp slt {block.vector('i64')} {odd}, {block.integer(0)}")
    return swap, flip_s, block.whole("xor", flip_s, odd)


def flip(block: Block, value: str, sign: str) -> str:
    """``value`` with its sign bit flipped where ``sign`` has one."""
    bits = block.whole("xor", block.convert("bitcast", value, "double", "i64"), sign)
    return block.convert("bitcast", bits, "i64", "double")


def sin(block: Block, x: str) -> str:
    """The sine; LLVM drops what only the cosine needs."""
    return sincos(block, x)[0]


def cos(block: Block, x: str) -> str:
    """The cosine; LLVM drops what only the sine needs."""
    return sincos(block, x)[1]


def tan(block: Block, x: str) -> str:
    """The tangent: the quotient of sine and cosine as sums of two doubles."""
    r, tail, quadrant = reduce(block, x)
    (s, s_low), (c, c_low) = kernel_sums(block, r, tail)
    swap, _, _ = signs(block, quadrant)
    n = block.select(swap, c, s), block.select(swap, c_low, s_low)
    d = block.select(swap, s, c), block.select(swap, s_low, c_low)
    value = block.add(*quotient(block, n, d))
    return flip(block, value, block.whole("shl", quadrant, block.integer(63)))


def kernel_sums(block: Block, r: str, tail: str) -> tuple[Pair, Pair]:
    """The sine and the cosine of r - tail."""
    one, minus_half_r = block.number(1.0), block.mul(r, block.number(-0.5))
    z = block.mul(r, r)
    z2 = block.mul(z, z)
    parabola = block.fma(minus_half_r, r, one)
    lost = block.fma(minus_half_r, r, block.sub(one, parabola))
    quartic = block.fma(z2, paired(block, z, z2, COS), block.fma(r, tail, lost))
    a = block.fma(block.mul(r, z), paired(block, z, z2, SIN), block.mul(tail, parabola))
    return fast_two_sum(block, r, block.neg(a)), fast_two_sum(block, parabola, quartic)
