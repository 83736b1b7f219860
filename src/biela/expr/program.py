"""A `Program`: the straight-line list of instructions that computes chosen nodes of a graph.

This is what every target language is written from, what operations are counted on, and the
reference that evaluates in plain Python. Lowering a graph takes three loops over the reachable ids:
count the uses of each node, propagate the sign each would rather have, write the instructions.
Signs go where they are free: a register may hold the negated value of its node, so that
``-(a - b)`` is ``b - a`` and a product of two negated values needs no minus at all. A reciprocal used
once, in a product, becomes a division.

Operands are whole numbers: registers from 0 (first the inputs, then one per instruction), and
constants from -1 downwards (``constants[~operand]``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from biela.expr.counting import Count
from biela.expr.expression import Expr, expected
from biela.expr.graph import Graph
from biela.expr.operation import evaluate


class Instruction(NamedTuple):
    """One operation: its name in the table, its operands, and the payload if it has one."""

    name: str
    operands: tuple[int, ...]
    payload: Any = None


class Program:
    """Inputs, instructions and outputs; made by `Program.lower`."""

    def __init__(
        self,
        inputs: tuple[str, ...],
        constants: tuple[float, ...],
        instructions: tuple[Instruction, ...],
        outputs: tuple[int, ...],
    ) -> None:
        self.inputs = inputs
        self.constants = constants
        self.instructions = instructions
        self.outputs = outputs

    @classmethod
    def lower(cls, graph: Graph, inputs: Sequence[int], outputs: Sequence[int]) -> Program:
        """The program that computes the ``outputs`` references from the ``inputs`` symbol ids."""
        return _Lowering(graph, inputs, outputs).program()

    @classmethod
    def of_expression(cls, expression: Expr) -> Program:
        """The program of one expression, whose inputs are the symbols it depends on."""
        ids = [symbol.ref for symbol in expression.symbols]
        return cls.lower(expression.graph, ids, [expression.ref])

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """How often each register is an operand or an output."""
        uses = [0] * (len(self.inputs) + len(self.instructions))
        for instruction in self.instructions:
            for operand in instruction.operands:
                if operand >= 0:
                    uses[operand] += 1
        for register in self.outputs:
            if register >= 0:
                uses[register] += 1
        return tuple(uses)

    @cached_property
    def count(self) -> Count:
        """The operations, by the metric of Plaza's thesis; an atom is an instruction used more than once."""
        start = len(self.inputs)
        atoms = sum(uses > 1 for uses in self.uses[start:])
        return Count.of_names((instruction.name for instruction in self.instructions), atoms)

    def evaluate(self, values: Sequence[float]) -> list[float]:
        """The outputs for given input values, one operation after another in plain Python."""
        registers = list(values)
        constants = self.constants
        for name, operands, payload in self.instructions:
            numbers = [registers[o] if o >= 0 else constants[~o] for o in operands]
            registers.append(evaluate(name, numbers, payload))
        return [registers[o] if o >= 0 else constants[~o] for o in self.outputs]

    def evaluate_symbols(self, values: Mapping[Expr, float]) -> list[float]:
        """The outputs for values given by symbol."""
        named = {expected(symbol, "value").name: _number(symbol, value) for symbol, value in values.items()}
        missing = [name for name in self.inputs if name not in named]
        if missing:
            raise ValueError(
                f"No value for {', '.join(map(repr, missing))}. Given: {', '.join(named) or 'none'}."
            )
        return self.evaluate([named[name] for name in self.inputs])


def _number(symbol: Expr, value: Any) -> float:
    try:
        if not isinstance(value, str):
            return float(value)
    except TypeError:
        pass
    raise TypeError(f"The value of '{symbol}' is a real number; got {type(value).__name__} {value!r}.")


