"""``python -m benchmarks.washouts [--quick]``: every washout on the shipped drives, as it comes and tuned.

One JSON object a line, with the keys bench, case, ours, reference, unit. ``reference`` is the classical
washout with the numbers of 'delft'. What is felt is in thresholds of perception, less is better; likeness is
the correlation of what is sensed in the vehicle and on the platform, 1 is best. ``--quick`` looks at ten
seconds and a few candidates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks import command
from benchmarks.timing import interleave
from biela.cueing import WASHOUTS, Channel, Hexapod, Ride, Simulator, Trial, Washout, drive, tune

SCALED = ["surge.gain", "sway.gain", "roll.gain", "pitch.gain"]
OPTIMAL = ("turning", "place", "turn")
OVER = {
    "classical": [*SCALED, "surge.omega", "sway.omega", "tilt.omega", "tilt.rate"],
    "adaptive": [*SCALED, "surge.omega", "sway.omega", "pitch.omega", "roll.omega", "tilt.rate"],
    "optimal": [*SCALED, *(f"{group}.{name}" for group in ("surge", "sway") for name in OPTIMAL)],
    "predictive": [*SCALED, "surge.place", "sway.place", "tilt.most_speed", "tilt.place", "tilt.speed"],
}  # fmt: skip
TOLD = {"felt": "thresholds, less is better", "likeness": "1 is best", "false": "share of the time",
        "clipped": "share of the time", "room": "share of the room"}  # fmt: skip


def rigs() -> dict[str, Simulator]:
    """The source's platform, and a hexapod with quick drives."""
    quick = Channel(delay=0.04, damping=0.7, frequency=5.0)
    return {"2-RSSU": Simulator.source_002(), "hexapod": Simulator(Hexapod(), (quick,) * 6)}


def washouts() -> dict[str, Washout]:
    """Each with its first numbers; the predictive one blind and with an oracle."""
    found = {kind: washout.preset(next(iter(washout.presets))) for kind, washout in WASHOUTS.items()}
    return found | {"predictive, oracle": WASHOUTS["predictive"].preset("begin", ahead="oracle")}


def judged(ride: Ride, rows: Any) -> dict[str, float]:
    """What a trial tells of one setting."""
    name = SCALED[0]
    told = Trial(ride).batch(rows, ride.settings({name: [ride.washout.values[name]]}))
    return {key: float(told[key][0]) for key in TOLD}


def line(case: str, ours: float, reference: float | None, unit: str) -> str:
    """One figure as JSON."""
    known = None if reference is None else float(f"{reference:.3g}")
    figures = {
        "bench": "washouts",
        "case": case,
        "ours": float(f"{ours:.3g}"),
        "reference": known,
        "unit": unit,
    }
    return json.dumps(figures)


def compared(quick: bool, tuned: bool) -> Iterator[str]:
    """Every rig, drive and washout."""
    budget = 64 if quick else 768
    for rig, simulator in rigs().items():
        for name, make in drive.DRIVES.items():
            rows = make(20.0 if quick else 100.0)
            reference: dict[str, float] = {}
            for kind, washout in washouts().items():
                ride = Ride.on(simulator, washout)
                if tuned:
                    over = OVER[washout.kind]
                    ride = tune(ride, rows, over, cost="felt and room", size=32, budget=budget).ride
                told = judged(ride, rows)
                reference = reference or told
                for key, unit in TOLD.items():
                    yield line(f"{rig}, {name}, {kind}, {key}", told[key], reference[key], unit)


def speed(quick: bool) -> Iterator[str]:
    """100 s of the town, one run with its trajectory, all six degrees of freedom."""
    rows = drive.town(10.0 if quick else 100.0)
    simulator = rigs()["hexapod"]
    jobs: dict[str, Any] = {}
    for kind, washout in washouts().items():
        made = Ride.on(simulator, washout).washout
        jobs[kind] = partial(made.run, rows)
    best = interleave(jobs, 1 if quick else 10)
    for kind, took in best.items():
        told = 0.02 * len(rows) / took
        yield line(f"hexapod, {kind}, washout alone", told, None, "times real time, more is better")


SUBJECTS = {"plain": partial(compared, tuned=False), "tuned": partial(compared, tuned=True), "speed": speed}


def main(arguments: list[str] | None = None) -> None:
    command.run("washouts", "The washouts, side by side.", SUBJECTS, arguments)


if __name__ == "__main__":
    main()
