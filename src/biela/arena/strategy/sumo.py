"""Baselines for sumo: simple, different, and beatable."""

from __future__ import annotations

import math
from typing import final

from biela.arena.strategy.strategy import Speeds, Strategy
from biela.arena.strategy.view import View, wrapped


@final
class Charge(Strategy):
    """Turn to the opponent and push as hard as it goes."""

    def act(self, view: View) -> Speeds:
        """Forward with what is left after turning."""
        off = view.me.bearing(view.opponent.x, view.opponent.y)
        return view.drive(view.top_speed * max(0.0, math.cos(off)), 12.0 * off)


@final
class Orbiter(Strategy):
    """Go around the opponent and push from its side; stay off the border."""

    def act(self, view: View) -> Speeds:
        """Aim at its flank until beside it, then at it."""
        me, other, radius = view.me, view.opponent, view.length / 2
        if math.hypot(me.x, me.y) > 0.8 * radius and not self._beside(view):
            off = me.bearing(0.0, 0.0)
            return view.drive(0.6 * view.top_speed * math.cos(off), 10.0 * off)
        aim = (other.x, other.y)
        if not self._beside(view):
            side = 1.0 if wrapped(math.atan2(me.y - other.y, me.x - other.x) - other.heading) > 0 else -1.0
            angle, reach = other.heading + side * 1.9, 0.3 * radius
            aim = (other.x + reach * math.cos(angle), other.y + reach * math.sin(angle))
        off = me.bearing(*aim)
        return view.drive(view.top_speed * max(0.2, math.cos(off)), 12.0 * off)

    def _beside(self, view: View) -> bool:
        me, other = view.me, view.opponent
        return abs(other.bearing(me.x, me.y)) > 1.0 and me.distance(other.x, other.y) < 0.7 * view.length


@final
class Searcher(Strategy):
    """Spin until the opponent is in front, as a robot with one range sensor would; then charge."""

    def act(self, view: View) -> Speeds:
        """A cone of 20 degrees is in front."""
        off = view.me.bearing(view.opponent.x, view.opponent.y)
        if abs(off) > math.radians(20):
            return view.drive(0.0, 6.0)
        return view.drive(view.top_speed, 4.0 * off)


@final
class Anchor(Strategy):
    """Hold the middle with the blade to the opponent; push only what comes near or goes to the border."""

    def act(self, view: View) -> Speeds:
        """It never leaves the inner half but with the opponent before it."""
        me, other, radius = view.me, view.opponent, view.length / 2
        off = me.bearing(other.x, other.y)
        near = me.distance(other.x, other.y) < 0.5 * radius or math.hypot(other.x, other.y) > 0.75 * radius
        if near and math.hypot(me.x, me.y) < 0.85 * radius:
            return view.drive(view.top_speed * max(0.0, math.cos(off)), 14.0 * off)
        if math.hypot(me.x, me.y) > 0.2 * radius:
            return view.towards(me, 0.0, 0.0, 0.7 * view.top_speed)
        return view.drive(0.0, 10.0 * off)


@final
class Still(Strategy):
    """Stay where it is."""

    def act(self, view: View) -> Speeds | dict[str, Speeds]:
        """Nothing."""
        return {thing.id: (0.0, 0.0) for thing in view.mine}


@final
class Nobody(Strategy):
    """Ask for nothing, because somebody else drives: a client of a league's protocol, an agent elsewhere."""

    def act(self, view: View) -> Speeds | dict[str, Speeds]:
        """Not even to stand."""
        return {}
