"""Identification: known parameters come back from noisy data, with errors as large as the covariance says."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import assemble
from biela.simulate.identification import identify, replaced
from biela.simulate.inverse import inverse_dynamics
from biela.simulate.kinematic import kinematics
from biela.simulate.regression import regress
from biela.simulate.simulation import Simulation

SIGMA = {"crank": 2e-3, "rocker'": 1e-2}
TRUTH = {"m3": 1.23, "r": 0.14, "crank": np.pi / 2}


@pytest.fixture(scope="module")
def simulation():
    return Simulation(bl.mechanisms.four_bar().model(), dt=2e-3)


@pytest.fixture(scope="module")
def truth(simulation):
    return simulation.run(assemble(simulation.model, crank=np.pi / 2), 2.0, every=5)


def noisy(truth, seed):
    rng = np.random.default_rng(seed)
    return {"t": truth.t} | {c: truth[c] + rng.normal(0, s, len(truth)) for c, s in SIGMA.items()}


def guess(simulation, **values):
    """A start with parameters that are not right."""
    model = simulation.model
    p = model.p
    for name, value in values.items():
        p[[q.name for q in model.parameters].index(name)] = value
    return replaced(assemble(model, crank=1.5), p, {}, ["crank"])


def test_without_noise_the_parameters_come_back(simulation, truth):
    found = identify(simulation, guess(simulation, m3=1.7, l2=0.56), truth, ["m3", "l2"], ["crank"])
    assert found.values == pytest.approx({"m3": 1.23, "l2": 0.54, "crank": np.pi / 2}, abs=1e-8)
    assert max(found.residuals.values()) < 1e-8
    assert found.start.p[[q.name for q in simulation.model.parameters].index("m3")] == found.values["m3"]


def test_errors_are_as_large_as_the_covariance_says(simulation, truth):
    start, square = guess(simulation, m3=1.4, r=0.13), []
    for seed in range(12):
        found = identify(simulation, start, noisy(truth, seed), ["m3", "r"], ["crank"], sigma=SIGMA)
        error = np.array([found.values[name] - TRUTH[name] for name in found.values])
        square.append(error @ np.linalg.solve(found.covariance, error))
    assert 1.5 < np.mean(square) < 5.0  # chi-squared of 3 degrees of freedom, the mean of 12
    assert found.residuals["crank"] == pytest.approx(2e-3, rel=0.15)
    assert found.deviations["m3"] < 0.01
    assert "m3 = 1.2" in repr(found)


def test_the_noise_is_estimated_where_it_is_not_known(simulation, truth):
    data = noisy(truth, 1)
    given = identify(
        simulation, guess(simulation), data, ["m3"], sigma=2e-3, columns=["crank"], held=["crank"]
    )
    found = identify(simulation, guess(simulation), data, ["m3"], columns=["crank"], held=["crank"])
    assert found.values == pytest.approx(given.values, rel=1e-6)
    start = guess(simulation)
    right = replaced(start, start.p, {"crank": np.pi / 2}, ["crank"])
    known, own = (
        identify(simulation, right, data, ["m3"], columns=["crank"], held=["crank"], sigma=s)
        for s in (2e-3, None)
    )
    assert own.deviations["m3"] == pytest.approx(known.deviations["m3"], rel=0.15)


def test_says_what_cannot_be_told_apart(simulation, truth):
    with pytest.raises(ValueError, match="cannot tell m1, r apart"):
        identify(simulation, guess(simulation), truth, ["m1", "r"])
    with pytest.raises(ValueError, match="does not depend on 'x3'"):
        identify(simulation, guess(simulation), truth, ["x3", "m3"])


def test_wrong_calls(simulation, truth):
    start = guess(simulation)
    with pytest.raises(KeyError, match="'wheel' is no coordinate or velocity"):
        identify(simulation, start, truth, ["m3"], columns=["wheel"])
    with pytest.raises(ValueError, match="follow every so many steps"):
        identify(simulation, start, {"t": truth.t + 0.0007, "crank": truth["crank"]}, ["m3"])
    with pytest.raises(ValueError, match="'crank' is not finite everywhere"):
        identify(simulation, start, {"t": truth.t, "crank": truth["crank"] * np.nan}, ["m3"])
    with pytest.raises(ValueError, match="no coordinate or velocity of model"):
        identify(simulation, start, {"t": truth.t}, ["m3"])
    with pytest.raises(ValueError, match="noise of 'crank' is a positive number"):
        identify(simulation, start, {"t": truth.t, "crank": truth["crank"]}, ["m3"], sigma=0.0)


@pytest.fixture(scope="module")
def excited():
    model = bl.mechanisms.four_bar().model()

    def angle(t):
        return 0.5 * t + 0.8 * np.sin(3 * t) + 0.4 * np.cos(7 * t)

    return inverse_dynamics(kinematics(model, 5.0, 1e-2, drives={"crank": angle}))


def test_base_parameters_come_back(excited):
    found = regress(excited)
    np.testing.assert_allclose(found.values, found.base.values, atol=1e-12)
    assert found.condition < 100.0
    assert "rocker.Izz" in repr(found)


def test_base_parameters_come_back_from_noise(excited):
    rng = np.random.default_rng(3)
    found = regress(excited.replaced(u=excited.u + rng.normal(0, 0.01, excited.u.shape)))
    error = (found.values - found.base.values) / found.deviations
    assert 0.3 < np.sqrt(np.mean(error**2)) < 2.0
    assert found.rms < 0.02


def test_the_models_own_masses_do_not_matter(excited):
    """What is found is what the record says."""
    p = excited.p.copy()
    names = [q.name for q in excited.model.parameters]
    p[names.index("m3")] = 9.0
    np.testing.assert_allclose(regress(excited.replaced(p=p)).values, regress(excited).values, atol=1e-11)


def test_a_motion_that_does_not_excite_is_refused(excited):
    model = excited.model
    turning = (lambda t: t, lambda t: 1.0, lambda t: 0.0)
    slow = kinematics(model, 1e-3, 1e-3, drives={"crank": turning})
    with pytest.raises(ValueError, match=r"cannot tell .* apart"):
        regress(inverse_dynamics(slow))


def test_trees_too():
    """A pendulum with a spring on its hinge: the spring is known, the inertia sought."""
    s = bl.System("pendulum")
    bob = s.body("bob", mass=2.0, com=[0.3, 0.1, 0], inertia=[0.0, 0.0, 0.05])
    angle = s.coordinate("angle", unit="rad")
    s.revolute(s.ground, bob, coordinates=angle)
    s.torsion_spring(angle, 4.0, damping=0.1)
    s.motor(angle, "torque")
    s.gravity([0, -9.81, 0])
    model = s.model()
    record = inverse_dynamics(kinematics(model, 3.0, 0.01, drives={"angle": lambda t: 2 * np.sin(2 * t)}))
    found = regress(record)
    np.testing.assert_allclose(found.values, model.base_parameters().values, atol=1e-9)
