"""The identity test by random residues."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from biela.expr.expression import cos, exp, sin, sqrt, tan
from biela.expr.graph import Graph
from biela.expr.residue import PRIME, residue, vanishes

x, y, z = Graph().symbols("x y z")


def test_the_modulus_is_prime():
    assert sympy.isprime(PRIME)


@pytest.mark.parametrize(
    "zero",
    [
        x * (y + z) - x * y - x * z,
        1 / x + 1 / y - (x + y) / (x * y),
        (x - y) * (x + y) - (x * x - y * y),
        0.1 * (x + y) - 0.1 * x - 0.1 * y,
        sin(x + y) ** 2 + cos(x + y) ** 2 - 1,
        tan(x) * cos(x) - sin(x),
        x / (1 + y) - x * (1 - y) / (1 - y * y),
    ],
)
def test_identities_vanish(zero):
    assert abs(zero.ref) != zero.graph.ZERO  # else the normal form has answered
    assert vanishes(zero.graph, zero.ref)
    assert vanishes(zero.graph, -zero.ref)
    assert not vanishes(zero.graph, (zero + 0.25).ref)


@pytest.mark.parametrize(
    "other",
    [x, -x, x - y, x * y - 1, sin(x), sin(x) - cos(x), sin(x) ** 2 + cos(y) ** 2 - 1, sqrt(x) - x, exp(x) - 1,
     1 / x, x - 1e-12],
)  # fmt: skip
def test_what_is_no_identity_does_not_vanish(other):
    assert not vanishes(other.graph, other.ref)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_its_own_fraction(value):
    numerator, denominator = value.as_integer_ratio()
    graph = Graph()
    assert (residue(graph, graph.constant(value)) * denominator - numerator) % PRIME == 0


def test_the_point_is_the_same_in_every_run():
    g = Graph()
    p, q = g.symbols("p q")
    h = Graph()
    r, s = h.symbols("p q")
    assert residue(g, (p / q).ref) == residue(h, (r / s).ref)


def test_a_long_sum_needs_no_recursion():
    g = Graph()
    symbols = [g.symbol(f"s{i}") for i in range(20_000)]
    total = sum(symbols, start=symbols[0] * 0)
    backwards = sum(reversed(symbols), start=symbols[0] * 0)
    assert vanishes(g, (total - backwards).ref)
