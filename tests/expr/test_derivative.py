"""Derivatives: against SymPy, each mode against the others, sharing, wrong calls."""

import pytest
import sympy

from biela.expr.derivative import differentiate_all, directional_derivative, gradient, jacobian
from biela.expr.expression import atan2, coordinate, cos, exp, log, maximum, sin, sqrt, time, where
from biela.expr.graph import Graph

AT = {"x": 0.7, "y": -0.4, "z": 1.3}

TEXTS = [
    "sin(x*y)*exp(z)/(1 + x**2)",
    "atan2(y*z, x + 2) + log(x*x + z)",
    "sqrt(x*x + y*y + z*z)**3 * cos(z - y)",
    "x**z + x*y*z*x*y",
    "((x + y)/(z + 3))**5",
]


def ours(text):
    g = Graph()
    names = dict(zip("xyz", g.symbols("x y z"), strict=True))
    scope = {"sin": sin, "cos": cos, "exp": exp, "log": log, "sqrt": sqrt, "atan2": atan2}
    return eval(text, scope, names), [names[n] for n in "xyz"]


@pytest.mark.parametrize("text", TEXTS)
def test_first_and_second_derivatives_agree_with_sympy(text):
    e, symbols = ours(text)
    oracle = sympy.sympify(text)
    values = {s: AT[s.name] for s in symbols}
    for a in symbols:
        assert e.diff(a).value(values) == pytest.approx(float(oracle.diff(a.name).subs(AT)), rel=1e-12)
        for b in symbols:
            expected = float(oracle.diff(a.name, b.name).subs(AT))
            assert e.diff(a, b).value(values) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_reverse_mode_equals_forward_mode(text):
    e, symbols = ours(text)
    values = {s: AT[s.name] for s in symbols}
    for slope, symbol in zip(gradient(e, symbols), symbols, strict=True):
        assert slope.value(values) == pytest.approx(e.diff(symbol).value(values), rel=1e-13)


def test_reverse_mode_is_cheap_for_many_symbols():
    g = Graph()
    xs = g.symbols(" ".join(f"x{i}" for i in range(300)))
    e = xs[0]
    for x in xs[1:]:
        e = sin(e) * x + x
    before = len(g)
    slopes = gradient(e, xs)
    assert len(g) - before < 8 * 300  # forward mode makes about 300 * 300
    values = dict.fromkeys(xs, 0.9)
    assert slopes[150].value(values) == pytest.approx(e.diff(xs[150]).value(values), rel=1e-12)


def test_a_directional_derivative_is_the_jacobian_times_the_direction():
    g = Graph()
    x, y, v, w = g.symbols("x y v w")
    e = [x * sin(y), exp(x) / y]
    values = {x: 0.3, y: 0.8, v: 2.0, w: -1.0}
    entries = jacobian(e, [x, y])
    for row, slope in enumerate(directional_derivative(e, {x: v, y: w})):
        expected = entries[row, 0] * v + entries[row, 1] * w
        assert slope.value(values) == pytest.approx(expected.value(values), rel=1e-14)


def test_time_derivatives_follow_coordinates_velocities_and_time():
    g = Graph()
    q, p, t = coordinate(g, "q"), coordinate(g, "p"), time(g)
    e = q.position * sin(p.position) + t * q.velocity
    expected = (
        q.velocity * sin(p.position)
        + q.position * cos(p.position) * p.velocity
        + q.velocity
        + t * q.acceleration
    )
    values = {s: 0.1 * k + 0.4 for k, s in enumerate(expected.symbols)}
    assert e.dt().value(values) == pytest.approx(expected.value(values), rel=1e-14)
    assert g.symbol("k").dt().number == 0.0


def test_a_coordinate_made_later_moves_too():
    g = Graph()
    q = coordinate(g, "q")
    e = q.position * g.symbol("p")
    assert e.dt() == q.velocity * g.symbol("p")
    p = coordinate(g, "p")
    assert e.dt() == q.velocity * p.position + q.position * p.velocity


def test_a_jacobian_holds_what_is_not_zero_and_nothing_else():
    g = Graph()
    xs = g.symbols("x0 x1 x2 x3")
    chain = [xs[i] * xs[i + 1] for i in range(3)]
    assert set(jacobian(chain, xs)) == {(i, j) for i in range(3) for j in (i, i + 1)}


def test_selections_differentiate_the_chosen_side():
    g = Graph()
    x = g.symbol("x")
    ramp, kink = where(x < 1, x * x, 2 * x), maximum(x, 3 * x)
    assert [ramp.diff(x).value({x: at}) for at in (0.5, 2.0)] == [1.0, 2.0]
    assert [kink.diff(x).value({x: at}) for at in (-1.0, 1.0)] == [1.0, 3.0]
    assert [gradient(ramp, [x])[0].value({x: at}) for at in (0.5, 2.0)] == [1.0, 2.0]


def test_the_derivative_of_exp_is_the_same_node():
    g = Graph()
    x = g.symbol("x")
    assert exp(x).diff(x) == exp(x)


def test_a_second_request_creates_nothing():
    e, (x, y, _) = ours(TEXTS[0])
    first = e.diff(x, y)
    size = len(e.graph)
    assert e.diff(x, y) == first
    assert len(e.graph) == size


def test_cost_grows_linearly_on_a_shared_chain():
    def created(depth):
        g = Graph()
        x = g.symbol("x")
        e = x
        for _ in range(depth):
            e = e * e + x
        before = len(g)
        e.diff(x)
        return len(g) - before

    assert created(400) <= 2.1 * created(200)


def test_no_expressions_have_no_derivatives():
    assert differentiate_all([], Graph().symbol("x")) == []


def test_expressions_of_two_graphs_are_refused():
    x, y = Graph().symbol("x"), Graph().symbol("y")
    with pytest.raises(ValueError, match="'y' belongs to another graph than 'x'"):
        differentiate_all([x, y], x)
    with pytest.raises(TypeError, match="taken by symbols; got float"):
        x.diff(1.0)
