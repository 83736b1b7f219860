"""Fits wheel speeds and track of a robot to straight lines and turns together: the source's way back.

The source goes back to its second step when turns are wrong. Here that is one search: of five speeds and the
track, the ones for which the worst error, each as a share of the worst that the source prints for its kind
(4.4 % of straight times, 9.7 % of turning times, 8.8 % of diameters), is least. Straight lines alone fix the
speeds, and then the path of the widest turn is a quarter too narrow: at these speeds the real robot drove its
circle faster than its straight lines. No robot that rolls does both; a little of each error is the best.

Every round measures all rows and asks a linear programme for the next change, with the slopes of a robot on
two wheels that roll: a straight line takes 1/v, a turn 1/(v - u) and b, its path is b (v + u)/(v - u) wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linprog  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.arena.calibration import STRAIGHTS, TURNS, Calibration, Drive, Turn

WORST = (4.4, 9.7, 8.8)  # %, of the source: straight times, turning times, diameters
LARGEST = 0.04  # change of a logarithm in a round
START = {row.command: row.speed for row in STRAIGHTS}  # the source's own


@dataclass(frozen=True)
class Fit:
    """The track (m) and the calibration that go together; ``worst`` is 1 where the source's worst is met."""

    track: float
    calibration: Calibration

    @property
    def worst(self) -> float:
        """The largest error as a share of the source's largest of its kind."""
        return float(np.abs(_errors(self.calibration)).max())


def fit(
    build: Callable[[float], Drive],
    track: float = 0.125,
    speeds: dict[int, float] | None = None,
    rounds: int = 10,
) -> Fit:
    """The best of some rounds; ``build`` makes the robot for a track."""
    x = np.log([*(speeds or START).values(), track])
    best: Fit | None = None
    for _ in range(rounds):
        found = measured(build, x)
        if best is None or found.worst < best.worst:
            best = found
        x = x + _change(_errors(found.calibration), _slopes(np.exp(x)))
    assert best is not None
    return best


def measured(build: Callable[[float], Drive], x: np.ndarray) -> Fit:
    """All rows for five speeds and a track, given by their logarithms."""
    values: list[float] = np.exp(x).tolist()
    drive, speeds = build(values[5]), dict(enumerate(values[:5], 1))
    straights = tuple(
        replace(row, speed=speeds[row.command], simulated=drive.straight(speeds[row.command]))
        for row in STRAIGHTS
    )
    found = Calibration(speeds, straights, ())
    turns: list[Turn] = []
    for row in TURNS:
        time, wide = drive.turn(*(found.speed(c) for c in row.command))
        turns.append(replace(row, simulated=time, simulated_diameter=wide))
    return Fit(values[5], replace(found, turns=tuple(turns)))


def _errors(found: Calibration) -> np.ndarray:
    """With their signs, as shares of the source's worst; the impossible row is left out."""
    rows = [(s.simulated / s.real - 1) * 100 / WORST[0] for s in found.straights]
    for turn in (t for t in found.turns if not t.anomalous):
        rows.append((turn.simulated / turn.real - 1) * 100 / WORST[1])
        if turn.diameter and turn.simulated_diameter:
            rows.append((turn.simulated_diameter / turn.diameter - 1) * 100 / WORST[2])
    return np.array(rows)


def _slopes(values: np.ndarray) -> np.ndarray:
    """How the errors change with the logarithms of speeds and track, for wheels that roll."""
    rows: list[np.ndarray] = []
    for command in range(1, 6):
        rows.append(-100 / WORST[0] * np.eye(6)[command - 1])
    for turn in (t for t in TURNS if not t.anomalous):
        left, right = (math.copysign(values[abs(c) - 1], c) if c else 0.0 for c in turn.command)
        apart, both = np.eye(6)[5], np.eye(6)[5]
        for speed, c, sign in ((left, turn.command[0], 1), (right, turn.command[1], -1)):
            if c:
                share = speed / (left - right) * sign * np.eye(6)[abs(c) - 1]
                apart = apart - share
                both = both - share
                both = both + (speed / (left + right) if left + right else 0.0) * np.eye(6)[abs(c) - 1]
        rows.append(100 / WORST[1] * apart)
        if turn.diameter:
            rows.append(100 / WORST[2] * both)
    return np.array(rows)


def _change(errors: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """The change, within bounds, for which the largest error would be least."""
    count = slopes.shape[1]
    ones = np.ones((len(errors), 1))
    table = np.block([[slopes, -ones], [-slopes, -ones]])
    bounds = [(-LARGEST, LARGEST)] * count + [(0, None)]
    found: Any = linprog([0.0] * count + [1.0], table, np.concatenate([-errors, errors]), bounds=bounds)
    return np.asarray(found.x[:count], float)
