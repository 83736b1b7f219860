"""`Block`: a Function that steps a state, and the numbers it begins with: what an FMU is made of.

A simulation, an observer and a platform each make one of themselves (their method ``block``). Its ``step``
gives ``x_next`` of ``x``; a parameter ``p``, the step size ``h`` and ports of inputs are there where the step
has them. A block whose step has ``h`` follows any time, by whole steps of ``dt`` and a shorter one for what
is left; one without is *sampled*, and moves every ``dt`` only.

`emitted` writes it as C99 without malloc: a struct, and functions that start, advance and look at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from biela.compile import c99
from biela.expr.function import Function

STEP = 1e-8  # of dt: communication steps that differ by less from whole steps are taken for them


@dataclass(frozen=True)
class Signal:
    """A number with a name: its value at the start, its unit, and what it is."""

    name: str
    value: float
    unit: str = ""
    note: str = ""


@dataclass(frozen=True)
class Limit:
    """What a component of the state must not exceed, or fall below, and what it means if it does."""

    component: int
    message: str
    most: float | None = None
    least: float | None = None


@dataclass(frozen=True, eq=False)
class Block:
    """A step, its state at the start, parameters, inputs by port, and outputs.

    The first ``shown`` components of the state are outputs; those after are what ``look`` gives of the state,
    then what the step gives beside ``x_next`` (``extra``). ``momentary`` ports hold readings, taken once in a
    communication step, at its end. ``residual`` is near zero at states that are good to start from.
    """

    name: str
    step: Function
    dt: float
    state: tuple[Signal, ...]
    shown: int
    inputs: Mapping[str, tuple[Signal, ...]]
    parameters: tuple[Signal, ...] = ()
    look: Function | None = None
    looked: tuple[Signal, ...] = ()
    extra: tuple[Signal, ...] = ()
    momentary: frozenset[str] = frozenset()
    clock: int | None = None  # the component of the state that is the time
    residual: Function | None = None
    limits: tuple[Limit, ...] = ()
    description: str = ""
    functions: tuple[Function, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        """Raises ValueError for a step that is none, or numbers that do not fit its ports."""
        ports = {port.name: port for port in self.step.inputs}
        wanted = {"x": len(self.state), "p": len(self.parameters)}
        wanted |= {name: len(signals) for name, signals in self.inputs.items()}
        for name, port in ports.items():
            if name != "h" and port.size != wanted.get(name):
                told = (
                    f"port '{name}' of {self.step} has {port.size} numbers, and {wanted.get(name)} are given"
                )
                raise ValueError(f"Block '{self.name}': {told}.")
        if not self.dt > 0.0 or self.step.output("x_next").size != len(self.state):
            raise ValueError(f"Block '{self.name}': {self.step} is no step of {self.dt} s of its state x.")
        made = tuple(f for f in (self.step, self.look, self.residual) if f is not None)
        object.__setattr__(self, "functions", made)

    @property
    def sampled(self) -> bool:
        """Whether it moves at its own moments only."""
        return all(port.name != "h" for port in self.step.inputs)

    @property
    def input_signals(self) -> tuple[Signal, ...]:
        """All inputs, port after port."""
        return tuple(signal for signals in self.inputs.values() for signal in signals)

    @property
    def outputs(self) -> tuple[Signal, ...]:
        """All outputs: of the state, looked at, and of the step."""
        return (*self.state[: self.shown], *self.looked, *self.extra)


def emitted(block: Block) -> dict[str, str]:
    """The C sources of a block by file name: its Functions, ``<name>_block.h`` and ``<name>_block.c``.

    Raises TypeError for what is no block.
    """
    if not isinstance(block, Block):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"What is exported is made of a Block; got {type(block).__name__} {block!r}.")
    texts: dict[str, str] = {}
    for function in block.functions:
        texts |= c99.source(function)
    for suffix in ("h", "c"):
        template = (files("biela.compile") / "fmu" / f"block.{suffix}").read_text(encoding="utf-8")
        texts[f"{block.name}_block.{suffix}"] = filled(template, _parts(block))
    return texts


def filled(template: str, parts: Mapping[str, str]) -> str:
    """A template with its ``@words@`` replaced."""
    for word, text in parts.items():
        template = template.replace(f"@{word}@", text)
    return template


def quoted(text: str) -> str:
    """A string literal of C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def _parts(block: Block) -> dict[str, str]:
    outputs, inputs = block.outputs, block.input_signals
    return {
        "name": block.name,
        "NAME": block.name.upper(),
        "description": block.description or block.name,
        "states": str(len(block.state)),
        "shown": str(block.shown),
        "inputs": str(len(inputs)),
        "parameters": str(len(block.parameters)),
        "outputs": str(len(outputs)),
        "dt": c99_number(block.dt),
        "sampled": str(int(block.sampled)),
        "includes": "".join(f'#include "{f.name}.h"\n' for f in block.functions),
        "x0": _numbers(block.state),
        "in0": _numbers(inputs),
        "p0": _numbers(block.parameters),
        "input_names": _names(inputs),
        "parameter_names": _names(block.parameters),
        "output_names": _names(outputs),
        "momentary": _momentary(block),
        "near": c99_number(STEP),
        "step": _call(block, block.step, {"x": "b->x", "h": "&h", "p": "b->p"}, ["next"], "in"),
        "limits": _limits(block),
        "messages": "".join(f",\n    {quoted(limit.message)}" for limit in block.limits),
        "clock": "" if block.clock is None else f"    b->x[{block.clock}] = time;\n",
        "look": _looking(block),
        "residual": _residual(block),
    }  # fmt: skip


