"""Statements: a `Program` as assignments in a language, the part that all source targets share.

A value used once is written inside the expression that uses it; a value used more often gets a name
(an *atom*, in the words of Plaza's thesis) and an assignment, in dependency order. Parentheses are
written only where the order of evaluation needs them, so that the arithmetic, rounding included, is
that of the program. An expression that would grow too deep or too long for a compiler or a reader is
cut: its longest part gets a name as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from biela.expr.operation import CALL, OPERATIONS
from biela.expr.program import Instruction, Program

MAX_DEPTH = 20  # levels of parentheses and calls
MAX_LENGTH = 400  # characters
WIDTH = 100
_NEGATIVE = 3  # a negative number binds as the minus sign does


class Piece(NamedTuple):
    """An expression in the making: its text, how it binds, and its levels of parentheses and calls."""

    text: str
    binding: int = CALL
    depth: int = 0


class Listing(NamedTuple):
    """The assignments of the atoms, and the expression of each output."""

    atoms: list[tuple[str, str]]
    outputs: list[str]


class Names:
    """The identifiers of one scope: no two equal, none reserved by the language."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def take(self, wish: str) -> str:
        """The wished name, followed by underscores if it is taken."""
        while wish in self._taken:
            wish += "_"
        self._taken.add(wish)
        return wish


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language writes the operations of the table, numbers and payloads."""

    column: str
    number: Callable[[float], str] = repr
    payload: Callable[[Any], str] = str
    suffix: str = ""
    special: Callable[[Instruction, Sequence[float]], str | None] = field(default=lambda i, c: None)

    def template(self, instruction: Instruction, constants: Sequence[float]) -> str:
        """The spelling of one instruction; ``special`` may know a shorter one for its operands."""
        return self.special(instruction, constants) or getattr(OPERATIONS[instruction.name], self.column)

    def constant(self, value: float) -> Piece:
        """A number."""
        return Piece(self.number(value), _NEGATIVE if math.copysign(1.0, value) < 0.0 else CALL)

    def compose(self, instruction: Instruction, template: str, operands: Sequence[Piece]) -> Piece:
        """An operation on pieces, each in parentheses if it needs them."""
        row = OPERATIONS[instruction.name]
        call = template.endswith(")")
        texts: list[str] = []
        depth = 1
        for i, operand in enumerate(operands):
            least = 0 if call else row.precedence + (i > 0 or row.arity == 1)
            enclosed = operand.binding < least
            texts.append(f"({operand.text})" if enclosed else operand.text)
            depth = max(depth, operand.depth + (call or enclosed))
        text = template.format(
            *texts, f=self.suffix, p="" if instruction.payload is None else self.payload(instruction.payload)
        )
        return Piece(text, CALL if call else row.precedence, depth)


def write(program: Program, inputs: Sequence[str], spelling: Spelling, names: Names) -> Listing:
    """The listing of a program whose input registers have the given names."""
    return _Writing(program, inputs, spelling, names).listing()


class _Writing:
    """The state of one listing: the piece of each register, and the atoms so far."""

    def __init__(self, program: Program, inputs: Sequence[str], spelling: Spelling, names: Names) -> None:
        self.program = program
        self.spelling = spelling
        self.names = names
        self.pieces = [Piece(name) for name in inputs]
        self.constants = [spelling.constant(value) for value in program.constants]
        self.atoms: list[tuple[str, str]] = []

    def listing(self) -> Listing:
        uses = self.program.uses
        for instruction in self.program.instructions:
            piece = self._compose(instruction)
            shared = uses[len(self.pieces)] > 1
            self.pieces.append(self._named(piece) if shared else piece)
        return Listing(self.atoms, [self._operand(operand).text for operand in self.program.outputs])

    def _operand(self, operand: int) -> Piece:
        return self.pieces[operand] if operand >= 0 else self.constants[~operand]

    def _compose(self, instruction: Instruction) -> Piece:
        template = self.spelling.template(instruction, self.program.constants)
        operands = [self._operand(operand) for operand in instruction.operands]
        while True:
            piece = self.spelling.compose(instruction, template, operands)
            longest = max(range(len(operands)), key=lambda i: (operands[i].depth > 0, len(operands[i].text)))
            fits = piece.depth <= MAX_DEPTH and len(piece.text) <= MAX_LENGTH
            if fits or operands[longest].depth == 0:
                return piece
            named = self._named(operands[longest])
            operands = [named if operand is operands[longest] else operand for operand in operands]

    def _named(self, piece: Piece) -> Piece:
        name = self.names.take(f"a{len(self.atoms) + 1}")
        self.atoms.append((name, piece.text))
        return Piece(name)


def folded(line: str, indent: str = "        ", continuation: str = "") -> str:
    """A long line broken at blanks, with ``continuation`` at the end of each part but the last."""
    if len(line) <= WIDTH:
        return line
    lines = [""]
    margin = line[: len(line) - len(line.lstrip())]
    for word in line.split():
        if len(lines[-1]) + len(word) >= WIDTH - len(continuation) and lines[-1]:
            lines.append(indent + word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else margin + word
    return f"{continuation}\n".join(lines)
