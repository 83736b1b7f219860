"""Hoisting: what a Function computes from inputs that stay the same is computed once, beforehand.

A node depends on moving inputs, or only on constant ones. Every node of the second sort that one of the
first sort uses, or that is an output, becomes a component of a workspace ``w``: *prepare* computes the
workspace from the constant inputs, *run* the outputs from the moving inputs and the workspace. Constant
inputs that are used as they are stand in the workspace too, so that *run* does not take them.

Nothing is rearranged: (m l) q hoists m l, and (q m) l hoists nothing. Division by a constant becomes a
product with its reciprocal; but for the rounding of that, the two Functions compose to the original bit for
bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from biela.expr.dependency import dependents, mask_of
from biela.expr.expression import Expr
from biela.expr.function import Function, Port
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix
from biela.expr.pattern import matrix_symbols
from biela.expr.substitution import transfer


class Hoisted(NamedTuple):
    """The two halves of a Function: ``prepare(constant inputs)`` gives what ``run`` takes as last input."""

    prepare: Function
    run: Function


def hoist(function: Function, *constant: str, workspace: str = "w") -> Hoisted:
    """Split a Function into what the inputs named ``constant`` decide alone, and the rest.

    To tell constants of a run from those of a step, split the second half again, with another
    ``workspace``.

    >>> from biela.expr.expression import sin
    >>> q, m, g, l = Graph().symbols("q m g l")
    >>> torque = Function("torque", {"q": q, "p": [m, g, l]}, {"torque": m * g * l * sin(q)})
    >>> prepare, run = hoist(torque, "p")
    >>> prepare, run
    (torque_prepare(p[3]) -> w[1], torque_run(q, w[1]) -> torque)
    >>> torque.operations.total, run.operations.total
    (4, 2)

    Raises TypeError for what is no Function, KeyError for a name that is no input, and ValueError when no
    input is named or the workspace has the name of one.
    """
    if not isinstance(function, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"hoist() takes a Function; got {type(function).__name__} {function!r}.")
    for name in constant:
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"hoist() takes the names of inputs; got {type(name).__name__} {name!r}.")
    if not constant:
        known = ", ".join(port.name for port in function.inputs)
        raise ValueError(f"hoist() of '{function.name}': name the inputs that stay the same. It has {known}.")
    if any(port.name == workspace for port in function.inputs):
        raise ValueError(f"hoist() of '{function.name}': '{workspace}' is an input; name another workspace.")
    fixed = {function.input(name).name for name in constant}
    moving = [port for port in function.inputs if port.name not in fixed]
    border = _border(function, [ref for port in moving for ref in port.refs])
    values = Matrix(function.graph, (max(len(border), 1),), tuple(border) or (Graph.ZERO,))  # never empty
    still = {port.name: function.value(port) for port in function.inputs if port.name in fixed}
    prepare = Function(f"{function.name}_prepare", still, {workspace: values})
    return Hoisted(prepare, _rest(function, moving, border, workspace))


def _border(function: Function, moving: Sequence[int]) -> list[int]:
    """The ids that do not depend on ``moving`` symbols and are used by what does, or are outputs."""
    graph = function.graph
    outputs = [ref for port in function.outputs for ref in port.refs]
    inside = dependents(graph, outputs, mask_of(graph, moving), {})
    used = {abs(ref) for i in inside for ref in graph.operands(graph.nodes[i])}
    used.update(map(abs, outputs))
    return sorted(i for i in used.difference(inside) if not graph.is_constant(i))


def _rest(function: Function, moving: Sequence[Port], border: Sequence[int], workspace: str) -> Function:
    """The Function with a symbol in place of every border node.

    It gets a graph of its own, in which all nodes are born in their old order: so the normal form, which
    looks at that order to choose signs, finds what it found before.
    """
    source, target = function.graph, Graph()
    ports = (*moving, *function.outputs)
    refs = [ref for port in ports for ref in port.refs]
    places = {i: k for k, i in enumerate(border)}
    known: dict[int, int] = {}
    for i in sorted({*source.reachable(refs, places), *border}):
        if i in places:
            known[i] = target.symbol_ref(f"hoisted.{workspace}_{places[i]}")
        else:
            transfer(source, [i], target, known)

    def value(port: Port) -> Any:
        made = tuple(transfer(source, port.refs, target, known))
        return Matrix(target, port.shape, made) if port.shape else Expr(target, made[0])

    w = matrix_symbols(target, f"hoisted.{workspace}", max(len(border), 1))
    inputs = {port.name: value(port) for port in moving} | {workspace: w}
    return Function(f"{function.name}_run", inputs, {port.name: value(port) for port in function.outputs})