def c99_number(value: float) -> str:
    """A number as C writes it; NaN and infinities by the names of math.h."""
    if value != value:
        return "NAN"
    return repr(float(value)) if abs(value) != float("inf") else ("INFINITY" if value > 0 else "-INFINITY")


def _numbers(signals: Sequence[Signal]) -> str:
    return ", ".join(c99_number(signal.value) for signal in signals) or "0.0"


def _names(signals: Sequence[Signal]) -> str:
    return ", ".join(quoted(signal.name) for signal in signals) or '""'


def _call(block: Block, function: Function, have: Mapping[str, str], results: list[str], inputs: str) -> str:
    """The call of a Function; inputs lie port after port in one array, further outputs after ``shown``."""
    places, place = dict(have), 0
    for name, signals in block.inputs.items():
        places[name] = f"{inputs} + {place}"
        place += len(signals)
    extra = len(block.outputs) - len(block.extra)
    more = [f"b->y + {extra + k}" for k in range(len(function.outputs) - len(results))]
    arguments = [*(places[port.name] for port in function.inputs), *results, *more]
    return f"biela_{function.name}({', '.join(arguments)});"


def _momentary(block: Block) -> str:
    """Readings that are none yet, before the last step."""
    lines: list[str] = []
    place = 0
    for name, signals in block.inputs.items():
        if name in block.momentary:
            lines += [f"        in[{place + k}] = last ? in[{place + k}] : NAN;" for k in range(len(signals))]
        place += len(signals)
    return "\n".join(lines) or "        (void)last;"


def _limits(block: Block) -> str:
    lines: list[str] = []
    for k, limit in enumerate(block.limits, 3):
        bounds = [("<=", limit.most), (">=", limit.least)]
        lines += [
            f"    if (!(next[{limit.component}] {sign} {c99_number(bound)}))\n        return {k};\n"
            for sign, bound in bounds
            if bound is not None
        ]
    return "".join(lines)


def _looking(block: Block) -> str:
    if block.look is None:
        return ""
    have = {"x": "b->x", "p": "b->p"}
    return f"    {_call(block, block.look, have, [f'b->y + {block.shown}'], 'b->in')}\n"


def _residual(block: Block) -> str:
    if block.residual is None:
        return "    (void)b;\n"
    size = block.residual.outputs[0].size
    call = _call(block, block.residual, {"x": "b->x", "p": "b->p"}, ["r"], "b->in")
    return (
        f"    double r[{size}];\n    int k;\n    {call}\n    for (k = 0; k < {size}; ++k)\n"
        "        if (!(fabs(r[k]) <= most))\n            most = isfinite(r[k]) ? fabs(r[k]) : INFINITY;\n"
    )
