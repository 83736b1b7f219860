"""A `Program` as LLVM IR.

Every module has a ``body(x, y, w)``: inputs, outputs and workspace as consecutive blocks of ``lanes``
doubles. Around it goes one of two loops:

* ``batch``: for every block of lanes, gather a tile of inputs, call the body, scatter the outputs;
* ``iterate``: for every block of lanes, keep the state in the tile and call the body once a step.

With one lane the body itself is the scalar kernel. A block of more lanes than a vector register holds is
several independent streams of the same instructions, interleaved so that one works while another waits for
its result. A body of up to `SEGMENT` instructions is inlined into its loop; a longer one is cut into
segments, which pass values through the workspace, so that compile time grows linearly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from biela.compile import elementary
from biela.compile.carry import carry
from biela.compile.engine import processor
from biela.compile.ir import Block
from biela.compile.loop import Loop
from biela.expr.operation import OPERATIONS
from biela.expr.program import Instruction, Program

SEGMENT = 1500  # instructions in one LLVM function
INLINE_LINES = 4000  # lines of elementary routines inlined into one module
MOST_STREAMS = 4
LONG = 1000  # instructions of a program that is work enough alone, with values for a first cache of its own
MANY_REGISTERS = 32
# cycles until a result is there, and cycles of work, of an instruction: rough, for `streams` only
_TIMES = {"div": (15.0, 9.0), "inv": (15.0, 9.0), "sqrt": (20.0, 15.0), "neg": (0.0, 0.0)}
_SUM, _CALL = (4.0, 0.5), (45.0, 6.0)
_OVERLAP = 2.4  # how much more work than waiting keeps a processor busy; found on four-bars

_PLAIN: dict[str, Callable[..., str]] = {
    "add": Block.add,
    "sub": Block.sub,
    "mul": Block.mul,
    "div": Block.div,
    "neg": Block.neg,
    "fma": Block.fma,
    "fms": Block.fms,
    "fnma": Block.fnma,
}
_SMALL = frozenset({"inv", "sqrt", "abs", "sign", "floor", "min", "max", "lt", "le", "eq", "where"})


def scalar_module(program: Program) -> tuple[str, int]:
    """The IR of ``biela_kernel(memory)``: inputs, outputs, workspace; and the workspace's size."""
    module = Module(1)
    workspace = module.body("body", program)
    outputs = len(program.inputs)
    text = module.text(
        "define void @biela_kernel(ptr %memory) {\n"
        f"  %y = getelementptr double, ptr %memory, i64 {outputs}\n"
        f"  %w = getelementptr double, ptr %memory, i64 {outputs + len(program.outputs)}\n"
        "  call void @body(ptr %memory, ptr %y, ptr %w)\n  ret void\n}\n"
    )
    return text, workspace


def batch_module(
    program: Program, lanes: int, inputs: Sequence[int], outputs: Sequence[int]
) -> tuple[str, int]:
    """The IR of ``biela_kernel(inputs, outputs, first, last, w)`` over blocks of lanes; port sizes given."""
    module = Module(lanes)
    workspace = module.body("body", program)
    loop = Loop(lanes, register_lanes(lanes))
    loop.tile("x", sum(inputs))
    loop.tile("y", sum(outputs))
    loop.begin("b", "%first", "%last")
    loop.move_ports("%inputs", inputs, "x", load=True)
    loop.line("call void @body(ptr %x, ptr %y, ptr %w)")
    loop.move_ports("%outputs", outputs, "y", load=False)
    loop.end()
    arguments = "ptr noalias %inputs, ptr noalias %outputs, i64 %first, i64 %last, ptr noalias %w"
    return module.text(loop.function(f"define void @biela_kernel({arguments})")), workspace


