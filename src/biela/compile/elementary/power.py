"""pow: exp(y log x) with the logarithm in two doubles, because its error is multiplied by up to 745.

The logarithm is accurate to 2**-65: s = (m - 1)/(m + 1) and its square are carried in two doubles
(Dekker 1971) up to the term in s^3; the rest of the series is below 2**-12 of the sum.
"""

from __future__ import annotations

import math

from biela.compile.elementary.exponential import LN2_SHORT, exp_of_sum, split
from biela.compile.elementary.pair import Pair, fast_two_sum, product, quotient
from biela.compile.elementary.polynomial import paired
from biela.compile.ir import Block

THIRD = (float.fromhex("0x1.5555555555555p-2"), float.fromhex("0x1.5555555555555p-56"))

# (artanh(s)/s - 1 - s^2/3) / s^4 in s^2, |s| <= 3 - 2 sqrt(2): error 2**-73.5 of artanh
ARTANH = (0.1999999999999999, 0.1428571428572192, 0.1111111110889481, 0.09090909422012304,
          0.07692279212630795, 0.06668132332158314, 0.05837888319339158, 0.05990896352089524)  # fmt: skip


def power(block: Block, x: str, y: str) -> str:
    """``x`` to the ``y``, with C99's answers at zeros, ones, infinities and nan."""
    high, low = log_sum(block, block.intrinsic("fabs", x))
    exponent = block.mul(y, high)
    tail = block.fma(y, low, block.fma(y, high, block.neg(exponent)))
    # beyond, the answer is 0 or infinite, and infinities would make the tail nan
    within = block.compare("ole", block.intrinsic("fabs", exponent), block.number(746.0))
    size = exp_of_sum(block, exponent, block.select(within, tail, block.number(0.0)))
    return with_sign(block, x, y, at_ends(block, x, y, size))


def at_ends(block: Block, x: str, y: str, size: str) -> str:
    """|x|**y from ``size``, which is right unless |x| is zero, one or infinite."""
    zero, inf, one = block.number(0.0), block.number(math.inf), block.number(1.0)
    magnitude = block.intrinsic("fabs", x)
    rising = block.compare("ogt", y, zero)
    of_zero, of_infinity = block.select(rising, zero, inf), block.select(rising, inf, zero)
    size = block.select(block.compare("oeq", magnitude, zero), of_zero, size)
    size = block.select(block.compare("oeq", magnitude, inf), of_infinity, size)
    return block.select(block.compare("oeq", magnitude, one), one, size)


def with_sign(block: Block, x: str, y: str, size: str) -> str:
    """The power from |x|**y: odd, undefined, nan, or one whatever the other operand."""
    zero, one = block.number(0.0), block.number(1.0)
    half = block.mul(y, block.number(0.5))
    whole = block.compare("oeq", block.intrinsic("floor", y), y)
    uneven = block.compare("one", block.intrinsic("floor", half), half)
    signed = block.select(uneven, block.intrinsic("copysign", size, x), size)
    finite = block.compare("ogt", x, block.number(-math.inf))
    undefined = block.whole("and", block.compare("olt", x, zero), finite, "i1")
    elsewhere = block.select(undefined, block.number(math.nan), size)
    value = block.select(whole, signed, elsewhere)
    value = block.select(block.compare("uno", x, y), block.number(math.nan), value)
    certain = block.whole("or", block.compare("oeq", x, one), block.compare("oeq", y, zero), "i1")
    return block.select(certain, one, value)


def log_sum(block: Block, x: str) -> Pair:
    """log(x) for finite positive x."""
    k, m = split(block, x)
    one = block.number(1.0)
    d = block.add(m, one)
    s = quotient(block, (block.sub(m, one), block.number(0.0)), (d, block.sub(m, block.sub(d, one))))
    half, half_low = artanh_sum(block, s)
    leading = block.mul(k, block.number(LN2_SHORT[0]))  # exact
    total, lost = fast_two_sum(block, leading, block.add(half, half))
    low = block.fma(k, block.number(LN2_SHORT[1]), block.add(lost, block.add(half_low, half_low)))
    return fast_two_sum(block, total, low)


def artanh_sum(block: Block, s: Pair) -> Pair:
    """artanh(s) = s + s w, w = s^2 (1/3 + s^2 (1/5 + ...))."""
    z = product(block, s, s)
    series = block.mul(z[0], paired(block, z[0], block.mul(z[0], z[0]), ARTANH))
    p, p_low = fast_two_sum(block, block.number(THIRD[0]), series)
    w = product(block, z, (p, block.add(p_low, block.number(THIRD[1]))))
    t, t_low = product(block, s, w)
    total, lost = fast_two_sum(block, s[0], t)
    return total, block.add(lost, block.add(t_low, s[1]))
