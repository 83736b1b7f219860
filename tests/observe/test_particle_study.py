"""The studies of SimTKpf: resumable, replayable, and of the shapes that it printed."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import biela as bl
from biela.observe.study import (
    Mechanism,
    Study,
    Timed,
    Trial,
    break_even,
    motion_noise,
    particle_number,
    plot,
    replayed,
    timing,
    tried,
    write_texts,
)

FOUR_BAR = Mechanism(bl.mechanisms.four_bar_rod, "input_bar", (("as_simulated", True),))


class Inline(ThreadPoolExecutor):
    """One thread, and it may stop in the middle of a study."""

    def __init__(self, stop=10**9):
        super().__init__(1)
        self.left = stop

    def submit(self, *arguments):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().submit(*arguments)


def plain(found):
    """Outcomes without their times."""
    return [[replace(outcome, time=0.0) for outcome in tested.outcomes] for tested in found]


def test_a_try_has_170_steps_and_follows_from_its_seed():
    trial = Trial(seed=3, particles=60)
    outcome, found = replayed(FOUR_BAR, trial)
    assert found.angles.shape == (171, 60)
    assert found.readings.shape == (171,)
    assert replace(tried(FOUR_BAR, trial), time=0.0) == outcome
    assert tried(FOUR_BAR, Trial(seed=4, particles=60)).reference != outcome.reference
    assert found.weights.sum(axis=1) == pytest.approx(np.ones(171))
    assert ((found.angles >= 0.0) & (found.angles < 2 * np.pi)).all()


def test_the_bootstrap_filter_gets_the_truth_and_the_readings_of_the_other():
    kinds = ({}, {"filter": "bootstrap"})
    one, other = (replayed(FOUR_BAR, Trial(3, 60, 0.002, **kind))[1] for kind in kinds)
    assert np.array_equal(one.reference, other.reference)
    assert np.array_equal(one.readings[1:], other.readings[1:])
    assert np.array_equal(one.angles[0], other.angles[0])
    assert not np.array_equal(one.omegas[1], other.omegas[1])
    with pytest.raises(ValueError, match="sir, bootstrap; got 'kalman'"):
        Trial(1, filter="kalman")


def test_an_interrupted_study_goes_on_to_the_same_counts(tmp_path):
    study = Study(FOUR_BAR, "particles", (10, 40), tries=6)
    whole = study.run(executor=Inline())
    with pytest.raises(KeyboardInterrupt):
        study.run(tmp_path, executor=Inline(stop=9))
    kept = list(tmp_path.glob("*savestate.json"))
    assert [path.name for path in kept] == ["particles-10-savestate.json"]
    assert len(json.loads(kept[0].read_text())) == 6
    seen = []
    resumed = study.run(
        tmp_path, executor=Inline(stop=6), progress=lambda done, total: seen.append((done, total))
    )
    assert plain(resumed) == plain(whole)
    assert seen[-1] == (12, 12)
    assert not list(tmp_path.glob("*savestate*"))
    lines = (tmp_path / "particles.txt").read_text().splitlines()
    assert lines[0].startswith("particles: 10\tTest time: ")
    assert f"{whole[1].converged}/6 success" in lines[1]
    study.run(tmp_path, executor=Inline())  # a finished one starts anew, and appends
    assert len((tmp_path / "particles.txt").read_text().splitlines()) == 4


def test_a_broken_savestate_counts_for_nothing(tmp_path):
    study = Study(FOUR_BAR, "motion", (0.02,), tries=2, base=Trial(seed=1, particles=20))
    (tmp_path / "motion-0.02-savestate.json").write_text('[{"trial": {"seed"')
    assert plain(study.run(tmp_path, executor=Inline())) == plain(study.run(executor=Inline()))


def test_failures_are_replayed_from_what_was_saved(tmp_path):
    study = Study(FOUR_BAR, "particles", (10,), tries=8)
    (tested,) = study.run(tmp_path, executor=Inline())
    saved = json.loads((tmp_path / "particles.json").read_text())
    assert tested.failures
    assert len(saved) == 8
    for trial in tested.failures:
        outcome, _ = replayed(FOUR_BAR, trial)
        assert not outcome.converged
        assert outcome.circular == saved[trial.seed - 1]["circular"]


def test_the_studies_have_the_values_of_the_source():
    assert list(particle_number(FOUR_BAR).values) == [10, 20, 50, 100, 200, 500, 1000, 2000]
    assert len(motion_noise(FOUR_BAR).values) == 10
    assert {trial.particles for trial in motion_noise(FOUR_BAR).trials(0.5)} == {200}
    assert [trial.seed for trial in particle_number(FOUR_BAR).trials(50)] == list(range(1, 101))
    with pytest.raises(ValueError, match="no setting 'speed'"):
        Study(FOUR_BAR, "speed", (1,))


def test_the_timing_study_counts_iterations_and_finds_where_it_keeps_up():
    found = timing(FOUR_BAR, steps=(0.05, 0.3, 1.0), particles=50)
    assert [one.iterations for one in found] == [120, 20, 6]
    assert all(one.simulated == pytest.approx(6.0) for one in found)
    assert all(one.particles > 0.0 and one.reference > 0.0 for one in found)
    assert str(found[1]).startswith("Step: 300 ms\tIterations: 20")
    worst = (0.0, 0.0, 0.0, 0)
    lines = [Timed(dt, round(6 / dt), 0.29 * round(6 / dt), *worst) for dt in (0.1, 0.2, 0.3, 0.5)]
    assert break_even(lines) == pytest.approx(0.29)  # 0.29 s an iteration, as SimTKpf had
    assert break_even([replace(one, total=1.0) for one in lines]) == 0.0


def test_text_files_have_their_columns_and_digits(tmp_path):
    _, found = replayed(FOUR_BAR, Trial(seed=3, particles=5, steps=7))
    paths = write_texts(found, tmp_path)
    rows = [[line.split("\t") for line in path.read_text().splitlines()] for path in paths]
    assert [(len(part), len(part[0])) for part in rows] == [(8, 6), (8, 5), (8, 6)]
    assert [len(part[1][-1].split(".")[1]) for part in rows] == [4, 6, 3]
    weights = np.loadtxt(paths[1])
    assert weights.sum(axis=1) == pytest.approx(np.ones(8), abs=1e-5)
    assert np.loadtxt(paths[0])[:, 0] == pytest.approx(found.reference, abs=1e-4)


def test_plots_have_the_axes_of_the_source(tmp_path):
    pytest.importorskip("matplotlib")
    _, found = replayed(FOUR_BAR, Trial(seed=3, particles=20, steps=20))
    for shaded in (False, True):
        axis = plot.angles(found, tmp_path / "angles.png", shaded=shaded).axes[0]
        assert (axis.get_xlabel(), axis.get_ylabel()) == ("Iteration", "Angle [rad]")
        assert axis.get_ylim() == pytest.approx((0.0, 2 * np.pi))
    axis = plot.omegas(found).axes[0]
    assert axis.get_ylim() == pytest.approx((found.omegas.min() - 0.5, found.omegas.max() + 0.5))
    study = Study(FOUR_BAR, "particles", (10, 20), tries=2).run(executor=Inline())
    assert len(plot.convergence(study, tmp_path / "convergence.png").axes) == 2
    assert len(plot.timings([Timed(0.1, 60, 1.0, 0.1, 0.1, 0.1, 3)] * 2).axes) == 3
    assert (tmp_path / "angles.png").stat().st_size > 1000
    plot.animation(found)._draw_was_started = True


def test_without_noise_particles_collapse_and_with_noise_a_band_stays():
    spreads = {}
    for motion in (0.0, 0.02):
        _, found = replayed(FOUR_BAR, Trial(seed=1, motion=motion, branch=-1, steps=500))
        away = (found.angles - found.reference[:, None] + np.pi) % (2 * np.pi) - np.pi
        spreads[motion] = np.median(np.abs(away[-20:]))
    assert spreads[0.0] < 0.02
    assert 0.04 < spreads[0.02] < 0.15


def test_the_band_is_wider_where_the_bar_is_slow():
    widths = []
    for seed in range(1, 5):
        _, found = replayed(FOUR_BAR, Trial(seed=seed, branch=-1, steps=1000))
        away = (found.angles - found.reference[:, None] + np.pi) % (2 * np.pi) - np.pi
        band = np.sqrt((found.weights * away**2).sum(axis=1))[300:]
        speed = np.abs(found.readings[300:])
        low, high = np.quantile(speed, [0.2, 0.8])
        widths.append((band[speed < low].mean(), band[speed > high].mean()))
    slow, fast = np.mean(widths, axis=0)
    assert slow > 1.05 * fast


@pytest.mark.study
def test_convergence_rises_with_particles_as_in_the_source():
    for branch in (1, -1):
        base = Trial(seed=1, branch=branch)
        found = Study(FOUR_BAR, "particles", (10, 20, 50, 100, 200, 500, 1000, 2000), base=base).run()
        rate = {int(tested.value): tested.converged for tested in found}
        assert rate[10] < 65
        assert rate[50] > rate[10] + 20
        assert min(rate[n] for n in (200, 500, 1000)) >= 90
        assert rate[2000] >= (97 if branch < 0 else 90)
        assert sum(t.converged for t in found) > sum(t.converged_linear for t in found)
        assert all(t.converged >= t.converged_linear - 2 for t in found)


@pytest.mark.study
@pytest.mark.parametrize("branch", [1, -1])
def test_the_bootstrap_filter_converges_where_little_noise_tells_motions_apart(branch):
    base = Trial(seed=1, motion=0.002, branch=branch, filter="bootstrap")
    few, many = Study(FOUR_BAR, "particles", (200, 2000), base=base).run()
    assert few.converged >= 95
    assert many.converged >= 97


@pytest.mark.study
def test_convergence_falls_with_motion_noise_as_in_the_source():
    found = motion_noise(FOUR_BAR).run()
    rate = {tested.value: tested.converged for tested in found}
    assert min(rate[s] for s in (1e-3, 2e-3, 5e-3, 1e-2, 2e-2)) >= 90
    assert rate[0.05] < rate[0.02]
    assert rate[0.1] < 50
    assert max(rate[0.5], rate[1.0]) < 30
    assert found[-1].resamplings > 2 * found[0].resamplings
