"""The objective motion cueing test: the whole system, from the vehicle's motion to the rider's head.

Sines of twelve frequencies, 10^(-1 + 0.2 k) rad/s, go through washout, kinematics, limits and channels of the
platform; modulus and phase of what is told of the head over what was given make ten tests (R. Hosman and S.
Advani; ICAO 9625). All of it is one batch of lanes, one for each input and frequency.

What is ours, since ICAO 9625 was not at hand: the inputs of the tests of rotation are rates alone, with the
specific force at rest; the amplitudes of `Inputs`; and the ratios of the tests from one kind to the other,
which are in m/s2 per rad/s, and the other way round. So are the borders that come along, in `borders.csv`
beside this file: they are the medium class of `biela.cueing.chart` for the tests of an axis by itself, and
nothing for the others. Copy the file, put in those of your standard, and read it by `Borders.read`.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from math import radians
from pathlib import Path
from typing import Any

import numpy as np

from biela.cueing.perception import FORCES
from biela.cueing.response import SETTLE, Answers, frequencies, linearised, swept
from biela.cueing.ride import Ride

OMEGA = 10.0 ** (-1.0 + 0.2 * np.arange(12))
HEAD = ("test", "omega", "modulus_low", "modulus_high", "phase_low_deg", "phase_high_deg")
OURS = Path(__file__).with_name("borders.csv")


@dataclass(frozen=True)
class Test:
    """One of the ten: what is given, and what is looked at."""

    number: int
    name: str
    given: str
    shown: str

    @property
    def unit(self) -> str:
        """That of the modulus."""
        kinds = ["m/s2" if name in FORCES else "rad/s" for name in (self.shown, self.given)]
        return "" if kinds[0] == kinds[1] else f"{kinds[0]} per {kinds[1]}"


TESTS = tuple(
    Test(number, *row)
    for number, row in enumerate([
        ("pitch", "q", "q"), ("pitch to surge force", "q", "fx"), ("roll", "p", "p"),
        ("roll to sway force", "p", "fy"), ("yaw", "r", "r"), ("surge", "fx", "fx"),
        ("surge to pitch", "fx", "q"), ("sway", "fy", "fy"), ("sway to roll", "fy", "p"),
        ("heave", "fz", "fz"),
    ], 1)
)  # fmt: skip


@dataclass(frozen=True)
class Inputs:
    """Amplitudes: the force in m/s2; of rotations the angle, in rad, and the acceleration, in rad/s2."""

    force: float = 1.0
    angle: float = radians(6.0)
    acceleration: float = radians(10.0)

    def of(self, channel: str, omega: np.ndarray) -> np.ndarray:
        """By frequency; of a rotation the rate whose angle and acceleration are within."""
        if channel in FORCES:
            return np.full(len(omega), self.force)
        return np.minimum(self.angle * omega, self.acceleration / omega)


@dataclass(frozen=True)
class Borders:
    """Rows (omega, modulus low, high, phase low, high in degrees) by test, and what they are worth."""

    rows: Mapping[int, np.ndarray]
    standing: str

    @classmethod
    def read(cls, path: str | Path = OURS, standing: str = "") -> Borders:
        """A CSV file with the columns of `HEAD`; raises ValueError for another, naming the line."""
        path = Path(path)
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        notes = [line.lstrip("# ") for line in lines if line.startswith("#")]
        table = list(csv.reader(line for line in lines if not line.startswith("#")))
        if not table or tuple(name.strip() for name in table[0]) != HEAD:
            raise ValueError(f"{path.name}: expected the columns {', '.join(HEAD)}; got {table[:1]}.")
        found: dict[int, list[list[float]]] = {}
        for number, line in enumerate(table[1:], 2):
            test, row = _row(path.name, number, line)
            found.setdefault(test, []).append(row)
        rows = {test: np.array(sorted(each)) for test, each in found.items()}
        return cls(rows, standing or " ".join(notes) or path.name)

    def at(self, test: int, omega: np.ndarray) -> np.ndarray | None:
        """The borders between which a test should be, a column a frequency; None where there are none."""
        if test not in self.rows:
            return None
        rows, w = self.rows[test], np.log(omega)
        found = np.stack([np.interp(w, np.log(rows[:, 0]), rows[:, k]) for k in range(1, 5)])
        outside = (omega < rows[0, 0] * (1 - 1e-9)) | (omega > rows[-1, 0] * (1 + 1e-9))
        return np.where(outside, np.nan, found)


def _row(name: str, number: int, line: Sequence[str]) -> tuple[int, list[float]]:
    try:
        test, *row = int(line[0]), *map(float, line[1:])
    except (ValueError, IndexError):
        raise ValueError(f"{name}, row {number}: expected numbers; got {', '.join(line)}.") from None
    known = 1 <= test <= len(TESTS) and len(row) == len(HEAD) - 1
    if not (known and row[0] > 0.0 and row[1] <= row[2] and row[3] <= row[4]):
        raise ValueError(
            f"{name}, row {number}: expected a test from 1 to {len(TESTS)}, a positive rate, and each low "
            f"border no more than the high one; got {', '.join(line)}."
        )
    return test, row


@dataclass(frozen=True, eq=False)
class Omct:
    """Ten rows of twelve complex ratios, as swept and as linearised, and the borders they are judged by.

    ``linear`` is None for washouts that look ahead. ``distortion`` is what no sine explains, as a share.
    """

    omega: np.ndarray
    ratios: np.ndarray
    distortion: np.ndarray
    linear: np.ndarray | None
    borders: Borders

    @property
    def modulus(self) -> np.ndarray:
        """A row for each test."""
        return np.abs(self.ratios)

    @property
    def phase_deg(self) -> np.ndarray:
        """A row for each test; nan where nothing is shown."""
        return np.where(self.modulus > 0.0, np.degrees(np.angle(self.ratios)), np.nan)

    @cached_property
    def inside(self) -> np.ndarray:
        """1 within the borders, 0 not, nan where there are none."""
        rows = np.full(self.ratios.shape, np.nan)
        for k, test in enumerate(TESTS):
            ends = self.borders.at(test.number, self.omega)
            if ends is not None:
                m, f = self.modulus[k], np.nan_to_num(self.phase_deg[k], nan=180.0)
                good = (m >= ends[0]) & (m <= ends[1]) & (f >= ends[2]) & (f <= ends[3])
                rows[k] = np.where(np.isnan(ends[0]), np.nan, good)
        return rows

    @property
    def departure(self) -> float:
        """How far the sweep is from the linear answer, at most, as a share of each test's largest modulus."""
        if self.linear is None:
            return float("nan")
        size = np.abs(self.linear).max(axis=1, keepdims=True)
        return float((np.abs(self.ratios - self.linear) / np.where(size > 0.0, size, 1.0)).max())

    def __str__(self) -> str:
        lines = [f"{'rad/s':<27}" + "".join(f"{w:>8.3f}" for w in self.omega)]
        for k, test in enumerate(TESTS):
            mark = ["*" if flag == 0.0 else " " for flag in self.inside[k]]
            cells = [f"{m:>7.3f}{flag}" for m, flag in zip(self.modulus[k], mark, strict=True)]
            lines.append(f"{test.number:>2} {test.name:<22}{'':<2}" + "".join(cells))
            phases = ["-" if np.isnan(f) else f"{f:.0f}" for f in self.phase_deg[k]]
            lines.append(f"   {test.unit or 'degrees':<24}" + "".join(f"{f:>7} " for f in phases))
        seen = np.where(self.modulus > 1e-3, self.distortion, 0.0)
        worst = np.unravel_index(int(np.argmax(seen)), seen.shape)
        end = (
            f"modulus, phase in degrees; * beyond the borders: {self.borders.standing}\n"
            f"largest distortion {seen[worst]:.1%}, test {TESTS[worst[0]].number} at "
            f"{self.omega[worst[1]]:.3g} rad/s"
        )
        return "\n".join([*lines, end])

    def plot(self) -> Any:
        """A figure with modulus and phase of all tests; needs Matplotlib."""
        figure = import_module("matplotlib.figure").Figure(figsize=(13.0, 5.6), layout="constrained")
        panels = figure.subplots(4, 5, sharex=True, height_ratios=[3, 2, 3, 2])
        for k, test in enumerate(TESTS):
            row, column = 2 * (k // 5), k % 5
            self._draw(panels[row, column], panels[row + 1, column], k, test)
        for panel in panels[3]:
            panel.set_xlabel("rad/s", fontsize=8)
        return figure

    def _draw(self, above: Any, below: Any, k: int, test: Test) -> None:
        ends = self.borders.at(test.number, self.omega)
        if ends is not None:
            above.fill_between(self.omega, ends[0], ends[1], color="#dcecdc", lw=0)
            below.fill_between(self.omega, ends[2], ends[3], color="#dcecdc", lw=0)
        if self.linear is not None and self.linear[k].any():
            above.plot(self.omega, np.abs(self.linear[k]), color="#999999", lw=1)
            below.plot(self.omega, _unbroken(np.degrees(np.angle(self.linear[k]))), color="#999999", lw=1)
        above.plot(self.omega, self.modulus[k], "o", color="#1f4e79", ms=3)
        below.plot(self.omega, self.phase_deg[k], "o", color="#1f4e79", ms=3)
        above.set(xscale="log", ylim=(0.0, None))
        below.set(ylim=(-190.0, 190.0), yticks=[-180, 0, 180])
        above.set_title(f"{test.number} {test.name}" + (f"\n{test.unit}" if test.unit else ""), fontsize=9)
        for panel in (above, below):
            panel.grid(alpha=0.25)
            panel.tick_params(labelsize=7)


def _unbroken(phase: np.ndarray) -> np.ndarray:
    """A phase for a line, which leaves out the jumps from one end of the circle to the other."""
    jumps = np.abs(np.diff(phase, append=phase[-1:])) > 180.0
    return np.where(jumps, np.nan, phase)


def omct(
    ride: Ride, *, omega: Any = OMEGA, inputs: Inputs | None = None, borders: Borders | None = None,
    settle: float = SETTLE, threads: int = 0,
) -> Omct:  # fmt: skip
    """The ten tests of a ride. Raises ValueError for frequencies that cannot be swept."""
    inputs = inputs or Inputs()
    given = tuple(dict.fromkeys(test.given for test in TESTS))
    w = frequencies(omega, ride.simulator.dt)
    sizes = np.array([inputs.of(name, w) for name in given])
    found = swept(ride, w, sizes, given, settle, threads)
    foreseen = ride.step.inputs[1].size > 6
    linear = None if foreseen else _tests(linearised(ride, w, given))
    left = [found.distortion[given.index(test.given), :, found.outputs.index(test.shown)] for test in TESTS]
    return Omct(w, _tests(found), np.array(left), linear, borders or Borders.read())


def _tests(answers: Answers) -> np.ndarray:
    return np.array([answers.of(test.given, test.shown) for test in TESTS])
