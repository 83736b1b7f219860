"""The particle smoother: Rauch, Tung and Striebel's where that is exact, the right assembly where not."""

import numpy as np
import pytest
import spring_cart as cart

import biela as bl
from biela.observe import (
    Adaptive,
    Auxiliary,
    Bootstrap,
    ExtendedKalman,
    Gyro,
    ParticleSmoother,
    Prior,
    Process,
    RaoBlackwellised,
    RauchTungStriebel,
    Reading,
    Regularised,
    Sir,
)
from biela.simulate import Simulation, branches

MODEL = cart.model()
PLACE = [Reading(lambda m: m.q[0], sigma=0.05, name="place")]
Y = cart.readings(25)[:, :1]


def process(**noise):
    return Process(MODEL, 0.05, "rk4", **({"position": 0.02, "velocity": 0.1} | noise))


@pytest.mark.parametrize("kind", [Bootstrap, Auxiliary, Adaptive])
def test_on_a_linear_problem_it_is_the_exact_smoother(kind):
    exact = RauchTungStriebel(ExtendedKalman(process(), PLACE)).run(Y, cart.start(MODEL), cart.P0)
    more = {"error": 0.01} if kind is Adaptive else {}
    smoother = ParticleSmoother(kind(process(), PLACE, 3000, seed=2, **more), 1000)
    run = smoother.run(Y, cart.start(MODEL), cart.P0)
    for name in ("x", "x'"):
        sd = exact[f"sd({name})"]
        assert np.abs((run[name] - exact[name]) / sd).max() < 0.25  # of draws with ancestors in common
        assert np.abs(run[f"sd({name})"] / sd - 1.0).max() < 0.15
    filtered = ExtendedKalman(process(), PLACE).run(Y, cart.start(MODEL), cart.P0)
    assert np.abs((filtered["x"] - exact["x"]) / exact["sd(x)"]).max() > 1.0  # the filter itself is not that


def test_steps_of_other_lengths():
    times = np.cumsum(np.random.default_rng(3).uniform(0.02, 0.05, len(Y)))
    pf = Bootstrap(process(), PLACE, 3000, seed=2)
    run = ParticleSmoother(pf, 500).run(Y, cart.start(MODEL), cart.P0, times=times)
    filtered = pf.run(Y, cart.start(MODEL), cart.P0, times=times)
    assert abs(run["x"][-1] - filtered["x"][-1]) < 0.15 * filtered["sd(x)"][-1]
    assert np.abs(run.t[1:] - times).max() < 1e-12


def test_afterwards_it_knows_how_the_mechanism_was_assembled_at_the_start():
    model = bl.mechanisms.four_bar_rod().model()
    sensors = [Gyro("input_bar", sigma=0.05), Gyro("floating_bar", sigma=0.05)]
    noise = {"position": 2e-3, "velocity": 0.02}
    pf = Bootstrap(Process(model, 6e-3, "rk4", independent=["input"], **noise), sensors, 4000, seed=1,
                   spread={"input": 0.01, "input'": 0.02})  # fmt: skip
    truth = Simulation(model, "multipliers", "rk4", dt=6e-3).run(branches(model, input=1.0)[0], 0.6)
    y = truth.value(pf.instruments.function)[1:]
    y += 0.05 * np.random.default_rng(7).standard_normal(y.shape)
    filtered = pf.run(y, Prior())
    smoother = ParticleSmoother(pf, 50)
    drawn, smooth = smoother.draw(y, Prior()), smoother.run(y, Prior())
    off = np.abs((smooth["input"] - truth["input"] + np.pi) % (2 * np.pi) - np.pi)
    assert np.rad2deg(off.max()) < 5.0
    assert filtered["sd(input)"][0] > 1.0
    assert smooth["sd(input)"][0] < 0.1
    assert drawn.lanes == 50
    lane = [np.abs(drawn["floating"][:, k] - truth["floating"]) for k in range(50)]
    assert np.rad2deg(np.abs((np.array(lane) + np.pi) % (2 * np.pi) - np.pi).max()) < 15.0
    assert np.array_equal(smoother.draw(y, Prior())["input"], drawn["input"])


def test_filters_that_cannot_be_smoothed():
    with pytest.raises(ValueError, match="At least one"):
        ParticleSmoother(Bootstrap(process(), PLACE, 10), 0)
    for pf in (
        Regularised(process(), PLACE, 10),
        RaoBlackwellised(process(), PLACE, 10, biases={"place": 0.1}),
    ):
        with pytest.raises(ValueError, match="noise at"):
            ParticleSmoother(pf)
    with pytest.raises(ValueError, match="there is none at 'x''"):
        ParticleSmoother(Sir(MODEL, PLACE, 10)).run(Y, cart.start(MODEL))
    wild = Y.copy()
    wild[5] = 1e6
    pf = Bootstrap(process(), PLACE, 50)
    with (
        pytest.warns(RuntimeWarning, match="starts again"),
        pytest.raises(ValueError, match="started again 1"),
    ):
        ParticleSmoother(pf).run(wild, cart.start(MODEL), cart.P0)
