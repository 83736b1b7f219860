"""Two four-bar loops side by side: the smallest of `n_four_bar` that is a benchmark of its own.

Three upright bars and two on top, five relative and absolute angles, four equations, one degree of freedom;
the rank of the equations drops when the bars lie on x. See `biela.mechanisms.n_four_bar` for coordinates
and drawing.
"""

from __future__ import annotations

from biela.mechanics.system import System
from biela.mechanisms.n_four_bar import n_four_bar


def double_four_bar() -> System:
    """Two four-bar loops of equal bars side by side.

    Source: "double four-bar mechanism", problem A02 of the IFToMM Library of Computational Benchmark
    Problems: five uniform bars of 1 m and 1 kg; upright at the start, with the tops at 1 m/s along x.
    """
    s = n_four_bar(2)
    s.name = "double_four_bar"
    return s
