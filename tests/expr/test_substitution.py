"""Substitution: simultaneous, identical when nothing changes, equal to substituting values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biela.expr.expression import coordinate, cos, sin, spline
from biela.expr.graph import Graph
from biela.expr.substitution import substitute, transfer


def test_all_symbols_are_replaced_at_once():
    x, y = Graph().symbols("x y")
    assert (x - y).substitute({x: y, y: x}) == y - x


def test_an_absent_symbol_changes_and_creates_nothing():
    g = Graph()
    x, y, z = g.symbols("x y z")
    e = sin(x) * y
    size = len(g)
    assert e.substitute({z: x}).ref == e.ref
    assert len(g) == size


def test_a_set_equals_one_after_the_other():
    g = Graph()
    x, y, z = g.symbols("x y z")
    e = sin(x * y) + z / x + y * z
    assert e.substitute({x: 0.5, y: 2.0}) == e.substitute({x: 0.5}).substitute({y: 2.0})


def test_zero_velocities_leave_the_static_part():
    g = Graph()
    q = coordinate(g, "q")
    e = q.velocity * q.velocity * sin(q.position) + cos(q.position) + q.velocity
    assert e.substitute({q.velocity: 0.0}) == cos(q.position)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.floats(-3, 3))
def test_substitution_then_value_is_value_then_substitution(values, a):
    g = Graph()
    x, y, z = g.symbols("x y z")
    e = sin(x * y) * (z + x * x) - spline(x, [-3, 0, 3], [1, 2, 0]) * cos(z)
    at = dict(zip((x, y, z), values, strict=True))
    inner = y * a + z
    replaced = e.substitute({x: inner}).value(at)
    assert replaced == pytest.approx(e.value({**at, x: inner.value(at)}), rel=1e-12, abs=1e-12)


def test_expressions_move_to_another_graph():
    g, h = Graph(), Graph()
    x, y = g.symbols("x y")
    e = sin(x) / (y - 2.0) - x
    u = h.symbol("u")
    (ref,) = transfer(g, [e.ref], h, {x.ref: (2.0 * u).ref})
    moved = (u * 0 + 1) * u  # any handle of h
    moved = type(moved)(h, ref)
    assert moved.value({u: 0.4, h.symbol("y"): 5.0}) == e.value({x: 0.8, y: 5.0})


def test_substituting_a_zero_divisor_says_so():
    x, y = Graph().symbols("x y")
    with pytest.raises(ZeroDivisionError, match="divided by the constant 0"):
        (x / y).substitute({y: 0.0})


def test_values_of_another_graph_are_refused():
    x = Graph().symbol("x")
    with pytest.raises(ValueError, match="belongs to another graph"):
        x.substitute({x: Graph().symbol("y")})
    assert substitute([], {x: 1.0}) == []
