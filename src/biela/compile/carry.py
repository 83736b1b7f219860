"""What one step of an iterated map computes and the next one would compute again.

In ``x -> f(x)`` an instruction of the next step is this step's instruction with the new state for the old.
If this step has that very instruction already (the sine of a new angle, the acceleration at a new
position) its value is carried over in a register instead of computed twice. What depends on
nothing that changes is carried too, that is, computed once. The numbers are the same to the last bit.

Only expensive instructions are carried: a register costs about as much as a sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from biela.expr.program import Instruction, Program

_CHEAP = frozenset(
    {"add", "sub", "mul", "neg", "fma", "fms", "fnma", "abs", "min", "max", "lt", "le", "eq", "where"}
)
_SYMMETRIC = frozenset({"add", "mul"})


class Carried(NamedTuple):
    """A map with carried values: ``first`` computes them from the start, ``step`` passes them on.

    ``step`` has them as its last inputs and its last outputs.
    """

    first: Program
    step: Program
    width: int  # how many values are carried


def carry(program: Program, state: int, series: Iterable[int] = ()) -> Carried:
    """Split a map whose first ``state`` inputs become its outputs; inputs in ``series`` change every step."""
    image = _images(program, state, frozenset(series))
    start = len(program.inputs)
    heavy = [r for r in sorted(image) if r >= start and program.instructions[r - start].name not in _CHEAP]
    while True:
        step = extract(program, [*program.outputs, *(image[r] for r in heavy)], heavy)
        used = [r for k, r in enumerate(heavy, start) if _is_used(step, k, len(program.outputs))]
        if used == heavy:
            return Carried(extract(program, heavy), step, len(heavy))
        heavy = used


def extract(program: Program, outputs: Sequence[int], given: Sequence[int] = ()) -> Program:
    """The part of a program that computes some registers, when the ``given`` ones are further inputs."""
    start = len(program.inputs)
    inputs = (*program.inputs, *(f"carried{k}" for k in range(len(given))))
    place = {**{k: k for k in range(start)}, **{r: start + k for k, r in enumerate(given)}}
    needed = _needed(program, outputs, frozenset(given))
    made: list[Instruction] = []
    for register in needed:
        name, operands, payload = program.instructions[register - start]
        place[register] = len(inputs) + len(made)
        made.append(Instruction(name, _placed(operands, place), payload))
    return Program(inputs, program.constants, tuple(made), _placed(outputs, place))


def _needed(program: Program, outputs: Sequence[int], given: frozenset[int]) -> list[int]:
    start = len(program.inputs)
    seen: set[int] = set()
    stack = list(outputs)
    while stack:
        register = stack.pop()
        if register >= start and register not in seen and register not in given:
            seen.add(register)
            stack.extend(program.instructions[register - start].operands)
    return sorted(seen)


def _images(program: Program, state: int, series: frozenset[int]) -> dict[int, int]:
    """What each register will be in the next step, for those that this step knows already."""
    start = len(program.inputs)
    index = {_key(*instruction): k for k, instruction in enumerate(program.instructions, start)}
    image = {k: k for k in range(state, start) if k not in series}
    image.update(enumerate(program.outputs[:state]))
    for register, (name, operands, payload) in enumerate(program.instructions, start):
        moved = [o if o < 0 else image.get(o) for o in operands]
        if None not in moved:
            found = index.get(_key(name, tuple(o for o in moved if o is not None), payload))
            if found is not None:
                image[register] = found
    return image


def _key(name: str, operands: tuple[int, ...], payload: object) -> tuple[object, ...]:
    return name, tuple(sorted(operands)) if name in _SYMMETRIC else operands, payload


def _placed(operands: Sequence[int], place: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(place[o] if o >= 0 else o for o in operands)


def _is_used(step: Program, register: int, outputs: int) -> bool:
    """Whether a carried value does more than being carried on."""
    used = any(register in instruction.operands for instruction in step.instructions)
    return used or register in step.outputs[:outputs]
