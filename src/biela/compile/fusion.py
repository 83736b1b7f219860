"""Fused multiply-add, decided once for a program, so that every kernel made of it rounds alike.

A product used once, by a sum or difference, joins it: ``fma`` a b + c, ``fms`` a b - c, ``fnma`` c - a b.
These three exist in programs for native code only.
"""

from __future__ import annotations

from biela.expr.program import Instruction, Program

_SUMS = frozenset({"add", "sub"})


def fuse(program: Program) -> Program:
    """The program with products used once merged into the sums that use them."""
    start = len(program.inputs)
    absorbed = _absorbed(program)
    place = list(range(start))  # of each old register; an absorbed one has none, and is not asked for
    made: list[Instruction] = []
    for register, instruction in enumerate(program.instructions, start):
        place.append(start + len(made))
        if register in absorbed:
            continue
        name, operands, payload = instruction
        if name in _SUMS and not absorbed.isdisjoint(operands):
            name, operands = _merged(program, absorbed, name, operands)
        made.append(Instruction(name, tuple([place[o] if o >= 0 else o for o in operands]), payload))
    outputs = tuple(place[o] if o >= 0 else o for o in program.outputs)
    return Program(program.inputs, program.constants, tuple(made), outputs)


def _absorbed(program: Program) -> set[int]:
    """The products that a sum takes in: of two candidates, the second."""
    start, uses, instructions = len(program.inputs), program.uses, program.instructions
    absorbed: set[int] = set()
    for name, operands, _ in instructions:
        if name not in _SUMS:
            continue
        for operand in reversed(operands):
            if operand >= start and uses[operand] == 1 and instructions[operand - start].name == "mul":
                absorbed.add(operand)
                break
    return absorbed


def _merged(
    program: Program, absorbed: set[int], name: str, operands: tuple[int, ...]
) -> tuple[str, tuple[int, ...]]:
    """A sum with its absorbed product, in the registers of the old program."""
    for side in (1, 0):
        if operands[side] in absorbed:
            a, b = program.instructions[operands[side] - len(program.inputs)].operands
            kind = "fma" if name == "add" else "fnma" if side == 1 else "fms"
            return kind, (a, b, operands[1 - side])
    return name, operands
