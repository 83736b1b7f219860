"""A `Program` as LLVM IR.

Every module has one ``body(x, y, w)``: inputs, outputs and workspace as consecutive vectors of ``lanes``
doubles. Around it goes one of two loops:

* ``batch``: for every block of lanes, gather a tile of inputs, call the body, scatter the outputs;
* ``iterate``: for every block of lanes, keep the state in the tile and call the body once a step.

With one lane the body itself is the scalar kernel. A body of up to `SEGMENT` instructions is inlined
into its loop; a longer one is cut into segments, which pass values through the workspace, so that
compile time grows linearly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biela.compile import elementary
from biela.compile.engine import processor
from biela.compile.ir import Block
from biela.compile.loop import Loop
from biela.expr.operation import OPERATIONS
from biela.expr.program import Instruction, Program

GRAIN = 8
SEGMENT = 1500  # instructions in one LLVM function
INLINE_LINES = 4000  # lines of elementary routines inlined into one module
WIDE = 400  # instructions up to which a block is two vectors wide, to hide latencies
MANY_REGISTERS = 32

_PLAIN = {"add": Block.add, "sub": Block.sub, "mul": Block.mul, "div": Block.div}
_SMALL = frozenset({"inv", "sqrt", "abs", "sign", "floor", "min", "max", "lt", "le", "eq", "where"})


@dataclass(frozen=True, slots=True)
class Body:
    """The IR of a program's body, with what it needs around it."""

    text: str
    workspace: int  # vectors
    inlined: bool


def scalar_module(program: Program, fused: bool) -> tuple[str, int]:
    """The IR of ``biela_kernel(memory)``: inputs, outputs and workspace one after the other; and its workspace."""
    body = write_body(program, 1, fused)
    outputs = len(program.inputs)
    workspace = outputs + len(program.outputs)
    wrapper = (
        "define void @biela_kernel(ptr %memory) {\n"
        f"  %y = getelementptr double, ptr %memory, i64 {outputs}\n"
        f"  %w = getelementptr double, ptr %memory, i64 {workspace}\n"
        "  call void @body(ptr %memory, ptr %y, ptr %w)\n  ret void\n}\n"
    )
    return body.text + wrapper, body.workspace


def batch_module(
    program: Program, lanes: int, inputs: Sequence[int], outputs: Sequence[int], fused: bool
) -> tuple[str, int]:
    """The IR of ``biela_kernel(inputs, outputs, first, last, w)`` over blocks of lanes; port sizes given."""
    body = write_body(program, lanes, fused)
    loop = Loop(lanes, register_lanes(lanes))
    loop.tile("x", sum(inputs))
    loop.tile("y", sum(outputs))
    loop.begin("b", "%first", "%last")
    loop.move_ports("%inputs", inputs, "x", load=True)
    loop.line("call void @body(ptr %x, ptr %y, ptr %w)")
    loop.move_ports("%outputs", outputs, "y", load=False)
    loop.end()
    head = "define void @biela_kernel(ptr noalias %inputs, ptr noalias %outputs, i64 %first, i64 %last, ptr noalias %w)"
    return body.text + loop.function(head), body.workspace


