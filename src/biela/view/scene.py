"""`Scene`: what is drawn of a model: its shapes as plain data, their names and colours, and which way is up.

Places and turns are numbered as the Function ``frames`` gives them. A shape is a dictionary that goes to the
page as JSON: ``kind`` and ``name``, ``body`` to colour it by, ``places`` and, of a solid, ``turn``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from biela.expr.function import Function
from biela.mechanics.catalogue import frames
from biela.mechanics.drawing import Bar, Shape, Solid, bases_of, points_of
from biela.mechanics.model import Model
from biela.mechanics.space import Base, Point, is_zero
from biela.view.color import known
from biela.view.sketch import sketched

# steel, brass, verdigris and their kin: muted, and apart for colour-blind eyes (after Okabe and Ito, 2008)
BODIES = ("#4a7fb5", "#e0933a", "#4f9d80", "#b26a9a", "#8c8f97", "#c9b458", "#6fa8d0", "#b5563f")
GROUND, SPRING, PATH = "#8a9099", "#9aa1ab", "#1d8a99"
SIZES = {"box": 3, "cylinder": 2, "sphere": 1}


@dataclass(frozen=True, eq=False)
class Scene:
    """The shapes of a model, numbered as its places and turns are."""

    model: Model
    drawing: tuple[Shape, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "drawing", self.model.drawing or sketched(self.model))

    @property
    def name(self) -> str:
        """That of the model."""
        return self.model.name

    @cached_property
    def frames(self) -> Function:
        """The places and turns as a Function of the coordinates."""
        if self.model.drawing:
            return self.model.functions["frames"]
        return self.model.function("frames", frames(self.model, self.drawing), "position")

    @cached_property
    def fixed(self) -> np.ndarray:
        """Which places stand still, whatever the mechanism does."""
        places = self.frames.output("places")
        return np.array([self._still(row) for row in np.array(places.refs).reshape(places.shape)])

    @cached_property
    def plane(self) -> list[int]:
        """The axes of the ground along which nothing ever moves and that turns never tilt."""
        parts = {port.name: np.array(port.refs).reshape(port.shape) for port in self.frames.outputs}
        turns = parts.get("turns", np.zeros((0, 9), int)).reshape(-1, 3, 3)
        return [
            k for k in range(3)
            if self._still([*parts["places"][:, k], *turns[:, k].ravel(), *turns[:, :, k].ravel()])
        ]  # fmt: skip

    def _still(self, refs: Iterable[int]) -> bool:
        """Whether expressions of the graph depend on no coordinate and not on time."""
        time = self.model.time
        moves = {x.ref for x in [*self.model.q, *([] if time is None else [time])]}
        return moves.isdisjoint(self.model.graph.reachable([int(ref) for ref in refs]))

    @cached_property
    def pivots(self) -> list[int]:
        """The fixed places on which something hangs that moves."""
        hanging: set[int] = set()
        for shape in self.shapes:
            places = np.array(shape["places"])
            if shape["kind"] != "solid" and not self.fixed[places].all():
                hanging |= set(places[self.fixed[places]].tolist())
        return sorted(hanging)

    @cached_property
    def shapes(self) -> list[dict[str, Any]]:
        """The shapes as plain data; raises ValueError for a form that nobody can draw."""
        point = {id(p): k for k, p in enumerate(points_of(self.drawing))}
        base = {id(b): k for k, b in enumerate(bases_of(self.drawing))}
        found = [self._shape(shape, point, base) for shape in self.drawing]
        order = list(dict.fromkeys(shape["body"] for shape in found if shape["body"]))
        for shape in found:
            shape["color"] = known(shape["color"]) if shape["color"] else _colour(shape, order)
        return found

    def _shape(self, shape: Shape, point: dict[int, int], base: dict[int, int]) -> dict[str, Any]:
        used = points_of([shape])
        told: dict[str, Any] = {"kind": type(shape).__name__.lower(), "color": shape.color, "body": ""}
        told["places"] = [point[id(p)] for p in (shape.points if isinstance(shape, Bar) else used)]
        if isinstance(shape, Solid):
            told |= _solid(shape) | {"turn": base[id(shape.base)]}
            told["body"] = next((n for n, b in self.model.bodies.items() if b.base is shape.base), "")
        elif isinstance(shape, Bar):
            told["radius"] = shape.radius
            told["body"] = self._carrier(used)
        told["name"] = told["body"] or _named(shape, used)
        return told

    def _carrier(self, points: list[Point]) -> str:
        """The body that most of the points are fixed on, in which case the last of equals, or none."""
        votes = [
            (sum(_fixed(point, body.origin, body.base) for point in points), k, name)
            for k, (name, body) in enumerate(self.model.bodies.items())
        ]
        most = max(votes, default=(0, 0, ""))
        return most[2] if most[0] > 1 else ""

    @cached_property
    def up(self) -> np.ndarray:
        """The axis of the ground nearest to the one along which nothing falls; z without gravity."""
        function = self.model.function("weight", {"weight": self.model.weight}, "force")
        q, dq = self.model.start
        have = {"q": q, "dq": dq, "t": 0.0, "p": self.model.p, "u": self.model.u}
        found = function.evaluate(**{port.name: have[port.name] for port in function.inputs})
        down = np.asarray(found, float)
        along = int(np.argmax(np.abs(down)))
        up = np.zeros(3)
        up[along if down[along] else 2] = -np.sign(down[along]) or 1.0
        return up


def _solid(shape: Solid) -> dict[str, Any]:
    if shape.form not in SIZES or len(shape.size) != SIZES[shape.form] or shape.axis not in ("x", "y", "z"):
        raise ValueError(
            f"A solid at point '{shape.point.name}' has form {shape.form!r}, size {shape.size} and axis "
            f"{shape.axis!r}: a box has (x, y, z), a cylinder (radius, length), a sphere (radius,); an axis "
            "is x, y or z."
        )
    return {"form": shape.form, "size": [float(s) for s in shape.size], "axis": shape.axis}


def _fixed(point: Point, origin: Point, base: Base) -> bool:
    """Whether a point stands still on a body: every step between them is nothing or along its base."""
    apart = set(point.path) ^ set(origin.path)
    return all(step.base is base or is_zero(step.edge()) for step in apart)


def _named(shape: Shape, used: list[Point]) -> str:
    ends = used if len(used) < 2 else [used[0], used[-1]]
    kind = {"Coil": "spring ", "Trace": "path of "}.get(type(shape).__name__, "")
    return kind + " to ".join(point.name for point in ends)


def _colour(shape: dict[str, Any], order: list[str]) -> str:
    if shape["kind"] == "trace":
        return PATH
    if shape["kind"] == "coil":
        return SPRING
    return BODIES[order.index(shape["body"]) % len(BODIES)] if shape["body"] else GROUND
