"""``python -m benchmarks.platform [--quick]``: the motion platform of source 002 with a washout in the loop.

One JSON object a line, with the keys bench, case, ours, reference, unit; ``must`` and ``aim`` where we have
set ourselves bounds. ``reference`` is what the source prints, measured on a Pentium G840. ``--quick`` runs
everything once and shortly: its times mean nothing.

The loop is washout, combination of degrees of freedom, delay, limits and low pass of both channels, sampled
every 20 ms, as one native Function; a run of 100 s includes the call from Python and the whole trajectory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import command
from benchmarks.timing import interleave
from biela.cueing import (
    Channel,
    ClassicalWashout,
    Plant,
    Ride,
    Simulator,
    characterise,
    drive,
    fit_grid,
    validate,
)
from biela.cueing.source_002 import FITS, SPEED_S
from biela.cueing.validation import attenuations, excursions, fitted, mean

BENCH = "platform"
WEEK = 7 * 24 * 3600.0
LIMITED = {"form": "servo", "damping": 4.0, "frequency": 7.8, "acceleration": 18.0}
TOLD = "times real time, more is better"


def line(case: str, ours: float, reference: float | None, unit: str, **more: Any) -> str:
    """One figure as JSON."""
    short = {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in more.items()}
    known = None if reference is None else float(f"{reference:.4g}")
    figures = {"bench": BENCH, "case": case, "ours": float(f"{ours:.4g}"), "reference": known, "unit": unit}
    return json.dumps(figures | short)


def rides() -> dict[str, Ride]:
    """The loop with the source's channels, and with limited ones."""
    plain = Simulator.source_002()
    limited = plain.changed(channels=(Channel(rate=2.3, **LIMITED), Channel(rate=1.9, **LIMITED)))
    washout = ClassicalWashout.preset("delft")
    return {"filters": Ride.on(plain, washout), "filters with limits": Ride.on(limited, washout)}


def loop(quick: bool) -> Iterator[str]:
    """100 s in one run, and a week."""
    seconds = 10.0 if quick else 100.0
    rows = drive.slalom(seconds)
    for name, ride in rides().items():
        job = partial(ride.passage.run, ride.rest, rows, ride.p)
        best = interleave({"run": job}, 1 if quick else 40)["run"]
        factor = 100.0 / SPEED_S["digital filters"]
        yield line(
            f"100 s with washout and {name}, one run", seconds / best, factor, TOLD, must=2e4, aim=2e5,
            operations=ride.step.operations.total, seconds=best,
        )  # fmt: skip
    ride = rides()["filters"]
    hour = drive.town(36.0 if quick else 3600.0)
    times = 1 if quick else round(WEEK / 3600.0)
    ride.endure(hour, 1)
    begin = perf_counter()
    ride.endure(hour, times)
    took = perf_counter() - begin
    whole = took * WEEK / (0.02 * len(hour) * times)
    yield line("a week of driving", whole, 60 * 46.57, "s, less is better", must=30.0, aim=3.0)


def batch(quick: bool) -> Iterator[str]:
    """1,000 settings of the washout, all together."""
    count, seconds = (16, 10.0) if quick else (1000, 100.0)
    rows, beyond = drive.slalom(seconds), drive.slalom(seconds, lateral=14.0, period=9.0)
    for name, ride in rides().items():
        settings = ride.settings({"tilt.rate": np.linspace(0.02, 0.2, count)})
        for told, motion in (("", rows), (", out of reach now and then", beyond)):
            best = interleave({"batch": partial(ride.batch, motion, settings)}, 1 if quick else 8)["batch"]
            case = f"{count} settings of the washout, {name}{told}, all cores, aggregate"
            clipped = float(ride.batch(motion, settings)["clipped"].mean())
            factor = count * seconds / best
            yield line(case, factor, None, TOLD, must=5e5, aim=5e6, seconds=best, clipped=clipped)


def machine(quick: bool) -> Iterator[str]:
    """The digital filters against our own multibody platform, both behind the same washout."""
    seconds = 4.0 if quick else 100.0
    rows = drive.slalom(seconds)
    plant, ride = Plant(), rides()["filters with limits"]
    washout = ride.washout
    senses = np.array([plant.platform.senses.get(name, 1.0) for name in plant.platform.dofs])
    jobs = {
        "digital filters": lambda: ride.passage.run(ride.rest, rows, ride.p),
        "multibody 2-RSSU": lambda: plant.simulate(washout.run(rows) * senses),
    }
    best = interleave(jobs, 1 if quick else 3)
    printed = dict(zip(jobs, SPEED_S.values(), strict=True))
    for name, took in best.items():
        yield line(f"100 s with washout, {name}", seconds / took, 100.0 / printed[name], TOLD, must=200.0)
    source = SPEED_S["Newton-Lagrange"] / SPEED_S["digital filters"]
    ratio = best["multibody 2-RSSU"] / best["digital filters"]
    yield line("digital filters against multibody", ratio, source, "times as fast")


def accuracy(quick: bool) -> Iterator[str]:
    """Tables 2, 4 and 5 and the excursions, next to the source's."""
    plant = Plant()
    for row in [*excursions(plant), *attenuations(plant)]:
        unit = "Hz" if "dB" in row.name else "s"
        yield line(f"plant, {row.name}", row.ours or np.nan, row.source, unit)
    effort = {"delays": [0.08], "size": 24, "rounds": 20} if quick else {}
    ways = {
        "the source's grid": characterise(plant, way=fit_grid),
        "with limits": characterise(plant, **effort),
    }
    for name, found in ways.items():
        for row in fitted(found):
            yield line(f"fit {name}, {row.name}", row.ours or np.nan, row.source, "")
        rows = validate(plant, found.simulator)
        bounds = {"must": 0.95, "aim": 0.98} if name == "with limits" else {}
        assert len(rows) == sum(map(len, FITS.values()))
        for row in rows:
            yield line(f"NRMSE {name}, {row.name}", row.ours or np.nan, row.source, "1 is best")
        whole = mean(rows)
        yield line(f"NRMSE {name}, mean", whole.ours or np.nan, whole.source, "1 is best", **bounds)


SUBJECTS = {"loop": loop, "batch": batch, "machine": machine, "accuracy": accuracy}


def main(arguments: list[str] | None = None) -> None:
    command.run("platform", "The motion platform.", SUBJECTS, arguments)


if __name__ == "__main__":
    main()
