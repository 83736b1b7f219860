"""Leagues: ratings against closed forms, executors, interruption."""

import json
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from biela import arena
from biela.arena import Contest, elo, league

STRENGTH = {"weak": 1.0, "fair": 2.0, "strong": 4.0}


def duel(left, right, seed):
    """Won by lot, in proportion to strength."""
    drawn = np.random.default_rng([seed, int(10 * left), int(10 * right)]).random()
    return (1, 0) if drawn < left / (left + right) else (0, 1)


def test_ratings_of_two_are_the_logarithm_of_their_odds():
    ratings, halves = elo(np.array([[0.0, 30.0], [10.0, 0.0]]), prior=0.0)
    assert ratings[0] - ratings[1] == pytest.approx(400 * math.log10(3))
    assert ratings.mean() == pytest.approx(1500)
    n, p = 40, 0.75  # the gap has variance 1 / (n p (1 - p)), each of two half of the gap's deviation
    assert halves[0] == pytest.approx(1.96 * 400 / math.log(10) / math.sqrt(n * p * (1 - p)) / 2, rel=1e-6)


def test_ratings_find_the_strengths_that_played():
    table = league(STRENGTH, duel, seeds=2000)
    ratings = table.ratings
    for one, other in (("strong", "fair"), ("fair", "weak")):
        assert ratings[one][0] - ratings[other][0] == pytest.approx(400 * math.log10(2), abs=12)
        assert ratings[one][1] < 12
    assert str(table).splitlines()[1].startswith("strong")


def test_who_never_lost_has_a_rating():
    ratings, halves = elo(np.array([[0.0, 5.0], [0.0, 0.0]]))
    assert np.isfinite([*ratings, *halves]).all()
    assert ratings[0] > ratings[1]


def test_any_executor_and_any_interruption_give_the_same_table(tmp_path):
    whole = league(STRENGTH, duel, seeds=5)
    with ThreadPoolExecutor(2) as executor:
        assert league(STRENGTH, duel, seeds=5, executor=executor).results == whole.results
    played = []

    def tired(left, right, seed):
        if len(played) == 7:
            raise KeyboardInterrupt
        played.append(seed)
        return duel(left, right, seed)

    path = tmp_path / "league.json"
    with pytest.raises(KeyboardInterrupt):
        league(STRENGTH, tired, seeds=5, path=path)
    assert len(json.loads(path.read_text())["results"]) == 7
    played.clear()

    def counted(left, right, seed):
        played.append(seed)
        return duel(left, right, seed)

    assert league(STRENGTH, counted, seeds=5, path=path).results == whole.results
    assert len(played) == len(whole.results) - 7


def test_baselines_in_a_league_of_matches():
    rules = arena.SumoRules(points=1, hold=0.2, round_time=6.0, rounds=1, rematches=0)
    options = {"size": "mini", "backend": "flat", "rules": rules}
    table = league({"charge": "charge", "still": "still"}, Contest("sumo", options), seeds=2)
    assert all(table.results[p] == ((1, 0) if p[0] == "charge" else (0, 1)) for p in table.results)
    with pytest.raises(ValueError, match="Known: sumo, football"):
        Contest("chess")("charge", "still", 0)


def test_wrong_leagues_are_told(tmp_path):
    with pytest.raises(ValueError, match="two players or more"):
        league({"charge": "charge"})
    path = tmp_path / "league.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="truncated or no league"):
        league(STRENGTH, duel, path=path)
    path.unlink()
    league(STRENGTH, duel, seeds=1, path=path)
    with pytest.raises(ValueError, match="is wanted"):
        league({"a": 1.0, "b": 2.0}, duel, path=path)
