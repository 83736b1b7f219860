"""Going back to the constraints: the smallest changes, metrics, and what happens to a motion without it.

The items are those of sections 2.3 to 2.5 of A. Plaza's thesis (2015).
"""

from functools import cache

import numpy as np
import pytest
from scipy.linalg import null_space

from biela.mechanisms import MECHANISMS
from biela.simulate import Simulation, assemble

LOOPS = ("four_bar", "four_bar_natural", "slider_crank", "stewart", "bricard", "crank_rod_disc")


@cache
def start(name):
    return assemble(MECHANISMS[name]().model())


def slopes(state):
    return state.value("Phi_dq")


@pytest.mark.parametrize("name", LOOPS)
def test_assembly_moves_no_farther_than_it_must(name):
    """1a-37: what it changes is square to the motions that the constraints leave.

    Of Bricard's linkage an equation is redundant only once it is closed: there a step is near the smallest.
    """
    rng = np.random.default_rng(2)
    state = start(name)
    guess = state.q + 1e-5 * rng.uniform(-1.0, 1.0, len(state.q))
    found = assemble(state.model, guess)
    assert np.abs(found.value("Phi")).max() < 1e-10
    change = found.q - guess
    J = found.value("Phi_q")
    along = null_space(J, rcond=1e-8).T @ change  # the curvature of the constraints is of second order
    assert 1e-6 < np.abs(change).max() < 1e-4
    assert np.abs(along).max(initial=0.0) < (1e-4 if name == "bricard" else 1e-7)


@pytest.mark.parametrize("name", LOOPS)
def test_velocities_change_as_little_as_possible(name):
    """1a-38: dq + J^+ (beta - J dq), with the pseudo-inverse."""
    state = start(name)
    wanted = np.random.default_rng(3).uniform(-1.0, 1.0, len(state.q))
    found = assemble(state.model, state.q, velocities=wanted)
    J = slopes(found)
    expected = wanted - np.linalg.pinv(J, rcond=1e-9) @ (J @ wanted)
    np.testing.assert_allclose(found.dq, expected, atol=1e-9)


@pytest.mark.parametrize("name", ["four_bar", "stewart"])
def test_a_metric_makes_some_changes_dearer(name):
    """1a-39: with weights W the change is W^-1 J^T (J W^-1 J^T)^-1 times the residual."""
    state = start(name)
    rng = np.random.default_rng(4)
    weights = rng.uniform(0.1, 10.0, len(state.q))
    names = [placement.name for placement in state.model.placements]
    wanted = rng.uniform(-1.0, 1.0, len(state.q))
    found = assemble(state.model, state.q, velocities=wanted, weights=dict(zip(names, weights, strict=True)))
    J = slopes(found)
    lighter = J.T / weights[:, None]
    expected = wanted - lighter @ np.linalg.solve(J @ lighter, J @ wanted)
    np.testing.assert_allclose(found.dq, expected, atol=1e-9)


@pytest.mark.parametrize(("integrator", "bend"), [("euler", 0.0), ("improved-euler", 0.5)])
def test_a_step_of_euler(integrator, bend):
    """1a-44: with and without half the acceleration times the square of the step."""
    model = MECHANISMS["double_pendulum"]().model()
    state = assemble(model, velocities=[2.0, -1.0])
    h = 0.01
    run = Simulation(model, "tree", integrator, h).run(state, h)
    ddq = np.linalg.solve(state.value("M"), state.value("delta"))
    np.testing.assert_allclose(run.q[-1], state.q + h * state.dq + bend * h * h * ddq, rtol=1e-13)
    np.testing.assert_allclose(run.dq[-1], state.dq + h * ddq, rtol=1e-12)


def unprojected(state, h, duration):
    """The largest residual at the end of a motion by Euler's steps alone, in NumPy."""
    forward = state.model.functions["ddq"]
    q, dq, size = state.q.copy(), state.dq.copy(), len(state.q)
    for _ in range(round(duration / h)):
        given = {"q": q, "dq": dq, "p": state.p, "u": state.u}
        ddq = forward.evaluate(**{port.name: given[port.name] for port in forward.inputs}).ddq
        q, dq = q + h * dq, dq + h * ddq
    assert len(q) == size
    return np.abs(state.changed(q=q, dq=dq).value("Phi")).max()


def test_drift_is_proportional_to_step_and_time_and_projection_stops_it():
    """1a-45: without going back, the gap halves with the step and grows with time."""
    state = assemble(MECHANISMS["four_bar"]().model(), velocities={"crank": 6.0})
    coarse, fine, longer = (
        unprojected(state, h, duration) for h, duration in ((2e-3, 0.2), (1e-3, 0.2), (1e-3, 0.4))
    )
    assert coarse / fine == pytest.approx(2.0, rel=0.05)
    assert longer > 1.5 * fine > 1e-4
    run = Simulation(state.model, "multipliers", "euler", 1e-3).run(state, 0.4)
    assert run.residual.max() < 1e-10


@pytest.mark.parametrize("name", ["four_bar", "stewart", "crank_rod_disc"])
def test_constraints_hold_over_long_runs(name):
    """1b-27, 1b-39: positions and what rolls, and the drift of energy is told."""
    state = start(name)
    run = Simulation(state.model, dt=1e-3).run(state, 2.0 if name == "stewart" else 20.0, every=20)
    assert run.ok, run.status
    assert run.residual.max() < 1e-10
    assert np.abs(run.value("Phi_dot")).max() < 1e-9
    assert "energy" in str(run.report())
