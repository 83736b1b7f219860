"""Inputs: signals keep the integrator's order, laws are exact, tables and controllers tell their limits."""

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.linalg import expm
from thrown_ball import thrown_ball

import biela as bl
from biela.simulate import Controller, Sampled, Simulation, Table, assemble

W, T = 3.0, 1.0


@pytest.fixture(scope="module")
def ball():
    return thrown_ball()


@pytest.fixture(scope="module")
def simulation(ball):
    return Simulation(ball, dt=1e-2)


def by_sine(t):
    """x under the force sin(W t) on 2 kg, from rest at 1 m/s."""
    return t + (t / W - np.sin(W * t) / W**2) / 2


def by_spring():
    """x and x' after T under the force -8 x - 2 x'."""
    return expm(np.array([[0.0, 1.0], [-4.0, -1.0]]) * T) @ [0.0, 1.0]


def pd():
    graph = bl.Graph()
    q, dq = bl.matrix_symbols(graph, "q", 2), bl.matrix_symbols(graph, "dq", 2)
    k, d = graph.symbols("k d")
    return bl.Function("pd", {"q": q, "dq": dq, "k": k, "d": d}, {"force": [-k * q[1] - d * dq[1]]})


def test_a_constant_by_name_and_by_number(ball, simulation):
    start = assemble(ball)
    for u in ({"force": 4.0}, [4.0], np.array([4.0])):
        run = simulation.run(start, T, u=u)
        assert run["x"] == pytest.approx(run.t + run.t**2, abs=1e-13)


@pytest.mark.parametrize("u", [lambda t: np.sin(W * t), {"force": lambda t: np.sin(W * t)}])
def test_a_function_of_time_keeps_the_fourth_order(ball, u):
    errors = []
    for dt in (0.05, 0.025):
        run = Simulation(ball, dt=dt).run(assemble(ball), T, u=u)
        errors.append(abs(run["x"][-1] - by_sine(T)))
        assert run.u[:, 0] == pytest.approx(np.sin(W * run.t), abs=1e-15)
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)
    assert errors[1] < 1e-7


def test_a_function_of_time_is_called_once(ball, simulation):
    calls = []
    simulation.run(assemble(ball), T, u=lambda t: calls.append(len(t)) or np.zeros_like(t))
    assert len(calls) == 1


def test_an_expression_of_time_is_part_of_the_step(ball, simulation):
    run = simulation.run(assemble(ball), T, u=bl.sin(W * bl.time(ball.graph)))
    assert run["x"] == pytest.approx(by_sine(run.t), abs=1e-10)
    assert run.u[:, 0] == pytest.approx(np.sin(W * run.t), abs=1e-14)


def test_signals_drive_integrators_with_error_control(ball):
    run = Simulation(ball, integrator="dormand-prince", dt=0.02).run(
        assemble(ball), T, u=lambda t: np.sin(W * t)
    )
    assert run["x"] == pytest.approx(by_sine(run.t), abs=1e-8)


def test_a_row_for_each_step_is_held(ball, simulation):
    """Impulse by impulse: the exact motion under a force that is constant in each step."""
    rng = np.random.default_rng(1)
    u = rng.normal(size=(100, 1))
    run = simulation.run(assemble(ball), T, u=u)
    v = 1.0 + np.concatenate([[0.0], np.cumsum(u[:, 0] / 2 * 0.01)])
    x = np.concatenate([[0.0], np.cumsum(v[:-1] * 0.01 + u[:, 0] / 4 * 1e-4)])
    assert run["x"] == pytest.approx(x, abs=1e-13)
    assert run.u[:-1] == pytest.approx(u)


def test_a_linear_table_is_followed_between_its_knots(ball, simulation):
    run = simulation.run(assemble(ball), T, u=Table([0.0, 2.0], [0.0, 2.0]))
    assert run["x"] == pytest.approx(run.t + run.t**3 / 12, abs=1e-13)


def test_a_held_table_jumps_at_its_knots(ball, simulation):
    """Knots at 0.1 s, although ten steps of 0.01 s are not 0.1 exactly."""
    run = simulation.run(assemble(ball), T, u=Table(np.arange(10) / 10, np.arange(10.0), "hold"))
    speeds = 1.0 + np.concatenate([[0.0], np.cumsum(np.arange(10.0) / 2 * 0.1)])
    assert run["x'"][::10] == pytest.approx(speeds, abs=1e-12)


