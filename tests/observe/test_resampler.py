"""Resamplers: exact indices where chance does not matter, expected copies where it does."""

import numpy as np
import pytest

from biela.observe.particle.resampler import RESAMPLERS, comb, resampler

UNBIASED = sorted(set(RESAMPLERS) - {"comb"})
WEIGHTS = np.array([0.05, 0.3, 0.0, 0.35, 0.1, 0.2])


def copies(name, w, count, rng):
    places = RESAMPLERS[name](w, count, rng)
    assert len(places) == count
    assert (np.diff(places) >= 0).all()
    return np.bincount(places, minlength=len(w))


@pytest.mark.parametrize("name", UNBIASED)
@pytest.mark.parametrize("count", [1, 7, 12])
def test_the_expected_copies_are_in_proportion_to_the_weights(name, count):
    rng, tries = np.random.default_rng(3), 4000
    drawn = np.array([copies(name, WEIGHTS, count, rng) for _ in range(tries)])
    error = 5.0 * np.maximum(drawn.std(axis=0), 1e-9) / np.sqrt(tries)
    assert (np.abs(drawn.mean(axis=0) - count * WEIGHTS) <= error + 1e-12).all()


@pytest.mark.parametrize("name", ["systematic", "ssp"])
def test_copies_are_the_floor_or_the_ceiling(name):
    rng = np.random.default_rng(1)
    for _ in range(300):
        w = rng.exponential(size=23)
        got = copies(name, w, 23, rng)
        due = 23 * w / w.sum()
        assert (got >= np.floor(due) - 1e-9).all()
        assert (got <= np.ceil(due) + 1e-9).all()


@pytest.mark.parametrize("name", ["residual", "ssp"])
def test_whole_shares_are_never_left_to_chance(name):
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert copies(name, np.array([0.5, 0.25, 0.25]), 8, rng).tolist() == [4, 2, 2]


def test_one_draw_in_each_stratum():
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert copies("stratified", np.ones(4), 8, rng).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("name", UNBIASED)
def test_a_single_particle_and_a_single_weight(name):
    rng = np.random.default_rng(1)
    assert RESAMPLERS[name](np.ones(1), 3, rng).tolist() == [0, 0, 0]
    assert RESAMPLERS[name](np.array([0.0, 2.0, 0.0]), 4, rng).tolist() == [1] * 4


@pytest.mark.parametrize("name", UNBIASED)
def test_no_particle_without_weight_is_chosen(name):
    rng = np.random.default_rng(1)
    w = np.where(np.arange(1000) % 3 == 0, rng.random(1000), 0.0)
    assert (w[RESAMPLERS[name](w, 5000, rng)] > 0.0).all()


def source_comb(logw):
    """The listing of SimTKpf, loop by loop."""
    n = len(logw)
    w = np.exp(logw - max(logw))
    w = w / w.sum()
    levels = np.cumsum(w)
    levels[n - 1] = 1.1
    teeth = [(i + 1) * 0.99999 / (n - 1) for i in range(n - 1)] + [1.0]
    chosen, i, j = [], 0, 0
    while i < n:
        if teeth[i] <= levels[j]:
            chosen.append(j)
            i += 1
        else:
            j += 1
    return chosen


def test_the_comb_is_that_of_simtkpf():
    rng = np.random.default_rng(1)
    assert comb(np.ones(4), 4, rng).tolist() == [1, 2, 3, 3]
    assert comb(np.array([0.0, 0.0, 1.0, 0.0]), 4, rng).tolist() == [2, 2, 2, 2]
    assert comb(np.ones(1), 1, rng).tolist() == [0]
    for n in (2, 5, 30, 200):
        logw = -rng.exponential(size=n)
        assert comb(np.exp(logw), n, rng).tolist() == source_comb(logw)


def test_an_unknown_resampler_gets_a_suggestion():
    with pytest.raises(ValueError, match=r"'sistematic'.*Did you mean 'systematic'"):
        resampler("sistematic")