def iterate_module(
    program: Program, lanes: int, inputs: Sequence[int], series: frozenset[int]
) -> tuple[str, int]:
    """The IR of ``biela_kernel(inputs, record, first, last, start, records, every, w)``.

    The first input is the state, read and written in place; the inputs in ``series`` advance with the
    step; ``record`` receives the state after every ``every`` steps.
    """
    state, total = inputs[0], sum(inputs)
    moving = [k for p in series for k in range(sum(inputs[:p]), sum(inputs[: p + 1]))]
    carried = carry(program, state, moving)
    module = Module(lanes)
    workspace = max(module.body("first", carried.first), module.body("body", carried.step))
    loop = Loop(lanes, register_lanes(lanes))
    loop.tile("x", total + carried.width)
    loop.tile("y", state + carried.width)
    fixed = [p for p in range(len(inputs)) if p not in series]
    loop.begin("b", "%first", "%last")
    loop.move_ports("%inputs", inputs, "x", load=True, only=fixed)
    loop.line("call void @first(ptr %x, ptr %y, ptr %w)")
    loop.copy("y", 0, "x", total, carried.width)
    loop.begin("r", "0", "%records")
    loop.begin("s", "0", "%every")
    if series:
        loop.line("%done = mul i64 %r, %every", "%now = add i64 %done, %s", "%step = add i64 %now, %start")
        loop.move_ports("%inputs", inputs, "x", load=True, only=sorted(series), step="%step")
    loop.line("call void @body(ptr %x, ptr %y, ptr %w)")
    loop.copy("y", 0, "x", 0, state)
    loop.copy("y", state, "x", total, carried.width)
    loop.end()
    loop.move_ports("%record", inputs[:1], "x", load=False, step="%r")
    loop.end()
    loop.move_ports("%inputs", inputs[:1], "x", load=False)
    loop.end()
    arguments = (
        "ptr noalias %inputs, ptr noalias %record, i64 %first, i64 %last, "
        "i64 %start, i64 %records, i64 %every, ptr noalias %w"
    )
    return module.text(loop.function(f"define void @biela_kernel({arguments})")), workspace


def block_lanes(program: Program) -> int:
    """Doubles in a block: one vector register for each stream."""
    cpu = processor()
    return cpu.lanes * (streams(program) if cpu.registers >= MANY_REGISTERS else 1)


def streams(program: Program) -> int:
    """How many independent streams hide the waiting of one: its longest chain over its work."""
    if len(program.instructions) > LONG:
        return 1
    ready = [0.0] * len(program.inputs)
    times: dict[str, tuple[float, float]] = {}
    work = 0.0
    for name, operands, _ in program.instructions:
        if name not in times:
            plain = _SUM if name in _PLAIN or OPERATIONS[name].llvm in _SMALL else _CALL
            times[name] = _TIMES.get(name, plain)
        latency, cycles = times[name]
        start = 0.0
        for operand in operands:
            if operand >= 0 and ready[operand] > start:
                start = ready[operand]
        ready.append(start + latency)
        work += cycles
    waiting = max(ready, default=0.0) / max(work, 1.0)
    return min(MOST_STREAMS, max(1, round(_OVERLAP * waiting)))


def register_lanes(lanes: int) -> int:
    """How many of a block's lanes go in one vector register."""
    return min(lanes, processor().lanes)


