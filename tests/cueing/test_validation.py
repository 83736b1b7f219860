"""The multibody plant is identified, and its simulator validated, next to the source's tables."""

import numpy as np
import pytest

from biela.cueing import Plant, Simulator, characterise, fit_grid, source_002, validate
from biela.cueing.validation import attenuations, excursions, fitted, mean, table


@pytest.fixture(scope="module")
def plant():
    return Plant()


@pytest.fixture(scope="module")
def identified(plant):
    return characterise(plant, delays=[0.08], size=32, rounds=30)


def test_the_plant_moves_its_multibody_model(plant):
    demand = np.zeros((150, 2))
    demand[20:] = 0.2, 0.1
    run = plant.simulate(demand)
    assert run.residual.max() < 1e-6
    assert run["pitch"][-1] == pytest.approx(0.2, abs=2e-3)
    assert run["roll"][-1] == pytest.approx(0.1, abs=2e-3)
    angles = np.array([run["crank1.angle"][-1], run["crank2.angle"][-1]])
    assert plant.platform.positions([run["pitch"][-1], run["roll"][-1]])[0] == pytest.approx(angles, abs=1e-6)
    speeds = np.abs(np.diff(plant.references(demand)[:, 0])) / plant.fine
    assert speeds.max() <= plant.speed + 1e-9


def test_the_tracker_is_late_and_noisy(plant):
    demand = np.zeros((200, 2))
    times, poses = plant.measure(demand, seed=3)
    assert times[1] == pytest.approx(0.01)
    assert poses.std() == pytest.approx(plant.noise, rel=0.1)
    assert np.array_equal(poses, plant.measure(demand, seed=3)[1])
    assert plant.respond(demand).shape == (200, 2)


def test_excursions_of_the_plant_are_those_that_the_source_tells(plant):
    found = {row.name: row.ours for row in excursions(plant)}
    assert 0.06 <= found["delay"] <= 0.12
    assert 0.5 < found["half"] < 0.8
    assert 0.95 < found["full"] < 1.15


def test_attenuation_falls_with_frequency(plant):
    rows = {row.name: row.ours for row in attenuations(plant)}
    assert len(rows) == 18
    for dof, by_amplitude in source_002.ATTENUATION_HZ.items():
        for degrees in by_amplitude:
            assert 0.8 < rows[f"{dof} {degrees} deg 3 dB"] < rows[f"{dof} {degrees} deg 6 dB"] < 3.0
    assert (
        rows["pitch 30 deg 6 dB"] < rows["pitch 20 deg 6 dB"] - 0.2
    )  # large motions meet the limit of the rate


def test_with_limits_the_simulator_fits_better_than_the_source(plant, identified):
    rows = validate(plant, identified.simulator)
    assert [row.name for row in rows[-2:]] == ["S7 both", "S8 both"]
    whole = mean(rows)
    assert whole.source == pytest.approx(0.9047, abs=1e-4)
    assert whole.ours >= 0.95


def test_the_way_of_the_source_fits_less(plant, identified):
    grid = characterise(plant, way=fit_grid)
    assert grid.fits["pitch"].evaluations == 533
    assert grid.fits["pitch"].score < identified.fits["pitch"].score - 0.05
    names = [row.name for row in fitted(grid)]
    assert names[:2] == ["pitch delay (s)", "pitch gain"]


def test_a_simulator_validates_itself():
    class Itself:
        platform = Simulator.source_002().platform

        def respond(self, demand, seed=1):
            run = Simulator.source_002().run(demand)
            return np.stack([run["pitch"], run["roll"]], axis=1)

    rows = validate(Itself(), Simulator.source_002())
    assert [row.ours for row in rows] == pytest.approx([1.0] * 12)
    text = table(rows).splitlines()
    assert text[0].split() == ["source", "ours"]
    assert text[1].split() == ["S1", "pitch", "0.9398", "1.0000"]
