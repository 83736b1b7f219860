"""The chart of Sinacori and Schroeder: what a washout does to a sine of 1 rad/s, axis by axis.

A cue filter is the platform's acceleration for the vehicle's specific force, or its rate for the vehicle's,
one axis alone and without tilt. Its gain and its phase at 1 rad/s say how near to the vehicle it will feel:
like it ('high'), different but not objectionable ('medium'), objectionable ('low').

The idea is R. Sinacori's (1977), the chart J. Schroeder's (NASA/TP-1999-208766). Its borders are data:
`CHARTS` are recalled, not read off the print, so put your own where they matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from biela.cueing.response import Answers, linearised, swept
from biela.cueing.washout.tunable import TRANSLATIONS
from biela.cueing.washout.washout import Washout, known

INPUTS = {"surge": "fx", "sway": "fy", "heave": "fz", "roll": "p", "pitch": "q", "yaw": "r"}
WAYS = ("linearised", "swept")
SMALL = 1e-3  # m/s2 and rad/s: the amplitude of a sweep


@dataclass(frozen=True)
class Chart:
    """Classes from the best one on: the least gain and the largest phase, in degrees, of each."""

    borders: tuple[tuple[str, float, float], ...]
    source: str
    recalled: bool = False
    rest: str = "low"

    def level(self, gain: float, phase_deg: float) -> str:
        """The class of a gain and a phase."""
        for name, least, most in self.borders:
            if gain >= least and abs(phase_deg) <= most:
                return name
        return self.rest


REMEMBERED = "J. Schroeder, NASA/TP-1999-208766, after R. Sinacori (1977); the lower gain is 0.4 to 0.5"
CHARTS = {
    "rotation": Chart((("high", 0.8, 20.0), ("medium", 0.4, 40.0)), REMEMBERED, recalled=True),
    "force": Chart((("high", 0.8, 20.0), ("medium", 0.4, 40.0)), REMEMBERED, recalled=True),
}


@dataclass(frozen=True)
class Point:
    """An axis on its chart; the phase in degrees."""

    axis: str
    chart: str
    gain: float
    phase_deg: float
    level: str

    def __str__(self) -> str:
        return f"{self.axis:<6}{self.chart:<10}{self.gain:>8.4f}{self.phase_deg:>9.2f} deg  {self.level}"


@dataclass(frozen=True, eq=False)
class Fidelity:
    """The points of a washout at a rate in rad/s."""

    points: tuple[Point, ...]
    omega: float
    charts: Mapping[str, Chart]

    def __getitem__(self, axis: str) -> Point:
        return {point.axis: point for point in self.points}[axis]

    def __str__(self) -> str:
        head = f"at {self.omega:g} rad/s: gain, phase, fidelity"
        return "\n".join([head, *map(str, self.points)])

    def plot(self) -> Any:
        """A figure with both charts; needs Matplotlib."""
        figure = import_module("matplotlib.figure").Figure(figsize=(9.0, 4.2), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for panel, (name, title) in zip(
            panels, (("force", "specific force"), ("rotation", "rotation")), strict=True
        ):
            _draw(panel, self.charts[name], [point for point in self.points if point.chart == name])
            panel.set_title(title)
        panels[0].set_ylabel(f"gain at {self.omega:g} rad/s")
        return figure


def fidelity(
    washout: Washout, omega: float = 1.0, *, way: str = "linearised", amplitude: float = SMALL,
    charts: Mapping[str, Chart] = CHARTS,
) -> Fidelity:  # fmt: skip
    """Where each axis of a washout stands on its chart.

    ``way`` is 'linearised', exact for what is linear, or 'swept', a sine of an ``amplitude`` in m/s2 or
    rad/s, for any washout. Raises ValueError for an unknown way.
    """
    known(way, WAYS, "way")
    points = [_point(washout, axis, omega, way, amplitude, charts) for axis in washout.axes]
    return Fidelity(tuple(points), omega, charts)


def _point(
    washout: Washout, axis: str, omega: float, way: str, amplitude: float, charts: Mapping[str, Chart]
) -> Point:
    alone, given = washout.changed(axes=(axis,)), (INPUTS[axis],)
    linear = way == "linearised"
    found: Answers = linearised(alone, omega, given) if linear else swept(alone, omega, amplitude, given)
    force = axis in TRANSLATIONS
    answer = complex(found.of(given[0], axis)[0]) * (-(omega**2) if force else 1j * omega)
    gain, phase = abs(answer), float(np.degrees(np.angle(answer)))
    chart = "force" if force else "rotation"
    return Point(axis, chart, gain, phase, charts[chart].level(gain, phase))


def _draw(panel: Any, chart: Chart, points: list[Point]) -> None:
    """A chart: its classes as shaded corners, its points with their names."""
    top = max(1.2, *(1.1 * point.gain for point in points)) if points else 1.2
    panel.set(xlim=(0.0, 180.0), ylim=(0.0, top), xlabel="phase, degrees, without its sign")
    shades = ("#bfe3c0", "#fbeab5", "#d9e4f2")
    for k, (name, least, most) in reversed(list(enumerate(chart.borders))):
        panel.fill_between([0.0, most], least, top, color=shades[k % len(shades)], lw=0)
        panel.text(most - 1.0, least + 0.02, name, ha="right", va="bottom", fontsize=8, color="#555555")
    panel.text(178.0, 0.03, chart.rest, ha="right", va="bottom", fontsize=8, color="#555555")
    for point, names in _together(points):
        at = (abs(point.phase_deg), point.gain)
        panel.plot(*at, "o", color="#1f4e79", ms=5)
        panel.annotate(", ".join(names), at, xytext=(6, 4), textcoords="offset points", fontsize=9)
    panel.grid(alpha=0.25)


def _together(points: list[Point]) -> list[tuple[Point, list[str]]]:
    """Points that would hide each other as one, with all their names."""
    found: list[tuple[Point, list[str]]] = []
    for point in points:
        for other, names in found:
            near = (
                abs(abs(point.phase_deg) - abs(other.phase_deg)) < 5.0 and abs(point.gain - other.gain) < 0.03
            )
            if near:
                names.append(point.axis)
                break
        else:
            found.append((point, [point.axis]))
    return found
