"""Football fields and sumo rings.

Football: public rules and the defaults of the simulators that the leagues use; where these disagree the
value of the league's own referee is taken. Sumo: the sizes that the rule pages of events agree on;
``from_memory`` marks what no page at hand confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.mark import Mark
from biela.arena.scene.pose import Three

THICK = 0.1  # of floors, m


@dataclass(frozen=True)
class FootballField:
    """A walled pitch, its middle at the origin and its floor at z = 0; goals are at both ends of x."""

    source: str
    length: float
    width: float
    goal_width: float
    goal_depth: float
    circle: float
    penalty_mark: float
    areas: tuple[tuple[float, float], ...]  # width and depth, from the goal line
    wall: float = 0.05
    wall_thickness: float = 0.025
    corner: float = 0.0
    margin: tuple[float, float] = (0.0, 0.0)  # beyond touch lines and goal lines
    from_memory: str = ""
    line: float = 0.003  # width of lines

    def entity(self, key: str = "field") -> Entity:
        """Floor, walls, goals, corners and lines."""
        half, side = self.length / 2 + self.margin[1], self.width / 2 + self.margin[0]
        thick = self.wall_thickness
        size = (2 * half + 2 * self.goal_depth + 4 * thick, 2 * side + 4 * thick, THICK)
        bodies = [Body("floor", "box", -1.0, (0, 0, -THICK / 2), material="floor", size=size, colour="floor")]
        for n, sign in enumerate((-1, 1)):
            bodies.append(self._wall(f"side{n}", 0, sign * (side + thick / 2), 2 * half + 2 * thick, thick))
            bodies += self._end(n, sign, half, side, thick)
        return Entity(key, "field", tuple(bodies), marks=tuple(self._marks()))

    def _marks(self) -> list[Mark]:
        """Touch lines, goal lines, the middle with its circle, and the areas; all within the field."""
        x, y = (self.length - self.line) / 2, (self.width - self.line) / 2
        corners = [(-x, -y), (x, -y), (x, y), (-x, y)]
        found = self._painted("edge", [*corners, corners[0]])
        found += self._painted("half", [(0.0, -y), (0.0, y)])
        found.append(Mark("circle", self.line, radius=self.circle - self.line / 2))
        for number, (wide, deep) in enumerate(self.areas):
            for sign in (-1, 1):
                back, front, side = sign * x, sign * (x - deep), wide / 2
                path = [(back, -side), (front, -side), (front, side), (back, side)]
                found += self._painted(f"area{number}{sign:+d}.", path)
        return found

    def _painted(self, name: str, path: list[tuple[float, float]]) -> list[Mark]:
        ends = enumerate(pairwise(path))
        return [Mark(f"{name}{n}", self.line, (*a, 0.0), (*b, 0.0)) for n, (a, b) in ends]

    def _end(self, n: int, sign: int, half: float, side: float, thick: float) -> list[Body]:
        """The wall behind a goal line with its mouth, or a closed one where goals stand inside the margin."""
        mouth, x = self.goal_width / 2, sign * (half + thick / 2)
        if self.margin[1]:
            goal = sign * (self.length / 2 + self.goal_depth / 2)
            back = sign * (self.length / 2 + self.goal_depth + thick / 2)
            sides = [
                self._wall(f"post{n}{k}", goal, k * (mouth + thick / 2), self.goal_depth, thick)
                for k in (-1, 1)
            ]
            closed = self._wall(f"end{n}", x, 0, thick, 2 * side)
            return [closed, self._wall(f"net{n}", back, 0, thick, 2 * mouth + 2 * thick), *sides]
        open_ = side - mouth
        found = [self._wall(f"end{n}{k}", x, k * (mouth + open_ / 2), thick, open_) for k in (-1, 1)]
        middle = sign * (half + self.goal_depth / 2 + thick / 2)
        found += [
            self._wall(f"post{n}{k}", middle, k * (mouth + thick / 2), self.goal_depth + thick, thick)
            for k in (-1, 1)
        ]
        back = sign * (half + self.goal_depth + thick / 2)
        found.append(self._wall(f"net{n}", back, 0, thick, 2 * mouth))
        return found + ([self._corner(n, k, sign, half, side) for k in (-1, 1)] if self.corner else [])

    def _wall(self, key: str, x: float, y: float, long: float, wide: float) -> Body:
        at: Three = (x, y, self.wall / 2)
        return Body(key, "box", -1.0, at, material="wall", size=(long, wide, self.wall), colour="wall")

    def _corner(self, n: int, k: int, sign: int, half: float, side: float) -> Body:
        """A prism that keeps the ball out of a corner."""
        c = self.corner
        flat = [(0.0, 0.0), (-sign * c, 0.0), (0.0, -k * c)]
        points: tuple[Three, ...] = tuple((x, y, z) for x, y in flat for z in (0.0, self.wall))
        at = (sign * half, k * side, 0.0)
        return Body(f"corner{n}{k}", "mesh", -1.0, at, material="wall", points=points, colour="wall")


FOOTBALL_FIELDS = {
    "vsss-3v3": FootballField(
        "VSSReferee field_default_3v3.h, FIRASim; wall of the 2008 rules",
        1.50, 1.30, 0.40, 0.10, 0.20, 0.375, ((0.70, 0.15),), corner=0.07,
    ),
    "vsss-5v5": FootballField(
        "VSSReferee field_default_5v5.h, FIRASim",
        2.20, 1.80, 0.40, 0.15, 0.25, 0.375, ((0.50, 0.15), (0.80, 0.35)),
        corner=0.0733,
    ),
    "ssl-a": FootballField(
        "ssl-rules, playing environment, division A",
        12.0, 9.0, 1.8, 0.18, 0.5, 8.0, ((3.6, 1.8),), 0.16, 0.02,
        margin=(0.3, 0.6), line=0.01,
        from_memory="walls around the margin have the height of the goal's (ours)",
    ),
    "ssl-b": FootballField(
        "ssl-rules, playing environment, division B",
        9.0, 6.0, 1.0, 0.18, 0.5, 6.0, ((2.0, 1.0),), 0.16, 0.02,
        margin=(0.3, 0.3), line=0.01,
        from_memory="walls around the margin have the height of the goal's (ours)",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class SumoRing:
    """A round ring (dohyo), its top at z = 0, with the ground below; and what may fight on it."""

    source: str
    diameter: float
    height: float
    border: float
    start_line: tuple[float, float]  # length, width
    gap: float  # between the start lines
    footprint: float
    mass: float
    from_memory: str = ""

    def entities(self) -> tuple[Entity, Entity]:
        """The ring with its white border, and the ground around it."""
        ring = Body("top", "cylinder", -1.0, (0, 0, -self.height / 2), material="floor",
                    radius=self.diameter / 2, length=self.height, colour="ring")  # fmt: skip
        wide = 4 * self.diameter
        at = (0.0, 0.0, -self.height - THICK / 2)
        ground = Body("top", "box", -1.0, at, material="floor", size=(wide, wide, THICK), colour="ground")
        border = Mark("border", self.border, radius=(self.diameter - self.border) / 2)
        return Entity("ring", "field", (ring,), marks=(border,)), Entity("ground", "field", (ground,))


SUMO_RINGS = {
    "mega": SumoRing("robothon.org, robochallenge.ro", 1.54, 0.05, 0.05, (0.20, 0.02), 0.20, 0.20, 3.0),
    "mini": SumoRing(
        "robothon.org, dprg.org, robochallenge.ro", 0.77, 0.025, 0.025, (0.10, 0.01), 0.10, 0.10, 0.5,
    ),
    "micro": SumoRing("service.robots.org.nz", 0.385, 0.0125, 0.0125, (0.05, 0.005), 0.05, 0.05, 0.1),
    "nano": SumoRing(
        "service.robots.org.nz", 0.1925, 0.006, 0.0063, (0.025, 0.0025), 0.025, 0.025, 0.025,
        "the gap between start lines, by analogy",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Ball:
    """A ball and what slows it down when it rolls, m/s^2."""

    source: str
    radius: float
    mass: float
    rolling: float

    def entity(self, key: str = "ball", x: float = 0.0, y: float = 0.0) -> Entity:
        """The ball on a floor at z = 0."""
        at = (x, y, self.radius)
        body = Body(
            key,
            "sphere",
            self.mass,
            at,
            material="ball",
            radius=self.radius,
            rolling=self.rolling,
            colour="ball",
        )
        return Entity(key, "ball", (body,))


BALLS = {
    "vsss": Ball("TraveSim: 0.02135 m, 0.046 kg; the rate of slowing down is ours", 0.02135, 0.046, 0.15),
    "ssl": Ball("ssl-rules and ER-Force: 0.0215 m, 0.046 kg, 0.35 m/s^2", 0.0215, 0.046, 0.35),
}
