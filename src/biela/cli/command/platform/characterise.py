"""`biela platform characterise`: delay, step times and attenuation of a machine, or of what was recorded."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import isfinite, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli.command.command import Command
from biela.cli.command.platform import machine
from biela.cli.command.simulate import pictured
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import measured, quantity
from biela.cli.rig import USUAL, rig_of, unit_of

if TYPE_CHECKING:
    from biela.cueing.answer import Answer

HEAD = ("", "delay", "50 %", "90 %", "98 %", "settled", "overshoot", "3 dB", "6 dB")


def arguments(parser: ArgumentParser) -> None:
    """The machine, the size of the signals, or recordings."""
    parser.add_argument(
        "machine", metavar="MACHINE", nargs="?", default=machine.PLANT,
        help="'plant', the multibody 2-RSSU; a name of `biela list platforms`; or a file .toml (plant)",
    )  # fmt: skip
    parser.add_argument(
        "--angle", metavar="ANGLE", type=measured("rad", positive=True), default=radians(20.0),
        help="amplitude where it turns (20deg)",
    )  # fmt: skip
    parser.add_argument(
        "--length", metavar="LENGTH", type=measured("m", positive=True), default=0.05,
        help="amplitude where it shifts (50mm)",
    )  # fmt: skip
    parser.add_argument(
        "--chirp", metavar="F0,GROWTH", default="0.5Hz,1.035",
        help="first frequency of the sweep, and by what it grows a second (0.5Hz,1.035)",
    )  # fmt: skip
    machine.recorded_arguments(parser)
    parser.add_argument("--plot", metavar="FILE", help="a picture: .png, .svg, .pdf")
    parser.add_argument(
        "--folder", metavar="FOLDER", help="write S1 to S4 and what was measured of them there"
    )


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Ask, measure, tell."""
    machine.checked_files(plot=args.plot)
    f0, r = _chirp(args.chirp)
    with page.stage("measuring"):
        found = _recorded(args, f0, r) if args.recorded else _asked(args, f0, r)
    rows = [[name, *_cells(answer)] for name, answer in found.items()]
    page.table(HEAD, rows, right=range(1, len(HEAD)))
    data: dict[str, Any] = {"answers": {name: _plain(answer) for name, answer in found.items()}}
    data["files"] = [str(path) for path in _files(args, found, f0, r)]
    for path in data["files"]:
        page.say(f"wrote {path}")
    return data


def _chirp(text: str) -> tuple[float, float]:
    first, _, growth = text.partition(",")
    f0, r = quantity(first, "Hz"), quantity(growth or "1.035", "1")
    if not (f0 > 0.0 and r > 1.0):
        raise UsageError(f"--chirp {text}: a frequency above zero, and a growth above 1, as in 0.5Hz,1.035.")
    return f0, r


def _asked(args: Namespace, f0: float, r: float) -> dict[str, Answer]:
    from biela.cueing.answer import answers

    one = machine.machine_of(args.machine)
    sizes = {"m": args.length, "rad": args.angle}
    return {dof: answers(one, k, sizes[unit_of(dof)], f0=f0, r=r) for k, dof in enumerate(one.platform.dofs)}


def _recorded(args: Namespace, f0: float, r: float) -> dict[str, Answer]:
    """What recordings tell: a demand that jumps is taken for a step, any other for the sweep."""
    from biela.cueing.answer import Answer, answer_of

    rig = rig_of(USUAL if args.machine == machine.PLANT else args.machine)
    found = dict[str, Answer]()
    for rows, seen in machine.pairs_of(args, rig):
        for dof, response in seen.items():
            demand = rows[:, rig.platform.dofs.index(dof)]
            answer = answer_of(demand, response, rig.dt, f0=f0, r=r)
            found[dof] = found.get(dof, Answer()).joined(answer)
    return found


def _cells(answer: Answer) -> list[str]:
    def shown(value: float, unit: str) -> str:
        return "-" if not isfinite(value) else f"{value:.3g} {unit}"

    times = (answer.delay, answer.t50, answer.t90, answer.t98, answer.settled)
    return [*(shown(value, "s") for value in times), shown(100.0 * answer.overshoot, "%"),
            *(shown(value, "Hz") for value in (answer.hz3, answer.hz6))]  # fmt: skip


def _plain(answer: Answer) -> dict[str, float]:
    return {name: value for name, value in vars(answer).items() if isinstance(value, float)}


def _files(args: Namespace, found: dict[str, Answer], f0: float, r: float) -> list[Path]:
    paths: list[Path] = []
    if args.plot:
        from biela.cli.command.platform import picture

        paths.append(pictured(picture.answered(found), Path(args.plot)))
    if args.folder:
        paths += _measured(args, Path(args.folder))
    return paths


def _measured(args: Namespace, folder: Path) -> list[Path]:
    """S1 to S4 of the plant, as they would be recorded: the demand, and the tracker at twice its rate."""
    import numpy as np

    from biela.cli.table import written
    from biela.cueing.plant import Plant
    from biela.cueing.source_002 import SINGLE
    from biela.cueing.validation import DOFS, single
    from biela.simulate.record import Record

    if args.machine != machine.PLANT or args.recorded:
        raise UsageError("--folder writes what is measured of the plant: leave out MACHINE and --recorded.")
    plant, paths = Plant(), list[Path]()
    for name, signals in SINGLE.items():
        for dof in signals:
            rows = single(name, dof, plant.dt)
            times, poses = plant.measure(rows)
            for what, t, values in (
                ("demand", plant.dt * np.arange(len(rows)), rows),
                ("tracker", times, poses),
            ):
                columns = {dof: np.ascontiguousarray(values[:, DOFS.index(dof)])}
                paths.append(written(Record(t, columns, {dof: "rad"}), folder / f"{name}-{dof}-{what}.csv"))
    return paths


COMMAND = Command(
    "characterise", "delay, step times and attenuation of a platform", run, arguments,
    chapter="Each degree of freedom does a step and a sweep. Recordings of real ones are told apart: a\n"
    "demand that jumps is a step, any other the sweep of --chirp.",
    examples=(
        "biela platform characterise",
        "biela platform characterise rig.toml --angle 10deg --plot answers.png",
        "biela platform characterise two_rssu --recorded demand.csv tracker.csv",
    ),
)  # fmt: skip
