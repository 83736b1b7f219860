"""Forward dynamics of the seven-joint arm against Pinocchio and MuJoCo: one state, and a batch on one core.

Ours is a step of semi-implicit Euler, which is the forward dynamics and two products a joint, in a native
loop; once with its parameters free, as the peers have them, and once with numbers for them. Pinocchio's `aba`
runs in its own loop in C++ over many states (`abaInParallel` with one thread), so that no call from Python
is in it; what a call from Python takes, less one that computes next to nothing, is told on a line of its own.
MuJoCo's step is the same integrator, in its own loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import biela as bl
from benchmarks import peers
from benchmarks.contender import with_numbers
from benchmarks.engines import Bound
from benchmarks.four_bar import DT
from benchmarks.line import Line
from benchmarks.timing import Job, interleave
from biela.mechanisms.arm7 import LINKS
from biela.simulate.step import step

RATE = "forward dynamics/s, more is better"
FREE, FIXED = "parameters free", "parameters fixed"
PINOCCHIO, MUJOCO, ROLLOUT = Bound(3, 7), Bound(5, 10), Bound(40, 80)
AGREEMENT = 1e-9  # relative, of accelerations
FOLLOWS = 1e-6  # rad, after a tenth of a second


class Arm:
    """Our arm: kernels, and one start."""

    def __init__(self) -> None:
        self.model = bl.mechanisms.arm7().model()
        self.step = step(self.model, "tree", "semi-implicit-euler")
        self.kernels = {
            FREE: bl.Kernel(self.step.function, cache=False),
            FIXED: bl.Kernel(with_numbers(self.step), cache=False),
        }
        self.start = self.step.pack(*self.model.start, 0.0)

    def run(self, way: str, x: np.ndarray, steps: int) -> np.ndarray:
        """States after some steps without torques."""
        free: dict[str, Any] = {"h": DT, "p": self.model.p, "u": self.model.u}
        return self.kernels[way].iterate(x, steps, every=steps, **(free if way == FREE else {}))[-1]

    def starts(self, lanes: int) -> np.ndarray:
        """The start with many velocities."""
        x = np.repeat(self.start[:, None], lanes, axis=1)
        x[7:14] = np.linspace(0.0, 0.5, lanes)
        return x


def lines(quick: bool) -> Iterator[Line]:
    """One state against Pinocchio, then MuJoCo; a batch against MuJoCo."""
    arm = Arm()
    loaded: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name in ("Pinocchio", "MuJoCo"):
        try:
            loaded[name] = peers.load(name, quick=quick).arm(LINKS)
        except peers.MissingPeerError as reason:
            missing[name] = str(reason)
    rounds = 1 if quick else 60
    yield from versus_pinocchio(arm, loaded.get("Pinocchio"), missing, 20 if quick else 2000, rounds)
    yield from versus_mujoco(arm, loaded.get("MuJoCo"), missing, 20 if quick else 2000, rounds)
    yield from batch(arm, loaded.get("MuJoCo"), missing, 16 if quick else 1024, rounds)


def versus_pinocchio(arm: Arm, peer: Any, missing: dict[str, str], steps: int, rounds: int) -> Iterator[Line]:
    """Against `aba` in a loop of C++, then called from Python."""
    told = "vs Pinocchio aba, in its own C++ loop over states"
    if peer is None:
        yield Line("arm scalar", told, None, None, RATE, missing["Pinocchio"])
        return
    many = max(1, steps // 10)
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 7, many))
    q, dq, torque = (np.asfortranarray(values) for values in states)
    ddq = np.zeros_like(q, order="F")
    peer.accelerations(q, dq, torque, ddq)
    ours = bl.Kernel(arm.model.functions["ddq"]).batch(*states[:2].copy(), arm.model.p, states[2].copy())
    difference = float(np.abs(ours - ddq).max() / np.abs(ddq).max())
    assert difference < AGREEMENT, f"Pinocchio and we disagree by {difference}"
    one = [np.ascontiguousarray(values[:, 0]) for values in (q, dq, torque)]
    jobs = _ours(arm, steps)
    jobs |= {
        "loop": lambda: peer.accelerations(q, dq, torque, ddq),
        "call": lambda: _repeat(peer.call, one, many),
        "empty": lambda: _repeat(peer.empty_call, one, many),
    }
    best = interleave(jobs, rounds)
    call = (best["call"] - best["empty"]) / many
    others = {told: many / best["loop"]}
    if call > 0.0:
        others["vs Pinocchio aba, called from Python, less a call that computes next to nothing"] = 1.0 / call
    for case, rate in others.items():
        for way in (FREE, FIXED):
            line = Line("arm scalar", f"{way}, {case}", steps / best[way], rate, RATE)
            yield _bounded(line.adding(difference=difference), PINOCCHIO, way == FREE and case == told)


def versus_mujoco(arm: Arm, peer: Any, missing: dict[str, str], steps: int, rounds: int) -> Iterator[Line]:
    """Against `mj_step` in its loop in C."""
    told = "vs MuJoCo mj_step, Euler"
    if peer is None:
        yield Line("arm scalar", told, None, None, RATE, missing["MuJoCo"])
        return
    difference = float(np.abs(arm.run(FREE, arm.start, 100)[:7] - peer.run(100)).max())
    assert difference < FOLLOWS, f"MuJoCo and we go different ways: {difference} rad"
    few = max(1, steps // 5)
    best = interleave(_ours(arm, steps) | {"peer": lambda: peer.run(few)}, rounds)
    for way in (FREE, FIXED):
        line = Line("arm scalar", f"{way}, {told}", steps / best[way], few / best["peer"], RATE)
        yield _bounded(line.adding(difference=difference), MUJOCO, way == FREE)


def batch(arm: Arm, peer: Any, missing: dict[str, str], lanes: int, rounds: int) -> Iterator[Line]:
    """Against `rollout` on one thread."""
    told = "vs MuJoCo rollout, one thread"
    if peer is None:
        yield Line("arm batch", told, None, None, RATE, missing["MuJoCo"])
        return
    steps, few = 16, max(2, lanes // 32)
    x = arm.starts(lanes)
    starts = peer.starts(np.ascontiguousarray(x[7:14, :few]))
    ours = arm.run(FREE, np.ascontiguousarray(x[:, :few]), steps)[:7]
    difference = float(np.abs(ours - peer.run_batch(starts, steps)).max())
    assert difference < FOLLOWS, f"MuJoCo and we go different ways: {difference} rad"
    jobs: dict[str, Job] = {way: lambda way=way: arm.run(way, x, steps) for way in (FREE, FIXED)}
    best = interleave(jobs | {"peer": lambda: peer.run_batch(starts, steps)}, rounds)
    for way in (FREE, FIXED):
        rate, other = steps * lanes / best[way], steps * few / best["peer"]
        line = Line("arm batch", f"{way}, {told}", rate, other, RATE).adding(difference=difference)
        yield _bounded(line, ROLLOUT, way == FREE)


def _ours(arm: Arm, steps: int) -> dict[str, Job]:
    return {way: lambda way=way: arm.run(way, arm.start, steps) for way in (FREE, FIXED)}


def _repeat(call: Any, arguments: list[np.ndarray], times: int) -> None:
    for _ in range(times):
        call(*arguments)


def _bounded(line: Line, bound: Bound, headline: bool) -> Line:
    assert line.ratio is not None
    if not headline:
        return line
    return line.adding(headline=True, must=bound.must, aim=bound.aim, holds=line.ratio >= bound.must)
