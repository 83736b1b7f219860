"""The falling four-bar against C by hand and against engines: one state, and a batch on one core.

Every line has our error and the peer's, of the crank's angle after a second, against the converged value. A
ratio counts, and has ``must`` and ``aim``, on the line of our quickest contender that is no less accurate
than that peer (``headline``); the other contenders are there to be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import four_bar, peers
from benchmarks.contender import CONTENDERS, Contender
from benchmarks.line import Line
from benchmarks.timing import Job, interleave

RATE = "steps/s, more is better"
AS_ACCURATE = 1.05  # times the peer's error
FOLLOWS = 0.01  # rad: a contender or peer farther off than that is not told as one of the same trajectory
MECHANISMS_OWN = 0.02  # rad: in natural coordinates semi-implicit Euler is that far off after a second


class Bound(NamedTuple):
    """What a ratio must be, and what we aim at."""

    must: float
    aim: float


SCALAR = {"C": Bound(0.8, 1.2), "MuJoCo": Bound(15, 40), "Pinocchio": Bound(20, 60), "Exudyn": Bound(60, 150)}
BATCH = {"C": Bound(1.0, 1.5), "MuJoCo": Bound(150, 400)}
TOLD = {
    "C": "hand-written C (semi-implicit Euler, 2 Newton iterations)",
    "MuJoCo": "MuJoCo (equality connect, Euler, mj_step in C)",
    "Pinocchio": "Pinocchio (constraintDynamics, semi-implicit Euler looped from Python)",
    "Exudyn": "Exudyn (generalised alpha, its own loop)",
}
TOLD_BATCH = {
    "C": "hand-written SIMD C, the fastest of its widths",
    "MuJoCo": "MuJoCo rollout, one thread",
}


class Field:
    """The peers that are installed, and how far off each is."""

    def __init__(self, quick: bool) -> None:
        self.peers: dict[str, Any] = {}
        self.missing: dict[str, str] = {}
        self.errors: dict[str, float] = {}
        for name in SCALAR:
            try:
                loaded = peers.load(name, quick=quick)
            except peers.MissingPeerError as reason:
                self.missing[name] = str(reason)
                continue
            self.peers[name] = loaded if name == "C" else loaded.four_bar
            self.errors[name] = abs(float(self.run(name, 1000)[0]) - four_bar.THETA_AT_1_S)
            assert self.errors[name] < FOLLOWS, f"{name} goes elsewhere: {self.errors[name]} rad"

    def run(self, name: str, steps: int) -> np.ndarray:
        """A peer's state or positions after some steps; the first is the crank's angle."""
        peer = self.peers[name]
        return peer.run(four_bar.start(), steps) if name == "C" else peer.run(steps)


def lines(quick: bool) -> Iterator[Line]:
    """Accuracy, one state, many states; raises AssertionError where somebody goes elsewhere."""
    field = Field(quick)
    contenders = CONTENDERS[:4] if quick else CONTENDERS
    for contender in contenders:
        assert contender.error < MECHANISMS_OWN, f"{contender} goes elsewhere: {contender.error} rad"
        operations = contender.kernel.function.operations.total
        case = f"{contender}: {operations} operations, error of the crank angle at 1 s, peer is the C's bound"
        line = Line("four-bar accuracy", case, contender.error, four_bar.EULER_ERROR, "rad")
        yield line.adding(operations=operations, gap_at_10_s=contender.gap)
    yield from one_state(field, contenders, 50 if quick else 20_000, 1 if quick else 40)
    yield from batch(field, contenders, 64 if quick else 2048, 5 if quick else 200, 1 if quick else 40)


def one_state(field: Field, contenders: tuple[Contender, ...], steps: int, rounds: int) -> Iterator[Line]:
    """One state after the other, in a native loop of ours."""
    jobs: dict[str, Job] = {}
    count: dict[str, int] = {}
    for contender in contenders:
        jobs[str(contender)] = lambda c=contender: c.run(c.start, steps)
        count[str(contender)] = steps
    for name in field.peers:
        count[name] = steps if name == "C" else max(1, steps // 50)
        jobs[name] = lambda name=name: field.run(name, count[name])
    rates = {name: count[name] / best for name, best in interleave(jobs, rounds).items()}
    for name, bound in SCALAR.items():
        yield from _compared("four-bar scalar", field, contenders, rates, name, TOLD[name], bound)


def batch(
    field: Field, contenders: tuple[Contender, ...], lanes: int, steps: int, rounds: int
) -> Iterator[Line]:
    """Many states on one core."""
    jobs: dict[str, Job] = {}
    count: dict[str, int] = {}
    for contender in contenders:
        x = contender.starts(lanes)
        jobs[str(contender)] = lambda c=contender, x=x: c.run(x, steps)
        count[str(contender)] = lanes * steps
    if "C" in field.peers:
        states = np.ascontiguousarray(np.repeat(four_bar.start()[:, None], lanes, axis=1))
        jobs["C"], count["C"] = lambda: field.peers["C"].run_batch(states, steps), lanes * steps
    if "MuJoCo" in field.peers:
        few, engine = (max(1, lanes // 32), max(1, steps // 4)), field.peers["MuJoCo"]
        starts = engine.starts(np.zeros((3, few[0])))
        jobs["MuJoCo"], count["MuJoCo"] = lambda: engine.run_batch(starts, few[1]), few[0] * few[1]
    rates = {name: count[name] / best for name, best in interleave(jobs, rounds).items()}
    for name, bound in BATCH.items():
        yield from _compared("four-bar batch", field, contenders, rates, name, TOLD_BATCH[name], bound)


def _compared(
    bench: str, field: Field, contenders: tuple[Contender, ...], rates: dict[str, float], name: str,
    told: str, bound: Bound,
) -> Iterator[Line]:  # fmt: skip
    """A line for each contender against one peer."""
    if name not in field.peers:
        yield Line(bench, f"vs {told}", None, None, RATE, field.missing[name])
        return
    error = field.errors[name]
    accurate = [c for c in contenders if c.error <= AS_ACCURATE * error]
    best = max(accurate, key=lambda c: rates[str(c)], default=None)
    for contender in contenders:
        line = Line(bench, f"{contender}, vs {told}", rates[str(contender)], rates[name], RATE)
        line = line.adding(error=contender.error, peer_error=error)
        assert line.ratio is not None
        if contender is best:
            line = line.adding(headline=True, must=bound.must, aim=bound.aim, holds=line.ratio >= bound.must)
        yield line
