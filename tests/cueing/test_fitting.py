"""Fits of channels: made of a known one, they must find it again."""

import numpy as np
import pytest

from biela.cueing import Channel, fit, fit_grid, nrmse, source_002

T = 0.02 * np.arange(3000)
RAW = {"S1": 0.2773626045, "S2": -0.1188206601, "S3": 0.1772463942, "S4": 0.7917485189}
NEAR = {"S1": 0.9861454232, "S2": 0.9712172042, "S3": 0.9810402795, "S4": 0.9948234471}


def inputs(dof):
    return [wave[dof](T) for wave in source_002.SINGLE.values()]


@pytest.mark.parametrize("name", RAW)
def test_fits_of_the_source_signals(name):
    u = source_002.SINGLE[name]["pitch"](T)
    y = Channel().run(u)
    assert nrmse(u, y) == pytest.approx(RAW[name], abs=1e-9)
    assert nrmse(y, Channel(frequency=2.7).run(u)) == pytest.approx(NEAR[name], abs=1e-9)


@pytest.mark.parametrize(("dof", "frequency"), [("pitch", 2.8), ("roll", 2.7)])
def test_the_grid_of_the_source_finds_what_made_the_data(dof, frequency):
    made = [Channel(frequency=frequency).run(u) for u in inputs(dof)]
    found = fit_grid(inputs(dof), made)
    assert (found.channel.damping, found.channel.frequency) == pytest.approx((1.5, frequency))
    assert found.score == pytest.approx(1.0, abs=1e-9)
    assert found.evaluations == 533


def test_the_search_finds_limits_too():
    true = Channel(form="servo", damping=1.4, frequency=3.3, rate=1.1, acceleration=9.0)
    u = inputs("pitch")
    found = fit(u, [true.run(x) for x in u], delays=[0.08], rounds=40)
    assert found.score > 0.9999
    names = ("damping", "frequency", "rate", "acceleration")
    assert [getattr(found.channel, name) for name in names] == pytest.approx([1.4, 3.3, 1.1, 9.0], rel=2e-2)


def test_the_search_finds_the_delay():
    true, u = Channel(form="servo", delay=0.1, frequency=2.0), inputs("pitch")[2:]
    found = fit(u, [true.run(x) for x in u], names=("damping", "frequency"), rounds=15, size=24)
    assert found.channel.delay == pytest.approx(0.1)


def test_scores_are_the_fits_of_the_channels():
    u = inputs("roll")[:2]
    made = [Channel(frequency=2.0).run(x) for x in u]
    found = fit_grid(u, made, frequencies=[2.4], dampings=[1.2])
    own = [nrmse(y, found.channel.run(x)) for x, y in zip(u, made, strict=True)]
    assert found.scores == pytest.approx(own, abs=1e-12)


def test_wrong_fits():
    u = inputs("pitch")[0]
    with pytest.raises(ValueError, match="reference is constant"):
        fit_grid([u], [np.zeros_like(u)])
    with pytest.raises(ValueError, match="finite"):
        fit_grid([u], [np.where(u > 0.5, np.nan, u)])
    with pytest.raises(ValueError, match="Each input has its response; got 1 and 2"):
        fit_grid([u], [u, u])
    with pytest.raises(ValueError, match=r"Unknown parameter 'mass'"):
        fit([u], [u], names=("mass",))