def test_a_table_interpolates_columns():
    table = Table([0.0, 1.0], [[0.0, 10.0], [1.0, 20.0]])
    assert table([0.25, 2.0]) == pytest.approx(np.array([[0.25, 12.5], [1.0, 20.0]]))


@pytest.mark.parametrize("kind", ["expression", "function", "controller"])
def test_a_controller_runs_natively(ball, simulation, kind):
    model = ball
    u = {
        "expression": -8 * model.q[1] - 2 * model.dq[1],
        "function": pd().specialise(k=8.0, d=2.0),
        "controller": Controller(pd(), k=8.0, d=2.0),
    }[kind]
    run = simulation.run(assemble(ball), T, u=u)
    assert np.array([run["x"][-1], run["x'"][-1]]) == pytest.approx(by_spring(), abs=1e-9)
    assert run.u[:, 0] == pytest.approx(-8 * run["x"] - 2 * run["x'"], abs=1e-12)


def test_a_controller_is_compiled_once(ball, simulation):
    before = len(simulation._closed)
    law = pd()
    for k in (1.0, 2.0, 3.0):
        simulation.run(assemble(ball), 0.1, u=Controller(law, k=k, d=0.0))
    for _ in range(2):
        simulation.run(assemble(ball), 0.1, u=-7 * ball.q[1])
    assert len(simulation._closed) == before + 2


def test_gains_of_a_controller_differ_from_lane_to_lane(ball, simulation):
    gains = np.array([4.0, 8.0, 16.0])
    q, dq = (np.repeat(v[:, None], 3, axis=1) for v in ball.start)
    many = simulation.batch(q, dq, T, u=Controller(pd(), k=gains, d=2.0))
    for lane, k in enumerate(gains):
        alone = simulation.run(assemble(ball), T, u=Controller(pd(), k=k, d=2.0))
        assert np.array_equal(many["x"][:, lane], alone["x"])
        assert many.u[:, 0, lane] == pytest.approx(alone.u[:, 0], abs=1e-12)
        assert many.state(50, lane).u == pytest.approx(alone.state(50).u, abs=1e-12)


def test_a_controller_is_part_of_every_formulation():
    """A motor's speed control of a four-bar; its work is what the energy changes by."""
    model = bl.mechanisms.four_bar().model()
    start = assemble(model, crank=1.5)
    law = 5.0 * (3.0 - model.dq[0])
    runs = [
        Simulation(model, way, integrator, dt).run(start, 0.5, u=law)
        for way, integrator, dt in (("multipliers", "rk4", 1e-3), ("independent", "rk4", 1e-3))
    ]
    assert runs[0]["crank"] == pytest.approx(runs[1]["crank"], abs=1e-9)
    power = runs[0].u[:, 0] * runs[0]["crank'"]
    work = simpson(power, dx=1e-3)
    assert runs[0].energy[-1] - runs[0].energy[0] == pytest.approx(work, rel=1e-6)


def test_computed_torque_makes_an_error_die_out_as_designed():
    """M (a_d - k_v e' - k_p e) - delta(u=0) cancels the dynamics of a double pendulum exactly."""
    s = bl.System("arm")
    upper = s.body("upper", mass=2.0, com=[0.5, 0, 0], inertia=[0, 0.2, 0.2])
    lower = s.body("lower", mass=1.0, com=[0.4, 0, 0], inertia=[0, 0.1, 0.1])
    s.revolute(s.ground, upper, axis="z", coordinates="a")
    s.revolute(upper, lower, at=[1.0, 0, 0], axis="z", coordinates="b")
    s.gravity([0, -9.81, 0])
    for coordinate in s.coordinates_by_name.values():
        s.effort(coordinate.symbols.position, s.input(f"torque_{coordinate.name}"))
    model = s.model()
    q, dq = bl.vector(model.q), bl.vector(model.dq)
    wanted = -16.0 * (q - [0.5, -0.3]) - 8.0 * dq
    delta = model.delta.substitute({quantity.symbol: 0.0 for quantity in model.inputs})
    run = Simulation(model, dt=1e-3).run(assemble(model), 2.0, u=list(model.mass_matrix @ wanted - delta))
    error = -0.5 * (1 + 4 * run.t) * np.exp(-4 * run.t)  # a double root at -4, from rest
    assert run["a"] - 0.5 == pytest.approx(error, abs=1e-9)
    assert run["b"] + 0.3 == pytest.approx(-0.6 * error, abs=1e-9)


