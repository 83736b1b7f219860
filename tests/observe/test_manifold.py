"""States on the constraint manifold: going and coming back, means; angles wrap, quaternions stay unit."""

import bench_linkage as rig
import numpy as np
import pytest

import biela as bl
from biela.observe import FILTERS, Accelerometer, Bench, Gyro, Magnetometer, Manifold, Process
from biela.simulate import Simulation, State, assemble


def top():
    """A heavy top on a ball joint, turned by a quaternion."""
    s = bl.System("top")
    bob = s.body("bob", mass=1.0, com=[0.1, 0, -0.5], inertia=[0.02, 0.03, 0.01])
    s.spherical(s.ground, bob, quaternion=True)
    s.gravity([0, 0, -9.81])
    return s.model()


TOP = top()


def tilted(angle, rate=0.0):
    q = [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]
    dq = [-np.sin(angle / 2) * rate / 2, np.cos(angle / 2) * rate / 2, 0.0, 0.0]
    return State(TOP, np.array(q), np.array(dq), 0.0, TOP.p, TOP.u)


CASES = {
    "linkage": (lambda: Manifold(rig.model(), ["crank"]), lambda: assemble(rig.model(), crank=1.0)),
    "top": (lambda: Manifold(TOP), lambda: tilted(0.8, 0.3)),
}


@pytest.mark.parametrize("case", list(CASES))
def test_going_and_coming_back(case):
    manifold, state = (make() for make in CASES[case])
    rng = np.random.default_rng(1)
    for _ in range(10):
        change = rng.uniform(-0.2, 0.2, manifold.size)
        other = manifold.retract(state, change)
        assert np.abs(manifold.local(state, other) - change).max() < 1e-12
        back = manifold.retract(other, manifold.local(other, state))
        assert np.abs(back.q - state.q).max() < 1e-10
        assert np.abs(back.dq - state.dq).max() < 1e-9
        assert np.abs(other.value("Phi")).max() < 1e-10
        assert np.abs(other.value("Phi_dq") @ other.dq).max() < 1e-10


def test_angles_go_the_short_way_round():
    manifold = Manifold(rig.model(), ["crank"])
    a, b = (assemble(rig.model(), crank=angle) for angle in (0.1, 2 * np.pi - 0.1))
    assert abs(manifold.local(a, b)[0] + 0.2) < 1e-12
    middle = manifold.mean([a, b])["crank"]
    assert min(abs(middle), abs(middle - 2 * np.pi)) < 1e-9


def test_the_mean_has_no_error_left():
    manifold, state = Manifold(TOP), tilted(0.8)
    changes = np.random.default_rng(2).uniform(-0.1, 0.1, (5, manifold.size))
    states, w = [manifold.retract(state, c) for c in changes], np.array([1.0, 2.0, 0.0, 1.0, 3.0])
    middle = manifold.mean(states, w)
    left = w @ np.array([manifold.local(middle, one) for one in states])
    assert np.abs(left).max() < 1e-10
    assert abs(middle.q @ middle.q - 1.0) < 1e-12
    for some, weights in (([], None), (states, [1.0]), (states, np.zeros(5))):
        with pytest.raises(ValueError, match="a weight for each"):
            manifold.mean(some, weights)
    with pytest.raises(ValueError, match="A change is one of"):
        manifold.retract(state, [1.0])


@pytest.mark.parametrize("key", ["ekf", "ukf", "sqrt-ukf", "error-state", "projection"])
def test_filters_keep_quaternions_unit(key):
    sensors = [
        Gyro("bob", axis=("x", "y", "z"), sigma=0.01),
        Accelerometer("bob", axes=("x", "y", "z"), at=(0.1, 0, -0.3), sigma=0.05),
        Magnetometer("bob", axes=("x", "y", "z"), sigma=0.05),  # gravity does not tell the heading
    ]
    truth, y = Bench(Simulation(TOP, integrator="rk4", dt=2e-3), sensors).run(tilted(0.8), 2.0)
    observer = FILTERS[key](Process(TOP, 2e-3, "rk4", position=1e-5, velocity=1e-4), sensors)
    run = observer.run(y, tilted(1.0), [0.1] * 6)
    assert np.abs(np.linalg.norm(run.q, axis=1) - 1.0).max() < 1e-9
    assert np.abs(run.q - truth.q)[500:].max() < 0.04
    assert np.abs(run.q - truth.q)[:5].max() > 0.02
