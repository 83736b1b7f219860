"""Polynomials with constant coefficients, written as fused multiply-adds.

The coefficients of this package are minimax: found with Remez' exchange algorithm in 60 digits, then
rounded to doubles one at a time from the lowest power up, with the others fitted again after each
rounding. Each set states its interval and the error that remains after rounding, relative to the
function it serves.
"""

from __future__ import annotations

from collections.abc import Sequence

from biela.compile.ir import Block


def horner(block: Block, x: str, coefficients: Sequence[float]) -> str:
    """c0 + x (c1 + x (c2 + ...)): the fewest operations, one after the other."""
    value = block.number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = block.fma(value, x, block.number(coefficient))
    return value


def paired(block: Block, x: str, x2: str, coefficients: Sequence[float]) -> str:
    """(c0 + c1 x) + x2 ((c2 + c3 x) + ...) with x2 = x x: as many operations, half as deep."""
    pairs = [horner(block, x, coefficients[i : i + 2]) for i in range(0, len(coefficients), 2)]
    value = pairs.pop()
    while pairs:
        value = block.fma(value, x2, pairs.pop())
    return value
