"""Expressions to SymPy and back: the values stay."""

import builtins
import math
import random

import pytest
import sympy

from biela.expr.exchange import from_sympy, to_sympy
from biela.expr.expression import Expr, sin, spline, uniform, where
from biela.expr.graph import Graph
from biela.expr.matrix import matrix
from biela.expr.operation import OPERATIONS

ROWS = [row for row in OPERATIONS.values() if row.name not in ("spline", "uniform")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_round_trip_of_every_operation(row):
    graph = Graph()
    symbols = graph.symbols("a b c")[: row.arity]
    value = Expr(graph, graph.apply(row.name, *(symbol.ref for symbol in symbols)))
    there = to_sympy(value)
    back = from_sympy(there, graph)
    draw = random.Random(row.name)
    samples = [[draw.uniform(*limits) for limits in row.domain] for _ in range(20)]
    samples += [[1.0] * row.arity, [0.5] * row.arity]
    for numbers in samples:
        expected = row.value(*numbers)
        assert back.value(dict(zip(symbols, numbers, strict=True))) == pytest.approx(expected, rel=1e-12)
        by_name = {sympy.Symbol(s.name, real=True): n for s, n in zip(symbols, numbers, strict=True)}
        assert float(there.subs(by_name)) == pytest.approx(expected, rel=1e-12)


def test_sympy_sees_the_algebra():
    x, y = Graph().symbols("leg.x y")
    s, t = sympy.Symbol("leg.x", real=True), sympy.Symbol("y", real=True)
    assert to_sympy((x + y) * (x - y)).expand() == s**2 - t**2
    assert sympy.simplify(to_sympy(sin(x) ** 2) + sympy.cos(s) ** 2) == 1
    assert to_sympy(-3 * x) == -3 * s


def test_numbers_from_sympy():
    graph = Graph()
    for number in (sympy.Rational(1, 3), sympy.pi, sympy.E, sympy.Integer(7), sympy.sqrt(2), sympy.oo):
        assert from_sympy(number, graph).number == pytest.approx(float(number), rel=1e-15)
    assert math.isnan(from_sympy(sympy.nan, graph).number)


@pytest.mark.parametrize("written", [
    "Max(x, y, 3)", "Mod(x, y)", "ceiling(x)", "sec(x)*csc(y)*cot(x)", "x**y", "x**(-5/2)",
    "Piecewise((x, x > y), (y, True))", "Piecewise((1, Ne(x, y)), (2, True))",
    "Piecewise((x, (x > y) & (y > 1)), (y, (x < 0) | ~(y < 2)), (3, True))",
    "Abs(x - y)*sign(x - y)", "log(x, 2)", "exp(-x)*E", "cbrt(x)",
])  # fmt: skip
def test_values_from_sympy(written):
    expression = sympy.sympify(written)
    graph = Graph()
    x, y = graph.symbols("x y")
    value = from_sympy(expression, graph)
    for numbers in [(0.3, 0.7), (2.5, 1.5), (1.0, 1.0), (3.0, 0.5)]:
        expected = float(expression.subs({"x": numbers[0], "y": numbers[1]}))
        assert value.value({x: numbers[0], y: numbers[1]}) == pytest.approx(expected, rel=1e-12)


def test_a_piecewise_without_a_last_branch_is_not_a_number_outside():
    graph = Graph()
    x = graph.symbol("x")
    value = from_sympy(sympy.sympify("Piecewise((x, x > 0))"), graph)
    assert value.value({x: 2.0}) == 2.0
    assert math.isnan(value.value({x: -2.0}))


def test_matrices():
    graph = Graph()
    x, y = graph.symbols("x y")
    made = matrix([[x, 2], [-y, x * y]])
    there = to_sympy(made)
    assert there.shape == (2, 2)
    assert from_sympy(there, graph) == made
    assert from_sympy(to_sympy(matrix([x, y])), graph) == matrix([x, y])


def test_given_symbols():
    graph = Graph()
    q = graph.symbol("leg.q")
    theta = sympy.Symbol("theta")
    assert from_sympy(sympy.sin(theta), graph, {theta: q}) == sin(q)
    with pytest.raises(ValueError, match="'other' belongs to another graph"):
        from_sympy(theta, graph, {theta: Graph().symbol("other")})


def test_sharing_stays_sharing():
    graph = Graph()
    x = graph.symbol("x")
    value = x
    for _ in range(60):  # 2**60 occurrences of x; SymPy's own constructors recurse a few hundred deep
        value = sin(value) * value
    there = to_sympy(value)
    assert from_sympy(there, graph).value({x: 0.3}) == pytest.approx(value.value({x: 0.3}), rel=1e-9)


def test_bad_calls(monkeypatch):
    graph = Graph()
    x = graph.symbol("x")
    with pytest.raises(ValueError, match="SymPy has no 'spline'"):
        to_sympy(spline(x, [0, 1], [0, 1]))
    with pytest.raises(ValueError, match="SymPy has no 'uniform'"):
        to_sympy(where(x < 1, uniform(x, 1, 2), x))
    with pytest.raises(ValueError, match=r"no operation for SymPy's 'gamma' \(in 'gamma\(x\)'\)"):
        from_sympy(sympy.gamma(sympy.Symbol("x")), graph)
    with pytest.raises(ValueError, match="'I' is not a real number"):
        from_sympy(sympy.I, graph)
    with pytest.raises(TypeError, match="Expected a SymPy expression, got str 'x'"):
        from_sympy("x", graph)
    monkeypatch.setattr("biela.expr.exchange.import_module", _absent)
    with pytest.raises(ImportError, match=r"pip install biela\[sympy\]"):
        to_sympy(x)


def _absent(name):
    raise builtins.ImportError(name)