def test_a_sampled_controller_is_called_every_so_many_steps(ball, simulation):
    calls = []

    def control(t, q, dq):
        calls.append(t)
        return [-8 * q[1] - 2 * dq[1]]

    run = simulation.run(assemble(ball), T, u=Sampled(control, every=5), every=10)
    assert calls == pytest.approx(np.arange(0.0, T, 0.05))
    x, v = 0.0, 1.0
    for _ in calls:  # the exact motion under a force that is held, on 2 kg
        a = (-8 * x - 2 * v) / 2
        x, v = x + 0.05 * v + 0.05**2 / 2 * a, v + 0.05 * a
    assert (run["x"][-1], run["x'"][-1]) == pytest.approx((x, v), abs=1e-12)
    assert run.u[1, 0] == pytest.approx(-8 * run["x"][1] - 2 * run["x'"][1], abs=1e-12)


@pytest.mark.parametrize(("u", "message"), [
    (Table([0.0, 0.4], [0.0, 1.0]), r"ends at t=0.4 s, but the run lasts until t=1 s"),
    (Table([0.2, 1.4], [0.0, 1.0]), r"begins at t=0.2 s, but the run begins at t=0 s"),
    (lambda t: np.where(t > 0.5, np.nan, 0.0), r"input 'force' is not finite at t=0.505 s"),
    (lambda t: np.zeros(3), r"for 201 times it gave shape \(3,\); expected \(201, 1\)"),
    ([np.nan], r"input 'force' is not finite"),
    ([1.0, 2.0], r"u has shape \(2,\); expected \(1,\)"),
    (np.zeros((99, 1)), r"or \(100, 1\) with a row for each step"),
    (np.full((100, 1), np.inf), r"input 'force' is not finite at t=0 s"),
    (Sampled(lambda t, q, dq: [np.nan]), r"controller returned \[nan\] at t=0 s"),
])  # fmt: skip
def test_bad_inputs_are_told(ball, simulation, u, message):
    with pytest.raises(ValueError, match=message):
        simulation.run(assemble(ball), T, u=u)


def test_an_unknown_input_is_told(ball, simulation):
    with pytest.raises(KeyError, match=r"has no input 'forse'.*Did you mean 'force'"):
        simulation.run(assemble(ball), T, u={"forse": 1.0})


@pytest.mark.parametrize(("arguments", "message"), [
    (([0.0, 1.0, 1.0], [0, 0, 0]), "1 comes after 1"),
    (([0.0, 1.0], [0.0, np.nan]), "value at t=1 s is not finite"),
    (([0.0], [0.0]), "two times or more"),
    (([0.0, 1.0], [0.0, 1.0], "cubic"), "Unknown kind of table 'cubic'"),
])  # fmt: skip
def test_bad_tables_are_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        Table(*arguments)


def test_bad_controllers_are_told(ball, simulation):
    with pytest.raises(ValueError, match="no value for its parameter 'd'"):
        Controller(pd(), k=1.0)
    with pytest.raises(ValueError, match=r"'k' has shape \(\); got \(2, 2\)"):
        Controller(pd(), k=np.zeros((2, 2)), d=1.0)
    with pytest.raises(ValueError, match="is not finite"):
        Controller(pd(), k=np.nan, d=1.0)
    x = bl.Graph().symbol("t")
    with pytest.raises(ValueError, match="model 'ball' has 1 inputs"):
        simulation.run(assemble(ball), T, u=bl.Function("two", {"t": x}, {"u": [x, x]}))


def test_a_signal_that_cannot_take_an_array_of_times_is_told():
    model = bl.mechanisms.cart_pole().model()
    with pytest.raises(ValueError, match=r"input 'force': its signal fails .*use np\.where in place of if"):
        Simulation(model).run(assemble(model), 0.1, u={"force": lambda t: 1.0 if t > 0.05 else 0.0})
