"""Counting operations by the metric of Plaza's thesis (2015), so that its tables can be compared.

Every binary + - * / counts one, every unary minus one, every function call one; an atom is an assignment
to anything that is not an output. `count_source` counts a listing written in that style: in
``a+-2.0*x`` the ``+-`` is one subtraction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "inv": "/", "neg": "~"}


class Count(NamedTuple):
    """How many operations of each kind."""

    additions: int = 0
    subtractions: int = 0
    products: int = 0
    divisions: int = 0
    negations: int = 0
    calls: int = 0
    atoms: int = 0

    @property
    def total(self) -> int:
        """All operations; atoms are no operations."""
        return sum(self[:6])

    @classmethod
    def of_names(cls, names: Iterable[str], atoms: int = 0) -> Count:
        """The count of operations given by their names in the table."""
        tally = dict.fromkeys("+-*/~(", 0)
        for name in names:
            tally[_BINARY.get(name, "(")] += 1
        return cls(*tally.values(), atoms=atoms)

    def __str__(self) -> str:
        return f"{self.total} operations, {self.atoms} atoms"


_TOKEN = re.compile(
    r"(?P<number>(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/()=;,\[\]])"
)


def count_source(source: str, output: str = r"_?[A-Za-z]\w*\[\d+\]") -> Count:
    """The count of a listing of assignments ``name = expression;`` in C.

    ``output`` is the pattern of the names on the left that are outputs; by default array elements are.

    >>> count_source("atom1 = sin(q); _M[0] = atom1*atom1+-2.0*x;")
    Count(additions=0, subtractions=1, products=2, divisions=0, negations=0, calls=1, atoms=1)
    """
    tally = dict.fromkeys("+-*/~(", 0)
    atoms = 0
    for statement in re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL).split(";"):
        left, equals, right = statement.partition("=")
        if not equals:
            continue
        atoms += re.fullmatch(output, left.strip()) is None
        _tally(right, tally)
    return Count(*tally.values(), atoms=atoms)


def _tally(expression: str, tally: dict[str, int]) -> None:
    previous = "("  # what ended just before: an operand, or a sign after which an operand begins
    brackets = 0
    for match in _TOKEN.finditer(expression):
        token = match.group()
        brackets += (token == "[") - (token == "]")
        if brackets or token == "]":
            previous = "operand"
            continue
        if token in "+-" and previous != "operand":
            if token == "-" and previous == "+":
                tally["+"] -= 1
                tally["-"] += 1
            elif token == "-":
                tally["~"] += 1
            continue
        if token in "+-*/":
            tally[token] += 1
        elif token == "(" and previous == "operand":
            tally["("] += 1
        previous = "operand" if match["number"] or match["name"] or token == ")" else token
