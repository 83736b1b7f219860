"""Which filter to choose: every Kalman filter on the four-bar with noisy gyros, right and wrong models.

`python -m benchmarks.choosing` prints the table of docs/filters.md: the step, its operations, and the crank's
error (median of 50 runs, after the first second) from a start 2 degrees off, from one 15 degrees off, and
with a model whose gravity is 5 % and whose coupler 50 % too heavy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.kalman import DEG, STEPS, bench, gyros, process, readings, start, truth
from benchmarks.timing import interleave
from biela.observe import FILTERS, ErrorStateKalman, Filter
from biela.simulate import State, assemble

SEEDS = range(1, 51)


def filters(velocity: float) -> dict[str, Filter]:
    """All, on steps of fourth order with that noise on velocities."""
    made = {
        key: kind(process("rk4", position=1e-6, velocity=velocity), gyros()) for key, kind in FILTERS.items()
    }
    steps = process("rk4", position=1e-6, velocity=1e-4)
    for kind in ("force", "coloured"):
        made[f"error-state, {kind}"] = ErrorStateKalman(steps, gyros(), kind, "exact", strength=1.0)
    return made


def error(observer: Filter, y: np.ndarray, guess: State, P: list[float]) -> float:
    """The median root mean square error of the crank after a second, degrees."""
    P = [*P, *[1.0] * (len(observer.augmented) if observer.key == "error-state" else 0)]
    off = observer.batch(y, guess, P)["crank"] - truth()["crank"][:, None]
    return float(np.median(np.sqrt(np.mean(off[1000:] ** 2, axis=0)))) / DEG


def table() -> Iterator[list[Any]]:
    """A row for each filter."""
    right, rough = filters(1e-4), filters(1e-2)
    y = np.stack([readings(right["ekf"], seed) for seed in SEEDS], axis=-1)
    wrong = assemble(bench(), crank=92 * DEG, p={"g": 9.81 * 1.05, "m2": 0.6})
    for key, observer in right.items():
        P = [2 * DEG, 0.01, *[1.0] * (len(observer.augmented) if observer.key == "error-state" else 0)]
        best = interleave({"step": lambda f=observer, P=P: f.rows(y[:, :, 0], start(92.0), P)}, 5)["step"]
        near = error(observer, y, start(92.0), [2 * DEG, 0.01])
        far = error(observer, y, start(105.0), [10 * DEG, 0.01])
        bad = error(rough[key], y, wrong, [2 * DEG, 0.01])
        yield [key, 1e6 * best / STEPS, observer.function.operations.total, near, far, bad]


if __name__ == "__main__":
    print("| filter | us a step | operations | 2 deg off | 15 deg off | wrong model |")
    print("|---|---|---|---|---|---|")
    for key, step, operations, *errors in table():
        print(
            f"| `{key}` | {step:.2f} | {operations} | {' | '.join(f'{e:.3f}' for e in errors)} |", flush=True
        )
