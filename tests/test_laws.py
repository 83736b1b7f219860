"""The laws of the house, over expressions drawn at random from the table of operations.

value(e) = C(e) = LLVM(e) = Python(e) = Octave(e); the derivative is the central difference; substitution then
value is value then substitution; a lane of a batch is the scalar run, bit for bit.
"""

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from conformance import CASES, PAYLOADS, Case, disagreements
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from languages import run_c, run_llvm, run_llvm_batch, run_octave, run_python

from biela.compile.kernel import Kernel
from biela.expr.expression import Expr, sin
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.operation import OPERATIONS, evaluate

SMOOTH = [
    row.name
    for row in OPERATIONS.values()
    if row.partials or row.condition or row.name in ("sub", "div", "neg")
]
NAMES = sorted(
    set(OPERATIONS) - {"pow", "exp", "sinh", "cosh", "tan"}
)  # these make huge numbers of large ones
FEW = settings(deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def programs(draw, size=12):
    """A list of steps: an operation and which of the values before it are its operands."""
    steps = []
    for k in range(draw(st.integers(3, size))):
        row = OPERATIONS[draw(st.sampled_from(NAMES))]
        steps.append((row, [draw(st.integers(0, 2 + k)) for _ in range(row.arity)]))
    return steps


def build(graph, symbols, steps):
    """The values of the steps as expressions; every operand is first brought into the operation's domain."""
    values = list(symbols)
    for row, places in steps:
        operands = [into(values[p], *limits) for p, limits in zip(places, row.domain, strict=True)]
        payload = PAYLOADS.get(row.name)
        values.append(Expr(graph, graph.apply(row.name, *(e.ref for e in operands), payload=payload)))
    return values[len(symbols) :]


def into(e, low, high):
    """A smooth map of any value into an interval; whole numbers into the wide ones of the draws."""
    if high > 1e6:
        return Expr(e.graph, e.graph.apply("floor", (e * 10 + 1000).ref)) * (abs(e) < 50)
    return (low + high) / 2 + (high - low) / 2.1 * sin(e / (1 + 0.01 * e * e) + 0.3)


def function_of(steps):
    graph = Graph()
    symbols = graph.symbols("x y z")
    return Function("drawn", symbols, {"values": build(graph, symbols, steps)})


POINTS = st.lists(st.tuples(*[st.floats(-3, 3)] * 3), min_size=3, max_size=9)


@given(programs(), POINTS)
@settings(FEW, max_examples=15)
def test_every_language_gives_the_same_values(steps, points):
    agree([run_llvm, run_llvm_batch, run_python, run_c], function_of(steps), points)


@given(st.lists(programs(20), min_size=6, max_size=6), POINTS)
@settings(FEW, max_examples=2)
def test_octave_gives_the_same_values(many, points):
    for steps in many[:1]:
        agree([run_octave], function_of([step for steps in many for step in steps]), points)


def agree(runners, function, points):
    case = Case(function, tuple(points), exact=False)
    assume(well_conditioned(case))
    for runner in runners:
        with tempfile.TemporaryDirectory() as folder:
            (results,) = runner(Path(folder), [case])
        wrong = list(disagreements(case, case.rows, results, tolerance=1e-9))
        assert not wrong, f"{runner.__name__}: {wrong[0]}"


def well_conditioned(case):
    """Whether no jump (sign, floor, a comparison) lies within rounding of the points."""
    moved = [tuple(v * (1 + 1e-13) + 1e-13 for v in row) for row in case.rows]
    pairs = zip(case.expected(), case.expected(moved), strict=True)
    return all(np.allclose(a, b, rtol=1e-10, atol=1e-10) for a, b in pairs)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
@given(data=st.data())
@settings(FEW, max_examples=20)
def test_one_operation_agrees_in_its_domain(name, data):
    function = next(case.function for case in CASES if case.function.name == f"{name}_case")
    row = OPERATIONS[name]
    whole = name == "uniform"
    numbers = [data.draw(st.floats(*limits)) for limits in row.domain]
    numbers = [math.floor(v) for v in numbers] if whole else numbers
    expected = evaluate(name, numbers, PAYLOADS.get(name))
    assert KERNELS.setdefault(name, Kernel(function))(*numbers) == pytest.approx(
        expected, rel=1e-12, abs=1e-300
    )


KERNELS: dict = {}


@pytest.mark.parametrize("name", sorted(SMOOTH))
@given(data=st.data())
@settings(FEW, max_examples=20)
def test_the_derivative_is_the_central_difference(name, data):
    row = OPERATIONS[name]
    graph = Graph()
    symbols = graph.symbols("a b c")[: row.arity]
    payload = PAYLOADS.get(name)
    e = Expr(graph, graph.apply(name, *(s.ref for s in symbols), payload=payload))
    at = [
        data.draw(st.floats(low + 0.02 * (high - low), high - 0.02 * (high - low)))
        for low, high in row.domain
    ]
    assume(not near_a_jump(name, at))
    values = dict(zip(symbols, at, strict=True))
    for k, symbol in enumerate(symbols):
        h = 1e-5 * max(1.0, abs(at[k])) if row.domain[k][1] < 1e6 else 1e-3
        up, down = ({**values, symbol: at[k] + s * h} for s in (1, -1))
        difference = (e.value(up) - e.value(down)) / (2 * h) if name != "uniform" else 0.0
        scale = max(abs(e.value(up)), abs(difference), 1.0)
        assert e.diff(symbol).value(values) == pytest.approx(difference, rel=1e-6, abs=1e-6 * scale)


def near_a_jump(name, at):
    """Whether the operation jumps or turns within the step of the difference."""
    if name in ("sign", "abs", "where"):
        return abs(at[0]) < 1e-3
    if name == "floor":
        return abs(at[0] - round(at[0])) < 1e-3
    return name in ("min", "max", "lt", "le", "eq") and abs(at[0] - at[1]) < 1e-3


@given(programs(), st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[st.floats(-2, 2)] * 3))
@settings(FEW, max_examples=40)
def test_substitution_then_value_is_value_then_substitution(steps, point, shift):
    graph = Graph()
    symbols = graph.symbols("x y z")
    values = dict(zip(symbols, point, strict=True))
    inner = [sin(symbols[(k + 1) % 3]) * a + b for k, (a, b) in enumerate(zip(shift, point, strict=True))]
    moved = {s: e.value(values) for s, e in zip(symbols, inner, strict=True)}
    for e in build(graph, symbols, steps)[-2:]:
        after = e.substitute(dict(zip(symbols, inner, strict=True))).value(values)
        assert after == pytest.approx(e.value(moved), rel=1e-9, abs=1e-9)


