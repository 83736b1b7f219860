"""Lowering: signs that cost nothing, divisions, sharing, and the reference evaluation."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biela.expr.expression import Expr, constant, exp, sin, sqrt
from biela.expr.graph import Graph
from biela.expr.program import Program


@pytest.fixture
def g():
    return Graph()


def lowered(g, *outputs):
    symbols = [i for i, node in enumerate(g.nodes) if node[0] == "symbol"]
    return Program.lower(g, symbols, [e.ref for e in outputs])


def names(program):
    return [instruction.name for instruction in program.instructions]


def test_a_negated_difference_is_the_difference_turned(g):
    x, y = g.symbols("x y")
    assert names(lowered(g, -(x - y))) == ["sub"]
    assert names(lowered(g, exp(y - x))) == ["sub", "exp"]
    assert names(lowered(g, -((x - y) * sin(x)))) == ["sub", "sin", "mul"]
    assert names(lowered(g, (x - y) * (y - x))) == ["sub", "mul", "neg"]


def test_every_value_is_computed_once_before_it_is_used(g):
    """1a-56: on the graph a -> {b, c}, c -> b, b -> d, where neither order of a walk down would do."""
    x = g.symbol("x")
    d = sin(x)
    b = d * x
    c = exp(b)
    program = lowered(g, b + c)
    assert names(program) == ["sin", "mul", "exp", "add"]
    for place, instruction in enumerate(program.instructions, start=1):
        assert all(operand < place for operand in instruction.operands)


def test_a_negated_constant_factor_is_another_constant(g):
    x = g.symbol("x")
    program = lowered(g, -2.0 * x)
    assert names(program) == ["mul"]
    assert program.evaluate([3.0]) == [-6.0]


def test_a_negation_is_shared(g):
    x, y = g.symbols("x y")
    assert names(lowered(g, exp(-x * y), sqrt(-x * y))) == ["mul", "neg", "exp", "sqrt"]


def test_a_reciprocal_used_once_is_a_division(g):
    x, y, z = g.symbols("x y z")
    assert names(lowered(g, x / y)) == ["div"]
    assert names(lowered(g, 1 / y)) == ["inv"]
    assert names(lowered(g, x / y, z / y)) == ["inv", "mul", "mul"]
    assert names(lowered(g, (1 / x) * (1 / y))) == ["mul", "inv"]
    assert lowered(g, x / y).evaluate([1.0, 3.0, 0.0]) == [1.0 / 3.0]  # not 1 * (1/3)


def test_outputs_may_be_inputs_and_constants(g):
    x = g.symbol("x")
    program = lowered(g, x, -x, constant(g, 3.0), constant(g, -0.0), x)
    values = program.evaluate([2.0])
    assert values == [2.0, -2.0, 3.0, 0.0, 2.0]
    assert math.copysign(1.0, values[3]) == -1.0


def test_a_symbol_that_is_no_input_is_named(g):
    x, y = g.symbols("x y")
    with pytest.raises(ValueError, match=r"'y' is used but is not an input. Inputs: x"):
        Program.lower(g, [x.ref], [(x + y).ref])


SUMS = st.recursive(
    st.sampled_from("xyz"),
    lambda inner: st.tuples(st.sampled_from(["+", "-", "*", "neg", "/", "scale"]), inner, inner),
    max_leaves=25,
)


@given(SUMS, st.lists(st.floats(-4, 4), min_size=3, max_size=3))
def test_signs_never_change_a_value(tree, numbers):
    g = Graph()
    symbols = dict(zip("xyz", g.symbols("x y z"), strict=True))
    plain = dict(zip("xyz", numbers, strict=True))

    def build(tree, leaf):
        if isinstance(tree, str):
            return leaf[tree]
        kind, a, b = tree
        a, b = build(a, leaf), build(b, leaf)
        if kind == "/":
            return a / (b * b + 1.0)
        return {"+": a + b, "-": a - b, "*": a * b, "neg": -a, "scale": -3.0 * b}[kind]

    e = build(tree, symbols)
    expected = build(tree, plain)
    values = {symbols[k]: plain[k] for k in "xyz"}
    scale = max(1.0, abs(expected))
    if isinstance(e, Expr):
        assert e.value(values) == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)
        assert (-e).value(values) == -e.value(values)
