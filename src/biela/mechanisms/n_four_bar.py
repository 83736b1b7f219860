"""A row of n four-bar loops: n + 1 equal upright bars and n equal bars on top, which stay parallel.

The plane is that of x and y, with y up. Bar k turns about (k l, 0) by ``bar_k`` against x; top k turns
about the end of the bar before by ``top_k`` relative to it, and its far end meets the next bar's: two
equations a loop. 2 n + 1 coordinates, 2 n equations, one degree of freedom. When all bars lie on x the rank
of the equations drops and the mechanism could fold: every run passes there, a test for methods that trust
their constraints. The drawing is all bars and the path of the first corner.
"""

from __future__ import annotations

from math import pi

from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Trace
from biela.mechanics.inertia import rod
from biela.mechanics.space import Point
from biela.mechanics.system import System


def n_four_bar(n: int = 5) -> System:
    """A row of n four-bar loops of equal bars.

    Source: "N-four-bar mechanism", problem A02 of the IFToMM Library of Computational Benchmark Problems:
    uniform bars of 1 m and 1 kg; at the start the bars are upright and the tops move at 1 m/s along x.

    Raises ValueError for less than one loop.
    """
    if n < 1:
        raise ValueError(f"A row has at least one loop; got n={n}.")
    s = System("n_four_bar")
    m = s.parameter("m", 1.0, "kg", "mass of a bar")
    length = s.parameter("l", 1.0, "m", "length of a bar")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    corner = None
    for k in range(n + 1):
        foot = s.point(f"F{k}", s.origin, r=[k * length, 0, 0])
        bar = s.body(f"bar{k}", mass=m, com=[length / 2, 0, 0], inertia=rod(m, length))
        angle = s.coordinate(f"bar{k}", pi / 2, -1.0, "rad")
        s.revolute(s.ground, bar, at=foot, axis="z", coordinates=angle)
        end = bar.point([length, 0, 0])
        s.draw(Bar(bar.origin, end))
        if corner is not None:
            s.close(corner, end, name=f"loop{k}")
        corner = _top(s, k, bar, end, m, length) if k < n else end
    s.gravity([0, -g, 0])
    s.draw(Trace(s.bodies["top0"].origin))
    return s


def _top(s: System, k: int, bar: Body, corner: Point, m: Expr, length: Expr) -> Point:
    """The bar on top of loop k; returns its far end."""
    top = s.body(f"top{k}", mass=m, com=[length / 2, 0, 0], inertia=rod(m, length))
    angle = s.coordinate(f"top{k}", -pi / 2, 1.0, "rad")
    s.revolute(bar, top, at=corner, axis="z", coordinates=angle)
    end = top.point([length, 0, 0])
    s.draw(Bar(top.origin, end))
    return end
