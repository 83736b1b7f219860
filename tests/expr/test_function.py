"""Functions: shapes, composition, joining, derivatives, specialising, wrong calls."""

import pickle

import numpy as np
import pytest

from biela.expr.expression import cos, sin
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.matrix import matrix, vector


@pytest.fixture
def g():
    return Graph()


@pytest.fixture
def f(g):
    a, b, c = g.symbols("a b c")
    return Function("f", {"x": [a, b], "c": c}, {"M": matrix([[a * b, c], [0, sin(c)]]), "s": a + c})


def test_evaluation_has_the_shapes_of_the_ports(f):
    result = f.evaluate([2.0, 3.0], 0.5)
    np.testing.assert_array_equal(result.M, [[6.0, 0.5], [0.0, np.sin(0.5)]])
    assert result.s == 2.5
    assert repr(f) == "f(x[2], c) -> M[2x2], s"
    assert f.evaluate(c=0.5, x=[2, 3]).s == 2.5


def test_inputs_may_be_listed(g):
    x, y = g.symbols("leg.x y")
    assert Function("f", [x, y], {"z": x - y}).evaluate(leg_x=3.0, y=1.0) == 2.0


def test_functions_compose_across_graphs(f):
    h = Graph()
    u, v = h.symbols("u v")
    result = f([u + v, u * v], cos(u))
    assert result.M.shape == (2, 2)
    values = {u: 0.3, v: 0.7}
    expected = f.evaluate([1.0, 0.21], np.cos(0.3))
    np.testing.assert_allclose(result.M.value(values), expected.M, rtol=1e-14)
    assert result.s.value(values) == pytest.approx(expected.s, rel=1e-14)


def test_a_step_applied_twice_is_two_steps(g):
    x, v = g.symbols("x v")
    step = Function("step", {"s": [x, v]}, {"n": [x + 0.1 * v, v - 0.1 * x]})
    twice = Function("twice", {"s": [x, v]}, {"n": step(step([x, v]))})
    np.testing.assert_allclose(
        twice.evaluate([1.0, 2.0]), step.evaluate(step.evaluate([1.0, 2.0])), rtol=1e-15
    )


def test_joining_shares_work(f, g):
    other = Function("g", {"c": g.symbol("c")}, {"t": sin(g.symbol("c")) * 2})
    joint = Function.join("joint", f, other)
    assert joint.operations.total == f.operations.total + 1
    assert [p.name for p in joint.inputs] == ["x", "c"]
    result = joint.evaluate([2.0, 3.0], 0.5)
    assert result.t == 2 * np.sin(0.5)


def test_the_jacobian_is_a_function_of_the_same_inputs(f):
    J = f.jacobian("M", by="x").evaluate([2.0, 3.0], 0.5)
    np.testing.assert_array_equal(J, [[3.0, 2.0], [0, 0], [0, 0], [0, 0]])


def test_specialising_folds_the_numbers_in(f):
    fixed = f.specialise(c=0.5)
    assert [p.name for p in fixed.inputs] == ["x"]
    assert fixed.operations.total < f.operations.total
    np.testing.assert_array_equal(fixed.evaluate([2.0, 3.0]).M, f.evaluate([2.0, 3.0], 0.5).M)


def test_the_exported_layout_is_column_after_column(f):
    assert f.output("M").columns_first == (0, 2, 1, 3)
    assert f.input("x").columns_first == (0, 1)


def test_a_function_survives_pickling(f):
    back = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(back.evaluate([2.0, 3.0], 0.5).M, f.evaluate([2.0, 3.0], 0.5).M)


