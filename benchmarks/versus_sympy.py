"""The same mechanisms by sympy.physics.mechanics: time to write the equations, and their size after `cse`.

Nothing is timed before both give the same numbers at a random state. Ours is timed from the description to
the lowered Function, in which everything is shared already; SymPy's from the description to its matrices,
without the `cse` that makes them usable, whose time is told apart. Of SymPy's two ways Kane's method is the
peer, because it is the faster one: Lagrange's takes four times as long for the four-bar, which is shown,
and when tried 14 times for the chain of ten; for the arm it did not end within four minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.figure import Figure
from benchmarks.generating import lowered
from benchmarks.timing import seconds
from biela.expr.function import Function
from biela.mechanics.system import System
from biela.mechanisms import arm7, four_bar_general, n_pendulum

AGREEMENT = 1e-9
FASTER, SMALLER = 20.0, 1.5  # how many times, at least
OPEN, CLOSED = "M|delta", "M|delta|Phi|Phi_q|gamma"


class Pair(NamedTuple):
    """A mechanism and what is compared of it; SymPy is timed so many ``rounds`` after a first one."""

    name: str
    ours: Callable[[], System]
    theirs: Callable[[Any], Any]
    functions: str
    rounds: int
    method: str = "KanesMethod"


FOUR_BAR = Pair("four_bar_general", four_bar_general, lambda peer: peer.four_bar(), CLOSED, 5)
FULL = (
    FOUR_BAR,
    FOUR_BAR._replace(method="LagrangesMethod"),
    Pair("n_pendulum(10)", lambda: n_pendulum(10), lambda peer: peer.n_pendulum(10), OPEN, 3),
    Pair("arm7", arm7, lambda peer: peer.arm7(), OPEN, 2),
)
QUICK = (
    FOUR_BAR._replace(rounds=1),
    Pair("n_pendulum(3)", lambda: n_pendulum(3), lambda peer: peer.n_pendulum(3), OPEN, 1),
)


def lines(quick: bool) -> Iterator[Figure]:
    """Agreement, time and size for every pair."""
    try:
        from benchmarks import sympy_models as peer
    except ImportError as error:
        yield Figure("sympy", "", "").adding(skipped=str(error))
        return
    for pair in QUICK if quick else FULL:
        yield from compared(pair, peer)


def compared(pair: Pair, peer: Any) -> Iterator[Figure]:
    """Ours, with SymPy's figures and the ratios; raises AssertionError if the numbers differ."""
    from benchmarks import sympy_count

    def ours() -> Function:
        return lowered(pair.ours().model(), pair.functions)

    def theirs() -> Any:
        return peer.METHODS[pair.method](pair.theirs(peer))

    written = theirs().with_symbols()
    error = difference(ours(), pair.ours(), written)
    assert error < AGREEMENT, f"{pair.name}: SymPy and we give different numbers: {error}"
    best, peer_best = float("inf"), float("inf")
    for _ in range(pair.rounds):
        best = min(best, *(seconds(ours) for _ in range(3)))
        peer_best = min(peer_best, seconds(theirs))
    counts: list[Any] = []
    sharing = seconds(lambda: counts.append(sympy_count.shared(written.matrices)))
    count, shared = ours().operations, counts[0]
    faster, larger = peer_best / best, shared.total / count.total
    yield Figure.of("sympy", pair.name, pair.functions, count, best).adding(
        peer=f"sympy.physics.mechanics.{pair.method}", difference=error, peer_seconds=peer_best,
        peer_seconds_of_cse=sharing, times_faster=faster, must_be_faster=FASTER, peer_ops=shared.total,
        peer_atoms=shared.atoms, times_smaller=larger, must_be_smaller=SMALLER,
        holds=faster >= FASTER and larger >= SMALLER,
    )  # fmt: skip


def difference(function: Function, system: System, written: Any) -> float:
    """The largest difference of all outputs at a random state, each relative to its largest entry."""
    import sympy

    model, random = system.model(), np.random.default_rng(1)
    q, dq, u = (random.uniform(-1.0, 1.0, n) for n in (len(model.q), len(model.q), len(model.inputs)))
    given = {"q": q, "dq": dq, "p": model.p, "u": u}
    outputs = function.evaluate(*(given[port.name] for port in function.inputs))
    values = {quantity.name: value for quantity, value in zip(model.parameters, model.p, strict=True)}
    values |= {quantity.name: value for quantity, value in zip(model.inputs, u, strict=True)}
    values |= dict(zip((s.name for s in (*written.q, *written.dq)), (*q, *dq), strict=True))
    symbols = [sympy.Symbol(name, real=True) for name in values]
    evaluate = sympy.lambdify(symbols, written.matrices, modules="numpy", cse=True)
    worst = 0.0
    for ours, theirs in zip(outputs, evaluate(*values.values()), strict=True):
        expected = np.array(theirs, float).reshape(ours.shape)
        worst = max(worst, float(np.abs(ours - expected).max() / np.abs(expected).max()))
    return worst
