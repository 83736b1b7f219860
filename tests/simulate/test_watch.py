"""Runs that need watching: singular positions, and independent coordinates that become a bad choice."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from biela.mechanisms import MECHANISMS
from biela.simulate import Simulation, assemble
from biela.simulate.numeric import acceleration, stepped

PULL = 9.81 * 3.5 / 3.0  # of the double four-bar, as one pendulum of five bars: a'' = -PULL cos a
FLAT = {"bar0": -8.0, "top0": 8.0, "bar1": -8.0, "top1": 8.0, "bar2": -8.0}


@cache
def model_of(name):
    return MECHANISMS[name]().model()


@cache
def flat():
    """The double four-bar with all its bars on x, where two motions are possible."""
    return assemble(model_of("double_four_bar"), np.zeros(5), velocities=FLAT)


def swing(until, a, w):
    return solve_ivp(
        lambda t, y: [y[1], -PULL * np.cos(y[0])], (0.0, until), [a, w], "DOP853", rtol=1e-12, atol=1e-12
    ).y[:, -1]


# singular positions


@pytest.mark.parametrize("every", [1, 10])
@pytest.mark.parametrize("metric", ["identity", "mass"])
def test_multipliers_leave_a_singular_position_in_numpy(metric, every):
    run = Simulation(flat().model, "multipliers", dt=1e-3, metric=metric).run(flat(), 1.0, every=every)
    assert run.ok
    assert run.notes["numeric steps"] >= 1
    assert len(run) == 1000 // every + 1
    expected = swing(1.0, 0.0, -8.0)
    assert [run["bar0"][-1], run["bar0'"][-1]] == pytest.approx(expected, abs=1e-8)
    assert run["bar2"] == pytest.approx(run["bar0"], abs=1e-9)  # the bars stay parallel
    assert run["gap"][-1] < 1e-12


def test_independent_coordinates_leave_it_too():
    """Where no choice determines the others."""
    run = Simulation(flat().model, "independent", dt=1e-3).run(flat(), 0.5)
    assert run.ok
    assert run.notes["numeric steps"] >= 1
    assert [run["bar0"][-1], run["bar0'"][-1]] == pytest.approx(swing(0.5, 0.0, -8.0), abs=2e-6)


def test_large_steps_with_error_control_are_halved_in_numpy():
    simulation = Simulation(flat().model, "multipliers", "dormand-prince", dt=0.1, metric="mass")
    run = simulation.run(flat(), 0.5)
    assert run.notes["numeric steps"] == 1
    assert [run["bar0"][-1], run["bar0'"][-1]] == pytest.approx(swing(0.5, 0.0, -8.0), abs=1e-6)


@pytest.mark.parametrize(("integrator", "tolerance"), [("rk4", 1e-8), ("trapezoidal", 1e-4)])
def test_the_augmented_lagrangian_needs_no_help(integrator, tolerance):
    run = Simulation(flat().model, "augmented-lagrangian", integrator, dt=1e-3).run(flat(), 1.0)
    assert run.ok
    assert "numeric steps" not in run.notes
    assert [run["bar0"][-1], run["bar0'"][-1]] == pytest.approx(swing(1.0, 0.0, -8.0), abs=tolerance)


@pytest.mark.parametrize("formulation", ["multipliers", "augmented-lagrangian", "independent"])
def test_the_double_four_bar_turns_ten_seconds(formulation):
    """IFToMM problem A02, nine passages of the singular position; closed form in 30 digits."""
    model = model_of("double_four_bar")
    simulation = Simulation(model, formulation, dt=1e-3, metric="mass")
    run = simulation.run(assemble(model), 10.0, every=100)
    angle, rate = run["bar0"][-1], run["bar0'"][-1]
    found = [np.cos(angle), np.sin(angle), -np.sin(angle) * rate, np.cos(angle) * rate]
    expected = [0.3284581115408154, 0.944518538178601, 1.423051470206944, -0.494868845487043]
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_numeric_step_takes_the_inputs_of_its_moment():
    model = model_of("slider_crank")
    start = assemble(model, velocities={"crank": 4.0})
    series = np.linspace([0.0, 0.0], [2.0, -5.0], 200)
    run = Simulation(model, dt=1e-3).run(start, 0.2, u=series)
    after = stepped(run.state(100), 1e-3)
    assert run.state(100).u == pytest.approx(series[100])
    expected = np.concatenate([run.q[101], run.dq[101]])
    assert np.concatenate([after.q, after.dq]) == pytest.approx(expected, abs=1e-8)
    without = stepped(run.state(100).changed(u=np.zeros(2)), 1e-3)
    assert np.abs(after.dq - without.dq).max() > 1e-4


@pytest.mark.parametrize("name", ["four_bar", "four_bar_natural", "rolling_disc", "car_axis", "cart_pole"])
def test_a_numeric_step_is_a_native_one(name):
    start = assemble(model_of(name))
    run = Simulation(start.model, dt=1e-4, metric="mass").run(start, 1e-4)
    after = stepped(start, 1e-4)
    assert after.t == pytest.approx(1e-4)
    scale = max(1.0, np.abs(after.dq).max())
    assert np.concatenate([after.q, after.dq]) == pytest.approx(
        np.concatenate([run.q[-1], run.dq[-1]]), abs=1e-10 * scale
    )


def test_accelerations_at_a_singular_position_keep_the_power():
    """Forces of constraint do no work: kinetic energy changes by what weight does."""
    state = flat()
    M, delta = state.value("M|delta")
    assert state.dq @ (M @ acceleration(state) - delta) == pytest.approx(0.0, abs=1e-9)
    assert np.abs(state.value("Phi_dq") @ acceleration(state) - state.value("gamma")).max() < 1e-9


def test_a_step_that_is_too_large_is_still_told():
    model = model_of("four_bar")
    start = assemble(model, velocities={"crank": 40.0})
    for formulation in ("multipliers", "independent"):
        run = Simulation(model, formulation, "euler", dt=0.2).run(start, 20.0)
        assert run.status.startswith("diverged between t=0 and 0.2 s")
        assert len(run) == 1
        assert "numeric steps" not in run.notes


# independent coordinates


@pytest.mark.parametrize("every", [1, 5, 100])
def test_the_four_bar_changes_from_the_rocker_at_its_dead_points(every):
    model = model_of("four_bar")
    start = assemble(model, velocities={"crank": 14.0})
    simulation = Simulation(model, "independent", dt=1e-3, independent=("rocker",))
    run = simulation.run(start, 1.0, every=every)
    reference = Simulation(model, "multipliers", dt=1e-4).run(start, 1.0, every=10 * every)
    assert run["crank"][-1] - run["crank"][0] > 2.0 * np.pi
    assert run["crank"] == pytest.approx(reference["crank"], abs=2e-7)
    (when, name), *_ = run.notes["switches"]
    assert name in ("crank", "coupler")
    assert 0.0 <= when < 1.0
    assert run["gap"][-1] < 1e-12


def test_the_slider_changes_at_its_dead_centres():
    model = model_of("slider_crank")
    names = [placement.name for placement in model.placements]
    start = assemble(model, velocities={names[0]: 10.0})
    reference = Simulation(model, "multipliers", dt=1e-4).run(start, 1.0, every=10)
    for name in names:
        run = Simulation(model, "independent", dt=1e-3, independent=(name,)).run(start, 1.0)
        assert run.ok
        assert run.q == pytest.approx(reference.q, abs=2e-6)
        assert bool(run.notes.get("switches")) == (name == "piston")  # it stands still twice a turn


def test_a_good_choice_stays():
    model = model_of("four_bar")
    run = Simulation(model, "independent", dt=1e-3, independent=("crank",)).run(assemble(model), 1.0)
    assert "switches" not in run.notes


def test_code_for_other_coordinates_is_kept():
    model = model_of("four_bar")
    simulation = Simulation(model, "independent", dt=1e-3, independent=("rocker",))
    start = assemble(model, velocities={"crank": 12.0})
    first = simulation.run(start, 0.5)
    kept = list(simulation._engines.values())
    again = simulation.run(start, 0.5)
    assert np.array_equal(first.q, again.q)
    assert list(simulation._engines.values()) == kept


def test_a_batch_keeps_its_coordinates():
    model = model_of("four_bar")
    simulation = Simulation(model, "independent", dt=1e-3, independent=("crank",))
    start = assemble(model)
    batch = simulation.batch(start.q[:, None], start.dq[:, None], 0.2)
    assert "switches" not in batch.notes
    assert batch["crank"][:, 0] == pytest.approx(simulation.run(start, 0.2)["crank"], abs=1e-12)
