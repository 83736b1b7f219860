"""Convergence studies: the same try many times for each of several values, interrupted and resumed at will.

Every value has a file with the outcomes of its tries so far, written aside and renamed, so it is whole
whenever the study is stopped; a study that finds such files goes on where they end. A try depends on its seed
alone, and its seed on its number, so a resumed study counts what one in a single go would have counted. When
all values are done their files are merged into the results and deleted, and the next study begins anew.

    particle number    N = 10 ... 2000, motion noise 0.02 rad
    motion noise       0.001 ... 1 rad, N = 200
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from biela.observe.study.trial import Mechanism, Outcome, Trial, tried
from biela.simulate.progress import Progress, shown
from biela.simulate.storage import whole

PARTICLES = (10, 20, 50, 100, 200, 500, 1000, 2000)
MOTIONS = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1.0)
TRIES = 100


@dataclass(frozen=True)
class Tested:
    """One value of a study and the outcomes of its tries, in order."""

    name: str
    value: float
    outcomes: tuple[Outcome, ...]

    @property
    def converged(self) -> int:
        """How many converged by the circular mean."""
        return sum(outcome.converged for outcome in self.outcomes)

    @property
    def converged_linear(self) -> int:
        """How many converged by the linear mean."""
        return sum(outcome.converged_linear for outcome in self.outcomes)

    @property
    def failures(self) -> list[Trial]:
        """The tries that did not converge; `replayed` runs one again."""
        return [outcome.trial for outcome in self.outcomes if not outcome.converged]

    @property
    def time(self) -> float:
        """The processor time of all tries, s."""
        return sum(outcome.time for outcome in self.outcomes)

    @property
    def resamplings(self) -> float:
        """How often a try resampled, on average."""
        return sum(outcome.resamplings for outcome in self.outcomes) / max(1, len(self.outcomes))

    def __str__(self) -> str:
        n = len(self.outcomes)
        return (
            f"{self.name}: {self.value:g}\tTest time: {self.time:.3f} s\t"
            f"{self.converged}/{n} success\t{self.converged_linear}/{n} by the linear mean"
        )


@dataclass(frozen=True)
class Study:
    """Several values of one setting of a try, each tried so many times.

    ``setting`` is the name of a field of `Trial`; ``base`` has the others.
    """

    mechanism: Mechanism
    setting: str
    values: Sequence[float]
    tries: int = TRIES
    base: Trial = field(default_factory=lambda: Trial(seed=1))

    def __post_init__(self) -> None:
        fields = [name for name in Trial.__dataclass_fields__ if name not in ("seed", "filter")]
        if self.setting not in fields:
            names = ", ".join(fields)
            raise ValueError(f"A try has no setting {self.setting!r}: {names}.")

    def trials(self, value: Any) -> list[Trial]:
        """The tries of a value."""
        whole = isinstance(getattr(self.base, self.setting), int)
        one = replace(self.base, **{self.setting: int(value) if whole else float(value)})
        return [replace(one, seed=self.base.seed + k) for k in range(self.tries)]

    def run(
        self, folder: str | Path | None = None, *, executor: Executor | None = None,
        progress: Progress | bool | None = None, line: Callable[[str], None] | None = None,
    ) -> list[Tested]:  # fmt: skip
        """Run, or go on with what is in ``folder``; a value's result line goes to ``line`` when it is done.

        A pool of processes does the work unless another executor is given.
        """
        place, show = None if folder is None else Path(folder), shown(progress, "tries")
        found: list[Tested] = []
        with ProcessPoolExecutor() if executor is None else nullcontext(executor) as pool:
            for k, value in enumerate(self.values):
                outcomes = self._value(value, pool, place, show, k * self.tries)
                found.append(Tested(self.setting, value, tuple(outcomes)))
                if line is not None:
                    line(str(found[-1]))
        if place is not None:
            self._finish(place, found)
        return found

    def _value(
        self, value: float, pool: Executor, place: Path | None, show: Progress | None, before: int
    ) -> list[Outcome]:
        """The outcomes of a value: those that are kept, and the rest."""
        trials = self.trials(value)
        known = {} if place is None else self._kept(place, value, trials)
        waiting = {pool.submit(tried, self.mechanism, t): t for t in trials if t not in known}
        try:
            for done in as_completed(waiting):
                known[waiting[done]] = done.result()
                if place is not None:
                    self._keep(place, value, known)
                if show is not None:
                    show(before + len(known), len(self.values) * self.tries)
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
        return [known[trial] for trial in trials]

    # files

    def _path(self, place: Path, value: float) -> Path:
        return place / f"{self.setting}-{value:g}-savestate.json"

    def _kept(self, place: Path, value: float, trials: Sequence[Trial]) -> dict[Trial, Outcome]:
        """The outcomes of earlier; not those of another study, or of a broken file."""
        try:
            rows = json.loads(self._path(place, value).read_text("utf-8"))
            outcomes = [Outcome.of(row) for row in rows]
        except (OSError, ValueError, TypeError, KeyError):
            return {}
        wanted = set(trials)
        return {outcome.trial: outcome for outcome in outcomes if outcome.trial in wanted}

    def _keep(self, place: Path, value: float, known: dict[Trial, Outcome]) -> None:
        rows = [known[trial].numbers() for trial in sorted(known, key=lambda trial: trial.seed)]
        _write(self._path(place, value), json.dumps(rows))

    def _finish(self, place: Path, found: Sequence[Tested]) -> None:
        """The results of all values in one file, a line each; the states of before go."""
        path = place / f"{self.setting}.txt"
        earlier = path.read_text("utf-8") if path.exists() else ""
        _write(path, earlier + "".join(f"{tested}\n" for tested in found))
        rows = [outcome.numbers() for tested in found for outcome in tested.outcomes]
        _write(place / f"{self.setting}.json", json.dumps(rows))
        for tested in found:
            self._path(place, tested.value).unlink(missing_ok=True)


def particle_number(mechanism: Mechanism, tries: int = TRIES, values: Sequence[int] = PARTICLES) -> Study:
    """The study of the number of particles."""
    return Study(mechanism, "particles", values, tries)


def motion_noise(mechanism: Mechanism, tries: int = TRIES, values: Sequence[float] = MOTIONS) -> Study:
    """The study of the motion noise."""
    return Study(mechanism, "motion", values, tries)


def _write(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, lambda aside: aside.write_text(text, "utf-8"))