class Module:
    """Bodies for one number of lanes, and the elementary routines they share."""

    def __init__(self, lanes: int) -> None:
        self.width = register_lanes(lanes)
        self.streams = lanes // self.width
        self.functions: list[str] = []
        self.routines: dict[str, list[str]] = {}  # name -> its definition without attributes
        self.calls: dict[str, int] = {}
        self.lines: dict[str, int] = {}
        self.declarations: set[str] = set()
        self.tables: dict[str, str] = {}
        self.payloads: dict[tuple[str, Any], str] = {}
        self.seldom = False  # whether what is written runs so seldom that it only has to be short

    def body(
        self, name: str, program: Program, shared: Sequence[int] = (), *, least: int = 0, seldom: bool = False
    ) -> int:
        """Add the body of a program under a name; returns the doubles of workspace it needs.

        The inputs in ``shared`` are the same in all lanes: it finds a vector of each at the workspace's end,
        which has room for ``least`` values of each lane or more. One that runs ``seldom`` is inlined nowhere.
        """
        self.seldom = seldom
        writer = _Writer(self, program, shared, least)
        segments = writer.segments()
        if len(segments) == 1:
            self._function(name, segments[0], "noinline" if seldom else "alwaysinline")
        else:
            for k, lines in enumerate(segments):
                self._function(f"{name}.{k}", lines, "noinline")
            calls = [f"call void @{name}.{k}(ptr %x, ptr %y, ptr %w)" for k in range(len(segments))]
            self._function(name, calls, "noinline")
        return (writer.workspace * self.streams + len(shared)) * self.width

    def room(self, program: Program) -> int:
        """How many values of each lane the workspace of a body keeps."""
        return _Writer(self, program, (), 0).workspace

    def text(self, main: str) -> str:
        """The whole module around its main function."""
        total = sum(self.lines[name] * calls for name, calls in self.calls.items())
        mark = "alwaysinline" if total <= INLINE_LINES else "noinline"
        parts = [f"{text}\n" for text in sorted(self.declarations)]
        parts += [f"{text}\n" for _, text in sorted(self.tables.items())]
        parts += ["\n".join(text).replace("ATTRIBUTES", mark) + "\n" for text in self.routines.values()]
        return "".join([*parts, *self.functions, main])

    def _function(self, name: str, lines: list[str], mark: str) -> None:
        inside = "".join(f"  {line}\n" for line in lines)
        arguments = "ptr noalias %x, ptr noalias %y, ptr noalias %w"
        self.functions.append(
            f"define internal void @{name}({arguments}) {mark} {{\n{inside}  ret void\n}}\n"
        )

    # elementary routines, one internal function each

    def call(self, block: Block, routine: str, texts: list[str], payload: Any) -> str:
        """The value of an elementary routine, called."""
        name = f"biela.{routine}"
        if payload is not None:
            number = len([key for key in self.payloads if key[0] == routine])
            name = self.payloads.setdefault((routine, payload), f"biela.{routine}.{number}")
        if name not in self.routines:
            inside = Block(self.width)
            extra = {} if payload is None else {"payload": payload}
            arguments = [f"%a{i}" for i in range(len(texts))]
            result = elementary.ROUTINES[routine](inside, *arguments, **extra)
            self._define(name, inside, block.type, arguments, f"ret {block.type} {result}")
        typed = ", ".join(f"{block.type} {text}" for text in texts)
        return block.emit(f"call {block.type} @{name}({typed}){self._called(name)}")

    def sincos(self, block: Block, text: str) -> tuple[str, str]:
        """Sine and cosine of one value, computed together."""
        pair, name = f"{{ {block.type}, {block.type} }}", "biela.sincos"
        if name not in self.routines:
            inside = Block(self.width)
            sine, cosine = elementary.sincos(inside, "%a0")
            half = inside.emit(f"insertvalue {pair} poison, {block.type} {sine}, 0")
            whole = inside.emit(f"insertvalue {pair} {half}, {block.type} {cosine}, 1")
            self._define(name, inside, pair, ["%a0"], f"ret {pair} {whole}")
        both = block.emit(f"call {pair} @{name}({block.type} {text}){self._called(name)}")
        return block.emit(f"extractvalue {pair} {both}, 0"), block.emit(f"extractvalue {pair} {both}, 1")

    def _called(self, name: str) -> str:
        """Count a call; returns how it is marked."""
        self.calls[name] += not self.seldom
        return " noinline" if self.seldom else ""

    def _define(self, name: str, inside: Block, result: str, arguments: list[str], end: str) -> None:
        typed = ", ".join(f"{inside.type} {argument}" for argument in arguments)
        head = f"define internal {result} @{name}({typed}) ATTRIBUTES {{"
        self.routines[name] = [head, *(f"  {line}" for line in inside.lines), f"  {end}", "}"]
        self.calls[name] = 0
        self.lines[name] = len(inside.lines)
        self.use(inside)

    def use(self, block: Block) -> None:
        """Take over what a block needs at the level of the module."""
        self.declarations |= block.declarations
        self.tables |= block.constants


class _Stream:
    """One vector register's worth of lanes on its way through a segment: the names of its values."""

    def __init__(self, block: Block, index: int, streams: int) -> None:
        self.block = block
        self.index = index
        self.streams = streams
        self.values: dict[int, str] = {}
        self.pairs: dict[int, tuple[str, str]] = {}  # register -> its sine and cosine

    def load(self, base: str, place: int) -> str:
        return self.load_vector(base, place * self.streams + self.index)

    def load_vector(self, base: str, vector: int) -> str:
        address = self.block.emit(f"getelementptr {self.block.type}, ptr {base}, i64 {vector}")
        return self.block.emit(f"load {self.block.type}, ptr {address}, align 8")

    def store(self, base: str, place: int, value: str) -> None:
        address = self._address(base, place)
        self.block.lines.append(f"store {self.block.type} {value}, ptr {address}, align 8")

    def _address(self, base: str, place: int) -> str:
        vector = place * self.streams + self.index
        return self.block.emit(f"getelementptr {self.block.type}, ptr {base}, i64 {vector}")


