"""``modelDescription.xml``: the variables of a Block, their units and starts, for both versions of FMI.

Value references count from 1: outputs, inputs, parameters; 0 is the time. Outputs of the state have starts
that may be set, the others are calculated.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from biela.compile.block import Block, Signal

CAPABLE = ("canHandleVariableCommunicationStepSize", "canBeInstantiatedOnlyOncePerProcess")
STATES = {
    "2.0": ("canGetAndSetFMUstate", "canSerializeFMUstate"),
    "3.0": ("canGetAndSetFMUState", "canSerializeFMUState"),
}


class Variable(NamedTuple):
    """A row of the description."""

    reference: int
    signal: Signal
    causality: str
    variability: str
    initial: str


def variables(block: Block) -> list[Variable]:
    """All variables but the time, in the order of their value references."""
    steady = "discrete" if block.sampled else "continuous"
    rows = [
        *(("output", steady, "exact", signal) for signal in block.state[: block.shown]),
        *(("output", steady, "calculated", signal) for signal in (*block.looked, *block.extra)),
        *(("input", steady, "", signal) for signal in block.input_signals),
        *(("parameter", "tunable", "exact", signal) for signal in block.parameters),
    ]
    return [Variable(k, signal, *row) for k, (*row, signal) in enumerate(rows, 1)]


def written(block: Block, version: str, token: str, sources: Iterable[str]) -> str:
    """The text of ``modelDescription.xml``."""
    make = _second if version == "2.0" else _third
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + make(block, token, list(sources))


def build_description(block: Block, sources: Iterable[str]) -> str:
    """The text of ``sources/buildDescription.xml``, which version 3.0 has."""
    files = "".join(f"      <SourceFile name={quoteattr(name)}/>\n" for name in sources)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
        f"  <BuildConfiguration modelIdentifier={quoteattr(block.name)}>\n"
        f'    <SourceFileSet language="C99">\n{files}    </SourceFileSet>\n'
        '    <Library name="m"/>\n'
        "  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items() if value)


def _units(block: Block, tag: str = "Unit") -> str:
    signals = (*block.outputs, *block.input_signals, *block.parameters)
    names = sorted({signal.unit for signal in signals if signal.unit} | {"s"})
    inner = "".join(f"    <{tag}{_attributes(name=name)}/>\n" for name in names)
    return f"  <UnitDefinitions>\n{inner}  </UnitDefinitions>\n"


def _experiment(block: Block) -> str:
    return f'  <DefaultExperiment startTime="0" stepSize="{block.dt!r}"/>\n'


def _capabilities(block: Block, version: str) -> str:
    told = {"modelIdentifier": block.name, CAPABLE[0]: "true", CAPABLE[1]: "false"}
    return _attributes(**told, **dict.fromkeys(STATES[version], "true"))


def _second(block: Block, token: str, sources: list[str]) -> str:
    rows = variables(block)
    files = "".join(f"      <File{_attributes(name=name)}/>\n" for name in sources)
    scalars = "".join(
        f"    <ScalarVariable{_attributes(name=v.signal.name, valueReference=str(v.reference))}"
        f"{_attributes(description=v.signal.note, causality=v.causality, variability=v.variability)}"
        f"{_attributes(initial=v.initial)}>\n"
        f"      <Real{_attributes(unit=v.signal.unit, start=_start(v))}/>\n    </ScalarVariable>\n"
        for v in rows
    )
    outputs = [v for v in rows if v.causality == "output"]
    first = "".join(f'      <Unknown index="{v.reference}"/>\n' for v in outputs)
    unknown = "".join(f'      <Unknown index="{v.reference}"/>\n' for v in outputs if v.initial != "exact")
    initial = f"    <InitialUnknowns>\n{unknown}    </InitialUnknowns>\n" if unknown else ""
    head = _attributes(
        fmiVersion="2.0", modelName=block.name, guid=token, description=block.description,
        generationTool="biela", variableNamingConvention="flat",
    )  # fmt: skip
    return (
        f"<fmiModelDescription{head}>\n"
        f"  <CoSimulation{_capabilities(block, '2.0')}>\n    <SourceFiles>\n{files}    </SourceFiles>\n"
        f"  </CoSimulation>\n{_units(block)}"
        '  <LogCategories>\n    <Category name="logStatusError"/>\n  </LogCategories>\n'
        f"{_experiment(block)}  <ModelVariables>\n{scalars}  </ModelVariables>\n"
        f"  <ModelStructure>\n    <Outputs>\n{first}    </Outputs>\n{initial}  </ModelStructure>\n"
        "</fmiModelDescription>\n"
    )


def _third(block: Block, token: str, sources: list[str]) -> str:
    rows = variables(block)
    time = _attributes(
        name="time", valueReference="0", causality="independent", variability="continuous", unit="s"
    )
    floats = "".join(
        f"    <Float64{_attributes(name=v.signal.name, valueReference=str(v.reference))}"
        f"{_attributes(description=v.signal.note, causality=v.causality, variability=v.variability)}"
        f"{_attributes(initial=v.initial, unit=v.signal.unit, start=_start(v))}/>\n"
        for v in rows
    )
    outputs = [v for v in rows if v.causality == "output"]
    structure = "".join(f'    <Output valueReference="{v.reference}"/>\n' for v in outputs)
    structure += "".join(
        f'    <InitialUnknown valueReference="{v.reference}"/>\n' for v in outputs if v.initial != "exact"
    )
    head = _attributes(
        fmiVersion="3.0", modelName=block.name, instantiationToken=token, description=block.description,
        generationTool="biela", variableNamingConvention="flat",
    )  # fmt: skip
    return (
        f"<fmiModelDescription{head}>\n  <CoSimulation{_capabilities(block, '3.0')}/>\n{_units(block)}"
        '  <LogCategories>\n    <Category name="logStatusError"/>\n  </LogCategories>\n'
        f"{_experiment(block)}  <ModelVariables>\n    <Float64{time}/>\n{floats}  </ModelVariables>\n"
        f"  <ModelStructure>\n{structure}  </ModelStructure>\n</fmiModelDescription>\n"
    )


def _start(variable: Variable) -> str:
    """The start, where there is one; NaN as XML has it."""
    if variable.initial == "calculated":
        return ""
    value = variable.signal.value
    return "NaN" if value != value else repr(float(value))