class _Lowering:
    """The state of one lowering: where each node went, and with which sign."""

    def __init__(self, graph: Graph, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        self.graph = graph
        self.inputs = inputs
        self.outputs = outputs
        self.ids = graph.reachable(outputs)
        self.uses: dict[int, int] = dict.fromkeys(self.ids, 0)
        self.sign_votes: dict[int, int] = {}
        self.place: dict[int, int] = {i: k for k, i in enumerate(inputs)}
        self.sign: dict[int, int] = {}  # -1 where the register holds the negated node
        self.negated: dict[int, int] = {}  # register -> register of its negative
        self.constants: dict[float | str, int] = {}
        self.numbers: list[float] = []
        self.instructions: list[Instruction] = []

    def program(self) -> Program:
        self._count_uses()
        self._propagate_votes()
        for i in self.ids:
            if i not in self.place:
                self._write(i)
        outputs = tuple(self._signed(ref) for ref in self.outputs)
        names = tuple(self.graph.nodes[i][1] for i in self.inputs)
        return Program(names, tuple(self.numbers), tuple(self.instructions), outputs)

    # uses and votes

    def _count_uses(self) -> None:
        graph, uses, nodes = self.graph, self.uses, self.graph.nodes
        for i in self.ids:
            node = nodes[i]
            if node[0] in ("add", "mul", "inv"):  # they take a sign as they find it
                uses[node[1]] += 1
                if len(node) > 2:
                    uses[abs(node[2])] += 1
                continue
            for ref in graph.operands(node):
                uses[abs(ref)] += 1
                self._vote(ref)
        for ref in self.outputs:
            uses[abs(ref)] += 1
            self._vote(ref)

    def _vote(self, ref: int) -> None:
        i = abs(ref)
        self.sign_votes[i] = self.sign_votes.get(i, 0) + (1 if ref > 0 else -1)

    def _propagate_votes(self) -> None:
        """A product or reciprocal wanted negative passes the wish to an operand that can turn."""
        nodes = self.graph.nodes
        for i in reversed(self.ids):
            node = nodes[i]
            if self.sign_votes.get(i, 0) >= 0 or node[0] not in ("mul", "inv"):
                continue
            for j in self.graph.operands(node):
                if self.uses[j] == 1 and self._can_turn(j):
                    self.sign_votes[j] = -1
                    break

    def _can_turn(self, i: int) -> bool:
        node = self.graph.nodes[i]
        return node[0] in ("mul", "inv", "const") or (node[0] == "add" and node[2] < 0)

    # writing

    def _write(self, i: int) -> None:
        node = self.graph.nodes[i]
        name = node[0]
        if name == "const":
            self.place[i] = self._constant(node[1])
        elif name == "symbol":
            known = ", ".join(self.graph.nodes[k][1] for k in self.inputs)
            raise ValueError(f"Symbol '{node[1]}' is used but is not an input. Inputs: {known or 'none'}.")
        elif name == "add":
            self._write_sum(i, node[1], node[2])
        elif name == "mul":
            self._write_product(i, node[1], node[2])
        elif name == "inv":
            if i not in self._divisors:
                self._write_reciprocal(i, node[1])
        else:
            operands = tuple(self._signed(ref) for ref in self.graph.operands(node))
            self._append(i, Instruction(name, operands, self.graph.payload(node)))

    @cached_property
    def _divisors(self) -> set[int]:
        """The reciprocals that are written as the division of the one product that uses them."""
        nodes, uses = self.graph.nodes, self.uses
        products = (nodes[i] for i in self.ids if nodes[i][0] == "mul")
        return {j for node in products for j in node[1:] if nodes[j][0] == "inv" and uses[j] == 1}

    def _write_sum(self, i: int, a: int, b: int) -> None:
        first, second = self.sign.get(a, 1), self._sign(b)  # only the second operand bears a sign
        x, y = self.place[a], self.place[abs(b)]
        if first == second:
            self._append(i, Instruction("add", (x, y)), first)
            return
        if first < 0:
            x, y = y, x  # now the value is x - y
        if self.sign_votes.get(i, 0) < 0:
            self._append(i, Instruction("sub", (y, x)), -1)
        else:
            self._append(i, Instruction("sub", (x, y)))

    def _write_product(self, i: int, a: int, b: int) -> None:
        name = "mul"
        if a in self._divisors:
            if b in self._divisors:
                self._write_reciprocal_of_product(i, a, b)
                return
            a, b = b, a
        if b in self._divisors:
            b = self.graph.nodes[b][1]
            name = "div"
        sign = self.sign.get(a, 1) * self.sign.get(b, 1)
        x, y = self.place[a], self.place[b]
        if self.sign_votes.get(i, 0) * sign < 0:  # a constant factor changes sign at no cost
            if x < 0:
                x, sign = self._constant(-self.numbers[~x]), -sign
            elif y < 0:
                y, sign = self._constant(-self.numbers[~y]), -sign
        self._append(i, Instruction(name, (x, y)), sign)

    def _write_reciprocal(self, i: int, a: int) -> None:
        x = self.place[abs(a)]
        if x < 0:
            self.place[i] = self._constant(1.0 / self.numbers[~x])
        else:
            self._append(i, Instruction("inv", (x,)), self._sign(a))

    def _write_reciprocal_of_product(self, i: int, a: int, b: int) -> None:
        """1/a 1/b, neither needed elsewhere, with one division."""
        a, b = self.graph.nodes[a][1], self.graph.nodes[b][1]
        self._append(i, Instruction("mul", (self.place[a], self.place[b])))
        self._append(i, Instruction("inv", (self.place[i],)), self._sign(a) * self._sign(b))

    def _append(self, i: int, instruction: Instruction, sign: int = 1) -> None:
        self.place[i] = len(self.inputs) + len(self.instructions)
        self.instructions.append(instruction)
        if sign < 0:
            self.sign[i] = -1

    def _constant(self, value: float) -> int:
        key = value if value == value and value != 0.0 else repr(value)
        place = self.constants.get(key)
        if place is None:
            place = self.constants[key] = ~len(self.numbers)
            self.numbers.append(value)
        return place

    def _sign(self, ref: int) -> int:
        sign = self.sign.get(abs(ref), 1)
        return sign if ref > 0 else -sign

    def _signed(self, ref: int) -> int:
        """The operand worth ``ref``, negating a register if no sign could be found for free."""
        place = self.place[abs(ref)]
        if self._sign(ref) > 0:
            return place
        if place < 0:
            return self._constant(-self.numbers[~place])
        negative = self.negated.get(place)
        if negative is None:
            negative = self.negated[place] = len(self.inputs) + len(self.instructions)
            self.instructions.append(Instruction("neg", (place,)))
        return negative
