"""Tuning: every search improves a ride and is resumed as if nothing had been; fronts are fronts."""

import dataclasses
import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from biela.cueing import ClassicalWashout, Ride, Simulator, drive, felt, pareto, tune
from biela.cueing.cost import NAMES
from biela.cueing.search import SEARCHES
from biela.cueing.trial import Trial
from biela.cueing.washout.registry import WASHOUTS

ROWS = drive.town(20.0)
OVER = {"tilt.rate": (0.01, 0.3), "tilt.omega": (0.5, 8.0), "sway.gain": (0.2, 1.0)}


def delft():
    return Ride.on(Simulator.source_002(), ClassicalWashout.preset("delft"))


@pytest.mark.parametrize("method", SEARCHES)
def test_every_search_improves_the_ride(method):
    found = tune(delft(), ROWS, OVER, method=method, size=16, budget=208)
    assert found.cost < 0.95 * found.before
    assert all(low <= found.values[name] <= high for name, (low, high) in OVER.items())
    one = felt(found.ride, ROWS).error  # nothing is fined: all is within reach
    assert found.cost == pytest.approx(one, abs=1e-9)
    assert found.evaluations <= 208
    assert f"{found.cost:.4g} now" in str(found)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_every_washout_can_be_tuned(kind):
    washout = WASHOUTS[kind]
    short = {"stages": 3, "length": 0.6, "iterations": 1} if kind == "predictive" else {}
    ride = Ride.on(Simulator.source_002(), washout.preset(next(iter(washout.presets)), **short))
    names = [name for name in ("surge.gain", "sway.gain") if name not in ride.washout.idle()]
    rows = drive.town(4.0)
    found = tune(ride, rows, names, size=8, budget=16)
    assert set(found.values) == set(names)
    assert found.cost <= found.before


def test_the_cost_is_yours():
    found = tune(delft(), ROWS, OVER, cost=lambda told: told["pose"], size=16, budget=112)
    assert found.ride.endure(ROWS, 1)["pose"] == pytest.approx(found.cost)
    assert found.values["sway.gain"] < 0.3  # who moves little errs little
    assert tune(delft(), ROWS, OVER, cost="force", size=16, budget=112).label == "force"


def test_numbers_at_an_end_of_their_range_are_named():
    found = tune(delft(), ROWS, {"sway.gain": (0.1, 0.3)}, method="grid", budget=5)
    assert dataclasses.replace(found, values={"sway.gain": 0.2999}).ends == ("sway.gain",)
    assert dataclasses.replace(found, values={"sway.gain": 0.2}).ends == ()


def test_a_ride_that_is_best_as_it_is_stays():
    found = tune(
        delft(), ROWS, {"sway.gain": (0.61, 0.62)}, cost=lambda told: 1.0 + 0.0 * told["room"], budget=64
    )
    assert found.values == {"sway.gain": 0.6}
    assert found.cost == found.before


@pytest.mark.parametrize("method", SEARCHES)
def test_an_interrupted_search_is_resumed_with_identical_results(method, tmp_path):
    options = {"method": method, "size": 8, "budget": 80, "seed": 4}
    whole = tune(delft(), ROWS, OVER, **options)

    def stop(done, total):
        if done >= 30:
            raise KeyboardInterrupt

    file = tmp_path / "search.jsonl"
    cut = tune(delft(), ROWS, OVER, **options, file=file, progress=stop)
    assert not cut.complete
    assert cut.evaluations < whole.evaluations
    with file.open("a") as torn:  # as a crash leaves it
        torn.write('{"digest": "00", "costs": [1.0, 2.')
    before = len(file.read_text().splitlines())
    again = tune(delft(), ROWS, OVER, **options, file=file)
    assert again.complete
    assert again.values == whole.values
    assert np.array_equal(again.found.points, whole.found.points)
    assert np.array_equal(again.found.costs, whole.found.costs)
    lines = file.read_text().splitlines()
    assert len(lines) > before
    assert all(json.loads(line) for line in lines)
    more = tune(delft(), ROWS, OVER, **options | {"budget": 120}, file=file) if method != "grid" else again
    assert more.cost <= again.cost


def test_what_is_in_the_file_is_not_evaluated_again(tmp_path, monkeypatch):
    file = tmp_path / "search.jsonl"
    tune(delft(), ROWS, OVER, size=8, budget=40, file=file)
    calls = []
    judge = Trial.judge
    monkeypatch.setattr(Trial, "judge", lambda *all: calls.append(1) or judge(*all))
    tune(delft(), ROWS, OVER, size=8, budget=40, file=file)
    assert len(calls) == 1  # the ride as it was


def test_files_of_other_searches_are_refused(tmp_path):
    file = tmp_path / "search.jsonl"
    tune(delft(), ROWS, OVER, size=8, budget=16, file=file)
    for change, told in (
        ({"seed": 2}, r"its seed is 1, not 2"),
        ({"method": "cma-es"}, "its method is 'differential-evolution', not 'cma-es'"),
        ({"cost": "room"}, r"its cost is \['felt'\], not \['room'\]"),
    ):
        with pytest.raises(ValueError, match=told):
            tune(delft(), ROWS, OVER, **{"size": 8, "budget": 16} | change, file=file)
    with pytest.raises(ValueError, match="ride and drive"):
        tune(delft(), ROWS[:-5], OVER, size=8, budget=16, file=file)
    for text in ("hello\n", "", '{"format": "other"}\n'):
        file.write_text(text)
        with pytest.raises(ValueError, match="no file of a search"):
            tune(delft(), ROWS, OVER, size=8, budget=16, file=file)


