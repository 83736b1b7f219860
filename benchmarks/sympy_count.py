"""Counting what SymPy's `cse` leaves, by the metric of `biela.expr.counting`, read in its favour.

A sum of n terms is n - 1 operations, a factor -1 in it a subtraction; alone, it is a unary minus. A power by
a whole number is as many products as repeated squaring takes, a negative one a division more; numbers,
fractions among them, are free. Every assignment that is no output is an atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from biela.expr.counting import Count


def shared(matrices: Sequence[Any]) -> Count:
    """What is left of matrices after `cse`; an entry that stands in one of them twice counts once."""
    assignments, outputs = sympy.cse(list(matrices))
    return count([right for _, right in assignments], [e for matrix in outputs for e in set(matrix)])


def count(assigned: Sequence[Any], outputs: Sequence[Any]) -> Count:
    """The count of expressions, the first of which are assignments."""
    return Count.of_names([o for e in (*assigned, *outputs) for o in _operations(e)], len(assigned))


def _operations(expression: Any) -> Iterable[str]:
    stack = [expression]
    while stack:
        node = stack.pop()
        stack += _parts(node)
        yield from _own(node)


def _parts(node: Any) -> list[Any]:
    if node.is_Atom:
        return []
    if node.is_Pow:
        return [node.base] if node.exp.is_Rational else [node.base, node.exp]
    return [_positive(term) for term in node.args] if node.is_Add else list(node.args)


def _own(node: Any) -> list[str]:
    if node.is_Atom:
        return []
    if node.is_Add:
        minus = sum(_is_negative(term) for term in node.args)
        terms = len(node.args)
        if minus == terms:
            return ["neg"] + ["sub"] * (terms - 1)
        return ["sub"] * minus + ["add"] * (terms - 1 - minus)
    if node.is_Mul:
        factors = [f for f in node.args if f != -1]
        divided = sum(bool(f.is_Pow and f.exp.is_Rational and f.exp.is_negative) for f in factors)
        signs = ["neg"] * (len(factors) < len(node.args))
        return signs + ["mul"] * (len(factors) - 1 - min(divided, len(factors) - 1))
    return _power(node) if node.is_Pow else ["call"]


def _power(node: Any) -> list[str]:
    if not node.exp.is_Integer:
        return ["pow"]
    n = abs(int(node.exp))
    return ["mul"] * (n.bit_length() + n.bit_count() - 2) + ["div"] * bool(node.exp.is_negative)


def _is_negative(term: Any) -> bool:
    leading = term.args[0] if term.is_Mul else term
    return bool(leading.is_Number and leading.is_negative)


def _positive(term: Any) -> Any:
    return -term if _is_negative(term) else term
