"""Leagues: everybody against everybody, on both sides and many seeds, and ratings with their confidence.

Ratings are Elo's scale by Bradley's and Terry's model, fitted to all results at once, so that their order
does not matter; draws are half a win for both. Intervals of 95 % come from the information of the fit. A
league writes every result down at once and goes on where it was interrupted; it runs on any Executor with
the same table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, final

import numpy as np

from biela.arena import saving
from biela.arena.match import football, sumo
from biela.arena.referee.football import FootballRules
from biela.arena.referee.sumo import SumoRules

FORMAT = "biela.arena league 1"
Play = Callable[[Any, Any, int], tuple[int, int]]
Pairing = tuple[str, str, int]


@final
@dataclass(frozen=True)
class Contest:
    """A match of a league: ``game`` is "sumo" or "football", the options are those of these functions."""

    game: str = "sumo"
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    def __call__(self, left: Any, right: Any, seed: int) -> tuple[int, int]:
        """The score; short matches unless the options have rules."""
        if self.game == "sumo":
            options: dict[str, Any] = {"rules": SumoRules(hold=0.5, round_time=15.0)} | self.options
            return sumo(**options, left=left, right=right, seed=seed).play().score
        if self.game == "football":
            options: dict[str, Any] = {"rules": FootballRules(half=30.0)} | self.options
            return football(**options, left=left, right=right, seed=seed).play().score
        raise ValueError(f"No game '{self.game}'. Known: sumo, football.")


@dataclass(frozen=True)
class Table:
    """The outcome: ``results`` has the score of every match, by (left, right, seed)."""

    players: tuple[str, ...]
    results: dict[Pairing, tuple[int, int]]

    @property
    def points(self) -> np.ndarray:
        """(player, opponent): wins, and half of the draws."""
        index = {name: n for n, name in enumerate(self.players)}
        found = np.zeros((len(index), len(index)))
        for (left, right, _), (a, b) in self.results.items():
            won = 1.0 if a > b else 0.0 if a < b else 0.5
            found[index[left], index[right]] += won
            found[index[right], index[left]] += 1.0 - won
        return found

    @property
    def ratings(self) -> dict[str, tuple[float, float]]:
        """Rating and half of its 95 % interval, by name; the mean of all is 1500."""
        values, errors = elo(self.points)
        return {n: (float(v), float(e)) for n, v, e in zip(self.players, values, errors, strict=True)}

    def __str__(self) -> str:
        ratings, points = self.ratings, self.points
        order = sorted(self.players, key=lambda n: -ratings[n][0])
        wide = max(map(len, order))
        lines = [f"{'':{wide}}  rating          won of"]
        for name in order:
            n, (rating, half) = self.players.index(name), ratings[name]
            played = int(points[n].sum() + points[:, n].sum())
            lines.append(f"{name:{wide}}  {rating:6.0f} +-{half:4.0f}  {points[n].sum():5.1f} {played:2d}")
        return "\n".join(lines)


def elo(points: np.ndarray, prior: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Ratings and halves of their 95 % intervals for a matrix of points, (player, opponent).

    ``prior`` draws against an average player are added to everybody, so that who never lost has a rating.

    >>> ratings, halves = elo(np.array([[0.0, 10.0], [1.0, 0.0]]), prior=0.0)  # 400 log10(10)
    >>> round(float(ratings[0] - ratings[1]), 6)
    400.0
    """
    many, scale = len(points), 400.0 / np.log(10.0)
    played, strength = points + points.T, np.zeros(many)
    information = np.eye(many)
    for _ in range(100):
        chance = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
        own = 1.0 / (1.0 + np.exp(-strength))
        slope = points.sum(axis=1) - (played * chance).sum(axis=1) + prior * (0.5 - own)
        weight = played * chance * (1.0 - chance)
        information = np.diag(weight.sum(axis=1) + prior * own * (1.0 - own)) - weight
        change = np.linalg.pinv(information) @ slope
        strength = strength + change / max(1.0, np.abs(change).max())
        if np.abs(change).max() < 1e-12:
            break
    centred = np.eye(many) - 1.0 / many  # ratings are told against their mean
    covariance = centred @ np.linalg.pinv(information) @ centred
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return 1500.0 + scale * (strength - strength.mean()), 1.96 * scale * deviation


def league(
    players: Mapping[str, Any],
    play: Play | None = None,
    *,
    seeds: int = 4,
    seed: int = 0,
    executor: Executor | None = None,
    path: str | Path | None = None,
) -> Table:
    """Play a round robin: every pair on ``seeds`` seeds, on either side.

    ``players`` are whatever matches take: baselines, files, Strategies. ``play`` is a `Contest`, or a
    function (left, right, seed) of your own that returns a score. With ``path`` results are kept in that
    file, and what it has is not played again. Raises ValueError for fewer than two players, and for a file
    of another league.
    """
    if len(players) < 2:
        raise ValueError(f"A league has two players or more; got {list(players)}.")
    kept, contest = Path(path) if path else None, play or Contest()
    done = _read(kept, tuple(players)) if kept and kept.exists() else {}
    due = [p for p in _pairings(tuple(players), seeds, seed) if p not in done]
    for pairing, score in _played(due, players, contest, executor):
        done[pairing] = score
        if kept:
            _write(kept, tuple(players), done)
    return Table(tuple(players), {p: done[p] for p in sorted(done)})


def _pairings(players: tuple[str, ...], seeds: int, seed: int) -> Iterator[Pairing]:
    for one, other in combinations(players, 2):
        for n in range(seed, seed + seeds):
            yield one, other, n
            yield other, one, n


def _played(
    due: list[Pairing], players: Mapping[str, Any], play: Play, executor: Executor | None
) -> Iterator[tuple[Pairing, tuple[int, int]]]:
    """Results as they come."""
    if executor is None:
        yield from ((p, _score(play, players[p[0]], players[p[1]], p[2])) for p in due)
        return
    running: dict[Future[tuple[int, int]], Pairing] = {
        executor.submit(_score, play, players[p[0]], players[p[1]], p[2]): p for p in due
    }
    yield from ((running[future], future.result()) for future in as_completed(running))


def _score(play: Play, left: Any, right: Any, seed: int) -> tuple[int, int]:
    a, b = play(left, right, seed)
    return int(a), int(b)


def _read(path: Path, players: tuple[str, ...]) -> dict[Pairing, tuple[int, int]]:
    """Results of a file; raises ValueError for one that is not of this league."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        told, names = found["format"], tuple(found["players"])
        rows = {(a, b, int(s)): (int(x), int(y)) for a, b, s, x, y in found["results"]}
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path.name} is truncated or no league: {error}.") from error
    if told != FORMAT or names != players:
        wanted = f"'{FORMAT}' of {', '.join(players)}"
        raise ValueError(f"{path.name} is '{told}' of {', '.join(names)}; {wanted} is wanted.")
    return rows


def _write(path: Path, players: tuple[str, ...], done: dict[Pairing, tuple[int, int]]) -> None:
    """Whole or not at all."""
    rows = [[*pairing, *score] for pairing, score in sorted(done.items())]
    saving.write({"format": FORMAT, "players": list(players), "results": rows}, path)
