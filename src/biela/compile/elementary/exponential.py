"""exp and log: a power of two apart, a polynomial or a quotient on what is left."""

from __future__ import annotations

import math

from biela.compile.elementary.polynomial import paired
from biela.compile.ir import Block

BIAS = 1023
ROUND = 1.5 * 2.0**52 + 2.0 * BIAS  # adding it rounds, and biases the whole number in the low bits twice
LOG2_E = float.fromhex("0x1.71547652b82fep+0")
LN2 = (float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56"))
# The first part has 42 bits: its product with an exponent is exact.
LN2_SHORT = (float.fromhex("0x1.62e42fefa38p-1"), float.fromhex("0x1.ef35793c76730p-45"))

# (exp(r) - 1 - r) / r^2, |r| <= ln(2)/2: error 2**-56.0 of exp
EXP = (0.5000000000000011, 0.1666666666666652, 0.04166666666653542, 0.008333333333542607,
       0.0013888888941686213, 0.00019841269398947997, 2.4801494754492084e-05, 2.755759656252317e-06,
       2.7629925270056125e-07, 2.5035113727714935e-08)  # fmt: skip
# (2 artanh(s)/s - 2) / s^2 in s^2, |s| <= 3 - 2 sqrt(2): error 2**-59.5 of artanh
LOG = (0.6666666666666734, 0.3999999999941654, 0.28571428742065763, 0.2222219859996758,
       0.18183563169335745, 0.1531407549950901, 0.14795737699969005)  # fmt: skip


def exp(block: Block, x: str) -> str:
    """e to the x, rounded into the subnormals when below the normal numbers."""
    shifted, r, lost = reduce(block, x)
    r2 = block.mul(r, r)
    rest = block.fma(r2, paired(block, r, r2, EXP), lost)
    return scale(block, block.add(block.number(1.0), block.add(r, rest)), shifted)


def exp_of_sum(block: Block, x: str, tail: str) -> str:
    """e to the x + tail, for a tail about the last bit of x."""
    shifted, r, lost = reduce(block, x)
    one, r2 = block.number(1.0), block.mul(r, r)
    rest = block.mul(r2, paired(block, r, r2, EXP))
    rest = block.fma(block.add(lost, tail), block.add(one, block.add(r, rest)), rest)
    return scale(block, block.add(one, block.add(r, rest)), shifted)


def reduce(block: Block, x: str) -> tuple[str, str, str]:
    """(shifted, r, lost) with x = k ln 2 + r + lost, k in the low bits of ``shifted``.

    ``x`` is cut to where its power is certainly 0 or infinite; the first product is exact, as in the
    reduction of the sine.
    """
    x = clamp(block, x, -746.0, 710.0)
    shifted = block.fma(x, block.number(LOG2_E), block.number(ROUND))
    k = block.neg(block.sub(shifted, block.number(ROUND)))
    r0 = block.fma(k, block.number(LN2[0]), x)
    r = block.fma(k, block.number(LN2[1]), r0)
    return shifted, r, block.fma(k, block.number(LN2[1]), block.sub(r0, r))


def clamp(block: Block, x: str, low: float, high: float) -> str:
    """``x`` or the nearer bound; nan stays."""
    x = block.select(block.compare("olt", x, block.number(low)), block.number(low), x)
    return block.select(block.compare("ogt", x, block.number(high)), block.number(high), x)


def scale(block: Block, value: str, shifted: str) -> str:
    """value 2**k for the k in the low bits of ``shifted``, in two factors so that it is rounded once."""
    bits = block.convert("bitcast", shifted, "double", "i64")
    half = block.whole("lshr", bits, block.integer(1))
    for exponent in (half, block.whole("sub", bits, half)):
        power = block.whole("shl", exponent, block.integer(52))
        value = block.mul(value, block.convert("bitcast", power, "i64", "double"))
    return value


def log(block: Block, x: str) -> str:
    """The natural logarithm; -inf at zero, nan below."""
    k, m = split(block, x)
    # log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 R(s^2))) with s = f/(2 + f)  (Ng 1993, fdlibm)
    f = block.sub(m, block.number(1.0))
    s = block.div(f, block.add(block.number(2.0), f))
    half_square = block.mul(block.mul(f, block.number(0.5)), f)
    z = block.mul(s, s)
    z2 = block.mul(z, z)
    inner = block.fma(z, paired(block, z, z2, LOG), half_square)
    small = block.fma(s, inner, block.mul(k, block.number(LN2_SHORT[1])))
    value = block.fma(k, block.number(LN2_SHORT[0]), block.sub(f, block.sub(half_square, small)))
    return at_log_poles(block, x, value)


def at_log_poles(block: Block, x: str, value: str) -> str:
    """``value``, but the limits of the logarithm at 0 and inf, and nan where it has none."""
    zero, inf = block.number(0.0), block.number(math.inf)
    value = block.select(block.compare("oeq", x, zero), block.number(-math.inf), value)
    value = block.select(block.compare("olt", x, zero), block.number(math.nan), value)
    return block.select(block.compare("ueq", x, inf), x, value)


def split(block: Block, x: str) -> tuple[str, str]:
    """(k, m) with x = 2**k m and sqrt(1/2) <= m < sqrt(2), for finite positive x; k as a double."""
    tiny = block.compare("olt", x, block.number(2.0**-1022))
    normal = block.select(tiny, block.mul(x, block.number(2.0**54)), x)
    root = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
    bits = block.whole("sub", block.convert("bitcast", normal, "double", "i64"), block.integer(root))
    fraction = block.whole("and", bits, block.integer(2**52 - 1))
    m = block.convert("bitcast", block.whole("add", fraction, block.integer(root)), "i64", "double")
    biased = block.whole("lshr", block.whole("add", bits, block.integer(BIAS << 52)), block.integer(52))
    # in the last bits of 2**52 a whole number is a double without a conversion
    big = block.convert("bitcast", block.whole("or", biased, block.integer(0x433 << 52)), "i64", "double")
    offset = block.select(tiny, block.number(2.0**52 + BIAS + 54), block.number(2.0**52 + BIAS))
    return block.sub(big, offset), m
