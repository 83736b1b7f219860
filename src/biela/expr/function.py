"""`Function`: named inputs, named outputs. The one currency between the rooms.

A Function is frozen; whatever makes a bigger one (calling it on expressions, joining, differentiating,
baking in parameters) returns a new one. It is evaluated in plain Python by `evaluate`, natively by
`biela.Kernel`, and written in other languages by `biela.export`.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from biela.expr.counting import Count
from biela.expr.derivative import jacobian
from biela.expr.expression import Expr, listed
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix, matrix
from biela.expr.program import Program
from biela.expr.substitution import transfer
from biela.suggestion import suggestion

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Port:
    """A named input or output: its shape, and its components in NumPy's order (row after row)."""

    name: str
    shape: tuple[int, ...]
    refs: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of components."""
        return len(self.refs)

    @property
    def columns_first(self) -> tuple[int, ...]:
        """Where each component, taken column after column, stands in ``refs``: as exported code has them."""
        if len(self.shape) < 2:
            return tuple(range(self.size))
        rows, columns = self.shape
        return tuple(i * columns + j for j in range(columns) for i in range(rows))


class Function:
    """Outputs as functions of inputs.

    >>> g = Graph()
    >>> x, y = g.symbols("x y")
    >>> f = Function("f", {"p": [x, y]}, {"product": x * y, "sum": x + y})
    >>> f
    f(p[2]) -> product, sum
    >>> f.evaluate([3.0, 4.0]).product
    12.0
    """

    def __init__(
        self, name: str, inputs: Mapping[str, Any] | Sequence[Expr], outputs: Mapping[str, Any]
    ) -> None:
        self.name = _checked_name(name, "Function name")
        if not isinstance(inputs, Mapping):
            inputs = _named_after_symbols(name, inputs)
        if not isinstance(outputs, Mapping) or not outputs:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"Function '{name}': outputs must be a mapping of at least one name to a value.")
        self.graph = _graph_of(name, [*inputs.values(), *outputs.values()])
        self.inputs = tuple(self._port("input", key, value) for key, value in inputs.items())
        self.outputs = tuple(self._port("output", key, value) for key, value in outputs.items())
        self._check()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled, a Function takes along what it needs of its graph and no more."""
        graph = Graph()
        ports = (*self.inputs, *self.outputs)
        refs = iter(transfer(self.graph, [ref for port in ports for ref in port.refs], graph, {}))
        values = {
            port.name: _value(graph, port.shape, tuple(next(refs) for _ in port.refs)) for port in ports
        }
        inputs = {port.name: values.pop(port.name) for port in self.inputs}
        return Function, (self.name, inputs, values)

    # what it is

    def __repr__(self) -> str:
        def shown(port: Port) -> str:
            return port.name + (str(list(port.shape)).replace(", ", "x") if port.shape else "")

        return f"{self.name}({', '.join(map(shown, self.inputs))}) -> {', '.join(map(shown, self.outputs))}"

    @cached_property
    def program(self) -> Program:
        """Its straight-line instructions; inputs and outputs in NumPy's order, port after port."""
        inputs = [ref for port in self.inputs for ref in port.refs]
        return Program.lower(self.graph, inputs, [ref for port in self.outputs for ref in port.refs])

    @property
    def operations(self) -> Count:
        """How many operations one evaluation takes."""
        return self.program.count

    @cached_property
    def result_type(self) -> Any:
        """The named tuple that several outputs come in."""
        return _result_type(self.name, tuple(port.name for port in self.outputs))

    def input(self, name: str) -> Port:
        """The input of that name."""
        return self._find("input", name, self.inputs)

    def output(self, name: str) -> Port:
        """The output of that name."""
        return self._find("output", name, self.outputs)

    def value(self, port: Port) -> Any:
        """The expression (scalar port) or `Matrix` of expressions of an input or output."""
        return _value(self.graph, port.shape, port.refs)

    # numbers and expressions in

    def evaluate(self, *values: Any, **named: Any) -> Any:
        """The outputs for numbers, by plain Python: the reference that compiled code is checked against."""
        import numpy as np

        flat: list[float] = []
        for port, value in zip(self.inputs, self.bind(values, named), strict=True):
            try:
                array = np.asarray(value, float)
            except (TypeError, ValueError) as error:
                raise type(error)(f"Function '{self.name}', input '{port.name}': {error}") from None
            self.check_shape(port, array.shape)
            flat.extend(array.ravel().tolist())
        results = iter(self.program.evaluate(flat))
        arrays = [[next(results) for _ in port.refs] for port in self.outputs]
        shaped = [
            np.reshape(array, port.shape) if port.shape else array[0]
            for port, array in zip(self.outputs, arrays, strict=True)
        ]
        return shaped[0] if len(shaped) == 1 else self.result_type(*shaped)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """The outputs as expressions of other expressions, in their graph: Functions compose.

        >>> g = Graph()
        >>> x, a = g.symbols("x a")
        >>> square = Function("square", [x], {"y": x * x})
        >>> square(a + 1)
        (a + 1)*(a + 1)
        """
        bound = self.bind(values, named)
        return self._applied(_graph_of(self.name, bound), bound)

    def _applied(self, graph: Graph, bound: Sequence[Any]) -> Any:
        known: dict[int, int] = {}
        for port, value in zip(self.inputs, bound, strict=True):
            shape, refs = _components(graph, value, f"Function '{self.name}', input '{port.name}'")
            self.check_shape(port, shape)
            known.update(zip(port.refs, refs, strict=True))
        results = iter(transfer(self.graph, [r for port in self.outputs for r in port.refs], graph, known))
        made = [_value(graph, port.shape, tuple(next(results) for _ in port.refs)) for port in self.outputs]
        return made[0] if len(made) == 1 else self.result_type(*made)

    def bind(self, values: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Positional and named arguments in the order of the inputs; raises TypeError as a call does."""
        if not named and len(values) == len(self.inputs):
            return list(values)
        names = [port.name for port in self.inputs]
        if len(values) > len(names):
            raise TypeError(f"{self} takes {len(names)} inputs; got {len(values)}.")
        bound = dict(zip(names, values, strict=False))
        for name, value in named.items():
            self.input(name)
            if name in bound:
                raise TypeError(f"{self}: input '{name}' is given twice.")
            bound[name] = value
        missing = [name for name in names if name not in bound]
        if missing:
            raise TypeError(f"{self}: no value for input {', '.join(map(repr, missing))}.")
        return [bound[name] for name in names]

    def check_shape(self, port: Port, shape: tuple[int, ...]) -> None:
        """Raise ValueError if a value for ``port`` has another shape."""
        if tuple(shape) != port.shape:
            raise ValueError(
                f"Function '{self.name}', input '{port.name}': "
                f"expected shape {port.shape}, got {tuple(shape)}."
            )

    # Functions from Functions

    def jacobian(self, output: str, by: str) -> Function:
        """The Function of d(output)/d(input): a row per component of the output, a column per input.

        >>> g = Graph()
        >>> x, y = g.symbols("x y")
        >>> f = Function("f", {"p": [x, y]}, {"z": [x * y]})
        >>> f.jacobian("z", by="p").evaluate([3.0, 4.0])
        array([[4., 3.]])
        """
        rows, columns = self.output(output), self.input(by)
        expressions = [Expr(self.graph, ref) for ref in rows.refs]
        entries = jacobian(expressions, [Expr(self.graph, ref) for ref in columns.refs])
        refs = [Graph.ZERO] * (rows.size * columns.size)
        for (i, j), slope in entries.items():
            refs[i * columns.size + j] = slope.ref
        slopes = Matrix(self.graph, (rows.size, columns.size), tuple(refs))
        return Function(
            f"{self.name}_{output}_by_{by}", self._as_mapping(self.inputs), {f"{output}_by_{by}": slopes}
        )

    def specialise(self, **values: Any) -> Function:
        """The Function with some inputs fixed to numbers, folded into its constants."""
        ports = [port for port in self.inputs if port.name not in values]
        inputs = self._as_mapping(ports)
        fixed = {self.input(name).name: value for name, value in values.items()}
        outputs = self._applied(self.graph, self.bind((), {**inputs, **fixed}))
        named = [outputs] if len(self.outputs) == 1 else outputs
        names = [port.name for port in self.outputs]
        return Function(self.name, inputs, dict(zip(names, named, strict=True)))

    def renamed(self, name: str) -> Function:
        """The same Function under another name."""
        return Function(name, self._as_mapping(self.inputs), self._as_mapping(self.outputs))

    @classmethod
    def join(cls, name: str, *functions: Function) -> Function:
        """One Function with all the outputs, computed together: what they share is computed once.

        Inputs of the same name must be the same symbols.

        >>> from biela.expr.expression import cos, sin
        >>> x = Graph().symbol("x")
        >>> s, c = Function("s", [x], {"s": sin(2 * x)}), Function("c", [x], {"c": cos(2 * x)})
        >>> s.operations.total + c.operations.total, Function.join("both", s, c).operations.total
        (4, 3)
        """
        inputs: dict[str, Any] = {}
        outputs: dict[str, Any] = {}
        for function in functions:
            for port in function.inputs:
                value = function.value(port)
                if inputs.setdefault(port.name, value) != value:
                    raise ValueError(
                        f"Function '{name}': input '{port.name}' of '{function.name}' is made of other "
                        "symbols than the input of that name before it."
                    )
            for port in function.outputs:
                if port.name in outputs:
                    raise ValueError(f"Function '{name}': two outputs are named '{port.name}'.")
                outputs[port.name] = function.value(port)
        return cls(name, inputs, outputs)

    # building and checking

    def _as_mapping(self, ports: Iterable[Port]) -> dict[str, Any]:
        return {port.name: self.value(port) for port in ports}

    def _port(self, kind: str, name: str, value: Any) -> Port:
        where = f"Function '{self.name}', {kind} '{_checked_name(name, f'{kind} name')}'"
        shape, refs = _components(self.graph, value, where)
        if prod(shape) == 0:
            raise ValueError(f"{where}: it has no components.")
        return Port(name, shape, refs)

    def _check(self) -> None:
        names = [port.name for port in (*self.inputs, *self.outputs)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Function '{self.name}': the name '{twice[0]}' is used twice.")
        seen: dict[int, str] = {}
        nodes = self.graph.nodes
        for port in self.inputs:
            for ref in port.refs:
                if nodes[abs(ref)][0] != "symbol" or ref < 0:
                    raise TypeError(
                        f"Function '{self.name}', input '{port.name}': expected symbols, got "
                        f"'{Expr(self.graph, ref)}'."
                    )
                if ref in seen:
                    raise ValueError(
                        f"Function '{self.name}': symbol '{nodes[ref][1]}' is in the inputs twice "
                        f"('{seen[ref]}' and '{port.name}')."
                    )
                seen[ref] = port.name
        for port in self.outputs:
            self._check_output(port, seen)

    def _check_output(self, port: Port, inputs: Mapping[int, str]) -> None:
        nodes = self.graph.nodes
        for i in self.graph.reachable(port.refs):
            if nodes[i][0] == "symbol" and i not in inputs:
                known = ", ".join(nodes[k][1] for k in inputs) or "none"
                raise ValueError(
                    f"Function '{self.name}', output '{port.name}': it depends on '{nodes[i][1]}', which is "
                    f"not an input. Inputs: {known}. Add it to the inputs, or substitute a value for it."
                )

    def _find(self, kind: str, name: str, ports: tuple[Port, ...]) -> Port:
        for port in ports:
            if port.name == name:
                return port
        names = [port.name for port in ports]
        hint = suggestion(name, names)
        raise KeyError(f"Function '{self.name}' has no {kind} '{name}'; it has {', '.join(names)}.{hint}")


def _value(graph: Graph, shape: tuple[int, ...], refs: tuple[int, ...]) -> Any:
    return Matrix(graph, shape, refs) if shape else Expr(graph, refs[0])


@lru_cache(maxsize=256)
def _result_type(name: str, fields: tuple[str, ...]) -> Any:
    made: Any = namedtuple(f"{name}_outputs", fields, rename=True)  # pyright: ignore[reportUntypedNamedTuple]

    def reduce(self: tuple[Any, ...]) -> tuple[Any, ...]:
        return _result, (name, fields, tuple(self))

    made.__reduce__ = reduce
    return made


def _result(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """A result of a Function, unpickled."""
    return _result_type(name, fields)(*values)


def _checked_name(name: str, what: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"{what} {name!r}: expected a letter, then letters, digits and underscores.")
    return name


def _named_after_symbols(name: str, symbols: Iterable[Any]) -> dict[str, Expr]:
    """Scalar inputs called as their symbols are, with an underscore for a dot."""
    inputs: dict[str, Expr] = {}
    for symbol in listed(symbols, "symbols"):
        if not isinstance(symbol, Expr):
            raise TypeError(
                f"Function '{name}': inputs are symbols, or a mapping of names to them; "
                f"got {type(symbol).__name__} {symbol!r}."
            )
        key = symbol.name.replace(".", "_")
        if inputs.setdefault(key, symbol) != symbol:
            raise ValueError(
                f"Function '{name}': the symbols '{inputs[key]}' and '{symbol}' would both be the input "
                f"'{key}'. Name the inputs: {{'{key}': ..., ...}}."
            )
    return inputs


def _graph_of(name: str, values: Iterable[Any]) -> Graph:
    for value in values:
        if isinstance(value, (Expr, Matrix)):
            return value.graph
        if isinstance(value, (list, tuple)):
            try:
                return _graph_of(name, value)  # pyright: ignore[reportUnknownArgumentType]
            except TypeError:
                continue
    raise TypeError(f"Function '{name}': expected at least one expression among inputs and outputs.")


def _components(graph: Graph, value: Any, where: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape and the references (row after row) of a scalar, a list, an array or a Matrix."""
    try:
        made = (
            matrix([value], graph=graph)[0]
            if isinstance(value, (Expr, int, float))
            else matrix(value, graph=graph)
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from None
    if isinstance(made, Expr):
        return (), (made.ref,)
    if made.graph is not graph:
        raise ValueError(f"{where}: it belongs to another graph.")
    return made.shape, made.refs
