"""How many times as fast as the clock our large mechanisms run: whole steps of 1 ms, constraints closed.

Multipliers, semi-implicit Euler, one iteration back to the constraints, parameters free. There is no peer:
the clock is one.
"""

from __future__ import annotations

from collections.abc import Iterator

import biela as bl
from benchmarks.engines import Bound
from benchmarks.four_bar import DT
from benchmarks.line import Line
from benchmarks.timing import interleave
from biela.mechanisms import MECHANISMS
from biela.simulate.assembly import assemble
from biela.simulate.step import step

BOUNDS = {"stewart": Bound(100, 400), "locomotive": Bound(8, 25)}
RESIDUAL = 1e-8  # of the constraints


def lines(quick: bool) -> Iterator[Line]:
    """The Stewart platform and, if there is time to compile it, the locomotive."""
    for name in ("stewart",) if quick else BOUNDS:
        yield mechanism(name, 20 if quick else 200, 1 if quick else 30)


def mechanism(name: str, steps: int, rounds: int) -> Line:
    """One of the mechanisms, from its start; raises AssertionError where its constraints are not kept."""
    model = MECHANISMS[name]().model()
    made = step(model, "multipliers", "semi-implicit-euler", iterations=1)
    kernel, start = bl.Kernel(made.function), assemble(model)
    x = made.pack(start.q, start.dq, 0.0)
    inputs = {"h": DT, "p": model.p, "u": model.u}
    named = {port.name: inputs[port.name] for port in made.function.inputs[1:]}
    gap = float(kernel.iterate(x, steps, every=steps, **named)[-1, made.names.index("gap")])
    assert gap < RESIDUAL, f"{name}: its loops gape by {gap}"
    best = interleave({"ours": lambda: kernel.iterate(x, steps, every=steps, **named)}, rounds)["ours"]
    operations = made.function.operations.total
    case = (
        f"{name}: {operations} operations a step of 1 ms, {len(model.phi_dot)} equations closed, vs the clock"
    )
    line = Line("real time", case, steps * DT / best, 1.0, "simulated s/s, more is better")
    ratio, bound = steps * DT / best, BOUNDS[name]
    return line.adding(
        us_per_step=1e6 * best / steps,
        residual=gap,
        must=bound.must,
        aim=bound.aim,
        holds=ratio >= bound.must,
    )
