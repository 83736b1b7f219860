"""Is an expression identically zero? A test by random values, in exact arithmetic.

The normal form of a graph misses that x (y + z) - x y - x z is zero, and elimination is full of such
sums. Evaluated at random points of a prime field, where nothing is rounded, a rational function that
is not zero comes out zero with a probability below its degree over `PRIME`, here about 1e-15 for any
that fits in memory (Schwartz, 1980; Zippel, 1979). Sines and cosines are points of the circle, hence
sin(x)**2 + cos(x)**2 - 1 is found out too; any other function is a random value of its own, so that
sin(2*x) - 2*sin(x)*cos(x) is not. An answer 'zero' is therefore right, and 'not zero' may be wrong.
"""

from __future__ import annotations

import math
from random import Random

from biela.expr.graph import Graph, Node

PRIME = 2**61 - 1  # Mersenne


def vanishes(graph: Graph, ref: int) -> bool:
    """Whether an expression is zero whatever its symbols are.

    >>> g = Graph()
    >>> x, y = g.symbols("x y")
    >>> vanishes(g, ((x + y) ** 2 - x**2 - 2 * x * y - y**2).ref)
    True
    """
    return residue(graph, ref) == 0


def residue(graph: Graph, ref: int) -> int:
    """The value of an expression at the random point."""
    known: dict[int, int] = graph.memo.setdefault("residue", {})
    i = abs(ref)
    if i not in known:
        for k in graph.reachable([i], known):
            known[k] = _residue(graph.nodes[k], k, known)
    return known[i] if ref > 0 else -known[i] % PRIME


def _residue(node: Node, i: int, known: dict[int, int]) -> int:
    match node[0]:
        case "add":
            other = known[abs(node[2])]
            return (known[node[1]] + (other if node[2] > 0 else -other)) % PRIME
        case "mul":
            return known[node[1]] * known[node[2]] % PRIME
        case "inv":
            return _reciprocal(known[node[1]])
        case "const" if math.isfinite(node[1]):
            numerator, denominator = node[1].as_integer_ratio()
            return numerator * _reciprocal(denominator) % PRIME
        case "sin" | "cos" | "tan":
            return _on_circle(node[0], Random(f"angle {node[1]}").randrange(1, PRIME))
        case _:
            return Random(i).randrange(1, PRIME)


def _on_circle(name: str, t: int) -> int:
    """Sine, cosine or tangent of the angle whose half has the tangent ``t``."""
    numerator = 1 - t * t if name == "cos" else 2 * t
    return numerator * _reciprocal(1 - t * t if name == "tan" else 1 + t * t) % PRIME


def _reciprocal(value: int) -> int:
    return pow(value, -1, PRIME) if value % PRIME else 0
