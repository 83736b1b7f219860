"""Hoisting: the two halves compose to the whole, the second is smaller, and both say what they take."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import biela as bl
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.hoist import hoist

VALUES = st.lists(st.floats(0.25, 2.0), min_size=6, max_size=6)
OPERATIONS = ["add", "sub", "mul", "div", "sin", "max", "neg"]
STEPS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=25
)


def drawn(steps):
    """A Function f(x[2], p[2], t[2]) of random steps; each takes any two of the values before it."""
    graph = Graph()
    symbols = graph.symbols("x0 x1 p0 p1 t0 t1")
    values = list(symbols)
    for name, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        made = {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: bl.sin(a) * b,
            "div": lambda a, b: a / (2 + b * b),
            "sin": lambda a, b: bl.sin(a + b),
            "max": lambda a, b: bl.maximum(-a, b),
            "neg": lambda a, b: -a,
        }[name](a, b)
        values.append(made)
    ports = {"x": symbols[:2], "p": symbols[2:4], "t": symbols[4:]}
    return Function("drawn", ports, {"last": values[-1], "all": values[6:]})


def unsigned(function):
    """Operations but for signs: what is hoisted has one sign, and may be wanted with the other."""
    return function.operations.total - function.operations.negations


def split(values):
    return values[:2], values[2:4], values[4:]


@given(STEPS, VALUES)
@example([("add", 0, 0), ("sub", 31, 65), ("sub", 7, 0)], [1.0] * 6)  # hoists p0 - p1, and gives p1 - p0
@settings(deadline=None, max_examples=100)
def test_the_halves_compose_to_the_whole_and_the_second_is_no_larger(steps, values):
    whole = drawn(steps)
    prepare, run = hoist(whole, "p")
    x, p, t = split(values)
    got, expected = run.evaluate(x, t, prepare.evaluate(p)), whole.evaluate(x, p, t)
    np.testing.assert_allclose(got.all, expected.all, rtol=1e-12, atol=1e-12)
    assert got.last == pytest.approx(expected.last, rel=1e-12, abs=1e-12)
    assert unsigned(run) <= unsigned(whole)


@given(STEPS, VALUES)
@settings(deadline=None, max_examples=50)
def test_constants_of_a_run_and_of_a_step(steps, values):
    whole = drawn(steps)
    prepare, rest = hoist(whole, "p")
    begin, run = hoist(rest, "t", "w", workspace="v")
    x, p, t = split(values)
    got = run.evaluate(x, begin.evaluate(t, prepare.evaluate(p)))
    np.testing.assert_allclose(got.all, whole.evaluate(x, p, t).all, rtol=1e-12, atol=1e-12)
    assert [port.name for port in run.inputs] == ["x", "v"]
    assert unsigned(run) <= unsigned(rest)


@given(STEPS, VALUES)
@settings(deadline=None, max_examples=50)
def test_what_is_left_depends_on_no_node_that_could_have_been_hoisted(steps, values):
    """Hoisting the workspace of what is left finds nothing to compute."""
    _, run = hoist(drawn(steps), "p")
    again, rest = hoist(run, "w", workspace="v")
    assert again.operations.total == 0
    assert rest.operations.total == run.operations.total


def test_products_of_parameters_are_hoisted_and_used_as_one():
    q, m, r = Graph().symbols("q m r")
    whole = Function("f", {"q": q, "p": [m, r]}, {"y": m * r * q, "z": m * r * bl.cos(q)})
    prepare, run = hoist(whole, "p")
    assert repr(prepare) == "f_prepare(p[2]) -> w[1]"
    assert repr(run) == "f_run(q, w[1]) -> y, z"
    assert (whole.operations.total, prepare.operations.total, run.operations.total) == (4, 1, 3)


def test_a_division_by_a_constant_becomes_a_product():
    q, m = Graph().symbols("q m")
    prepare, run = hoist(Function("f", {"q": q, "m": m}, {"y": q / m}), "m")
    assert prepare.evaluate(4.0) == [0.25]
    assert [i.name for i in run.program.instructions] == ["mul"]


def test_outputs_that_are_constant_come_from_the_workspace():
    q, m = Graph().symbols("q m")
    whole = Function("f", {"q": q, "m": m}, {"I": [[m * m, 0], [0, -m]], "q2": q * q})
    prepare, run = hoist(whole, "m")
    assert prepare.operations.total == 1
    np.testing.assert_array_equal(run.evaluate(3.0, prepare.evaluate(2.0)).I, [[4.0, 0.0], [0.0, -2.0]])


def test_nothing_to_hoist_leaves_the_function_as_it_is():
    q, m = Graph().symbols("q m")
    whole = Function("f", {"q": q, "m": m}, {"y": bl.sin(q), "zero": 0.0})
    prepare, run = hoist(whole, "m")
    assert prepare.evaluate(5.0) == [0.0]
    assert run.operations.total == whole.operations.total
    assert run.evaluate(0.5, [0.0]) == (np.sin(0.5), 0.0)


def test_everything_may_be_constant():
    m = Graph().symbol("m")
    prepare, run = hoist(Function("f", {"m": m}, {"y": m * m}), "m")
    assert repr(run) == "f_run(w[1]) -> y"
    assert run.evaluate(prepare.evaluate(3.0)) == 9.0


def test_native_halves_agree_with_the_native_whole():
    q, w, m, k, h = Graph().symbols("q w m k h")
    step = Function("step", {"s": [q, w], "p": [m, k, h]}, {"n": [q + h * w, w - h * (k / m) * bl.sin(q)]})
    prepare, run = hoist(step, "p")
    p = np.array([2.0, 3.0, 1e-3])
    got = bl.Kernel(run)([0.4, 0.1], bl.Kernel(prepare)(p))
    np.testing.assert_allclose(got, bl.Kernel(step)([0.4, 0.1], p), rtol=1e-15)


def test_wrong_calls():
    q, m = Graph().symbols("q m")
    f = Function("f", {"q": q, "m": m}, {"y": q * m})
    with pytest.raises(
        ValueError, match=r"hoist\(\) of 'f': name the inputs that stay the same. It has q, m."
    ):
        hoist(f)
    with pytest.raises(KeyError, match="has no input 'p'; it has q, m"):
        hoist(f, "p")
    with pytest.raises(TypeError, match="takes the names of inputs; got list"):
        hoist(f, ["q"])
    with pytest.raises(ValueError, match="'m' is an input; name another workspace"):
        hoist(f, "q", workspace="m")
