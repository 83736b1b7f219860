"""The seven-joint arm's M and bias against Pinocchio's `crba` and `nonLinearEffects`, if `pin` is installed.

Pinocchio walks the tree at run time, ours is straight-line code for this one arm with its parameters still
free. One state is one call of ours against two of Pinocchio's from Python; most of ours is the cost of the
call itself. A batch is a loop from Python for Pinocchio, whose bindings have none of these for many states,
and that is what a user of Python pays; the ratio is of times for each state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.figure import Figure
from benchmarks.timing import Job, interleave
from biela.compile import Kernel
from biela.mechanisms import arm7
from biela.mechanisms.arm7 import LINKS

AGREEMENT = 1e-9
LANES = 4096


def lines(quick: bool) -> Iterator[Figure]:
    """Agreement, one state, a batch; raises AssertionError if the numbers differ."""
    try:
        import pinocchio
    except ImportError as error:
        yield Figure("pinocchio", "arm7", "M|delta").adding(skipped=str(error))
        return
    function = arm7().model().functions["M|delta"]
    kernel, p, u = Kernel(function, cache=False), arm7().model().p, np.zeros(7)
    peer = described(pinocchio)
    data = peer.createData()
    q, dq = np.random.default_rng(1).uniform(-1.0, 1.0, (2, 7))
    _agree(kernel(q, dq, p, u), pinocchio.crba(peer, data, q), pinocchio.nonLinearEffects(peer, data, q, dq))
    calls, rounds = (10, 1) if quick else (2000, 15)

    def theirs() -> None:
        pinocchio.crba(peer, data, q)
        pinocchio.nonLinearEffects(peer, data, q, dq)

    def repeat(job: Job) -> None:
        for _ in range(calls):
            job()

    states = [np.repeat(x[:, None], LANES, axis=1) for x in (q, dq)]
    out = list(kernel.batch(*states, p, u))
    best = interleave(
        {
            "ours": lambda: repeat(lambda: kernel(q, dq, p, u)),
            "peer": lambda: repeat(theirs),
            "batch": lambda: kernel.batch(*states, p, u, out=out),
        },
        rounds,
    )
    one, many, other = best["ours"] / calls, best["batch"] / LANES, best["peer"] / calls
    for way, ours in (("one state", one), (f"batch of {LANES}, one core", many)):
        yield Figure.of("pinocchio", "arm7", "M|delta", function.operations).adding(
            peer="pinocchio crba + nonLinearEffects", way=way, seconds_of_call=ours, peer_seconds=other,
            times_faster=other / ours,
        )  # fmt: skip


def _agree(ours: Any, mass: np.ndarray, bias: np.ndarray) -> None:
    whole = np.triu(mass) + np.triu(mass, 1).T
    error = max(np.abs(ours.M - whole).max(), np.abs(ours.delta + bias).max())
    assert error < AGREEMENT * np.abs(bias).max(), f"Pinocchio and we give different numbers: {error}"


def described(pinocchio: Any) -> Any:
    """The arm in Pinocchio, from the same table of links."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    last = 0
    for n, link in enumerate(LINKS, 1):
        twist = np.deg2rad(link.twist)
        place = np.array([link.a, -link.d * np.sin(twist), link.d * np.cos(twist)])
        frame = pinocchio.SE3(pinocchio.utils.rotate("x", float(twist)), place)
        last = model.addJoint(last, pinocchio.JointModelRZ(), frame, f"joint{n}")
        xx, yy, zz, xy, xz, yz = link.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pinocchio.Inertia(link.mass, np.array(link.com), inertia)
        model.appendBodyToJoint(last, body, pinocchio.SE3.Identity())
    return model
