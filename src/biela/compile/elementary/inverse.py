"""atan, atan2, asin and acos: a quotient or a root, one polynomial, and a multiple of pi/4."""

from __future__ import annotations

import math

from biela.compile.elementary.pair import fast_two_sum, quotient
from biela.compile.elementary.polynomial import paired
from biela.compile.ir import Block

HALF_PI = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54"))
PI = (2.0 * HALF_PI[0], 2.0 * HALF_PI[1])
QUARTER_PI = (0.5 * HALF_PI[0], 0.5 * HALF_PI[1])
TAN_OF_EIGHTH = math.sqrt(2.0) - 1.0

# (1 - atan(q)/q) / q^2 in q^2, |q| <= tan(pi/8): error 2**-59.4 of atan
ATAN = (0.333333333333332, -0.1999999999995368, 0.14285714280200656, -0.11111110783560037,
        0.0909089775967148, -0.0769206025107333, 0.06663104579734813, -0.058478943831557356,
        0.05039333838856712, -0.038065469514899135, 0.01790839335176418)  # fmt: skip
# (asin(w)/w - 1) / w^2 in w^2, |w| <= 1/2: error 2**-58.7 of asin
ASIN = (0.1666666666666676, 0.07499999999970865, 0.04464285717456522, 0.030381942709607274,
        0.02237221494528949, 0.01735161256203421, 0.013980818087229237, 0.011398879004800404,
        0.010780875456740766, 0.0037018370990912768, 0.021725384671391106, -0.021036028036792307,
        0.032660120120284644)  # fmt: skip


def atan(block: Block, x: str) -> str:
    """The angle in [-pi/2, pi/2] of this tangent."""
    one = block.number(1.0)
    size = block.intrinsic("fabs", x)
    # beyond 2**100 the angle is pi/2 to the last bit, and an infinity would make nan below
    size = block.select(block.compare("ogt", size, block.number(2.0**100)), block.number(2.0**100), size)
    steep = block.compare("ogt", size, one)
    a, b = block.select(steep, one, size), block.select(steep, size, one)
    m, q, tail = octant_angle(block, a, b)
    m, q, tail = reflect(block, steep, 2.0, m, q, tail)
    return block.intrinsic("copysign", add_to_eighths(block, m, q, tail), x)


def atan2(block: Block, y: str, x: str) -> str:
    """The angle in [-pi, pi] of the point (x, y), with C99's signed zeros and infinities."""
    height, width = block.intrinsic("fabs", y), block.intrinsic("fabs", x)
    steep = block.compare("ogt", height, width)
    a, b = block.select(steep, width, height), block.select(steep, height, width)
    m, q, tail = octant_angle(block, *comparable(block, a, b))
    m, q, tail = reflect(block, steep, 2.0, m, q, tail)
    bits = block.convert("bitcast", x, "double", "i64")
    left = block.emit(f"icmp slt {block.vector('i64')} {bits}, {block.integer(0)}")  # -0 too
    m, q, tail = reflect(block, left, 4.0, m, q, tail)
    return block.intrinsic("copysign", add_to_eighths(block, m, q, tail), y)


def comparable(block: Block, a: str, b: str) -> tuple[str, str]:
    """Numbers of the same ratio, the second near one, so that nothing over- or underflows early."""
    zero, one, inf = block.number(0.0), block.number(1.0), block.number(math.inf)
    unbounded = block.compare("oeq", b, inf)
    of_infinities = block.select(block.compare("oeq", a, inf), one, block.mul(a, zero))  # keeps a nan
    a, b = block.select(unbounded, of_infinities, a), block.select(unbounded, one, b)
    factor = reciprocal_power(block, b)
    a, b = block.mul(a, factor), block.mul(b, factor)
    return a, block.select(block.compare("oeq", b, zero), one, b)


def reciprocal_power(block: Block, b: str) -> str:
    """A power of two that takes a positive finite ``b`` into [2, 4), a subnormal into [2**-51, 2)."""
    least = block.number(2.0**-1022)
    b = block.select(block.compare("olt", b, least), least, b)
    exponent = block.whole("and", block.convert("bitcast", b, "double", "i64"), block.integer(0x7FF << 52))
    bits = block.whole("sub", block.integer(0x7FF << 52), exponent)
    return block.convert("bitcast", bits, "i64", "double")


