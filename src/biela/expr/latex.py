r"""Expressions as a textbook sets them: fractions, powers, subscripts, dots on coordinates.

Unlike `biela.expr.printing.text` nothing has to be read back, so sums and products are written flat
however they were built, and equal factors are collected.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from biela.expr.expression import expected
from biela.expr.occurrence import Occurrences
from biela.expr.operation import CALL, OPERATIONS

if TYPE_CHECKING:
    from biela.expr.expression import Expr
    from biela.expr.graph import Graph

LIMIT = 1000  # occurrences of nodes; an expression with more is elided
_SUM, _PRODUCT, _POWER = 1, 2, 4
_GREEK = frozenset(
    re.findall(
        r"\w+",
        """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
        phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""",
    )
)


def latex(expression: Expr) -> str:
    r"""The expression in LaTeX, without delimiters.

    >>> from biela.expr.graph import Graph
    >>> m, theta_1, v = Graph().symbols("m theta_1 v")
    >>> print(latex(m * v**2 / 2 - theta_1 / m))
    0.5 m v^{2} - \frac{\theta_{1}}{m}
    """
    expected(expression, "latex")
    return _Latex(expression.graph, expression.ref, LIMIT).written()


def name_in_latex(name: str, dots: int = 0) -> str:
    r"""The name of a symbol: Greek letters by name, and subscripts after an underscore, a digit or a dot.

    >>> name_in_latex("leg3.omega_x"), name_in_latex("m2")
    ('\\omega_{x,\\mathrm{leg3}}', 'm_{2}')
    """
    *place, last = name.split(".")
    base, *subscripts = [part for part in last.split("_") if part] or [last]
    split = re.fullmatch(r"([A-Za-z]+?)(\d+)", base)
    if split:
        base, subscripts = split[1], [split[2], *subscripts]
    parts = [_letters(part) for part in subscripts] + [_upright(part) for part in place]
    letters = rf"\{'d' * dots}ot{{{_letters(base)}}}" if dots else _letters(base)
    return letters + (f"_{{{','.join(parts)}}}" if parts else "")


def _letters(word: str) -> str:
    if word in _GREEK:
        return rf"\{word}"
    return word if word.isdigit() or (len(word) == 1 and word.isalpha()) else _upright(word)


def _upright(word: str) -> str:
    return rf"\mathrm{{{word}}}".replace("_", r"\_")


class _Latex:
    """One writing: the occurrences of nodes, and the text of each with how it binds."""

    def __init__(self, graph: Graph, ref: int, limit: int) -> None:
        self.graph = graph
        self.dots = _dots(graph)
        self.tree = Occurrences(ref, limit, self._operands)
        self.refs = self.tree.refs
        self.texts = [r"\cdots"] * len(self.refs)
        self.binding = [CALL] * len(self.refs)

    def written(self) -> str:
        for place, operands in self.tree.upwards():
            text, binding = self._text(place, operands)
            if self.refs[place] < 0 and self._name(place) != "add":
                text, binding = f"-{text}", _SUM
            self.texts[place], self.binding[place] = text, binding
        return self.texts[0]

    def _name(self, place: int) -> str:
        return self.graph.nodes[abs(self.refs[place])][0]

    def _operands(self, ref: int) -> Sequence[int]:
        node = self.graph.nodes[abs(ref)]
        if node[0] not in ("add", "mul"):
            return self.graph.operands(node)
        if node[0] == "add":
            return sorted(self._flat(ref, "add"), key=lambda term: (self.graph.is_constant(term), term < 0))
        return sorted(self._flat(abs(ref), "mul"), key=lambda factor: (self._rank(factor), factor))

    def _rank(self, ref: int) -> int:
        """Numbers stand before symbols, symbols before functions, and sums come last."""
        return {"const": 0, "symbol": 1, "add": 3}.get(self.graph.nodes[abs(ref)][0], 2)

    def _flat(self, ref: int, name: str) -> list[int]:
        """The terms of nested sums or the factors of nested products, in the order they are read."""
        flat: list[int] = []
        stack = [ref]
        while stack and len(flat) + len(stack) <= LIMIT:
            part = stack.pop()
            node = self.graph.nodes[abs(part)]
            if node[0] == name:
                sign = 1 if part > 0 else -1
                first, last = int(node[1]), int(node[2])
                if self.graph.nodes[abs(last)][0] == name:
                    first, last = last, first
                stack += [sign * last, sign * first]
            else:
                flat.append(part)
        return flat + stack[::-1]

    # writing the positive value of an occurrence (of a sum, the value itself)

    def _text(self, place: int, operands: Sequence[int]) -> tuple[str, int]:
        name = self._name(place)
        node = self.graph.nodes[abs(self.refs[place])]
        if name == "const":
            return _number(node[1]), CALL
        if name == "symbol":
            base, dots = self.dots.get(abs(self.refs[place]), (node[1], 0))
            return name_in_latex(base, dots), CALL
        if name == "add":
            return self._sum(operands), _SUM
        if name in ("mul", "inv"):
            return self._product(operands if name == "mul" else [place]), _PRODUCT
        return self._call(name, operands, self.graph.payload(node))

    def _sum(self, terms: Sequence[int]) -> str:
        text = self.texts[terms[0]]
        for term in terms[1:]:
            minus = self.texts[term].startswith("-")
            text += f" - {self.texts[term][1:]}" if minus else f" + {self.texts[term]}"
        return text

    def _product(self, factors: Sequence[int]) -> str:
        below = [self.tree.operands[place][0] for place in factors if self._is_written_reciprocal(place)]
        numerator = self._powers([place for place in factors if not self._is_written_reciprocal(place)])
        return rf"\frac{{{numerator or '1'}}}{{{self._powers(below)}}}" if below else numerator

    def _is_written_reciprocal(self, place: int) -> bool:
        return self._name(place) == "inv" and place < len(self.tree.operands)

    def _powers(self, factors: Sequence[int]) -> str:
        """Equal factors as one power; a lone factor needs no parentheses."""
        counts = Counter(self.refs[place] for place in factors)
        places = {self.refs[place]: place for place in factors}
        if len(counts) == 1 and counts.total() == 1:
            return self.texts[factors[0]]
        return " ".join(
            self._bound(places[ref], _POWER) + (f"^{{{count}}}" if count > 1 else "")
            for ref, count in counts.items()
        )

    def _call(self, name: str, operands: Sequence[int], payload: Any) -> tuple[str, int]:
        texts = [self.texts[operand] for operand in operands]
        if name == "pow":
            texts[0] = self._bound(operands[0], CALL)
        shown = payload if isinstance(payload, int) else r"\cdots"
        return OPERATIONS[name].latex.format(*texts, p=shown), _POWER if name == "pow" else CALL

    def _bound(self, place: int, least: int) -> str:
        text = self.texts[place]
        return text if self.binding[place] >= least else rf"\left({text}\right)"


def _dots(graph: Graph) -> dict[int, tuple[str, int]]:
    """Velocities and accelerations of coordinates: id -> the coordinate's name and how many dots it takes."""
    dots: dict[int, tuple[str, int]] = {}
    derivatives = {abs(ref) for ref in graph.rates.values()}
    for position in graph.rates.keys() - derivatives:
        name, ref, order = graph.nodes[position][1], graph.rates[position], 1
        while ref > 0 and graph.nodes[ref][0] == "symbol" and order < 4:
            dots[ref] = (name, order)
            ref, order = graph.rates.get(ref, 0), order + 1
    return dots


def _number(value: float) -> str:
    if not math.isfinite(value):
        return r"\mathrm{nan}" if value != value else r"\infty"
    mantissa, _, exponent = repr(value).removesuffix(".0").partition("e")
    power = f"10^{{{int(exponent)}}}" if exponent else ""
    return power if mantissa == "1" and power else mantissa + (rf" \cdot {power}" if power else "")
