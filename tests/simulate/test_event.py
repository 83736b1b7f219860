"""Events: located where closed forms have them, without disturbing the moments of the record."""

import numpy as np
import pytest
from thrown_ball import G, thrown_ball

import biela as bl
from biela.simulate import Event, Simulation, Table, assemble, crossing, impact, periodic, scheduled

FALL = np.sqrt(2.0 / G)


@pytest.fixture(scope="module")
def ball():
    return thrown_ball()


@pytest.fixture(scope="module")
def simulation(ball):
    return Simulation(ball, dt=1e-2)


def bounces(restitution, count):
    """When a ball dropped from 1 m touches the floor."""
    times, speed = [FALL], G * FALL
    for _ in range(count - 1):
        speed *= restitution
        times.append(times[-1] + 2 * speed / G)
    return times


def names_and_times(run):
    return [name for name, _ in run.notes["events"]], [t for _, t in run.notes["events"]]


@pytest.mark.parametrize("integrator", ["rk4", "dormand-prince"])
def test_a_ball_bounces_when_it_should(ball, integrator):
    floor = crossing("z", impact(ball, "z", 0.8), direction="falling")
    run = Simulation(ball, integrator=integrator, dt=1e-2).run(assemble(ball), 3.0, events=[floor])
    names, times = names_and_times(run)
    exact = [t for t in bounces(0.8, 20) if t <= 3.0]
    assert names == ["z"] * len(exact)
    assert times == pytest.approx(exact, abs=1e-10)
    assert run["z"].min() > -1e-10
    assert run["x"] == pytest.approx(run.t, abs=1e-12)  # nothing hits it sideways


def test_both_sides_of_an_impact_are_in_the_record(ball, simulation):
    run = simulation.run(
        assemble(ball), 0.6, events=[crossing("z", impact(ball, "z", 0.5), direction="falling")]
    )
    k = int(np.flatnonzero(np.diff(run.t) == 0.0)[0])
    assert run["z'"][k + 1] == pytest.approx(-0.5 * run["z'"][k])
    assert run.at(run.t[k])["z'"][0] == run["z'"][k + 1]
    fine = run.at(np.linspace(0.0, 0.6, 997))
    before = fine.t < FALL
    assert fine["z"][before] == pytest.approx(1 - G * fine.t[before] ** 2 / 2, abs=1e-12)


def test_an_impact_goes_through_the_loops_of_a_mechanism():
    """A rocker hits a stop: momentum and constraints hold, and the gap opens as it closed."""
    model = bl.mechanisms.four_bar().model()
    before = assemble(model, velocities={"crank": 2.0}, crank=1.0)
    assert abs(before["rocker'"]) > 0.1
    after = impact(model, "rocker", 0.6)(before)
    assert after["rocker'"] == pytest.approx(-0.6 * before["rocker'"])
    M, J = before.value("M|Phi_dq")
    assert J @ after.dq == pytest.approx(J @ before.dq, abs=1e-12)
    impulse = M @ (after.dq - before.dq)
    n = np.array([0.0, 0.0, 1.0])
    along = np.linalg.lstsq(np.vstack([J, n]).T, impulse, rcond=None)[0]
    assert np.vstack([J, n]).T @ along == pytest.approx(impulse, abs=1e-12)


@pytest.mark.parametrize("value", [0.3, 0.305, 0.777])
def test_a_run_stops_at_a_crossing(ball, simulation, value):
    run = simulation.run(assemble(ball), 2.0, events=[crossing("x", "stop", value=value)])
    assert run.t[-1] == pytest.approx(value, abs=1e-10)
    assert run["x"][-1] == pytest.approx(value, abs=1e-10)
    assert run.status == f"stopped by 'x' at t={run.t[-1]:g} s"


def test_a_window_bounds_the_location(ball):
    """A coarse window is kept, a fine one is reached."""
    errors = []
    for window in (1e-2, 1e-12):
        event = crossing("z", "stop", value=0.2, window=window)
        run = Simulation(ball, dt=0.1).run(assemble(ball), 2.0, events=[event])
        errors.append(abs(run.t[-1] - np.sqrt(2 * 0.8 / G)))
    assert errors[0] <= 1e-2
    assert errors[1] <= 1e-11


