"""`Washout`: what all washouts have in common, so that rides, tuners and live loops can take any of them.

A washout is one native sample, a Function of its state ``x`` (the pose first, in the order of ``axes``),
the ``motion`` of the vehicle and its numbers ``p``. The numbers are *values* by name, such as "surge.gain",
and each is described by a `Tunable`. A class says how its sample is made (`build`), and may say how values
become ``p`` (`numbers`), which rows of the motion it looks ahead at (`foreseen`), and which numbers its
sample has left out as things stand (`idle`).

Axes: x ahead, y left, z up, for the vehicle as for the pose (surge, sway, heave, roll, pitch, yaw);
positive pitch is nose down. At rest the specific force is (0, 0, g).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Self

import numpy as np

from biela.cueing.recording import Recording
from biela.cueing.recursion import Recursion
from biela.cueing.washout.preset import Preset
from biela.cueing.washout.tunable import AXES, Tunable
from biela.expr.function import Function

INPUTS = ("fx", "fy", "fz", "p", "q", "r")


@dataclass(frozen=True, eq=False, kw_only=True)
class Washout(ABC):
    """A washout; see the classes of `WASHOUTS`.

    ``axes`` are the degrees of freedom that are wanted; what they do not need is left out. ``values`` has a
    number for every name of `tunables`. ``solves`` says that `numbers` are solved for, lane by lane. Raises
    ValueError for unknown names and numbers that make no sense.
    """

    kind: ClassVar[str]
    solves: ClassVar[bool] = False
    tunables: ClassVar[Mapping[str, Tunable]]
    presets: ClassVar[Mapping[str, Preset]]
    values: Mapping[str, float]
    axes: tuple[str, ...] = AXES
    dt: float = 0.02

    def __post_init__(self) -> None:
        for name in self.values:
            known(name, self.tunables, "parameter")
        missing = [name for name in self.tunables if name not in self.values]
        if missing:
            raise ValueError(f"{type(self).__name__}: no value for {', '.join(missing)}.")
        for name in self.axes:
            known(name, AXES, "axis")
        if not (np.isfinite(self.dt) and self.dt > 0.0):
            raise ValueError(f"{type(self).__name__}: dt is a positive number of seconds; got {self.dt!r}.")
        for name, value in self.values.items():
            self.check(name, value)

    @classmethod
    def preset(cls, name: str, **options: Any) -> Self:
        """The washout of a set of numbers; see ``presets``."""
        chosen = cls.presets[known(name, cls.presets, "preset")]
        return cls(values=dict(chosen.values), **{**chosen.options, **options})

    def changed(self, values: Mapping[str, float] | None = None, **options: Any) -> Self:
        """Another washout with some numbers or options replaced."""
        have: dict[str, Any] = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        have["values"] = {**self.values, **(values or {})}
        return type(self)(**have | options)

    # what the numbers are

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers."""
        return tuple(self.tunables)

    def check(self, name: str, value: float) -> None:
        """Raise ValueError for an unknown name, and for a number that makes no sense for it."""
        self.tunables[known(name, self.tunables, "parameter")].check(name, value, self.dt)

    @classmethod
    def explain(cls, name: str) -> str:
        """What happens when a number is raised, with its unit."""
        return str(cls.tunables[known(name, cls.tunables, "parameter")])

    def explanations(self) -> str:
        """Every number with its value, its unit and what happens when it is raised: a table to print."""
        values = {name: "no limit" if value == inf else f"{value:.4g}" for name, value in self.values.items()}
        names, width = max(map(len, self.tunables)), max(map(len, values.values()))
        units = max(len(tunable.unit) for tunable in self.tunables.values())
        return "\n".join(
            f"{name:<{names}}  {values[name]:>{width}} {tunable.unit:<{units}}  {tunable.told}"
            for name, tunable in self.tunables.items()
        )

    def idle(self) -> frozenset[str]:
        """The numbers that this washout's sample leaves out, as with a limit that is infinite."""
        return frozenset()

    def numbers(self, values: Mapping[str, float]) -> np.ndarray:
        """What the sample takes as ``p`` for values by name."""
        return np.array([min(values[name], 1e300) for name in self.tunables])

    @cached_property
    def p(self) -> np.ndarray:
        """The numbers, as the sample takes them."""
        return self.numbers(self.values)

    def settings(self, values: Mapping[str, Any]) -> np.ndarray:
        """``p`` with a column a lane: some numbers by name, a value a lane, the others as they are.

        Raises ValueError for unknown names, for numbers that make no sense, for different lengths, and for
        numbers that are left out (see `idle`).
        """
        given = {name: np.atleast_1d(np.asarray(column, float)) for name, column in values.items()}
        lengths = {name: len(column) for name, column in given.items()}
        if len(set(lengths.values())) != 1 or 0 in lengths.values():
            raise ValueError(f"The settings have different lengths, or none: {lengths}.")
        for name, column in given.items():
            for value in (column.min(), column.max()):  # a nan is both
                self.check(name, float(value))
            if name in self.idle():
                raise ValueError(
                    f"{type(self).__name__}: {name} = {self.values[name]:g} is left out of the sample as it "
                    "is. Start from a washout in which it has an effect."
                )
        return self._lanes(given)

    def _lanes(self, given: Mapping[str, np.ndarray]) -> np.ndarray:
        if self.solves:
            lanes = ({**self.values, **dict(zip(given, map(float, lane), strict=True))}
                     for lane in zip(*given.values(), strict=True))  # fmt: skip
            return np.stack([self.numbers(values) for values in lanes], axis=1)
        p = np.repeat(self.p[:, None], len(next(iter(given.values()))), axis=1)
        for name, column in given.items():
            p[self.names.index(name)] = np.minimum(column, 1e300)
        return p

    def columns(self, name: str, values: Any) -> np.ndarray:
        """`settings` of one number."""
        return self.settings({name: values})

    # the sample

    @abstractmethod
    def build(self) -> Function:
        """The Function of a sample."""

    @cached_property
    def step(self) -> Function:
        """One sample: ``x_next`` of the state ``x``, the ``motion`` and the numbers ``p``.

        The state begins with the pose, in the order of ``axes``; the motion with the columns of `INPUTS`.
        """
        return self.build()

    @cached_property
    def recursion(self) -> Recursion:
        """The native sample."""
        return Recursion(self.step)

    @property
    def rest(self) -> np.ndarray:
        """The state at rest."""
        return np.zeros(self.step.inputs[0].size)

    # motions

    def motion(self, motion: Any) -> np.ndarray:
        """Rows (fx, fy, fz, p, q, r), or a `Recording` with these columns.

        Raises ValueError for others, values that are not finite, gaps, and rates that do not match.
        """
        if isinstance(motion, Recording):
            motion = motion.rows(INPUTS, self.dt)
        rows = np.atleast_2d(np.asarray(motion, float))
        if rows.ndim != 2 or rows.shape[1] != len(INPUTS):
            raise ValueError(f"A motion has the columns {', '.join(INPUTS)}; got shape {rows.shape}.")
        if not np.isfinite(rows).all():
            k = int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise ValueError(f"The motion is not finite in row {k}: {rows[k].tolist()}.")
        return np.ascontiguousarray(rows)

    def foreseen(self, rows: np.ndarray) -> np.ndarray:
        """The rows that the sample takes: those of the motion, and beside them what is looked ahead at."""
        return rows

    def run(self, motion: Any, p: Any = None, *, every: int = 1, threads: int = 1) -> np.ndarray:
        """The poses for rows (fx, fy, fz, p, q, r), from rest; settings ``p`` may have a column a lane."""
        rows = self.foreseen(self.motion(motion))
        values = self.p if p is None else p
        found = self.recursion.run(self.rest, rows, values, every=every, threads=threads)
        return found[1:, : len(self.axes)]


def known(name: str, table: Any, what: str) -> str:
    """A name of a table; raises ValueError with the nearest one for another."""
    if name not in table:
        close = get_close_matches(str(name), list(table), 1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        raise ValueError(f"Unknown {what} {name!r}. Known: {', '.join(table)}.{hint}")
    return name
