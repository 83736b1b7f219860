"""`biela platform fit`: channels that answer as a machine does, into a rig's file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import rig
from biela.cli.command.command import Command
from biela.cli.command.platform import machine
from biela.cli.command.simulate import pictured
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import counted, measured

if TYPE_CHECKING:
    from biela.cueing.validation import Identified

WAYS = ("search", "grid")
SHOWN = ("delay", "gain", "damping", "frequency", "rate", "acceleration")


def arguments(parser: ArgumentParser) -> None:
    """The machine or recordings, the way, the file."""
    rig.argument(parser)
    machine.recorded_arguments(parser)
    group = parser.add_argument_group("the search")
    group.add_argument(
        "--way", metavar="WAY", choices=WAYS, default=WAYS[0],
        help="search: evolution and a simplex, limits too; grid: that of source 002 (search)",
    )  # fmt: skip
    group.add_argument("--delay", metavar="TIME", type=measured("s"), help="known already, as 80ms")
    group.add_argument("--size", metavar="N", type=counted(4), default=32, help="candidates a round (32)")
    group.add_argument("--rounds", metavar="N", type=counted(), default=30, help="rounds (30)")
    group.add_argument("--seed", type=counted(0), default=1, help="of the search (1)")
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", help="the rig with these channels: .toml")
    files.add_argument("--plot", metavar="FILE", help="a picture of the recordings: .png, .svg, .pdf")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Fit, tell, write."""
    _checked(args)
    start = rig.rig_of(args.rig, args.combination, args.dt)
    with page.stage("fitting"):
        found = identified(args, start)
    page.say(f"{found.simulator.platform.name}, fitted by {args.way}\n")
    page.table(
        ("", *SHOWN, "fit"), [_cells(found, dof) for dof in found.fits], right=range(1, len(SHOWN) + 2)
    )
    data: dict[str, Any] = {
        "way": args.way,
        "channels": {dof: {**vars(one.channel)} for dof, one in found.fits.items()},
        "fits": {dof: {"mean": one.score, "each": one.scores} for dof, one in found.fits.items()},
        "evaluations": sum(one.evaluations for one in found.fits.values()),
    }
    paths = [rig.written(found.simulator, Path(args.output))] if args.output else []
    if args.plot:
        from biela.cli.command.platform import picture

        figure = picture.followed(found.simulator, machine.pairs_of(args, start))
        paths.append(pictured(figure, Path(args.plot)))
    for path in paths:
        page.say(f"wrote {path}")
    return data | {"files": [str(path) for path in paths]}


def _checked(args: Namespace) -> None:
    if args.output and Path(args.output).suffix != ".toml":
        raise UsageError(f"--output {args.output}: a rig is written as .toml.")
    if args.plot and not args.recorded:
        raise UsageError("--plot draws what was recorded: give --recorded DEMAND RESPONSE.")
    machine.checked_files(plot=args.plot)


def identified(args: Namespace, start: Any) -> Identified:
    """The fit that the arguments ask for: of recordings, or of the plant."""
    from biela.cueing.fitting import fit, fit_grid
    from biela.cueing.plant import Plant
    from biela.cueing.recorded import identify
    from biela.cueing.validation import characterise

    options: dict[str, Any] = {"way": fit_grid} if args.way == "grid" else {
        "way": fit, "size": args.size, "rounds": args.rounds, "seed": args.seed}  # fmt: skip
    if args.delay is not None:
        options |= {"delay": args.delay} if args.way == "grid" else {"delays": [args.delay]}
    if args.recorded:
        return identify(start, machine.pairs_of(args, start), **options)
    plant = Plant(platform=start.platform) if start.platform.name == rig.USUAL else start
    machine.two_axes(plant, args.rig)
    return characterise(plant, start.dt, **options)


def _cells(found: Identified, dof: str) -> list[str]:
    one = found.fits[dof]
    values = [getattr(one.channel, name) for name in SHOWN]
    unit = rig.unit_of(dof)
    units = ("s", "", "", "Hz", f"{unit}/s", f"{unit}/s2")
    return [dof, *(f"{value:.4g} {told}".rstrip() for value, told in zip(values, units, strict=True)),
            f"{one.score:.4f}"]  # fmt: skip


COMMAND = Command(
    "fit", "channels that answer as a platform does, from recordings or the plant", run, arguments,
    chapter="Without recordings the plant, a multibody 2-RSSU with motors and a noisy tracker, does S1 to\n"
    "S4. "
    "Degrees of freedom that were not recorded keep their channels.",
    examples=(
        "biela platform fit -o rig.toml",
        "biela platform fit --way grid --delay 80ms",
        "biela platform fit two_rssu --recorded demand.csv tracker.csv --align -o rig.toml --plot fit.png",
    ),
)  # fmt: skip
