"""Fused multiply-add, decided once for a program, so that every kernel made of it rounds alike.

A product used once, by a sum or difference, joins it: ``fma`` a b + c, ``fms`` a b - c, ``fnma`` c - a b.
These three exist in programs for native code only.
"""

from __future__ import annotations

from biela.expr.program import Instruction, Program

_SUMS = frozenset({"add", "sub"})


def fuse(program: Program) -> Program:
    """The program with products used once merged into the sums that use them."""
    start, instructions = len(program.inputs), program.instructions
    absorbed = _absorbed(program)
    place = list(range(start))  # of each old register; an absorbed one has none, and is not asked for
    made: list[Instruction] = []
    for register, instruction in enumerate(instructions, start):
        place.append(start + len(made))
        if register in absorbed:
            continue
        name, operands, payload = instruction
        if name in _SUMS:
            for side in (1, 0):
                if operands[side] in absorbed:
                    factors = instructions[operands[side] - start].operands
                    name = "fma" if name == "add" else "fnma" if side == 1 else "fms"
                    operands = (*factors, operands[1 - side])
                    break
        placed = tuple([place[o] if o >= 0 else o for o in operands])
        made.append(Instruction._make((name, placed, payload)))
    outputs = tuple(place[o] if o >= 0 else o for o in program.outputs)
    return Program(program.inputs, program.constants, tuple(made), outputs)


def _absorbed(program: Program) -> set[int]:
    """The products that a sum takes in: of two candidates, the second."""
    start, uses, instructions = len(program.inputs), program.uses, program.instructions
    absorbed: set[int] = set()
    products = {r for r, i in enumerate(instructions, start) if i[0] == "mul" and uses[r] == 1}
    for _, (first, second), _ in (i for i in instructions if i[0] in _SUMS):
        if second in products:
            absorbed.add(second)
        elif first in products:
            absorbed.add(first)
    return absorbed
