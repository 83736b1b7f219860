"""Entities: points and unit vectors that bodies in natural coordinates share, with components as coordinates.

An entity is an ordinary point or vector of the system. What has no coordinates of its own here is *given*:
fixed in the ground, or carried by a body that a joint places. Equations about given entities only, and
equations that two bodies would both write, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.expr.expression import Expr, constant
from biela.expr.matrix import Matrix, vector
from biela.expr.pattern import identity
from biela.mechanics.natural_body import components
from biela.mechanics.quantity import number
from biela.mechanics.rotation import AXES
from biela.mechanics.space import Point
from biela.mechanics.symbols import check_unused
from biela.mechanics.system import System
from biela.mechanics.vector import Vector

TOLERANCE = 1e-9
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Entity:
    """A point or a unit vector of a body: where it is, and where in the body's frame."""

    name: str
    is_point: bool
    is_given: bool  # it has no coordinates of its own here
    value: Matrix  # by components in the ground
    local: Matrix  # by components in the body's frame


class Entities:
    """The points and directions of a system in natural coordinates, and what is measured of them."""

    def __init__(self, system: System, plane: str = "") -> None:
        if plane and (len(plane) != 2 or len(set(plane)) != 2 or not set(plane) <= set(AXES)):
            raise ValueError(f"Plane {plane!r}: expected two of x, y and z, as in 'xy', or '' for space.")
        self.system = system
        self.plane = plane
        self._letters = plane or "xyz"
        rows = identity(system.graph, 3)
        self._first: Matrix = rows[AXES[self._letters[0]]]
        self._normal: Matrix | None = self._first.cross(rows[AXES[plane[1]]]) if plane else None
        self._own: set[tuple[int, ...]] = set()  # the components of points and directions made here
        self._known: set[int] = set()  # equations that hold already

    def __repr__(self) -> str:
        return f"<Natural coordinates of {self.system.name} in {self.plane or 'space'}>"

    # points and directions

    def point(self, name: str, start: Sequence[float], speed: Sequence[float] = ()) -> Point:
        """A point whose components are coordinates, 'A.x' ..., with the place and velocity it starts with.

        Raises ValueError for a name in use or another number of components.
        """
        check_unused(self.system, "point", name, self.system.points)
        return self.system.point(name, r=self._coordinates(f"Point '{name}'", name, start, speed, "m"))

    def fixed(self, name: str, place: Sequence[Any]) -> Point:
        """A point fixed in the ground, by numbers or parameters; raises ValueError for a name in use."""
        return self.system.point(name, r=self._components(place, f"Point '{name}'"))

    def direction(self, name: str, start: Sequence[float], speed: Sequence[float] = ()) -> Vector:
        """A unit vector whose components are coordinates; its length is a constraint of its own.

        ``start`` may have any length. A fixed direction is ``system.vector(...)``.

        Raises ValueError for a name in use, another number of components or the zero vector.
        """
        where = f"Direction '{name}'"
        self._components(start, where)
        values = np.array([number(v, name, "Direction") for v in start])
        if not values.any():
            raise ValueError(f"{where}: it starts as the zero vector. Say where it points.")
        unit_values = [float(v) for v in values / np.linalg.norm(values)]
        q = self._coordinates(where, name, unit_values, speed, "")
        self._demand(f"|{name}|", [q.dot(q) - 1.0])
        return self.system.vector(q)

    # what bodies and relations share

    def _coordinates(
        self, where: str, name: str, start: Sequence[float], speed: Sequence[float], unit_: str
    ) -> Matrix:
        """New coordinates along the axes, as the components of a vector."""
        self._components(start, where)
        rates = speed if len(speed) else [0.0] * len(start)
        self._components(rates, f"{where}, speed")
        made = [
            self.system.coordinate(f"{name}.{letter}", value, rate, unit=unit_)
            for letter, value, rate in zip(self._letters, start, rates, strict=True)
        ]
        q = self._components(made, where)
        self._own.add(q.refs)
        return q

    def _demand(self, name: str, equations: Iterable[Expr]) -> None:
        """Constraints, but those that bodies share and those of fixed entities only."""
        kept: list[Expr] = []
        for equation in equations:
            if abs(equation.ref) in self._known or is_settled(
                equation, self._number(equation), f"Constraint '{name}'"
            ):
                continue
            self._known.add(abs(equation.ref))
            kept.append(equation)
        if kept:
            self.system.constrain(name, *kept)

    def _entity(self, value: Any, where: str) -> Entity:
        root = self.system.space.root
        if isinstance(value, Vector):
            found, name, is_point = value.at(root), "a vector", False
        else:
            found, name, is_point = self.system.position(value).at(root), getattr(value, "name", value), True
        if found.graph is not self.system.graph:
            raise ValueError(f"{where}: {name} belongs to another system than '{self.system.name}'.")
        return Entity(str(name), is_point, found.refs not in self._own, found, found)

    def _line(self, value: Any, where: str) -> Matrix:
        """A vector, or the one between a pair of points."""
        if isinstance(value, Vector):
            return self._entity(value, where).value
        if not isinstance(value, (tuple, list)) or len(value) != 2:  # pyright: ignore[reportUnknownArgumentType]
            raise TypeError(f"{where}: expected a vector or a pair of points; got {value!r}.")
        start, end = (self._entity(point, where).value for point in value)  # pyright: ignore[reportUnknownVariableType]
        return end - start

    # numbers

    def _scalar(self, value: Any) -> Expr:
        return value if isinstance(value, Expr) else constant(self.system.graph, value)

    def _components(self, values: Any, where: str) -> Matrix:
        return components(values, self._letters, self.system.graph, where)

    def _number(self, expression: Expr) -> float:
        """Its value at the start, with the defaults of parameters and inputs; nan where there is none."""
        return float(self._numbers(vector([expression]))[0])

    def _numbers(self, v: Matrix) -> np.ndarray:
        s = self.system
        values = {p.symbols.position: p.value for p in s.coordinates_by_name.values()}
        for table in (s.parameters_by_name, s.inputs_by_name):
            values |= {quantity.symbol: quantity.value for quantity in table.values()}
        found = np.array([e.value({x: values.get(x, 0.0) for x in e.symbols}) for e in v])
        missing = [x.name for e in v for x in e.symbols if np.isnan(values.get(x, 0.0))]
        if missing:
            raise ValueError(
                f"Natural coordinates need a value for parameter {', '.join(missing)} at the start."
            )
        return found

    def _at_start(self, v: Matrix) -> Matrix:
        values = self._numbers(v)
        return vector([0.0 if abs(x) < ROUNDING else float(x) for x in values], self.system.graph)

    def _length(self, v: Matrix, where: str) -> Expr:
        length = float(np.linalg.norm(self._numbers(v)))
        if length < ROUNDING:
            raise ValueError(f"{where}: its two points start at the same place.")
        return self._scalar(length)


def is_settled(equation: Expr, value: float, where: str) -> bool:
    """Whether an equation without coordinates holds, and may be left out.

    Raises ValueError when it does not.
    """
    if any(abs(symbol.ref) in equation.graph.rates for symbol in equation.symbols):
        return False
    if abs(value) > TOLERANCE:
        raise ValueError(
            f"{where}: what is fixed of it does not fit the sizes given: {equation} should be zero and is "
            f"{value:.4g}. Check its places against the fixed points and vectors."
        )
    return True