def octant_angle(block: Block, a: str, b: str) -> tuple[str, str, str]:
    """(m, q, tail) with atan(a/b) = m pi/4 + q + tail, for 0 <= a <= b.

    Above pi/8 the angle is pi/4 + atan((a - b)/(a + b)), both exact as sums of two doubles.
    """
    zero = block.number(0.0)
    upper = block.compare("ogt", a, block.mul(b, block.number(TAN_OF_EIGHTH)))
    total = fast_two_sum(block, b, a)
    difference = fast_two_sum(block, block.neg(b), a)
    n = block.select(upper, difference[0], a), block.select(upper, difference[1], zero)
    d = block.select(upper, total[0], b), block.select(upper, total[1], zero)
    q, q_low = quotient(block, n, d)
    z = block.mul(q, q)
    series = block.mul(block.mul(q, z), paired(block, z, block.mul(z, z), ATAN))
    return block.select(upper, block.number(1.0), zero), q, block.sub(q_low, series)


def reflect(block: Block, condition: str, eighths: float, m: str, q: str, tail: str) -> tuple[str, str, str]:
    """The angle eighths pi/4 - (m pi/4 + q + tail) where the condition holds."""
    m = block.select(condition, block.sub(block.number(eighths), m), m)
    q = block.select(condition, block.neg(q), q)
    return m, q, block.select(condition, block.neg(tail), tail)


def add_to_eighths(block: Block, m: str, q: str, tail: str) -> str:
    """m pi/4 + q + tail."""
    high = block.mul(m, block.number(QUARTER_PI[0]))
    low = block.fma(m, block.number(QUARTER_PI[0]), block.neg(high))  # 3 pi/4 is rounded
    low = block.fma(m, block.number(QUARTER_PI[1]), low)
    return add_to(block, high, low, q, tail)


def add_to(block: Block, high: str, low: str, q: str, tail: str) -> str:
    """(high + low) + (q + tail), where ``high`` is zero or exceeds ``q``."""
    total, lost = fast_two_sum(block, high, q)
    return block.add(total, block.add(lost, block.add(low, tail)))


def asin(block: Block, x: str) -> str:
    """The angle in [-pi/2, pi/2] of this sine; nan beyond one."""
    outer, w, tail = half_arc(block, x)
    zero = block.number(0.0)
    high, low = (block.select(outer, block.number(part), zero) for part in HALF_PI)
    factor = block.select(outer, block.number(-2.0), block.number(1.0))
    angle = add_to(block, high, low, block.mul(factor, w), block.mul(factor, tail))
    return block.intrinsic("copysign", angle, x)


def acos(block: Block, x: str) -> str:
    """The angle in [0, pi] of this cosine; nan beyond one."""
    outer, w, tail = half_arc(block, x)
    zero, half = block.number(0.0), [block.number(part) for part in HALF_PI]
    left = block.compare("olt", x, zero)
    ends = [block.select(left, block.number(part), zero) for part in PI]
    high, low = (block.select(outer, end, middle) for end, middle in zip(ends, half, strict=True))
    factor = block.select(outer, block.number(2.0), block.number(-1.0))
    factor = block.select(left, block.neg(factor), factor)
    return add_to(block, high, low, block.mul(factor, w), block.mul(factor, tail))


def half_arc(block: Block, x: str) -> tuple[str, str, str]:
    """(outer, w, tail) with w + tail = asin(|x|), or acos(|x|)/2 where outer: |x| > 1/2.

    asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)), whose argument is below 1/2 again.
    """
    half, size = block.number(0.5), block.intrinsic("fabs", x)
    outer = block.compare("ogt", size, half)
    z = block.select(outer, block.fma(size, block.number(-0.5), half), block.mul(x, x))
    root = block.intrinsic("sqrt", z)
    # The root's rounding, one Newton step; the addend only keeps 0/0 away, roots are above 2**-28.
    rest = block.fma(block.neg(root), root, z)
    lost = block.div(rest, block.fma(root, block.number(2.0), block.number(2.0**-1000)))
    w = block.select(outer, root, size)
    series = block.mul(block.mul(w, z), paired(block, z, block.mul(z, z), ASIN))
    return outer, w, block.add(series, block.select(outer, lost, block.number(0.0)))
