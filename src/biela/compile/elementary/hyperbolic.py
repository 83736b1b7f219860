"""sinh, cosh and tanh from one reduction: |x| = k ln 2 + r, and the addition theorems.

With A = sinh(k ln 2) = (2**k - 2**-k)/2 and B = cosh(k ln 2), both but for rounding exact,

    sinh|x| = A cosh r + B sinh r,    cosh x = B cosh r + A sinh r.

For small x, k = 0 leaves the odd series of sinh r alone, so nothing cancels. Everything is halved
until the last step so that 2**k may overflow only where the result does.
"""

from __future__ import annotations

from dataclasses import dataclass

from biela.compile.elementary.exponential import LN2, LOG2_E
from biela.compile.elementary.pair import Pair, fast_two_sum, product, quotient
from biela.compile.elementary.polynomial import paired
from biela.compile.ir import Block

ROUND = 1.5 * 2.0**52 + 1021.0  # rounds to whole, and leaves the exponent bits of 2**(k - 2)

LARGEST = 710.6  # sinh and cosh are infinite from 710.48 on; the power of two is finite up to here

# (sinh(r)/r - 1) / r^2 in r^2, |r| <= ln(2)/2: error 2**-61.7 of sinh
SINH = (0.16666666666666677, 0.008333333333321376, 0.0001984126988686726, 2.755724337628163e-06,
        2.5109355127189727e-08)  # fmt: skip
# (cosh(r) - 1 - r^2/2) / r^4 in r^2, |r| <= ln(2)/2: error 2**-57.4 of cosh
COSH = (0.041666666666603694, 0.0013888888926907495, 2.4801508541095673e-05, 2.762524287375453e-07)


@dataclass(frozen=True, slots=True)
class Parts:
    """A/2 and B/2 as pairs, and sinh r = r + odd, cosh r = 1 + even."""

    a: Pair
    b: Pair
    r: str
    odd: str
    even: str


def sinh(block: Block, x: str) -> str:
    """The hyperbolic sine."""
    size = block.intrinsic("fabs", x)
    half = block.add(*sinh_sum(block, parts(block, size, LARGEST)))
    # a subnormal cannot be halved
    same = block.compare("olt", size, block.number(2.0**-30))
    value = block.select(same, size, block.add(half, half))
    return block.intrinsic("copysign", value, x)


def cosh(block: Block, x: str) -> str:
    """The hyperbolic cosine."""
    half = block.add(*cosh_sum(block, parts(block, block.intrinsic("fabs", x), LARGEST)))
    return block.add(half, half)


def tanh(block: Block, x: str) -> str:
    """The hyperbolic tangent; from 19.1 on it is one to the last bit."""
    size = block.intrinsic("fabs", x)
    p = parts(block, size, 19.2)
    s, c = fast_two_sum(block, *sinh_sum(block, p)), fast_two_sum(block, *cosh_sum(block, p))
    value = block.add(*quotient(block, s, c))
    same = block.compare("olt", size, block.number(2.0**-30))
    return block.intrinsic("copysign", block.select(same, size, value), x)


def parts(block: Block, size: str, largest: float) -> Parts:
    """The reduction of ``size`` = |x|, or of ``largest`` if that is less."""
    top = block.number(largest)
    size = block.select(block.compare("ogt", size, top), top, size)
    shifted = block.fma(size, block.number(LOG2_E), block.number(ROUND))
    k = block.neg(block.sub(shifted, block.number(ROUND)))
    r0 = block.fma(k, block.number(LN2[0]), size)
    r = block.fma(k, block.number(LN2[1]), r0)
    lost = block.fma(k, block.number(LN2[1]), block.sub(r0, r))
    a, b = half_functions(block, shifted)
    z = block.mul(r, r)
    z2 = block.mul(z, z)
    odd = block.fma(block.mul(r, z), paired(block, z, z2, SINH), lost)
    even = block.fma(block.mul(r, block.number(0.5)), r, block.mul(z2, paired(block, z, z2, COSH)))
    return Parts(a, b, r, odd, even)


def half_functions(block: Block, shifted: str) -> tuple[Pair, Pair]:
    """sinh(k ln 2)/2 and cosh(k ln 2)/2."""
    bits = block.whole("shl", block.convert("bitcast", shifted, "double", "i64"), block.integer(52))
    power = block.convert("bitcast", bits, "i64", "double")
    inverse = block.div(block.number(2.0**-4), power)
    return fast_two_sum(block, power, block.neg(inverse)), fast_two_sum(block, power, inverse)


def sinh_sum(block: Block, p: Parts) -> Pair:
    """Half the sinh, in a leading term and a rest."""
    return combine(block, p, p.a, p.b)


def cosh_sum(block: Block, p: Parts) -> Pair:
    """Half the cosh, in a leading term and a rest."""
    return combine(block, p, p.b, p.a)


def combine(block: Block, p: Parts, of_cosh: Pair, of_sinh: Pair) -> Pair:
    """of_cosh cosh r + of_sinh sinh r, its smallest terms first."""
    linear, lost = product(block, of_sinh, (p.r, block.number(0.0)))
    leading, lost_in_sum = fast_two_sum(block, of_cosh[0], linear)
    rest = block.fma(of_sinh[0], p.odd, block.add(lost, of_cosh[1]))
    return leading, block.add(lost_in_sum, block.fma(of_cosh[0], p.even, rest))
