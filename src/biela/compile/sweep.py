"""`Sweep`: a Function over many lanes of which some outputs are kept and others gathered up over all lanes.

A filter with a million particles spends its time in memory unless what it wants to know of all of them (a
sum of weights, a largest one, a mean) is found in the pass that makes them. Lanes are summed in chunks of a
fixed size, and the chunks in their order, so any number of threads gives the same numbers to the last bit.

Outputs may be written over the inputs they replace: every block of lanes is read whole before it is
written. One input may be the number of the lane, which then needs no memory. What follows from inputs that
are the same for all lanes is computed once a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from biela.compile import engine
from biela.compile.argument import Array, check_out, check_threads, prepared
from biela.compile.carry import extract
from biela.compile.crew import address
from biela.compile.fusion import fuse
from biela.compile.lane import shared
from biela.compile.llvm import block_lanes, scalar_module
from biela.compile.sweep_loop import LARGEST, SUM, Part, SweepLoop
from biela.expr.function import Function, Port
from biela.expr.program import Instruction, Program

CHUNK = 1024  # lanes summed before they are added to the rest
WORTH = 200_000  # instructions times lanes below which a second thread costs more than it saves
_DOUBLE = np.dtype(np.float64)
_ENTRY = CFUNCTYPE(None, *([c_void_p] * 3), *([c_int64] * 3), c_void_p)
_FIRST = CFUNCTYPE(None, c_void_p)


class _Code(NamedTuple):
    """Native code for some inputs that are the same for all lanes."""

    entry: Any
    workspace: int
    lanes: int
    first: Any  # computes from them what follows from them alone
    numbers: int  # how many of both there are, and room to compute
    work: int  # instructions for a lane
    libraries: tuple[Any, ...]


class Sweep:
    """Native code for one pass of a Function over lanes.

    ``sums`` and ``tops`` name outputs of which the sum, or the largest value, over all lanes is wanted; NaN
    is passed over by the latter. The other outputs are kept. ``lane`` names an input that is the number of
    the lane. Lanes of which the last output is not zero are computed again by ``careful``, which has the same
    inputs, and the same outputs but the last.

    >>> from biela.expr import Graph
    >>> x = Graph().symbol("x")
    >>> sweep = Sweep(Function("square", [x], {"y": x * x, "total": x * x, "top": x}), ["total"], ["top"])
    >>> x = np.arange(4.0)
    >>> sweep(4, {"x": x}, {"y": x}), x
    ({'total': 14.0, 'top': 3.0}, array([0., 1., 4., 9.]))
    """

    def __init__(
        self, function: Function, sums: Sequence[str] = (), tops: Sequence[str] = (), lane: str = "",
        careful: Function | None = None,
    ) -> None:  # fmt: skip
        self.function, self.lane, self.careful = function, lane, careful
        for name in (*sums, *tops):
            function.output(name)
        ports = function.outputs
        self.kept = [port for port in ports if port.name not in (*sums, *tops)]
        self.gathered = [port for port in ports if port.name in (*sums, *tops)]
        self.shapes = [(port.name, port.size, port.shape) for port in self.gathered]
        self.tops = frozenset(tops)
        self.given = [port for port in function.inputs if port.name != lane]
        if lane and function.input(lane).shape:
            raise ValueError(f"{function}: the number of the lane is one number; '{lane}' is an array.")
        self._check()
        self._codes: dict[frozenset[str], _Code] = {}

    def _check(self) -> None:
        if self.careful is None:
            return
        here, there = self.function, self.careful
        shapes = [[(port.name, port.shape) for port in function.outputs] for function in (here, there)]
        if there.inputs != here.inputs or shapes[0][:-1] != shapes[1] or shapes[0][-1][1]:
            raise ValueError(f"{there} has to have the ports of {here} but the last output, a number.")

    def __call__(
        self, size: int, values: Mapping[str, Any], out: Mapping[str, Array] | None = None, threads: int = 0
    ) -> dict[str, Any]:
        """One pass over ``size`` lanes: what is gathered, by name; what is kept goes to ``out``.

        ``values`` has an input a name, with one column a lane or of its bare shape for all. Raises
        ValueError for a wrong shape, TypeError for a wrong type, both naming the array.
        """
        return self.bound(size, values, out)(threads)

    def bound(self, size: int, values: Mapping[str, Any], out: Mapping[str, Array] | None = None) -> Pass:
        """The same, ready to be done again and again over these arrays; raises as a call does."""
        inputs = {port.name: self._input(port, values, size) for port in self.given}
        outputs = [self._output(port, out or {}, size) for port in self.kept]
        shared = frozenset(port.name for port in self.given if inputs[port.name].ndim == len(port.shape))
        if shared not in self._codes:
            self._codes[shared] = self._compiled(shared)
        return Pass(self, self._codes[shared], size, inputs, outputs)

    def _input(self, port: Port, values: Mapping[str, Any], size: int) -> Array:
        where = f"Function '{self.function.name}', input '{port.name}'"
        if port.name not in values:
            raise ValueError(f"{where}: nothing was given.")
        value = values[port.name]
        array = np.array(value) if value.__class__ is float else prepared(where, port, value)
        if array.shape not in (port.shape, (*port.shape, size)):
            raise ValueError(
                f"{where}: expected shape {port.shape} or {(*port.shape, size)}; got {array.shape}."
            )
        return array

    def _output(self, port: Port, out: Mapping[str, Array], size: int) -> Array:
        where = f"Function '{self.function.name}', output '{port.name}'"
        if port.name not in out:
            raise ValueError(f"{where}: there is no array to write it to.")
        array = out[port.name]
        flags = array.flags
        if not (array.dtype == _DOUBLE and array.shape == (*port.shape, size) and flags.carray):
            check_out(where, array, (*port.shape, size))
        return array

    # code

    @cached_property
    def program(self) -> Program:
        """The instructions that run, the careful ones after the others: their outputs are the last."""
        programs = [self.function.program, *([self.careful.program] if self.careful else [])]
        if engine.processor().fused:
            programs = [fuse(program) for program in programs]
        return programs[0] if len(programs) == 1 else _beside(*programs)

    def starts(self) -> dict[str, int]:
        """The first register of each input."""
        return _starts(self.function.inputs)

    def _compiled(self, shared: frozenset[str]) -> _Code:
        """The code for inputs of which those named are the same for all lanes."""
        starts, ends = self.starts(), _starts(self.function.outputs)
        same = [
            r for p in self.given if p.name in shared for r in range(starts[p.name], starts[p.name] + p.size)
        ]
        once = _following(self.program, same)
        count = sum(port.size for port in self.function.outputs)
        rest = extract(self.program, self.program.outputs[:count], once)
        careful = extract(self.program, self.program.outputs[count:], once) if self.careful else None
        first = extract(self.program, once)
        everywhere = _used((rest, careful), [*same, *range(len(self.program.inputs), len(rest.inputs))])
        moving = [port for port in self.given if port.name not in shared]
        rows = [port.name for port in (*moving, *self.kept)]
        lanes = block_lanes(rest)
        loop = SweepLoop(
            rest, lanes, CHUNK, everywhere,
            [Part(starts[p.name], p.size, rows.index(p.name)) for p in moving],
            [Part(ends[p.name], p.size, len(moving) + k) for k, p in enumerate(self.kept)],
            self._parts(ends), starts[self.lane] if self.lane else None, careful, count - 1,
        )  # fmt: skip
        ir, workspace = loop.module()
        scalar, room = scalar_module(first)
        library, before = (engine.Library(engine.object_code(text), "biela_kernel") for text in (ir, scalar))
        numbers = len(first.inputs) + len(once) + room
        entry, prepare = _ENTRY(library.address), _FIRST(before.address)
        return _Code(entry, workspace, lanes, prepare, numbers, len(rest.instructions), (library, before))

    def _parts(self, ends: Mapping[str, int]) -> list[Part]:
        """What is gathered."""
        parts: list[Part] = []
        row = 0
        for port in self.gathered:
            kind = LARGEST if port.name in self.tops else SUM
            parts.append(Part(ends[port.name], port.size, row, kind))
            row += port.size
        return parts


class Pass:
    """A `Sweep` over certain arrays; what is the same for all lanes may be `set` between two passes."""

    def __init__(
        self, sweep: Sweep, code: _Code, size: int, inputs: Mapping[str, Array], outputs: Sequence[Array]
    ) -> None:
        self.sweep, self._code, self._size = sweep, code, size
        self._numbers, starts = np.empty(code.numbers), sweep.starts()
        self._places: dict[str, Array] = {}
        moving: list[Array] = []
        for port in sweep.given:
            array = inputs[port.name]
            if array.ndim == len(port.shape):
                place = self._numbers[starts[port.name] : starts[port.name] + port.size]
                self._places[port.name] = place.reshape(port.shape)
                self._places[port.name][...] = array
            else:
                moving.append(array)
        self._arrays = [*moving, *outputs]  # they live as long as their addresses are used
        self._table = np.array([(address(array), size) for array in self._arrays], np.int64)
        blocks, each = -(-size // code.lanes), -(-CHUNK // code.lanes)
        self._chunks = -(-blocks // each)
        self._found = np.empty((self._chunks, sum(port.size for port in sweep.gathered)))
        self._pointers = [address(array) for array in (self._table, self._numbers, self._found)]
        self._alone = size * code.work < WORTH

    def set(self, values: Mapping[str, Any]) -> None:
        """Change inputs that are the same for all lanes; others are passed over."""
        for name, place in self._places.items():
            if name in values:
                place[...] = values[name]

    def __call__(self, threads: int = 0) -> dict[str, Any]:
        """Once over all lanes: what is gathered, by name."""
        check_threads(threads)
        code = self._code
        code.first(self._pointers[1])
        if threads == 0 and self._alone:
            threads = 1
        shared(code.entry, self._pointers, (self._size,), self._chunks, threads, code.workspace)
        return self._totals()

    def _totals(self) -> dict[str, Any]:
        sums = np.add.reduce(self._found, axis=0)
        tops = np.maximum.reduce(self._found, axis=0, initial=-np.inf) if self.sweep.tops else sums
        totals: dict[str, Any] = {}
        start = 0
        for name, size, shape in self.sweep.shapes:
            found = tops if name in self.sweep.tops else sums
            totals[name] = found[start : start + size].reshape(shape) if shape else float(found[start])
            start += size
        return totals


def _starts(ports: Iterable[Port]) -> dict[str, int]:
    found: dict[str, int] = {}
    start = 0
    for port in ports:
        found[port.name] = start
        start += port.size
    return found


def _following(program: Program, same: Sequence[int]) -> list[int]:
    """The registers that follow from those that are the same for all lanes, as far as others need them."""
    known, start = set(same), len(program.inputs)
    for register, instruction in enumerate(program.instructions, start):
        if all(operand < 0 or operand in known for operand in instruction.operands):
            known.add(register)
    needed = set(program.outputs)
    for register, instruction in enumerate(program.instructions, start):
        if register not in known:
            needed.update(instruction.operands)
    return sorted(r for r in known & needed if r >= start)


def _beside(program: Program, other: Program) -> Program:
    """The instructions of two programs of the same inputs, one after the other, and so their outputs."""
    start, constants = len(program.inputs), len(program.constants)

    more = len(program.instructions)

    def placed(operands: Sequence[int]) -> tuple[int, ...]:
        return tuple([o - constants if o < 0 else o if o < start else o + more for o in operands])

    after = [Instruction(i.name, placed(i.operands), i.payload) for i in other.instructions]
    return Program(
        program.inputs,
        (*program.constants, *other.constants),
        (*program.instructions, *after),
        (*program.outputs, *placed(other.outputs)),
    )


def _used(programs: Iterable[Program | None], registers: Iterable[int]) -> list[int]:
    """The registers that any of some programs reads."""
    used: set[int] = set()
    for program in programs:
        if program is not None:
            used.update(operand for instruction in program.instructions for operand in instruction.operands)
            used.update(program.outputs)
    return [r for r in registers if r in used]