@given(programs(), st.lists(st.tuples(*[st.floats(-3, 3)] * 3), min_size=1, max_size=40), st.integers(1, 3))
@settings(FEW, max_examples=15)
def test_a_lane_is_the_scalar_run_bit_for_bit(steps, points, threads):
    kernel = Kernel(function_of(steps))
    columns = np.ascontiguousarray(np.array(points).T)
    batch = kernel.batch(*columns, threads=threads)
    for k, point in enumerate(points):
        assert batch[:, k].tobytes() == kernel(*point).tobytes()


@given(programs(), st.tuples(*[st.floats(-1, 1)] * 3), st.integers(1, 30))
@settings(FEW, max_examples=15)
def test_iterating_is_calling_again_bit_for_bit(steps, point, n):
    graph = Graph()
    symbols = graph.symbols("x y z")
    values = build(graph, symbols, steps)
    x = [0.5 * s + sin(v) for s, v in zip(symbols, values[-3:], strict=True)]
    kernel = Kernel(Function("map", {"x": symbols}, {"next": x, "also": values[-1]}))
    state = np.array(point)
    run = kernel.iterate(np.repeat(state[:, None], 3, axis=1), n)
    for row in range(1, n + 1):
        state = kernel(state).next
        assert run[row, :, 2].tobytes() == state.tobytes()
    assert kernel.iterate(point, n)[-1].tobytes() == state.tobytes()
