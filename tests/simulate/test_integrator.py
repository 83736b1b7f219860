"""Integrators: their orders, measured; what implicit ones solve; stiffness; the radius at infinity."""

import itertools
from functools import cache

import numpy as np
import pytest

import biela as bl
from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.mechanics.sample import samples
from biela.mechanisms import MECHANISMS
from biela.simulate import INTEGRATORS, Simulation, assemble, step

UNTIL = 0.4
WIDE = {"relative": 1e9, "absolute": 1e9}  # so that error control never shortens a step


RATES = {"four_bar": {"crank": 6.0}, "four_bar_natural": {"th1": 6.0}}
MEASURED = [("double_pendulum", name) for name, row in INTEGRATORS.items() if not row.formulations]
MEASURED += [("four_bar_natural", name) for name in INTEGRATORS]  # its mass matrix is constant


@cache
def start(name):
    return assemble(MECHANISMS[name]().model(), velocities=RATES.get(name))


def end(name, integrator, dt, **options):
    state = start(name)
    run = Simulation(state.model, "auto", integrator, dt, **WIDE, **options).run(state, UNTIL)
    assert run.ok, run.status
    return np.concatenate([run.q[-1], run.dq[-1]])


@cache
def exact(name):
    return end(name, "rk4", 1e-4)


@pytest.mark.parametrize(("name", "integrator"), MEASURED)
def test_order_of_convergence(name, integrator):
    """The slope of the error over the step size, between two pairs of sizes."""
    order = INTEGRATORS[integrator].order
    sizes = np.array([4.0, 2.0, 1.0]) * (1e-2 if order > 2 else 1e-3)
    errors = [np.abs(end(name, integrator, dt) - exact(name)).max() for dt in sizes]
    slopes = np.log2(errors[:-1]) - np.log2(errors[1:])
    assert slopes[-1] > order - 0.25
    assert slopes.max() < order + 1.3


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        ("cart_pole", "tree"),
        *itertools.product(
            ["four_bar", "rolling_disc", "car_axis", "four_bar_natural"],
            ["multipliers", "augmented-lagrangian", "baumgarte", "penalty"],
        ),
    ],
)
def test_the_jacobian_is_the_derivative_of_the_residual(name, formulation):
    model = MECHANISMS[name]().model()
    balance = step(model, formulation, "trapezoidal").flow.balance
    graph = model.graph
    b, c = graph.symbols("test.b test.c")
    unknowns = balance.unknowns
    n = len(model.q)
    q = graph.symbols(" ".join(f"test.q{k}" for k in range(2 * n)))
    known = dict(zip(model.q, [base + a * b for base, a in zip(q[:n], model.ddq, strict=True)], strict=True))
    known |= zip(model.dq, [base + a * c for base, a in zip(q[n:], model.ddq, strict=True)], strict=True)
    inputs = {"base": q, "x": unknowns, "b": b, "c": c}
    inputs |= {key: v for key, v in model.ports("force").items() if key in ("t", "p", "u")}
    residual = Function("residual", inputs, {"r": balance.residual(b, c, known)})
    there = balance.jacobian(b, c).dense().substitute(known)
    jacobian = Function("jacobian", inputs, {"J": there})
    rng = np.random.default_rng(3)
    state = samples(model, 1)[0]
    given = {
        "base": np.concatenate([state.q, state.dq]), "b": 1e-2, "c": 0.1, "t": 0.3, "p": state.p,
        "u": rng.normal(size=len(model.inputs)),
    }  # fmt: skip
    given = {port.name: given[port.name] for port in residual.inputs if port.name != "x"}
    x = rng.normal(size=len(unknowns))
    J = np.array(jacobian.evaluate(x=x, **given))
    h = 1e-5
    for k in range(len(x)):
        moved = h * np.eye(len(x))[k]
        up, down = (residual.evaluate(x=x + s * moved, **given) for s in (1.0, -1.0))
        column = (up - down) / (2.0 * h)
        soft = np.zeros(len(x))
        if k >= n and balance.softness:
            soft[k] = -balance.softness
        assert J[:, k] - soft == pytest.approx(column, rel=1e-5, abs=1e-5 * max(1.0, np.abs(J).max()))


