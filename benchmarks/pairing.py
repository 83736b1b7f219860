"""Every formulation with every integrator on the four-bar test bench: what a step costs, and how good it is.

The mechanism is `biela.mechanisms.four_bar`, released from rest with the crank upright, for ten seconds.
Errors are those of the crank's angle against values that three other formulations agree on to ten digits.
``write`` puts the table into the documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import biela as bl
from benchmarks.line import Line
from benchmarks.timing import Job, interleave
from biela.mechanics.model import Model
from biela.mechanisms import four_bar
from biela.simulate import FORMULATIONS, INTEGRATORS, Record, step
from biela.simulate.step import Step

PAGE = Path(__file__).parents[1] / "docs" / "formulations.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
REFERENCE = {1: 4.6885231287, 10: 2.4461396626}  # s: rad
FLOOR = 1e-10  # rad: the reference has no more digits
DT, STEPS, EVERY = 1e-3, 10_000, 10
MOST_TRIES = 1 << 20


@dataclass(frozen=True)
class Pair:
    """A formulation with an integrator, run for ten seconds."""

    formulation: str
    integrator: str
    made: Step
    kernel: bl.Kernel
    steps: int  # with error control, how often one was tried
    record: Record

    def run(self) -> np.ndarray:
        """All steps natively."""
        return _run(self.made, self.kernel, self.steps, self.steps)

    def error(self, moment: int) -> float:
        """Of the crank's angle at a moment, rad; nan for a run that ended before."""
        steps = self.steps if self.made.adaptive else round(moment / DT)
        end = _run(self.made, self.kernel, steps, steps, float(moment))[-1]
        return float(abs(end[self.made.names.index("crank")] - REFERENCE[moment]))

    @property
    def residual(self) -> float:
        """The largest of the constraints of position, m."""
        return float(self.record.residual.max())

    @property
    def drift(self) -> float:
        """The largest change of energy, J."""
        return float(np.abs(self.record.energy - self.record.energy[0]).max())


def lines(quick: bool) -> Iterator[Line]:
    """A line for each pair that there is."""
    found = pairs(quick)
    times = timed(found, quick)
    for pair in found:
        name = f"{pair.formulation}, {pair.integrator}"
        line = Line("pair", f"{name}, computing for a simulated second", times[name], None, "ms", "no peer")
        yield line.adding(
            us_per_step=1e3 * times[name] * 10 / pair.steps, steps=pair.steps, error_1_s=pair.error(1),
            error_10_s=pair.error(10), residual=pair.residual, energy_drift=pair.drift,
        )  # fmt: skip


def pairs(quick: bool) -> list[Pair]:
    """What suits the four-bar; quickly, the first integrators only."""
    model, found = four_bar().model(), list[Pair]()
    for formulation, row in FORMULATIONS.items():
        if row.refuses(model):
            continue
        for integrator in list(INTEGRATORS)[:2] if quick else INTEGRATORS:
            try:
                made = step(model, formulation, integrator)
            except ValueError:
                continue  # some formulations leave nothing to integrate, or not by every integrator
            found.append(_pair(model, formulation, integrator, made))
    return found


def timed(found: list[Pair], quick: bool) -> dict[str, float]:
    """Milliseconds of computing for a simulated second."""
    jobs: dict[str, Job] = {f"{pair.formulation}, {pair.integrator}": pair.run for pair in found}
    return {name: 1e3 * best / 10 for name, best in interleave(jobs, 1 if quick else 15).items()}


def write(quick: bool) -> str:
    """Measure, put the table into the page, and tell where it is."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + table(quick) + END + after, encoding="utf-8")
    return str(PAGE)


def table(quick: bool) -> str:
    """The pairs in Markdown."""
    head = (
        "formulation", "integrator", "us a step", "ms for 1 s", "error at 1 s, rad", "error at 10 s, rad",
        "residual, m", "energy drift, J",
    )  # fmt: skip
    found = pairs(quick)
    times = timed(found, quick)
    rows = [head, ("---", "---", *["---:"] * 6)]
    for pair in found:
        time = times[f"{pair.formulation}, {pair.integrator}"]
        rows.append((
            f"`{pair.formulation}`", f"`{pair.integrator}`", f"{1e4 * time / pair.steps:.3g}", f"{time:.2g}",
            *(_told(pair.error(moment), FLOOR) for moment in REFERENCE),
            _told(pair.residual, 1e-15), _told(pair.drift, 1e-13),
        ))  # fmt: skip
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _pair(model: Model, formulation: str, integrator: str, made: Step) -> Pair:
    kernel, steps = bl.Kernel(made.function), STEPS
    if made.adaptive:
        steps = 256
        while _run(made, kernel, steps, steps)[-1, made.names.index("t")] < 10.0 and steps < MOST_TRIES:
            steps *= 2
        whole = _run(made, kernel, steps, 1)
        steps = 1 + int(np.argmax(whole[:, made.names.index("t")] >= 10.0))
    rows = _run(made, kernel, steps, 1 if made.adaptive else EVERY)
    return Pair(formulation, integrator, made, kernel, steps, _recorded(model, made, rows))


def _run(made: Step, kernel: bl.Kernel, steps: int, every: int, stop: float = 10.0) -> np.ndarray:
    x = made.pack(*made.model.start, 0.0, DT)
    ports = {port.name for port in made.function.inputs}
    known: dict[str, Any] = {"h": 1.0 if made.adaptive else DT, "p": made.model.p, "u": made.model.u}
    known["control"] = np.array([stop, 1e-8, 1e-10])
    with np.errstate(all="ignore"):
        return kernel.iterate(x, steps, every=every, **{k: v for k, v in known.items() if k in ports})


def _recorded(model: Model, made: Step, rows: np.ndarray) -> Record:
    good = np.isfinite(rows).all(axis=1)
    rows = rows[: len(rows) if good.all() else int(np.argmin(good))]
    times = rows[:, made.names.index("t")] if made.adaptive else DT * EVERY * np.arange(len(rows))
    columns = {name: np.ascontiguousarray(rows[:, k]) for k, name in enumerate(made.names) if name != "t"}
    return Record(times, columns, {}, model=model, p=model.p, u=model.u)


def _told(value: float, floor: float) -> str:
    return "-" if np.isnan(value) else f"< {floor:.0e}" if value < floor else f"{value:.1e}"
