"""The symbols of a system by name: coordinates, parameters, inputs, unknowns and time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import nan
from typing import Any

from biela.expr.expression import Coordinate, Expr, coordinate, time
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix
from biela.mechanics.quantity import Placement, Quantity, number
from biela.suggestion import suggestion

QUALIFIED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Symbols:
    """What a `System` is made of, by name; the part of it that declares symbols."""

    def __init__(self, name: str) -> None:
        self.name = named(name, "System", PLAIN)
        self.graph = Graph()
        self.coordinates_by_name: dict[str, Placement] = {}
        self.parameters_by_name: dict[str, Quantity] = {}
        self.inputs_by_name: dict[str, Quantity] = {}
        self.unknowns_by_name: dict[str, Quantity] = {}
        self._time: Expr | None = None

    @property
    def time(self) -> Expr:
        """The symbol of time."""
        if self._time is None:
            self._time = time(self.graph)
        return self._time

    @property
    def uses_time(self) -> bool:
        """Whether `time` was asked for."""
        return self._time is not None

    def coordinate(
        self, name: str, value: float = 0.0, speed: float = 0.0, unit: str = "", inertia: bool = True
    ) -> Expr:
        """A coordinate; ``q.dt()`` is its velocity. Without ``inertia`` no body may move with it.

        Raises ValueError for a name in use.
        """
        self._new(name)
        symbols: Coordinate = coordinate(self.graph, name)
        start, rate = number(value, name, "Coordinate"), number(speed, name, "Coordinate")
        self.coordinates_by_name[name] = Placement(symbols, start, rate, unit, inertia)
        return symbols.position

    def coordinates(self, names: str, unit: str = "", inertia: bool = True) -> list[Expr]:
        """Several coordinates, from names separated by blanks."""
        return [self.coordinate(name, unit=unit, inertia=inertia) for name in names.split()]

    def parameter(self, name: str, value: float | None = None, unit: str = "", note: str = "") -> Expr:
        """A constant that stays a symbol, with its default value; raises ValueError for a name in use."""
        return self._quantity(self.parameters_by_name, "Parameter", name, value, unit, note)

    def parameters(self, **values: Any) -> list[Expr]:
        """Several parameters by name; a value may be a pair of number and unit."""
        pairs: dict[str, Any] = {name: v if isinstance(v, tuple) else (v,) for name, v in values.items()}
        return [self.parameter(name, *pair) for name, pair in pairs.items()]

    def input(self, name: str, value: float = 0.0, unit: str = "", note: str = "") -> Expr:
        """A quantity that is given anew at every step: a motor torque, a wind."""
        return self._quantity(self.inputs_by_name, "Input", name, value, unit, note)

    def unknown(self, name: str, unit: str = "") -> Expr:
        """An unknown force of a joint that the coordinates do not respect: an alternative to multipliers."""
        return self._quantity(self.unknowns_by_name, "Unknown", name, None, unit, "")

    def _quantity(
        self, table: dict[str, Quantity], what: str, name: str, value: Any, unit: str, note: str
    ) -> Expr:
        self._new(name)
        known = nan if value is None else number(value, name, what)
        table[name] = Quantity(self.graph.symbol(name), known, unit, note)
        return table[name].symbol

    def _new(self, name: str) -> None:
        named(name, f"System '{self.name}', symbol")
        tables = {
            "coordinate": self.coordinates_by_name,
            "parameter": self.parameters_by_name,
            "input": self.inputs_by_name,
            "unknown": self.unknowns_by_name,
        }
        for kind, table in tables.items():
            if name in table:
                raise ValueError(f"System '{self.name}': '{name}' is already the name of a {kind}.")

    def _placement(self, coordinate: Any, where: str) -> Placement:
        """A coordinate by its name or symbol."""
        if isinstance(coordinate, str):
            return self._find("coordinate", coordinate, self.coordinates_by_name, where)
        if not isinstance(coordinate, Expr):
            raise TypeError(
                f"{where}: expected a coordinate or the name of one; got {type(coordinate).__name__} "
                f"{coordinate!r}."
            )
        self._ours(where, coordinate)
        for placement in self.coordinates_by_name.values():
            if placement.symbols.position == coordinate:
                return placement
        raise ValueError(
            f"{where}: '{coordinate}' is no coordinate of system '{self.name}'. "
            f"Known: {', '.join(self.coordinates_by_name)}."
        )

    def _ours(self, where: str, *values: Any) -> None:
        """Refuse expressions of other systems, also in lists."""
        for value in values:
            if isinstance(value, (list, tuple)):
                self._ours(where, *value)  # pyright: ignore[reportUnknownArgumentType]
            elif isinstance(value, (Expr, Matrix)) and value.graph is not self.graph:
                raise ValueError(f"{where}: '{value}' belongs to another system than '{self.name}'.")

    def _find(self, kind: str, name: str, table: dict[str, Any], where: str = "") -> Any:
        if name in table:
            return table[name]
        hint = suggestion(name, table)
        start = f"{where}: there" if where else "There"
        raise ValueError(
            f"{start} is no {kind} '{name}' in system '{self.name}'. Known: {', '.join(table)}.{hint}"
        )


def check_unused(system: Symbols, kind: str, name: str, table: Iterable[str]) -> None:
    """Raise TypeError for a name that is no str, ValueError for one that is in use."""
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{kind.capitalize()}: a name is a str; got {type(name).__name__} {name!r}.")
    if name in table:
        raise ValueError(f"System '{system.name}': there is a {kind} '{name}' already. Choose another name.")


def named(name: Any, what: str, pattern: re.Pattern[str] = QUALIFIED) -> str:
    """A name from which symbols and Functions can be named.

    Raises TypeError for what is no str, ValueError for a str with other characters.
    """
    if not isinstance(name, str):
        raise TypeError(f"{what}: a name is a str; got {type(name).__name__} {name!r}.")
    if pattern.fullmatch(name):
        return name
    qualified = ", qualified with dots like 'leg3.rod'" if pattern is QUALIFIED else ""
    plain = re.sub(r"\W+" if pattern is PLAIN else r"[^\w.]+", "_", name, flags=re.ASCII).strip("_.")
    hint = f" Try '{plain}'." if pattern.fullmatch(plain) else ""
    raise ValueError(
        f"{what} {name!r}: a name has letters, digits and underscores, beginning with a letter{qualified}."
        f"{hint}"
    )