def test_directions_are_told_apart(ball, simulation):
    start = assemble(ball, velocities={"z": 3.0, "x": 0.0})
    top = 1.0 + 9.0 / (2 * G)
    height = (1.0 + top) / 2
    root = np.sqrt(9.0 - 2 * G * (height - 1.0))
    up, down = (3.0 - root) / G, (3.0 + root) / G
    for direction, exact in (("rising", [up]), ("falling", [down]), ("both", [up, down])):
        run = simulation.run(start, 0.7, events=[crossing("z", value=height, direction=direction)])
        assert names_and_times(run)[1] == pytest.approx(exact, abs=1e-10)


def test_witnesses_may_be_velocities_expressions_and_functions(ball, simulation):
    start = assemble(ball, velocities={"z": 3.0, "x": 1.0})
    apex = 3.0 / G
    z, x = ball.q
    for witness in ("z'", ball.dq[0], ball.function("rate", {"g": ball.dq[0]}, "velocity")):
        run = simulation.run(start, 0.7, events=[crossing(witness)])
        assert names_and_times(run)[1] == pytest.approx([apex], abs=1e-10)
    run = simulation.run(start, 0.9, events=[crossing(z - 1.0 - x, name="level")])
    assert names_and_times(run)[1] == pytest.approx([2 * (3.0 - 1.0) / G], abs=1e-10)


def test_two_events_in_one_step_come_in_their_order(ball, simulation):
    events = [crossing("x", value=0.257, name="late"), crossing("x", value=0.252, name="early")]
    names, times = names_and_times(simulation.run(assemble(ball), 1.0, events=events))
    assert names == ["early", "late"]
    assert times == pytest.approx([0.252, 0.257], abs=1e-11)


@pytest.mark.parametrize("period", [0.1, 0.033, 0.004])
def test_periodic_samples_come_at_their_times(ball, simulation, period):
    """Also between steps, and several in one; the trajectory between does not notice."""
    seen = []
    reporter = periodic(period, lambda state: seen.append((state.t, state["z"])))
    run = simulation.run(assemble(ball), 0.99, events=[reporter])
    t, z = np.array(seen).T
    assert t == pytest.approx(period * np.arange(len(t)), abs=1e-9)
    assert len(t) == int(0.99 / period + 1e-9) + 1
    assert z == pytest.approx(1 - G * t**2 / 2, abs=1e-12)
    plain = simulation.run(assemble(ball), 0.99)
    assert run.t == pytest.approx(plain.t, abs=1e-15)
    assert run["z"] == pytest.approx(plain["z"], abs=1e-12)


@pytest.mark.parametrize("integrator", ["rk4", "merson"])
def test_report_times_do_not_change_the_trajectory(integrator):
    """A four-bar with reports at odd times, and without."""
    model = bl.mechanisms.four_bar().model()
    simulation = Simulation(model, integrator=integrator, dt=2e-3)
    start = assemble(model, crank=1.0)
    plain = simulation.run(start, 2.0)
    told = simulation.run(start, 2.0, events=[periodic(0.0137, lambda state: None)])
    assert np.abs(told["crank"] - plain["crank"]).max() < 1e-8


def test_a_scheduled_change_of_a_parameter(ball, simulation):
    """Gravity doubles at 0.305 s, between two steps."""
    event = scheduled(0.305, lambda state: state.changed(p=state.p * [1.0, 2.0]))
    run = simulation.run(assemble(ball), 0.5, events=[event])
    late = np.maximum(run.t - 0.305, 0.0)
    assert run["z"] == pytest.approx(1 - G * run.t**2 / 2 - G * late**2 / 2, abs=1e-12)
    assert set(run.p[:, 1]) == {G, 2 * G}
    assert run.state(-1).p[1] == 2 * G
    assert run.value("ddq")[[0, -1], 0] == pytest.approx([-G, -2 * G])


def test_an_event_changes_an_input(ball, simulation):
    event = scheduled([0.1, 0.2], lambda state: state.changed(u=state.u + 4.0))
    run = simulation.run(assemble(ball), 0.5, events=[event])
    v = 1.0 + 2.0 * np.maximum(run.t - 0.1, 0.0) + 2.0 * np.maximum(run.t - 0.2, 0.0)
    assert run["x'"] == pytest.approx(v, abs=1e-12)
    assert run.u[-1, 0] == 8.0


