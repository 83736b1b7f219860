"""The four-bar step against its peers: one state, a batch on one core, a batch on two.

Nothing is timed before every contender follows the same trajectory, and that is the right one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks import four_bar, peers
from benchmarks.line import Line
from benchmarks.timing import Job, interleave
from biela.compile import Kernel

AGREEMENT = 1e-9
RATE, TIME = "steps/s, more is better", "ns/step, less is better"


class Contenders:
    """Our kernel and the peers that are installed."""

    def __init__(self, quick: bool) -> None:
        self.kernel = Kernel(four_bar.function(), cache=False)
        self.peers: dict[str, Any] = {}
        self.missing: dict[str, str] = {}
        for name in peers.PEERS:
            try:
                self.peers[name] = peers.load(name, quick=quick)
            except peers.MissingPeerError as reason:
                self.missing[name] = str(reason)

    def run(self, states: np.ndarray, steps: int, threads: int = 1) -> np.ndarray:
        """Our own way: only the last state is kept."""
        return self.kernel.iterate(states, steps, every=steps, threads=threads)[-1]


def lines(quick: bool) -> Iterator[Line]:
    """Agreement first, then speed."""
    contenders = Contenders(quick)
    yield from trajectory(contenders)
    yield from agreement(contenders, lanes=64)
    if quick:
        yield from one_state(contenders, steps=200, rounds=1)
        yield from batch(contenders, lanes=64, steps=10, rounds=(1, 1))
        yield from cores(contenders, lanes=64, steps=10, rounds=1)
    else:
        yield from one_state(contenders, steps=20_000, rounds=15)
        yield from batch(contenders, lanes=16_384, steps=1000, rounds=(20, 3))
        yield from cores(contenders, lanes=16_384, steps=1000, rounds=20)


def trajectory(contenders: Contenders) -> Iterator[Line]:
    """Against the converged reference; raises AssertionError if we are elsewhere."""
    record = contenders.kernel.iterate(four_bar.start(), 10_000, every=1000)
    error, gap = abs(record[1, 0] - four_bar.THETA_AT_1_S), four_bar.gap(record[-1])
    operations = contenders.kernel.function.operations.total
    assert error < four_bar.EULER_ERROR, f"theta(1 s) is off by {error}"
    assert gap < four_bar.GAP, f"the loop gapes by {gap} m after 10 s"
    case = f"{operations} operations: error of the crank angle at 1 s, peer is the bound"
    yield Line("four-bar trajectory", case, error, four_bar.EULER_ERROR, "rad")
    yield Line("four-bar trajectory", "loop gap after 10 s, peer is the bound", gap, four_bar.GAP, "m")


def agreement(contenders: Contenders, lanes: int) -> Iterator[Line]:
    """Every contender against us; raises AssertionError if one goes elsewhere."""
    start, starts = four_bar.start(), four_bar.lanes(lanes)
    plain = _repeat(contenders.kernel.function, start, 1000)
    yield _agreed("plain Python", _difference(plain, contenders.run(start, 1000)))
    after_1_s, after_10_s = contenders.run(start, 1000), contenders.run(start, 10_000)
    batch = contenders.run(starts, 1000)
    for name in peers.PEERS:
        if name in contenders.missing:
            yield Line("four-bar agreement", name, None, AGREEMENT, "rad", contenders.missing[name])
            continue
        peer = contenders.peers[name]
        differences = [_difference(peer.run(start, 10_000), after_10_s)]
        for way, states, following in (
            ("run", start, after_1_s), ("run_default", start, after_1_s),
            ("run_batch", starts, batch), ("run_register", starts, batch),
        ):  # fmt: skip
            if hasattr(peer, way):
                differences.append(_difference(getattr(peer, way)(states, 1000), following))
        yield _agreed(name, max(differences))


def one_state(contenders: Contenders, steps: int, rounds: int) -> Iterator[Line]:
    """One state after the other."""
    start = four_bar.start()
    jobs: dict[str, Job] = {"ours": lambda: contenders.run(start, steps)}
    jobs |= {name: lambda peer=peer: peer.run(start, steps) for name, peer in contenders.peers.items()}
    if "SymPy" in contenders.peers:
        jobs["SymPy default"] = lambda: contenders.peers["SymPy"].run_default(start, min(steps, 2000))
    per_step = {name: 1e9 * best / steps for name, best in interleave(jobs, rounds).items()}
    if "SymPy default" in per_step:
        per_step["SymPy default"] *= steps / min(steps, 2000)
    rates = {name: 1e9 / time for name, time in per_step.items()}
    told = f"scalar, {steps} steps, vs "
    yield _line(contenders, f"{told}hand-written C", "C", per_step, TIME)
    for name, peer in (
        ("CasADi", "CasADi's C by gcc -O3 -march=native"),
        ("JAX", "JAX jit(fori_loop)"),
        ("SymPy", "SymPy lambdify(cse=True, modules='math') looped from Python"),
        ("SymPy default", "SymPy lambdify(cse=True), default modules, looped from Python"),
    ):
        yield _line(contenders, told + peer, name, rates, RATE)


def batch(contenders: Contenders, lanes: int, steps: int, rounds: tuple[int, int]) -> Iterator[Line]:
    """Many states on one core; ``rounds`` against the fast peers, and against the slow ones."""
    starts = four_bar.lanes(lanes)
    told = f"batch 1 core, {lanes} lanes x {steps} steps, vs "
    fast = {
        "C": "hand-written C, the fastest of its widths (4 to 32 lanes interleaved)",
        "C register": "hand-written C, 8 lanes at a time",
    }
    slow = {
        "CasADi": "CasADi's C by gcc -O3 -march=native in a batch loop",
        "JAX": "JAX jit(vmap(fori_loop)), x64, one thread",
    }
    for names, count in zip((fast, slow), rounds, strict=True):
        jobs: dict[str, Job] = {"ours": lambda: contenders.run(starts, steps)}
        for name in names:
            peer = contenders.peers.get(name.split()[0])
            if peer is not None:
                run = peer.run_register if name == "C register" else peer.run_batch
                jobs[name] = lambda run=run: run(starts, steps)
        rates = {name: lanes * steps / best for name, best in interleave(jobs, count).items()}
        for name, peer in names.items():
            yield _line(contenders, told + peer, name, rates, RATE)


def cores(contenders: Contenders, lanes: int, steps: int, rounds: int) -> Iterator[Line]:
    """Our batch on two cores against our batch on one."""
    case = f"batch 2 cores vs 1, {lanes} lanes x {steps} steps, peer is ours on 1"
    if (os.cpu_count() or 1) < 2:
        yield Line("four-bar", case, None, None, RATE, "there is one core")
        return
    starts = four_bar.lanes(lanes)
    jobs: dict[str, Job] = {str(n): lambda n=n: contenders.run(starts, steps, threads=n) for n in (1, 2)}
    best = interleave(jobs, rounds)
    yield Line("four-bar", case, lanes * steps / best["2"], lanes * steps / best["1"], RATE)


def _line(contenders: Contenders, case: str, name: str, figures: dict[str, float], unit: str) -> Line:
    missing = contenders.missing.get(name.split()[0], "")
    return Line("four-bar", case, figures["ours"], figures.get(name), unit, missing)


def _agreed(name: str, difference: float) -> Line:
    assert difference < AGREEMENT, f"{name} and we go different ways: {difference} rad"
    unit = "rad (rad/s), the largest difference; peer is the bound"
    return Line("four-bar agreement", name, difference, AGREEMENT, unit)


def _difference(theirs: np.ndarray, ours: np.ndarray) -> float:
    return float(np.abs(theirs - ours).max())


def _repeat(function: Any, x: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        x = function.evaluate(x)
    return x