def iterate_module(
    program: Program, lanes: int, inputs: Sequence[int], series: frozenset[int], fused: bool
) -> tuple[str, int]:
    """The IR of ``biela_kernel(inputs, record, first, last, start, records, every, w)``.

    The first input is the state, read and written in place; the inputs in ``series`` advance with the
    step; ``record`` receives the state after every ``every`` steps.
    """
    body = write_body(program, lanes, fused)
    loop = Loop(lanes, register_lanes(lanes))
    loop.tile("x", sum(inputs))
    loop.tile("y", inputs[0])
    fixed = [p for p in range(len(inputs)) if p not in series]
    loop.begin("b", "%first", "%last")
    loop.move_ports("%inputs", inputs, "x", load=True, only=fixed)
    loop.begin("r", "0", "%records")
    loop.begin("s", "0", "%every")
    if series:
        loop.line("%done = mul i64 %r, %every", "%now = add i64 %done, %s", "%step = add i64 %now, %start")
        loop.move_ports("%inputs", inputs, "x", load=True, only=sorted(series), step="%step")
    loop.line("call void @body(ptr %x, ptr %y, ptr %w)")
    loop.copy("y", "x", inputs[0])
    loop.end()
    loop.move_ports("%record", inputs[:1], "x", load=False, step="%r")
    loop.end()
    loop.move_ports("%inputs", inputs[:1], "x", load=False)
    loop.end()
    head = (
        "define void @biela_kernel(ptr noalias %inputs, ptr noalias %record, i64 %first, i64 %last, "
        "i64 %start, i64 %records, i64 %every, ptr noalias %w)"
    )
    return body.text + loop.function(head), body.workspace


def block_lanes(program: Program) -> int:
    """Doubles in a block: one vector register, or two for a short program that would wait for results."""
    cpu = processor()
    short = len(program.instructions) <= WIDE and cpu.registers >= MANY_REGISTERS
    return cpu.lanes * (2 if short else 1)


def register_lanes(lanes: int) -> int:
    """How many of a block's lanes go in one vector register."""
    return min(lanes, processor().lanes)


# the body


def write_body(program: Program, lanes: int, fused: bool) -> Body:
    """The body of a program for some lanes; ``fused`` where the processor has fused multiply-add."""
    return _Writer(program, lanes, fused).body()


class _Stream:
    """One vector register's worth of lanes on its way through a segment: the names of its values."""

    def __init__(self, block: Block, index: int, streams: int) -> None:
        self.block = block
        self.index = index
        self.streams = streams
        self.values: dict[int, str] = {}
        self.pairs: dict[int, tuple[str, str]] = {}  # register -> its sine and cosine

    def load(self, base: str, place: int) -> str:
        return self.block.emit(f"load {self.block.type}, ptr {self._address(base, place)}, align 8")

    def store(self, base: str, place: int, value: str) -> None:
        address = self._address(base, place)
        self.block.lines.append(f"store {self.block.type} {value}, ptr {address}, align 8")

    def _address(self, base: str, place: int) -> str:
        vector = place * self.streams + self.index
        return self.block.emit(f"getelementptr {self.block.type}, ptr {base}, i64 {vector}")


