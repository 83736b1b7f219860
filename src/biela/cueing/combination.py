"""Combination of degrees of freedom: what to do with a demand that is out of reach.

A platform's degrees of freedom depend on each other, and a demand for all of them may not be reachable though
each one is. The source's answer keeps the proportions: the largest scale in [0, 1] by which the demand can be
had. Since rest is reachable, that is a search on one number.

* `Bisection` halves [0, 1] until all intervals are shorter than a tolerance, as the source does. The
  source's algorithm returns the last vector *tested*, which may be out of reach; ours returns the last one
  that passed. ``printed=True`` gives the printed one, to compare with.
* `Exact` brackets the end of reach by the false position with Illinois' correction (Dowell and Jarratt,
  1971). What it returns has been tested too.
* `Priority` serves some degrees of freedom first and shrinks the rest.

All are unrolled: a combination is one Function without branches. A set of reachable poses with holes on the
ray from rest leaves some end of reach, not always the first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import ceil, inf, log2, pi

import numpy as np

from biela.cueing.platform import Platform
from biela.expr.expression import Expr, constant, maximum, minimum, where
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.mechanics.quantity import deg

LARGEST = 60  # halvings: doubles have no more
BACK = 1e-10  # of the scale: how far the last test stays inside of the end of reach
INSIDE = 1.0 - 1e-12  # of a limit, so that rounding stays on this side of it


@dataclass(frozen=True)
class Ray:
    """The poses ``held + scale * demand`` for scales from 0 to 1."""

    platform: Platform
    held: list[Expr] | None
    demand: list[Expr]

    def pose(self, scale: Expr) -> list[Expr]:
        """The pose at a scale."""
        scaled = [scale * x for x in self.demand]
        return scaled if self.held is None else [h + x for h, x in zip(self.held, scaled, strict=True)]

    def margin(self, scale: Expr) -> Expr:
        """How far the pose at a scale is within reach."""
        return self.platform.margin(self.pose(scale))

    def free(self, scale: Expr) -> Expr:
        """The same without the limits of the pose, which `top` knows exactly."""
        return self.platform.actuator_margin(self.pose(scale))

    @property
    def start(self) -> Expr:
        """The margin at scale 0 without the limits of the pose."""
        if self.held is not None:
            return self.free(self.number(0.0))
        rest = [0.0] * len(self.platform.dofs)
        if not float(self.platform.margin.evaluate(rest)) > 0.0:
            raise ValueError(f"{self.platform.name}: rest is out of reach, so no demand has a scale.")
        return self.number(float(self.platform.actuator_margin.evaluate(rest)))

    @property
    def top(self) -> Expr:
        """The largest scale, up to 1, that the limits of the pose allow."""
        top = self.number(1.0)
        held = self.held or [self.number(0.0)] * len(self.demand)
        for x, h, (low, high) in zip(self.demand, held, self.platform.pose_limits, strict=True):
            if x.number == 0.0:
                continue
            if high < inf:
                top = where(h + x > high, minimum(top, INSIDE * (high - h) / x), top)
            if low > -inf:
                top = where(h + x < low, minimum(top, INSIDE * (low - h) / x), top)
        return top

    @property
    def size(self) -> Expr:
        """The largest component of the demand."""
        return reduce(maximum, [abs(x) for x in self.demand])

    def number(self, value: float) -> Expr:
        """A constant."""
        return constant(self.demand[0].graph, value)


class Combination(ABC):
    """A way to make a demand reachable."""

    @abstractmethod
    def achieve(self, platform: Platform, demand: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """The reachable vector for a demand, as expressions, and the scale of what was shrunk."""

    def content(self, platform: Platform, demand: Sequence[Expr]) -> Expr:
        """1 where the demand is left as it is, else 0: what is told without a search."""
        return platform.margin(list(demand)) >= 0.0

    def function(self, platform: Platform) -> Function:
        """``achieved``, ``scale`` and ``clipped`` (1 or 0) of a ``demand``."""
        graph = Graph()
        demand = [graph.symbol(name) for name in platform.dofs]
        achieved, scale = self.achieve(platform, demand)
        outputs = {"achieved": achieved, "scale": scale, "clipped": scale < 1.0}
        return Function(f"{platform.name}_combine", {"demand": demand}, outputs)


class Scaling(Combination):
    """A combination that shrinks all degrees of freedom alike."""

    @abstractmethod
    def scale(self, ray: Ray) -> Expr:
        """The largest scale found on a ray."""

    def achieve(self, platform: Platform, demand: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """The demand, scaled."""
        scale = self.scale(Ray(platform, None, list(demand)))
        return [scale * x for x in demand], scale


@dataclass(frozen=True)
class Bisection(Scaling):
    """The source's algorithm, repaired: halve until every interval is shorter than ``tolerance``.

    ``largest`` is the largest demand that is foreseen; larger ones get fewer halvings than they ask for.
    Raises ValueError for a tolerance that is not positive.
    """

    tolerance: float = deg(0.01)
    printed: bool = False
    largest: float = pi

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance > 0.0):
            raise ValueError(
                f"The tolerance of a bisection is a positive number; got {self.tolerance!r}. With 0 it "
                "would never end."
            )

    @property
    def halvings(self) -> int:
        """How many there are at most."""
        return min(LARGEST, max(1, ceil(log2(self.largest / self.tolerance)) + 1))

    def scale(self, ray: Ray) -> Expr:
        """All vectors lie on one ray, so their intervals are scaled copies of one, which is halved."""
        low, last, size = ray.number(0.0), ray.number(0.0), ray.size
        for k in range(self.halvings):
            middle = low + 0.5 ** (k + 1)
            going = size * 0.5**k >= self.tolerance if k else ray.number(1.0)
            passed = where(going, ray.margin(middle) >= 0.0, 0.0)
            last = where(going, middle, last)
            low = where(passed, middle, low)
        return where(ray.margin(ray.number(1.0)) >= 0.0, 1.0, last if self.printed else low)


@dataclass(frozen=True)
class Exact(Scaling):
    """The end of reach by ``halvings`` and then ``secants``, tests of poses; fewer stop a little short.

    As it stands it is within 1e-6 of the demand, and mostly within 1e-10; 6 and 8 tests leave 1e-9. Where
    the margin only just vanishes along the ray, it stops up to 1e-4 short.
    """

    halvings: int = 2
    secants: int = 6

    def scale(self, ray: Ray) -> Expr:
        """A bracket, halved, then cut by the false position; an end that stays loses half its margin."""
        a, b = ray.number(0.0), ray.top
        fa, fb = ray.start, ray.free(b)
        top, reachable, side = b, fb >= 0.0, ray.number(0.0)
        count = self.halvings + self.secants
        for k in range(count):
            halving = k < self.halvings
            c = 0.5 * (a + b) if halving else (a * fb - b * fa) / (fb - fa)
            if k == count - 1:  # the last one shall be within reach
                c = maximum(a, c - (BACK + 0.1 * (b - c)))
            fc = ray.free(c)
            inside = fc >= 0.0
            kept_a, kept_b = fa, fb
            if not halving:
                kept_a = where(side < 0.0, 0.5 * fa, fa)
                kept_b = where(side > 0.0, 0.5 * fb, fb)
                side = where(inside, 1.0, -1.0)
            fa, fb = where(inside, fc, kept_a), where(inside, kept_b, fc)
            a, b = where(inside, c, a), where(inside, b, c)
        return where(reachable, top, INSIDE * a)


@dataclass(frozen=True)
class Unsearched(Combination):
    """Another combination where that leaves demands as they are; elsewhere the scale is 0, the rest is wrong.

    It makes the quick half of a `biela.cueing.passage.Passage`.
    """

    other: Combination

    def achieve(self, platform: Platform, demand: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """The demand itself."""
        return list(demand), where(self.other.content(platform, demand), 1.0, 0.0)


@dataclass(frozen=True)
class Priority(Combination):
    """Some degrees of freedom first, with the others at rest; these get what is left, shrunk alike."""

    first: tuple[str, ...]
    search: Scaling = Exact()

    def content(self, platform: Platform, demand: Sequence[Expr]) -> Expr:
        """The first ones alone have to be within reach too."""
        pairs = zip(platform.dofs, demand, strict=True)
        first = [x if name in self.first else 0.0 * x for name, x in pairs]
        return minimum(platform.margin(first), platform.margin(list(demand))) >= 0.0

    def achieve(self, platform: Platform, demand: Sequence[Expr]) -> tuple[list[Expr], Expr]:
        """Two searches, one after the other; the scale is the product of what both found."""
        unknown = [name for name in self.first if name not in platform.dofs]
        if unknown:
            known = ", ".join(platform.dofs)
            raise ValueError(f"{platform.name} has no degree of freedom '{unknown[0]}'. It has {known}.")
        pairs = list(zip(platform.dofs, demand, strict=True))
        chosen = [x if name in self.first else 0.0 * x for name, x in pairs]
        others = [0.0 * x if name in self.first else x for name, x in pairs]
        scale = self.search.scale(Ray(platform, None, chosen))
        held = [scale * x for x in chosen]
        left = self.search.scale(Ray(platform, held, others))
        return [h + left * x for h, x in zip(held, others, strict=True)], scale * left