def test_any_executor_gives_the_same_numbers():
    options = {"size": 12, "budget": 36}
    alone = tune(delft(), ROWS, OVER, **options)
    pools = (ThreadPoolExecutor(2), ProcessPoolExecutor(1, mp_context=get_context("spawn")))
    for pool in pools:
        with pool:
            shared = tune(delft(), ROWS, OVER, **options, executor=pool)
        assert np.array_equal(shared.found.costs, alone.found.costs)


def test_the_front_of_one_gain_is_every_gain_up_to_the_best():
    """With one number that trades room for fidelity, the front is known: all values from 0 to the best."""
    over = {"sway.gain": (0.0, 1.0)}
    ride = delft()
    gains = np.linspace(0.0, 1.0, 201)
    told = Trial(ride).batch(ROWS, ride.settings({"sway.gain": gains}))
    best = gains[np.argmin(told["felt"])]
    found = pareto(ride, ROWS, over, size=40, budget=800)
    assert found.values[0].max() == pytest.approx(best, abs=0.02)
    assert (np.diff(found.costs[0]) > 0).all()
    assert (np.diff(found.costs[1]) < 0).all()
    again = Trial(ride).batch(ROWS, ride.settings({"sway.gain": found.values[0]}))
    assert again["felt"] == pytest.approx(found.costs[0])
    assert np.ptp(found.values[0]) > 0.8 * best or np.ptp(told["room"][gains < best]) < 1e-9


def test_a_front_is_better_than_what_was_and_can_be_asked():
    found = pareto(delft(), ROWS, OVER, size=32, budget=640)
    assert 0.0 < found.volume < 1.0
    most = float(np.median(found.costs[1]))
    ride = found.within("room", most)
    told = Trial(ride).batch(ROWS, ride.settings({"sway.gain": [ride.washout.values["sway.gain"]]}))
    assert told["room"][0] <= most + 1e-12
    assert found.at(0).washout.values["tilt.rate"] == found.values[0, 0]
    with pytest.raises(ValueError, match="No candidate has room of 0 or less"):
        found.within("room", 0.0)
    with pytest.raises(ValueError, match="Unknown cost 'rooms'"):
        found.within("rooms", 1.0)


def test_a_front_is_resumed_too(tmp_path):
    whole = pareto(delft(), ROWS, OVER, size=8, budget=64)

    def stop(done, total):
        if done >= 32:
            raise KeyboardInterrupt

    file = tmp_path / "front.jsonl"
    assert not pareto(delft(), ROWS, OVER, size=8, budget=64, file=file, progress=stop).found.complete
    again = pareto(delft(), ROWS, OVER, size=8, budget=64, file=file)
    assert np.array_equal(again.costs, whole.costs)


@pytest.mark.parametrize(
    ("over", "options", "told"),
    [
        ({"tilt.rat": (0.1, 0.2)}, {}, r"Did you mean 'tilt\.rate'"),
        ({"tilt.rate": (0.0, 0.2)}, {}, r"tilt\.rate is 0\.0; it must be positive"),
        ({"tilt.rate": (0.2, 0.1)}, {}, "finite bounds, low < high"),
        ({"tilt.rate": 0.2}, {}, "bounds of tilt.rate are a pair"),
        ({}, {}, "nothing to tune"),
        (["tilt.acceleration"], {}, "tilt.acceleration = inf is left out"),
        (OVER, {"method": "anneal"}, r"Unknown method 'anneal'\. Known: cma-es, "),
        (OVER, {"cost": "comfort"}, "Unknown cost 'comfort'"),
        (OVER, {"cost": lambda told: 1.0}, "a number for each candidate"),
        (OVER, {"budget": 0}, "a budget of 1 or more; got 0"),
        (OVER, {"budget": 3}, "needs 4 candidates at least"),
        (OVER, {"method": "nelder-mead", "budget": 3}, "less than one generation"),
    ],
)
def test_wrong_searches(over, options, told):
    with pytest.raises(ValueError, match=told):
        tune(delft(), ROWS, over, **options)


def test_drives_that_cannot_be_tuned_for():
    rest = np.tile([0, 0, 9.80665, 0, 0, 0], (100, 1))
    with pytest.raises(ValueError, match="never moves"):
        tune(delft(), rest, OVER)
    gap = ROWS.copy()
    gap[7, 1] = np.nan
    with pytest.raises(ValueError, match="not finite in row 7"):
        tune(delft(), gap, OVER)
    with pytest.raises(ValueError, match="two costs or more"):
        pareto(delft(), ROWS, OVER, costs=("felt",))


def test_every_named_cost_has_a_number_for_each_candidate():
    for cost in NAMES:
        assert np.isfinite(tune(delft(), drive.town(4.0), OVER, cost=cost, size=4, budget=4).cost)
