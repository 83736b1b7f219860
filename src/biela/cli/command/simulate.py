"""`biela simulate`: a mechanism in motion, into files and pictures."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli import description, sensing
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted, measured

if TYPE_CHECKING:
    from biela.simulate.record import Record
    from biela.simulate.simulation import Simulation

RECORDS, TABLES = (".npz", ".csv", ".parquet", ".h5", ".mcap"), (".csv", ".parquet")
PICTURES, PAGES = (".png", ".svg", ".pdf"), (".html",)


def arguments(parser: ArgumentParser) -> None:
    """The mechanism, its start, the step, the files."""
    description.arguments(parser)
    description.start_arguments(parser)
    group = parser.add_argument_group("the motion")
    group.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=1.0,
        help="how long it moves (1s)",
    )  # fmt: skip
    group.add_argument(
        "--dt", metavar="TIME", type=measured("s", positive=True), default=1e-3, help="the step (1ms)"
    )
    group.add_argument("--formulation", metavar="NAME", default="auto", help="see `biela list formulations`")
    group.add_argument("--integrator", metavar="NAME", default="rk4", help="see `biela list integrators`")
    group.add_argument("--every", metavar="N", type=counted(), default=1, help="record every N steps (1)")
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", help=f"the record: {', '.join(RECORDS)}")
    files.add_argument("--plot", metavar="FILE", help=f"a picture: {', '.join(PICTURES)}")
    files.add_argument("--replay", metavar="FILE", help="a page that plays it in three dimensions: .html")
    bench = parser.add_argument_group("a simulated rig")
    sensing.argument(bench)
    bench.add_argument("--readings", metavar="FILE", help=f"what the sensors read: {', '.join(TABLES)}")
    bench.add_argument("--seed", type=counted(0), default=1, help="of the sensors' noise (1)")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Assemble, simulate, tell how far it may be trusted, write what is wanted."""
    from biela.simulate.formulation import FORMULATIONS
    from biela.simulate.integrator import INTEGRATORS
    from biela.simulate.simulation import Simulation

    check_files(args)
    chosen(args.integrator, INTEGRATORS, "integrator")
    if args.formulation != "auto":
        chosen(args.formulation, FORMULATIONS, "formulation")
    model = description.model_of(args)
    start = description.start_of(model, args)
    simulation = Simulation(model, args.formulation, args.integrator, args.dt)
    began = perf_counter()
    with page.stage("compiling the step"):
        simulation.run(start, args.dt)
    compiled = perf_counter() - began
    record = simulation.run(start, args.duration, every=args.every, progress=page.progress("simulating"))
    spent = perf_counter() - began - compiled
    data = _told(page, simulation, record, compiled, spent)
    data["files"] = list(map(str, _files(args, simulation, record)))
    for path in data["files"]:
        page.say(f"wrote    {path}")
    if not record.ok:
        raise ValueError(f"The motion ended at t={record.t[-1]:g} s: {record.status}.")
    return data


def check_files(args: Namespace) -> None:
    """Raise UsageError for files of unknown formats, before anything is computed."""
    for option, path, known in (
        ("--output", args.output, RECORDS),
        ("--plot", args.plot, PICTURES),
        ("--readings", args.readings, TABLES),
        ("--replay", args.replay, PAGES),
    ):
        if path is not None and Path(path).suffix not in known:
            raise UsageError(f"{option} {path}: expected {', '.join(known)}; got '{Path(path).suffix}'.")
    if bool(args.readings) != bool(args.sensors):
        raise UsageError("--sensor and --readings belong together: what reads, and where it is written.")


def _told(
    page: Page, simulation: Simulation, record: Record, compiled: float, spent: float
) -> dict[str, Any]:
    model, report, span = simulation.model, record.report(), float(record.t[-1] - record.t[0])
    page.say(f"{model!r}"[1:-1])
    page.say(f"{simulation!r}"[1:-1])
    page.say(f"compiled in {compiled:.2f} s, {span:g} s of motion in {spent:.3g} s\n")
    units = [c.unit for c in model.placements]
    names = [c.name for c in model.placements]
    rows = [
        [name, f"{record[name][0]:.9g}", f"{record[name][-1]:.9g}", f"{record[name + chr(39)][-1]:.9g}", unit]
        for name, unit in zip(names, units, strict=True)
    ]
    page.table(("coordinate", "start", "end", "velocity", "unit"), rows, right=(1, 2, 3))
    page.say(f"\n{report}")
    return {
        "model": model.name,
        "formulation": simulation.step.formulation,
        "integrator": simulation.step.integrator.name,
        "dt": simulation.dt,
        "status": record.status,
        "moments": len(record),
        "start": {name: float(record[name][0]) for name in names},
        "end": {name: float(record[name][-1]) for name in (*names, *(f"{n}'" for n in names))},
        "trust": report.numbers,
        "seconds": {"compiling": compiled, "running": spent, "simulated": span},
    }


def _files(args: Namespace, simulation: Simulation, record: Record) -> list[Path]:
    from biela.cli.table import readings_record, written

    paths: list[Path] = []
    if args.output:
        paths.append(written(record, Path(args.output)))
    if args.readings:
        from biela.observe.bench import Bench

        if args.every != 1:
            raise UsageError("--readings wants every step: leave out --every.")
        bench = Bench(simulation, sensing.needed(args.sensors))
        y = bench.readings(record, args.seed)
        paths.append(written(readings_record(record.t[1:], y, bench.instruments), Path(args.readings)))
    if args.plot:
        paths.append(pictured(record.plot(), Path(args.plot)))
    if args.replay:
        paths.append(played(record, Path(args.replay)))
    return paths


def pictured(figure: Any, path: Path) -> Path:
    """Write a figure; the file appears whole or not at all."""
    from biela.simulate.storage import whole

    path.parent.mkdir(parents=True, exist_ok=True)
    return whole(path, lambda aside: figure.savefig(aside, dpi=120))


def played(record: Record | dict[str, Record], path: Path, title: str = "") -> Path:
    """Write a page that plays a record, or several together."""
    from biela.view import replay

    path.parent.mkdir(parents=True, exist_ok=True)
    return replay(record, path, title=title)


COMMAND = Command(
    "simulate", "move a mechanism, and write its motion and what sensors read of it", run, arguments,
    chapter="The answer tells how far the motion may be trusted: energy and residuals of the constraints.",
    examples=(
        "biela simulate four_bar --lock crank=90deg --for 10s -o run.npz --plot run.png --replay run.html",
        "biela simulate pendulum --speed angle=2rad/s --integrator dormand-prince --dt 10ms",
        "biela simulate four_bar --for 5s --sensor gyro:coupler:0.5deg/s:rate=100Hz --readings readings.csv",
    ),
)  # fmt: skip
