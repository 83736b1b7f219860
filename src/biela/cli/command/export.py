"""`biela export`: equations as source code, a simulation or a filter as a C package or an FMU."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import description, sensing
from biela.cli.command.command import Command
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import measured

if TYPE_CHECKING:
    from biela.compile.block import Block
    from biela.mechanics.model import Model

FMUS = {"fmu2": "2.0", "fmu3": "3.0"}
FILES = ("toml", "yaml")  # descriptions
MOVING = (*FMUS, "c-package")  # targets that are a simulation, not Functions
STEP = 1e-3


def arguments(parser: ArgumentParser) -> None:
    """The mechanism, which of its Functions, in which language, where."""
    description.arguments(parser)
    parser.add_argument(
        "--target", metavar="NAME", default="c99",
        help=f"see `biela list targets` (c99); or {', '.join(MOVING)}: the simulation; "
        f"or {', '.join(FILES)}: a description file",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="PATH", help="the folder or .fmu file (named as the model)")
    group = parser.add_argument_group("equations")
    group.add_argument(
        "--function", metavar="NAME", action="append", dest="function",
        help="one of `biela list functions`, joined by | to share what they have in common, in quotes; may "
        "be given again (all)",
    )  # fmt: skip
    group.add_argument("--real", choices=("double", "float"), default="double", help="numbers (double)")
    motion = parser.add_argument_group("a simulation or filter (FMU or package)")
    motion.add_argument(
        "--dt", metavar="TIME", type=measured("s", positive=True), default=STEP, help="the step (1ms)"
    )
    motion.add_argument("--formulation", metavar="NAME", default="auto", help="see `biela list formulations`")
    motion.add_argument("--integrator", metavar="NAME", default="rk4", help="see `biela list integrators`")
    sensing.argument(motion, "export a filter with this sensor, as gyro:coupler:0.5deg/s; may be given again")
    motion.add_argument("--filter", metavar="NAME", default="ekf", help="see `biela list filters` (ekf)")
    motion.add_argument("--sources-only", action="store_true", help="an FMU without a binary")
    description.start_arguments(parser)


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Write the files."""
    from biela.cli.fault import chosen
    from biela.compile.targets import TARGETS

    chosen(args.target, [*TARGETS, *MOVING, *FILES], "target")
    if args.target not in TARGETS and args.function:
        raise UsageError(f"--function goes with source code, and {args.target} is the whole of a mechanism.")
    with page.stage("deriving the equations"):
        model = description.model_of(args)
    write = _functions if args.target in TARGETS else _moving if args.target in MOVING else _described
    data = write(args, page, model)
    for path in data["files"]:
        page.say(f"wrote  {path}")
    return data


def _functions(args: Namespace, page: Page, model: Model) -> dict[str, Any]:
    from biela.cli.fault import chosen
    from biela.compile.targets import export

    names: list[str] = args.function or ["all"]
    for name in "|".join(names).split("|"):
        chosen(name, model.functions, f"function of model '{model.name}'")
    functions = [model.functions[name] for name in names]
    files = export(functions, args.target, args.output or model.name, real=args.real)
    for function in functions:
        page.say(f"{function}: {function.operations}")
    return {
        "functions": {f.name: {"signature": str(f), "operations": f.operations.total} for f in functions},
        "files": list(map(str, files)),
    }


def _moving(args: Namespace, page: Page, model: Model) -> dict[str, Any]:
    """A simulation or a filter as an FMU or a package."""
    from biela.compile.fmu.archive import export_fmu
    from biela.compile.package import export_package

    block = _block(args, model)
    with page.stage("writing and compiling"):
        if args.target == "c-package":
            files = export_package(block, args.output or model.name)
        else:
            path = Path(args.output or f"{model.name}.fmu")
            binary = False if args.sources_only else None
            files = [export_fmu(block, path, FMUS[args.target], binary=binary)]
    page.say(f"{block.description}: {block.step.operations}")
    told = {"inputs": block.input_signals, "outputs": block.outputs, "parameters": block.parameters}
    for what, signals in told.items():
        if signals:
            page.say(f"{what}: {', '.join(signal.name for signal in signals)}")
    names = {what: [signal.name for signal in signals] for what, signals in told.items()}
    return {"block": block.name, **names, "files": list(map(str, files))}


def _block(args: Namespace, model: Model) -> Block:
    """The simulation, or with sensors the filter, as it starts."""
    from biela.cli.command.estimate import GAUSSIAN
    from biela.cli.fault import chosen
    from biela.observe import FILTERS, Process
    from biela.simulate.simulation import Simulation

    start = description.start_of(model, args)
    if not args.sensors:
        return Simulation(model, args.formulation, args.integrator, args.dt).block(start)
    sensors = sensing.needed(args.sensors)
    position, velocity = GAUSSIAN
    process = Process(model, args.dt, args.integrator, position=position, velocity=velocity)
    kind: Any = FILTERS[chosen(args.filter, FILTERS, "filter")]
    return kind(process, sensors).block(start)


def _described(args: Namespace, page: Page, model: Model) -> dict[str, Any]:
    """A description file."""
    from biela.description import write_description

    path = write_description(model, args.output or f"{model.name}.{args.target}")
    return {"model": model.name, "files": [str(path)]}


COMMAND = Command(
    "export", "write equations as source code, a simulation or filter as a C package or FMU", run, arguments,
    examples=(
        'biela export four_bar --function "M|delta" --target c99 -o four_bar_c',
        "biela export arm6 --function e --target matlab",
        "biela export four_bar --target fmu3 --lock crank=90deg -o four_bar.fmu",
        "biela export four_bar --target c-package --sensor gyro:coupler:0.5deg/s --filter ukf -o observer",
    ),
)  # fmt: skip