class _Writer:
    """The state of writing one body: where each register lives, segment by segment."""

    def __init__(self, module: Module, program: Program, shared: Sequence[int], least: int) -> None:
        self.module = module
        self.program = program
        self.start = len(program.inputs)
        self.slots, needed = self._assign_slots()
        self.workspace = max(needed, least)
        first = self.workspace * module.streams
        self.shared = {register: first + k for k, register in enumerate(shared)}
        self.stores: dict[int, list[int]] = {}
        for k, register in enumerate(program.outputs):
            self.stores.setdefault(self._segment_of(register), []).append(k)

    def segments(self) -> list[list[str]]:
        """The lines of every segment."""
        count = max(1, -(-len(self.program.instructions) // SEGMENT))
        return [self._segment(s) for s in range(count)]

    # where values live

    def _segment_of(self, register: int) -> int:
        return max(0, register - self.start) // SEGMENT

    def _assign_slots(self) -> tuple[dict[int, int], int]:
        """Workspace slots of the registers that a later segment reads; a slot is used again when free."""
        last: dict[int, int] = {}
        instructions = self.program.instructions
        for first in range(0, len(instructions), SEGMENT):
            here = self.start + first
            for _, operands, _ in instructions[first : first + SEGMENT]:
                for operand in operands:
                    if self.start <= operand < here:
                        last[operand] = first // SEGMENT
        slots: dict[int, int] = {}
        free: list[int] = []
        ends: dict[int, list[int]] = {}
        size, segment = 0, -1
        for register in sorted(last):
            made = self._segment_of(register)
            while segment < made:  # what the segments before this one read last is free now
                segment += 1
                free.extend(ends.pop(segment - 1, []))
            if not free:
                free.append(size)
                size += 1
            slots[register] = slot = free.pop()
            ends.setdefault(last[register], []).append(slot)
        return slots, size

    # one segment

    def _segment(self, s: int) -> list[str]:
        block = Block(self.module.width)
        first = s * SEGMENT
        instructions = self.program.instructions[first : first + SEGMENT]
        both = _sines_and_cosines(instructions)
        streams = [_Stream(block, t, self.module.streams) for t in range(self.module.streams)]
        for k, instruction in enumerate(instructions, self.start + first):
            for stream in streams:
                value = stream.values[k] = self._instruction(stream, both, instruction)
                if k in self.slots:
                    stream.store("%w", self.slots[k], value)
        for stream in streams:
            for k in self.stores.get(s, ()):
                stream.store("%y", k, self._value(stream, self.program.outputs[k]))
        self.module.use(block)
        return block.lines

    def _instruction(self, stream: _Stream, both: frozenset[int], instruction: Instruction) -> str:
        name, operands, payload = instruction
        block, pairs, values = stream.block, stream.pairs, stream.values
        if name in _PLAIN:
            return _PLAIN[name](block, *[values.get(o) or self._value(stream, o) for o in operands])
        if name in ("sin", "cos") and operands[0] in both:
            if operands[0] not in pairs:
                pairs[operands[0]] = self.module.sincos(block, self._value(stream, operands[0]))
            return pairs[operands[0]][name == "cos"]
        texts = [self._value(stream, operand) for operand in operands]
        routine = OPERATIONS[name].llvm
        if routine in _SMALL:
            return elementary.ROUTINES[routine](block, *texts)
        return self.module.call(block, routine, texts, payload)

    def _value(self, stream: _Stream, operand: int) -> str:
        """The text of an operand, loaded where this segment does not have it yet."""
        if operand < 0:
            return stream.block.number(self.program.constants[~operand])
        text = stream.values.get(operand)
        if text is None and operand in self.shared:
            text = stream.values[operand] = stream.load_vector("%w", self.shared[operand])
        elif text is None:
            base, place = ("%x", operand) if operand < self.start else ("%w", self.slots[operand])
            text = stream.values[operand] = stream.load(base, place)
        return text


def _sines_and_cosines(instructions: Sequence[Instruction]) -> frozenset[int]:
    """The registers whose sine and cosine are both taken."""
    sines = {i.operands[0] for i in instructions if i.name == "sin"}
    return frozenset(i.operands[0] for i in instructions if i.name == "cos" and i.operands[0] in sines)
