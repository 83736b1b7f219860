"""Fused multiply-add, decided once for a program, so that every kernel made of it rounds alike.

A product used once, by a sum or difference, joins it: ``fma`` a b + c, ``fms`` a b - c, ``fnma`` c - a b.
These three exist in programs for native code only.
"""

from __future__ import annotations

from biela.expr.program import Instruction, Program


def fuse(program: Program) -> Program:
    """The program with products used once merged into the sums that use them."""
    start = len(program.inputs)
    absorbed = _absorbed(program)
    place: dict[int, int] = {k: k for k in range(start)}
    made: list[Instruction] = []
    for register, instruction in enumerate(program.instructions, start):
        if register in absorbed:
            continue
        name, operands, payload = _merged(program, absorbed, instruction)
        place[register] = start + len(made)
        made.append(Instruction(name, tuple(place[o] if o >= 0 else o for o in operands), payload))
    outputs = tuple(place[o] if o >= 0 else o for o in program.outputs)
    return Program(program.inputs, program.constants, tuple(made), outputs)


def _absorbed(program: Program) -> set[int]:
    """The products that a sum takes in: of two candidates, the second."""
    start, uses = len(program.inputs), program.uses
    absorbed: set[int] = set()
    for name, operands, _ in program.instructions:
        if name not in ("add", "sub"):
            continue
        for operand in reversed(operands):
            product = operand >= start and program.instructions[operand - start].name == "mul"
            if product and uses[operand] == 1:
                absorbed.add(operand)
                break
    return absorbed


def _merged(program: Program, absorbed: set[int], instruction: Instruction) -> Instruction:
    """A sum with its absorbed product, in the registers of the old program."""
    name, operands, _ = instruction
    if name not in ("add", "sub"):
        return instruction
    for side in (1, 0):
        if operands[side] in absorbed:
            a, b = program.instructions[operands[side] - len(program.inputs)].operands
            kind = "fma" if name == "add" else "fnma" if side == 1 else "fms"
            return Instruction(kind, (a, b, operands[1 - side]))
    return instruction
