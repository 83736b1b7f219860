"""`biela platform omct`: the objective motion cueing test of a rig with its washout."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import driving, rig
from biela.cli.command.command import Command
from biela.cli.command.simulate import PICTURES, pictured
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import measured

if TYPE_CHECKING:
    from biela.cueing.objective import Omct

TABLES = (".csv",)


def arguments(parser: ArgumentParser) -> None:
    """The rig, the washout, the amplitudes, the borders, the files."""
    rig.argument(parser)
    driving.washout_arguments(parser)
    group = parser.add_argument_group("the test")
    group.add_argument(
        "--force", metavar="SIZE", type=measured("m/s2", positive=True), default=1.0,
        help="amplitude of specific forces (1m/s2)",
    )  # fmt: skip
    group.add_argument(
        "--angle", metavar="SIZE", type=measured("rad", positive=True), help="of rotations, at most (6deg)"
    )
    group.add_argument("--borders", metavar="FILE", help="a table of your standard: .csv, as ours")
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", help="the table: .csv")
    files.add_argument("--plot", metavar="FILE", help="a picture: .png, .svg, .pdf")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Sweep, tell, write."""
    from biela.cueing.objective import TESTS, Borders, Inputs, omct
    from biela.cueing.ride import Ride

    for option, path, known in (("output", args.output, TABLES), ("plot", args.plot, PICTURES)):
        if path is not None and Path(path).suffix not in known:
            raise UsageError(f"--{option} {path}: expected {', '.join(known)}; got '{Path(path).suffix}'.")
    ride = Ride.on(rig.rig_of(args.rig, args.combination, args.dt), driving.washout_of(args))
    borders = Borders.read(args.borders) if args.borders else Borders.read()
    inputs = Inputs(args.force) if args.angle is None else Inputs(args.force, args.angle)
    with page.stage("sweeping"):
        found = omct(ride, inputs=inputs, borders=borders)
    page.say(str(found))
    paths = [_table(found, Path(args.output))] if args.output else []
    if args.plot:
        paths.append(pictured(found.plot(), Path(args.plot)))
    for path in paths:
        page.say(f"wrote {path}")
    tests = {
        test.number: {"name": test.name, "modulus": found.modulus[k], "phase_deg": found.phase_deg[k],
                      "inside": found.inside[k], "distortion": found.distortion[k]}
        for k, test in enumerate(TESTS)
    }  # fmt: skip
    return {
        "omega": found.omega,
        "tests": tests,
        "borders": borders.standing,
        "files": [str(p) for p in paths],
    }


def _table(found: Omct, path: Path) -> Path:
    """A row for each test and frequency."""
    from biela.cueing.objective import TESTS
    from biela.simulate.storage import whole

    lines = ["test,name,omega,modulus,phase_deg,inside,distortion"]
    for k, test in enumerate(TESTS):
        rows = (found.omega, found.modulus[k], found.phase_deg[k], found.inside[k], found.distortion[k])
        for row in zip(*rows, strict=True):
            cells = ["" if isnan(value) else f"{value:.9g}" for value in row]
            lines.append(",".join([str(test.number), test.name, *cells]))
    path.parent.mkdir(parents=True, exist_ok=True)
    return whole(path, lambda aside: aside.write_text("\n".join(lines) + "\n", encoding="utf-8"))


COMMAND = Command(
    "omct", "the objective motion cueing test: ten tests, twelve frequencies", run, arguments,
    chapter="Sines go through washout, kinematics and channels; modulus and phase are those of what the\n"
    "head is told over what was given. The borders of ICAO 9625 do not come along: give yours by --borders.",
    examples=(
        "biela platform omct hexapod --plot omct.png",
        "biela platform omct rig.toml --washout optimal --borders mine.csv -o omct.csv",
    ),
)  # fmt: skip
