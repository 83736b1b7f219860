"""What an iterated map carries from step to step, and the fused products."""

import numpy as np

from biela.compile.carry import carry, extract
from biela.compile.fusion import fuse
from biela.compile.kernel import Kernel
from biela.compile.llvm import streams
from biela.expr.expression import cos, exp, sin, sqrt
from biela.expr.function import Function
from biela.expr.graph import Graph


def names(program):
    return [instruction.name for instruction in program.instructions]


def verlet():
    """Velocity Verlet: the force at the new position is the next step's force at the old one."""
    g = Graph()
    x, v, k, h = g.symbols("x v k h")
    middle = v - h / 2 * sin(k * x)
    x_next = x + h * middle
    return Function(
        "verlet", {"s": [x, v], "k": k, "h": h}, {"n": [x_next, middle - h / 2 * sin(k * x_next)]}
    )


def test_a_force_computed_at_the_end_is_not_computed_again_at_the_start():
    program = verlet().program
    carried = carry(program, 2)
    assert names(program).count("sin") == 2
    assert names(carried.step).count("sin") == 1
    assert names(carried.first) == ["mul", "sin"]
    assert carried.width == 1
    kernel, x = Kernel(verlet()), np.array([1.0, 0.5])
    run = kernel.iterate(x, 50, 2.0, 0.1)
    for row in run[1:]:
        x = kernel(x, 2.0, 0.1)
        assert np.array_equal(row, x)


def test_what_never_changes_is_computed_once():
    g = Graph()
    x, p = g.symbols("x p")
    f = Function("f", {"x": x, "p": p}, {"y": x * exp(sqrt(p)) + cos(x)})
    carried = carry(f.program, 1)
    assert names(carried.first) == ["sqrt", "exp"]
    assert names(carried.step) == ["mul", "cos", "add"]


def test_what_follows_a_series_is_not_carried():
    g = Graph()
    x, p = g.symbols("x p")
    f = Function("f", {"x": x, "p": p}, {"y": x * exp(p)})
    assert carry(f.program, 1, series=[1]).width == 0
    assert carry(f.program, 1).width == 1
    push = np.linspace(0, 1, 10)
    run = Kernel(f).iterate(1.0, 10, push, series=["p"])
    np.testing.assert_allclose(run[-1], np.exp(push.sum()), rtol=1e-14)


def test_values_that_move_on_unused_are_dropped():
    g = Graph()
    x, y = g.symbols("x y")
    # sin(x) becomes sin(y) in the next step, which this one has too: but nobody needs it then
    f = Function("f", {"x": [x, y]}, {"n": [y, sin(x) + sin(y)]})
    carried = carry(f.program, 2)
    assert carried.width == 1
    assert names(carried.step).count("sin") == 1


def test_extracting_keeps_only_what_is_needed():
    g = Graph()
    x, y = g.symbols("x y")
    program = Function("f", [x, y], {"a": sin(x), "b": cos(y) * x}).program
    assert names(extract(program, program.outputs[1:])) == ["cos", "mul"]
    assert extract(program, program.outputs[:1]).evaluate([0.5, 0.0]) == program.evaluate([0.5, 0.0])[:1]


def test_products_used_once_join_their_sums():
    g = Graph()
    a, b, c, d = g.symbols("a b c d")

    def fused(e):
        return names(fuse(Function("f", [a, b, c, d], {"y": e}).program))

    assert fused(a * b + c) == ["fma"]
    assert fused(c - a * b) == ["fnma"]
    assert fused(a * b - c) == ["fms"]
    assert fused(a * b + c * d) == ["mul", "fma"]
    assert fused(a * b + sin(a * b)) == ["mul", "sin", "add"]


def test_a_chain_gets_more_streams_than_a_bundle():
    g = Graph()
    xs = g.symbols(" ".join(f"x{i}" for i in range(40)))
    chain = xs[0]
    for x in xs:
        chain = sin(chain) * x
    assert streams(Function("f", [*xs], {"y": chain}).program) > 1
    assert streams(Function("f", [*xs], {"y": [sin(x) for x in xs]}).program) == 1


def test_a_long_program_gets_one_stream():
    x, y = Graph().symbols("x y")
    powers = [x]
    for k in range(1200):
        powers.append(powers[-1] * y + float(k))
    short, long = (Function("f", [x, y], {"power": powers[n]}).program for n in (200, 1200))
    assert streams(short) > 1
    assert streams(long) == 1
