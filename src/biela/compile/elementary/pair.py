"""Numbers held as the sum of two doubles, high + low, for the steps where one double is not enough.

T. J. Dekker, A floating-point technique for extending the available precision (Numerische
Mathematik 18, 1971); with a fused multiply-add a product's rounding error costs one operation.
"""

from __future__ import annotations

from biela.compile.ir import Block

Pair = tuple[str, str]


def fast_two_sum(block: Block, a: str, b: str) -> Pair:
    """a + b and what its rounding lost, exactly, for |a| >= |b| or a = 0."""
    total = block.add(a, b)
    return total, block.add(block.sub(a, total), b)


def product(block: Block, a: Pair, b: Pair) -> Pair:
    """a b."""
    high = block.mul(a[0], b[0])
    low = block.fma(a[0], b[0], block.neg(high))
    return high, block.fma(a[1], b[0], block.fma(a[0], b[1], low))


def quotient(block: Block, n: Pair, d: Pair) -> Pair:
    """n / d, with one division: that of 1 / d, whose error the remainder corrects.

    The remainder is subtracted: for n = -0 it is +0, and the sum of both parts stays -0.
    """
    inverse = block.div(block.number(1.0), d[0])
    high = block.mul(n[0], inverse)
    excess = block.sub(block.fma(high, d[0], block.neg(n[0])), n[1])
    excess = block.fma(high, d[1], excess)
    return high, block.neg(block.mul(excess, inverse))