def test_multipliers_are_those_of_forward_dynamics():
    state = start("four_bar")
    run = Simulation(state.model, "multipliers", "trapezoidal", 1e-3).run(state, 0.2)
    expected = run.value("ddq").lambda_
    found = np.stack([run["multiplier.m0"], run["multiplier.m1"]], axis=1)
    assert found[0] == pytest.approx(expected[0], abs=1e-9)
    assert found == pytest.approx(expected, abs=1e-3 * np.abs(expected).max())
    assert run["crank''"] == pytest.approx(run.value("ddq").ddq[:, 0], abs=1e-3)


@pytest.mark.parametrize("integrator", ["trapezoidal", "hht", "generalised-alpha"])
def test_what_is_stiff_is_no_matter_to_implicit_integrators(integrator):
    """The governor's dampers are ten times too fast for a millisecond of the Runge-Kutta method."""
    state = start("flyball_governor")
    explicit = Simulation(state.model, dt=1e-3).run(state, 0.2)
    assert explicit.status.startswith("diverged")
    fine = Simulation(state.model, dt=2e-5).run(state, 0.2, every=50)
    run = Simulation(state.model, "auto", integrator, dt=1e-3).run(state, 0.2)
    assert run.ok
    assert run["slider"] == pytest.approx(fine["slider"], abs=2e-4)


def spring(stiffness):
    """A mass between springs: one soft motion, one as fast as wanted."""
    s = bl.System("springs")
    x, y = s.coordinate("x", 1.0), s.coordinate("y", 1.0)
    for name, place in (("slow", [x, 0, 0]), ("fast", [0, y, 0])):
        s.body(name, mass=1.0, origin=s.point(name, s.origin, r=place), base=s.ground.base)
    s.effort(x, -x)
    s.effort(y, -stiffness * y)
    return s.model()


@pytest.mark.parametrize(
    ("integrator", "rho"),
    [
        *(("generalised-alpha", rho) for rho in (0.0, 0.5, 0.9)),
        *(("hht", rho) for rho in (0.6, 0.9)),
    ],
)
def test_what_is_fast_dies_out_by_the_spectral_radius(integrator, rho):
    """Chung and Hulbert (1993): each step leaves rho of an infinitely fast vibration."""
    model = spring(1e14)
    begin = assemble(model, [1.0, 1e-6])
    run = Simulation(model, "tree", integrator, 1e-2, rho=rho).run(begin, 2.0)
    fast = np.abs(run["y"])
    if rho == 0.0:
        assert fast[-1] < 1e-3 * fast[:3].max()
    else:
        per_step = (fast[150:160].max() / fast[100:110].max()) ** (1.0 / 50.0)
        assert per_step == pytest.approx(rho, abs=0.02)  # n rho^n, from a double root
    assert run["x"] == pytest.approx(np.cos(run.t), abs=2e-4)


def test_the_trapezoidal_rule_keeps_the_energy_of_a_spring():
    model = spring(100.0)
    energy = Simulation(model, "tree", "trapezoidal", 1e-2).run(assemble(model, [1.0, 1.0]), 10.0)
    total = (energy["x'"] ** 2 + energy["x"] ** 2 + energy["y'"] ** 2 + 100.0 * energy["y"] ** 2) / 2.0
    assert np.ptp(total) < 1e-9


@pytest.mark.parametrize(("integrator", "rho"), [("hht", 0.2), ("generalised-alpha", 1.5)])
def test_a_radius_out_of_range_is_refused(integrator, rho):
    with pytest.raises(ValueError, match="spectral radius at infinity, lies between"):
        _ = step(start("cart_pole").model, "tree", integrator, rho=rho).function


def test_tighter_tolerances_make_smaller_errors():
    state = start("four_bar")
    errors = []
    for relative in (1e-5, 1e-7, 1e-9):
        for name in ("merson", "dormand-prince"):
            simulation = Simulation(
                state.model, "auto", name, 1e-1, relative=relative, absolute=relative / 100.0
            )
            run = simulation.run(state, UNTIL)
            errors.append(np.abs(run.q[-1] - exact("four_bar")[:3]).max())
    assert errors[0] > 10 * errors[2] > 100 * errors[4]
    assert errors[1] > 10 * errors[3] > 100 * errors[5]


def test_symbols_of_a_step_are_not_those_of_the_model():
    state = start("four_bar")
    function = step(state.model, "multipliers", "trapezoidal").function
    names = {Expr(function.graph, ref).name for ref in function.input("x").refs}
    assert len(names) == function.input("x").size
