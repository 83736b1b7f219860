"""Noise at inputs and accelerations: Van Loan's covariance where it is known, and what filters make of it."""

import numpy as np
import pytest

import biela as bl
from biela.observe import (
    FILTERS,
    BatchSmoother,
    Bootstrap,
    Encoder,
    ExtendedKalman,
    Process,
    RauchTungStriebel,
)
from biela.simulate import assemble

DEG, H, DENSITY, MASS = np.pi / 180.0, 5e-3, 0.6, 2.0


def pushed():
    s = bl.System("pushed")
    x, push = s.coordinate("x", 0.0, unit="m"), s.input("push", unit="N")
    block = s.body("block", mass=MASS)
    s.prismatic(s.ground, block, axis="x", coordinates=x)
    s.force(block, [push, 0, 0])
    return s.model()


MODEL = pushed()
STATE = assemble(MODEL)
SENSOR = [Encoder("x", sigma=0.1)]
WHITE = (DENSITY / MASS) ** 2 * np.array([[H**3 / 3, H**2 / 2], [H**2 / 2, H]])


def process(**noise):
    return Process(MODEL, H, "rk4", **({"position": 0.0, "velocity": 0.0} | noise))


GAUSSIAN = [key for key in FILTERS if key != "projection"]


@pytest.mark.parametrize("key", GAUSSIAN)
def test_a_force_is_an_acceleration_over_the_mass(key):
    by_force = FILTERS[key](process(forces={"push": DENSITY}), SENSOR)
    by_acceleration = FILTERS[key](process(acceleration=DENSITY / MASS), SENSOR)
    y = np.full((40, 1), np.nan)
    y[::7] = 0.2
    runs = [one.run(y, STATE, [0.1, 0.2]) for one in (by_force, by_acceleration)]
    assert np.abs(runs[0]["sd(x')"] - runs[1]["sd(x')"]).max() < 1e-12
    assert np.abs(runs[0]["x"] - runs[1]["x"]).max() < 1e-12
    if key == "ensemble":
        return  # whose covariance is that of its draws
    rows = by_force.rows(np.full((1, 1), np.nan), STATE, [0.1, 0.2])
    F = np.array([[1.0, H], [0.0, 1.0]])
    expected = F @ np.diag([0.01, 0.04]) @ F.T + WHITE
    assert np.abs(by_force.covariances(rows)[1] / expected - 1.0).max() < 1e-9


def arm():
    return bl.mechanisms.four_bar().model()


def test_the_force_of_a_mechanism_works_through_its_inertia():
    model = arm()
    start = assemble(model, crank=90 * DEG)
    with_noise = Process(
        model, 1e-3, independent=["crank"], position=0.0, velocity=0.0, forces={"torque": 0.5}
    )
    observer = ExtendedKalman(with_noise, [Encoder("crank", sigma=0.01)])
    rows = observer.rows(np.full((1, 1), np.nan), start, [1e-9, 1e-9])
    assert observer.covariances(rows)[1][1, 1] == pytest.approx((0.5 / 0.119365252514) ** 2 * 1e-3, rel=1e-8)


def test_a_swarm_has_the_same_noise_at_inputs():
    pf = Bootstrap(process(forces={"push": DENSITY}), SENSOR, 40_000, seed=1)
    pf.start(STATE)
    pf.step([np.nan])
    assert np.std(pf.swarm.x[1]) == pytest.approx(np.sqrt(WHITE[1, 1]), rel=0.02)
    pf.start(STATE)
    pf.step([np.nan], 0.25 * H)
    assert np.std(pf.swarm.x[1]) == pytest.approx(np.sqrt(WHITE[1, 1]) / 2.0, rel=0.02)


def test_smoothing_with_noise_at_inputs():
    y = np.sin(np.arange(100) * H)[:, None]
    smooth = [
        RauchTungStriebel(ExtendedKalman(one, SENSOR)).run(y, STATE, [0.1, 0.2])
        for one in (process(forces={"push": DENSITY}), process(acceleration=DENSITY / MASS))
    ]
    assert np.abs(smooth[0]["x"] - smooth[1]["x"]).max() < 1e-12
    with pytest.raises(ValueError, match="the same everywhere"):
        BatchSmoother(ExtendedKalman(process(forces={"push": DENSITY}), SENSOR))


def test_wrong_noise_at_inputs():
    with pytest.raises(ValueError, match="no input 'pull': push"):
        process(forces={"pull": 1.0})
    with pytest.raises(ValueError, match="noise of input 'push' is not negative"):
        process(forces={"push": -1.0})
    with pytest.raises(ValueError, match="not at inputs"):
        FILTERS["projection"](process(forces={"push": 1.0}), SENSOR)