def test_actions_see_the_inputs_that_act(ball, simulation):
    for u in (lambda t: 3 * t, 3 * bl.time(ball.graph), Table([0.0, 1.0], [0.0, 3.0])):
        seen = []
        simulation.run(
            assemble(ball), 0.5, u=u, events=[periodic(0.05, lambda s, seen=seen: seen.append(s.u[0]))]
        )
        assert seen == pytest.approx(3 * 0.05 * np.arange(11), abs=1e-9)


def test_a_ball_that_cannot_leave_the_floor_stops_the_run(ball, simulation):
    floor = crossing("z", impact(ball, "z", 0.0), direction="falling")
    run = simulation.run(assemble(ball), 2.0, events=[floor])
    assert run.status == f"stopped at t={FALL:g} s: 'z' does not lead away from where it happens"
    assert run.t[-1] == pytest.approx(FALL, abs=1e-6)


def test_a_ball_that_bounces_for_ever_stops_the_run(ball):
    """Bounces come closer and closer to a moment that is never reached."""
    floor = crossing("z", impact(ball, "z", 0.5), direction="falling")
    run = Simulation(ball, dt=1e-2).run(assemble(ball), 3.0, events=[floor])
    end = FALL * (1 + 2 * 0.5 / (1 - 0.5))
    assert "stopped" in run.status
    assert run.t[-1] == pytest.approx(end, abs=1e-5)


def test_events_go_with_every_and_long_runs(ball, simulation):
    run = simulation.run(assemble(ball), 20.0, every=100, events=[crossing("x", lambda s: None, value=15.5)])
    assert run.t == pytest.approx(np.arange(21.0))
    assert names_and_times(run)[1] == pytest.approx([15.5], abs=1e-9)


def test_a_custom_event_may_stop(ball, simulation):
    event = periodic(0.1, lambda state: "stop" if state.t > 0.25 else None)
    assert simulation.run(assemble(ball), 1.0, events=[event]).t[-1] == pytest.approx(0.3)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: crossing("z", "halt"), "unknown action 'halt'. Known: record, stop"),
    (lambda: crossing("z", direction="up"), "unknown direction 'up'"),
    (lambda: crossing("z", window=0.0), "window is a positive time"),
    (lambda: periodic(0.0, "record"), "period is a positive number"),
    (lambda: scheduled([0.1, np.nan]), "times are not finite"),
])  # fmt: skip
def test_bad_events_are_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_bad_actions_are_told(ball, simulation):
    start = assemble(ball)
    with pytest.raises(TypeError, match="returns a State, None or 'stop'; got 3"):
        simulation.run(start, 1.0, events=[scheduled(0.5, lambda s: 3)])
    with pytest.raises(ValueError, match="state that is not finite"):
        simulation.run(start, 1.0, events=[scheduled(0.5, lambda s: s.changed(q=s.q * np.nan))])
    with pytest.raises(ValueError, match="changes inputs that a signal or a controller gives"):
        simulation.run(start, 1.0, u=lambda t: t, events=[scheduled(0.5, lambda s: s.changed(u=s.u + 1.0))])
    with pytest.raises(KeyError, match="no coordinate 'zz'"):
        simulation.run(start, 1.0, events=[crossing("zz")])
    with pytest.raises(TypeError, match="a witness is a coordinate's name"):
        simulation.run(start, 1.0, events=[Event("odd", "record", witness=3.0)])


@pytest.mark.parametrize(("formulation", "integrator"), [
    ("multipliers", "rk4"), ("multipliers", "merson"), ("multipliers", "generalised-alpha"),
    ("independent", "rk4"), ("augmented-lagrangian", "rk4"), ("augmented-lagrangian", "trapezoidal"),
])  # fmt: skip
def test_every_way_of_stepping_finds_the_same_crossing(formulation, integrator):
    """To the accuracy of its own trajectory."""
    model = bl.mechanisms.four_bar().model()
    start = assemble(model, crank=1.0)
    fine = Simulation(model, dt=1e-4).run(start, 0.3)
    value = float(fine.at(0.2037)["crank"][0])
    simulation = Simulation(model, formulation, integrator, dt=1e-3)
    run = simulation.run(start, 0.3, events=[crossing("crank", "stop", value=value)])
    assert run.t[-1] == pytest.approx(0.2037, abs=1e-9 if integrator in ("rk4", "merson") else 1e-6)
