"""Choices, comparisons and steps: one comparison and one select each, with nan as `biela.expr` has it."""

from __future__ import annotations

from biela.compile.ir import Block


def absolute(block: Block, a: str) -> str:
    """|a|."""
    return block.intrinsic("fabs", a)


def sign(block: Block, a: str) -> str:
    """-1, 0 or 1; +0 for either zero, nan for nan."""
    zero = block.number(0.0)
    positive = block.select(block.compare("ogt", a, zero), block.number(1.0), zero)
    value = block.select(block.compare("olt", a, zero), block.number(-1.0), positive)
    return block.select(block.compare("uno", a, a), a, value)


def floor(block: Block, a: str) -> str:
    """The whole number at or below ``a``; -0 stays."""
    return block.intrinsic("floor", a)


def minimum(block: Block, a: str, b: str) -> str:
    """The lesser, nan when either is; ``b`` of two zeros."""
    return extreme(block, "olt", a, b)


def maximum(block: Block, a: str, b: str) -> str:
    """The greater, nan when either is; ``b`` of two zeros."""
    return extreme(block, "ogt", a, b)


def extreme(block: Block, predicate: str, a: str, b: str) -> str:
    """``a`` where the predicate holds or a is nan, else ``b``."""
    chosen = block.select(block.compare(predicate, a, b), a, b)
    return block.select(block.compare("uno", a, a), a, chosen)


def truth(block: Block, condition: str) -> str:
    """1.0 where the condition holds, else 0.0."""
    return block.select(condition, block.number(1.0), block.number(0.0))


def less(block: Block, a: str, b: str) -> str:
    """a < b as 1.0 or 0.0."""
    return truth(block, block.compare("olt", a, b))


def less_or_equal(block: Block, a: str, b: str) -> str:
    """a <= b as 1.0 or 0.0."""
    return truth(block, block.compare("ole", a, b))


def equal(block: Block, a: str, b: str) -> str:
    """a == b as 1.0 or 0.0."""
    return truth(block, block.compare("oeq", a, b))


def where(block: Block, c: str, a: str, b: str) -> str:
    """``a`` where c is not zero (nan is not), else ``b``."""
    return block.select(block.compare("une", c, block.number(0.0)), a, b)


def inverse(block: Block, a: str) -> str:
    """1 / a."""
    return block.div(block.number(1.0), a)


def square_root(block: Block, a: str) -> str:
    """The square root, correctly rounded; nan below zero."""
    return block.intrinsic("sqrt", a)