def test_every_input_may_be_fixed(g):
    x, y = g.symbols("x y")
    fixed = Function("f", [x, y], {"s": x - y}).specialise(x=3, y=1.0)
    assert fixed.inputs == ()
    assert fixed.evaluate() == 2.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x, y: Function("2f", [x], {"y": x}), ValueError, "Function name '2f': expected a letter"),
        (
            lambda x, y: Function("f", [x], {"y": x * y}),
            ValueError,
            "output 'y': it depends on 'y', which is not an input",
        ),
        (lambda x, y: Function("f", [x, x], {"y": x}), None, ""),
        (
            lambda x, y: Function("f", {"a": x, "b": x}, {"y": x}),
            ValueError,
            "symbol 'x' is in the inputs twice",
        ),
        (
            lambda x, y: Function("f", {"a": x + y}, {"y": x}),
            TypeError,
            "input 'a': expected symbols, got 'x . y'",
        ),
        (lambda x, y: Function("f", {"a": -x}, {"y": x}), TypeError, "input 'a': expected symbols, got '-x'"),
        (lambda x, y: Function("f", {"a": x}, {"a": x}), ValueError, "the name 'a' is used twice"),
        (lambda x, y: Function("f", x, {"y": x}), TypeError, r"list of symbols, got 'x' alone: write \[x\]"),
        (lambda x, y: Function("f", ["x"], {"y": x}), TypeError, "a mapping of names to them; got str 'x'"),
        (lambda x, y: Function("f", [x * y], {"y": x}), TypeError, "'x.y' is not a symbol"),
        (
            lambda x, y: Function("f", x.graph.symbols("a.b a_b"), {"y": x.graph.symbol("a_b")}),
            ValueError,
            "the symbols 'a.b' and 'a_b' would both be the input 'a_b'. Name the inputs",
        ),
        (lambda x, y: Function("f", [x], {}), TypeError, "at least one name"),
        (lambda x, y: Function("f", [x], x), TypeError, "outputs must be a mapping"),
        (lambda x, y: Function("f", [x], {"y": "x"}), TypeError, "output 'y'"),
        (lambda x, y: Function("f", [x], {"y": Graph().symbol("x")}), ValueError, "another graph"),
        (lambda x, y: Function("f", [], {"y": 1.0}), TypeError, "at least one expression"),
        (lambda x, y: Function("f", [x], {"y 1": x}), ValueError, "output name 'y 1': expected a letter"),
        (lambda x, y: Function("f", {"x": []}, {"y": x}), ValueError, "input 'x': it has no components"),
        (lambda x, y: Function("f", [x, y], {"z": x})(1.0), TypeError, "no value for input 'y'"),
        (lambda x, y: Function("f", [x], {"z": x})(x, y), TypeError, "takes 1 inputs; got 2"),
        (lambda x, y: Function("f", [x], {"z": x})(x, x=y), TypeError, "input 'x' is given twice"),
        (lambda x, y: Function("f", [x], {"z": x}).evaluate(w=1), KeyError, "no input 'w'; it has x"),
        (lambda x, y: Function("f", [x], {"speed": x}).output("sped"), KeyError, "Did you mean 'speed'"),
        (
            lambda x, y: Function("f", [x], {"z": x}).evaluate([1.0]),
            ValueError,
            r"expected shape \(\), got \(1,\)",
        ),
        (
            lambda x, y: Function("f", [x], {"z": x})(vector([x, y])),
            ValueError,
            r"expected shape \(\), got \(2,\)",
        ),
        (
            lambda x, y: Function.join(
                "j", Function("f", {"a": x}, {"z": x}), Function("g", {"a": y}, {"w": y})
            ),
            ValueError,
            "input 'a' of 'g' is made of other symbols",
        ),
        (
            lambda x, y: Function.join("j", Function("f", [x], {"z": x}), Function("g", [x], {"z": x})),
            ValueError,
            "two outputs are named 'z'",
        ),
    ],
)
def test_wrong_calls(g, call, error, message):
    x, y = g.symbols("x y")
    if error is None:
        call(x, y)  # a list that names one symbol twice is one input
        return
    with pytest.raises(error, match=message):
        call(x, y)
