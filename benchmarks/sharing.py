"""Sharing as expressions are made, against sharing afterwards: SymPy's `cse` of the expanded matrices.

The thesis lets Maple do the latter (its tables 6.4 and 6.5, case C.1). Two ways here: of the matrices with
everything multiplied out, as a modeller without shared nodes gets them, and of the matrices as we have built
them, factored but read as trees. Small models only: multiplied out, the platform does not end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import published
from benchmarks.figure import Figure
from benchmarks.generating import modelled
from benchmarks.timing import seconds
from biela.expr.counting import Count
from biela.expr.exchange import to_sympy

SMALL = ("block_pendulum", "four_bar_general", "crank_rod_disc")


def lines(quick: bool) -> Iterator[Figure]:
    """Ours next to both, for M, delta and both together."""
    try:
        import sympy

        from benchmarks import sympy_count
    except ImportError as error:
        yield Figure("atoms", "", "").adding(skipped=str(error))
        return
    ways: dict[str, Callable[[Any], Any]] = {
        "shared afterwards, from what is multiplied out": sympy.expand,
        "shared afterwards, from what we have factored": lambda entry: entry,
    }
    for name in SMALL:
        model = modelled(name)
        matrices = {"M": to_sympy(model.mass_matrix), "delta": to_sympy(model.delta)}
        for function in ("M", "delta", "M|delta"):
            ours = model.functions[function].operations
            figure = Figure.of("atoms", name, function, ours)
            source = published.OPERATIONS[name, function]
            yield figure._replace(source_ops=source).adding(way="shared as it is made")
            for way, prepare in ways.items():
                asked = [matrices[part].applyfunc(prepare) for part in function.split("|")]
                counts: list[Count] = []
                time = seconds(lambda asked=asked, counts=counts: counts.append(sympy_count.shared(asked)))
                figure = Figure.of("atoms", name, function, counts[0], time)
                source = published.AFTERWARDS.get((name, function))
                ratio = ours.total / counts[0].total
                yield figure._replace(source_ops=source).adding(way=way, ratio=ratio)