class _Writer:
    """The state of writing one body: where each register lives, segment by segment."""

    def __init__(self, program: Program, lanes: int, fused: bool) -> None:
        self.program = program
        self.width = register_lanes(lanes)
        self.streams = lanes // self.width
        self.fused = fused
        self.start = len(program.inputs)
        self.routines: dict[str, list[str]] = {}  # name -> its definition without attributes
        self.calls: dict[str, int] = {}
        self.lines: dict[str, int] = {}
        self.declarations: set[str] = set()
        self.tables: dict[str, str] = {}
        self.payloads: dict[tuple[str, Any], str] = {}
        self.slots, self.workspace = self._assign_slots()
        self.stores: dict[int, list[int]] = {}
        for k, register in enumerate(program.outputs):
            self.stores.setdefault(self._segment_of(register), []).append(k)

    def body(self) -> Body:
        segments = max(1, -(-len(self.program.instructions) // SEGMENT))
        texts = [self._segment(s) for s in range(segments)]
        inlined = segments == 1
        names = ["body"] if inlined else [f"segment{s}" for s in range(segments)]
        parts = [self._function(name, text, inlined) for name, text in zip(names, texts, strict=True)]
        if not inlined:
            calls = [f"call void @{name}(ptr %x, ptr %y, ptr %w)" for name in names]
            parts.append(self._function("body", calls, False))
        return Body("".join([*self._preamble(), *parts]), self.workspace, inlined)

    def _function(self, name: str, lines: list[str], inlined: bool) -> str:
        inside = "".join(f"  {line}\n" for line in lines)
        mark = "alwaysinline" if inlined else "noinline"
        arguments = "ptr noalias %x, ptr noalias %y, ptr noalias %w"
        return f"define internal void @{name}({arguments}) {mark} {{\n{inside}  ret void\n}}\n"

    def _preamble(self) -> list[str]:
        total = sum(self.lines[name] * calls for name, calls in self.calls.items())
        mark = "alwaysinline" if total <= INLINE_LINES else "noinline"
        parts = [f"{text}\n" for text in sorted(self.declarations)]
        parts += [f"{text}\n" for _, text in sorted(self.tables.items())]
        return parts + ["\n".join(text).replace("ATTRIBUTES", mark) + "\n" for text in self.routines.values()]

    # where values live

    def _segment_of(self, register: int) -> int:
        return max(0, register - self.start) // SEGMENT

    def _assign_slots(self) -> tuple[dict[int, int], int]:
        """Workspace slots of the registers that a later segment reads; a slot is used again when free."""
        last: dict[int, int] = {}
        for k, instruction in enumerate(self.program.instructions):
            for operand in instruction.operands:
                if operand >= self.start:
                    last[operand] = k // SEGMENT
        slots: dict[int, int] = {}
        free: list[int] = []
        ends: dict[int, list[int]] = {}
        size, segment = 0, -1
        for register in sorted(last):
            made = self._segment_of(register)
            while segment < made:  # what the segments before this one read last is free now
                segment += 1
                free.extend(ends.pop(segment - 1, []))
            if last[register] > made:
                if not free:
                    free.append(size)
                    size += 1
                slots[register] = slot = free.pop()
                ends.setdefault(last[register], []).append(slot)
        return slots, size

    # one segment

    def _segment(self, s: int) -> list[str]:
        block = Block(self.width, self.fused)
        first = s * SEGMENT
        instructions = self.program.instructions[first : first + SEGMENT]
        both = _sines_and_cosines(instructions)
        fusible = self._fusible(first, instructions) if self.fused else frozenset[int]()
        streams = [_Stream(block, t, self.streams) for t in range(self.streams)]
        written = [k for k in range(self.start + first, self.start + first + len(instructions)) if k not in fusible]
        for grain in range(0, len(written), GRAIN):
            for stream in streams:
                for k in written[grain : grain + GRAIN]:
                    self._write(stream, k, both, fusible)
        for stream in streams:
            for k in self.stores.get(s, ()):
                stream.store("%y", k, self._value(stream, self.program.outputs[k]))
        self.declarations |= block.declarations
        self.tables |= block.constants
        return block.lines

    def _write(self, stream: _Stream, k: int, both: frozenset[int], fusible: frozenset[int]) -> None:
        instruction = self.program.instructions[k - self.start]
        stream.values[k] = self._instruction(stream, both, fusible, instruction)
        if k in self.slots:
            stream.store("%w", self.slots[k], stream.values[k])

    def _fusible(self, first: int, instructions: Sequence[Instruction]) -> frozenset[int]:
        """Products used once, by a sum of the same segment: they become part of a fused multiply-add."""
        uses, start = self.program.uses, self.start + first
        fusible: set[int] = set()
        for name, operands, _ in instructions:
            if name not in ("add", "sub"):
                continue
            for operand in reversed(operands):
                product = operand >= start and self.program.instructions[operand - self.start].name == "mul"
                if product and uses[operand] == 1:
                    fusible.add(operand)
                    break
        return frozenset(fusible)

    def _instruction(
        self, stream: _Stream, both: frozenset[int], fusible: frozenset[int], instruction: Instruction
    ) -> str:
        name, operands, payload = instruction
        block, pairs = stream.block, stream.pairs
        if name in ("add", "sub"):
            for side in (1, 0):
                if operands[side] in fusible:
                    return self._fused(stream, name, operands, side)
        if name in ("sin", "cos") and operands[0] in both:
            if operands[0] not in pairs:
                pairs[operands[0]] = self._sincos(block, self._value(stream, operands[0]))
            return pairs[operands[0]][name == "cos"]
        texts = [self._value(stream, operand) for operand in operands]
        if name in _PLAIN:
            return _PLAIN[name](block, *texts)
        if name == "neg":
            return block.neg(texts[0])
        routine = OPERATIONS[name].llvm
        if routine in _SMALL:
            return elementary.ROUTINES[routine](block, *texts)
        return self._call(block, routine, texts, payload)

    def _fused(self, stream: _Stream, name: str, operands: tuple[int, ...], side: int) -> str:
        block = stream.block
        product = self.program.instructions[operands[side] - self.start]
        a, b = (self._value(stream, operand) for operand in product.operands)
        c = self._value(stream, operands[1 - side])
        if name == "sub" and side == 1:  # c - a b
            a = block.neg(a)
        elif name == "sub":  # a b - c
            c = block.neg(c)
        return block.fma(a, b, c)

    def _value(self, stream: _Stream, operand: int) -> str:
        """The text of an operand, loaded where this segment does not have it yet."""
        if operand < 0:
            return stream.block.number(self.program.constants[~operand])
        text = stream.values.get(operand)
        if text is None:
            base, place = ("%x", operand) if operand < self.start else ("%w", self.slots[operand])
            text = stream.values[operand] = stream.load(base, place)
        return text

    # elementary routines, one internal function each

    def _call(self, block: Block, routine: str, texts: list[str], payload: Any) -> str:
        name = f"biela.{routine}"
        if payload is not None:
            number = len([key for key in self.payloads if key[0] == routine])
            name = self.payloads.setdefault((routine, payload), f"biela.{routine}.{number}")
        if name not in self.routines:
            inside = Block(self.width, self.fused)
            extra = {} if payload is None else {"payload": payload}
            arguments = [f"%a{i}" for i in range(len(texts))]
            result = elementary.ROUTINES[routine](inside, *arguments, **extra)
            self._define(name, inside, block.type, arguments, f"ret {block.type} {result}")
        self.calls[name] += 1
        typed = ", ".join(f"{block.type} {text}" for text in texts)
        return block.emit(f"call {block.type} @{name}({typed})")

    def _sincos(self, block: Block, text: str) -> tuple[str, str]:
        pair, name = f"{{ {block.type}, {block.type} }}", "biela.sincos"
        if name not in self.routines:
            inside = Block(self.width, self.fused)
            sine, cosine = elementary.sincos(inside, "%a0")
            half = inside.emit(f"insertvalue {pair} poison, {block.type} {sine}, 0")
            whole = inside.emit(f"insertvalue {pair} {half}, {block.type} {cosine}, 1")
            self._define(name, inside, pair, ["%a0"], f"ret {pair} {whole}")
        self.calls[name] += 1
        both = block.emit(f"call {pair} @{name}({block.type} {text})")
        return block.emit(f"extractvalue {pair} {both}, 0"), block.emit(f"extractvalue {pair} {both}, 1")

    def _define(self, name: str, inside: Block, result: str, arguments: list[str], end: str) -> None:
        typed = ", ".join(f"{inside.type} {argument}" for argument in arguments)
        head = f"define internal {result} @{name}({typed}) ATTRIBUTES {{"
        self.routines[name] = [head, *(f"  {line}" for line in inside.lines), f"  {end}", "}"]
        self.calls[name] = 0
        self.lines[name] = len(inside.lines)
        self.declarations |= inside.declarations
        self.tables |= inside.constants


def _sines_and_cosines(instructions: Sequence[Instruction]) -> frozenset[int]:
    """The registers whose sine and cosine are both taken."""
    sines = {i.operands[0] for i in instructions if i.name == "sin"}
    return frozenset(i.operands[0] for i in instructions if i.name == "cos" and i.operands[0] in sines)
