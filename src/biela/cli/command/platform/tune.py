"""`biela platform tune`: numbers of a washout that make a drive felt best, and a page about it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli import driving, rig
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted

if TYPE_CHECKING:
    import numpy as np

    from biela.cueing.ride import Ride
    from biela.cueing.tuner import Front, Tuned
    from biela.cueing.washout.washout import Washout

USUAL = ("tilt.rate", "tilt.omega")  # that are tuned beside the gains


def arguments(parser: ArgumentParser) -> None:
    """The drive, the rig, the washout, the search, the page."""
    driving.drive_argument(parser)
    rig.argument(parser)
    driving.washout_arguments(parser)
    group = parser.add_argument_group("the search")
    group.add_argument(
        "--over", metavar="NAME[=LOW..HIGH]", action="append", default=[],
        help="a number to tune, as tilt.rate=1deg/s..10deg/s; may be given again (gains and tilt)",
    )  # fmt: skip
    group.add_argument("--cost", metavar="NAME", default="felt", help="what is made small (felt)")
    group.add_argument(
        "--method", metavar="NAME", default="differential-evolution",
        help="cma-es, differential-evolution, grid, nelder-mead (differential-evolution)",
    )  # fmt: skip
    group.add_argument("--budget", metavar="N", type=counted(), default=2000, help="candidates (2000)")
    group.add_argument("--size", metavar="N", type=counted(), default=64, help="candidates at once (64)")
    group.add_argument("--seed", type=counted(0), default=1, help="of the search (1)")
    group.add_argument("--front", metavar="COST", help="a front too, of the cost against another, as room")
    group.add_argument("--log", metavar="FILE", help="what is evaluated; a search goes on where it ended")
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", help="a page with tables and plots: .html")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Search, tell, write."""
    from biela.cueing.ride import Ride
    from biela.cueing.tuner import pareto, tune

    _checked(args)
    simulator = rig.rig_of(args.rig, args.combination, args.dt)
    kind, rows = driving.moving(args, simulator.platform.dofs, simulator.dt)
    if kind != "motion":
        raise UsageError(
            f"{args.drive} is a demand of the platform; a washout is tuned for a vehicle's motion."
        )
    ride = Ride.on(simulator, driving.washout_of(args))
    options: dict[str, Any] = {"size": args.size, "budget": args.budget, "seed": args.seed}
    options |= {"over": over_of(ride, args.over), "progress": page.progress("candidates")}
    began = perf_counter()
    tuned = tune(ride, rows, method=args.method, cost=args.cost, file=args.log, **options)
    front: Front | None = None
    if args.front and tuned.complete:
        front = pareto(ride, rows, costs=(args.cost, args.front), file=_beside(args.log), **options)
    data = _told(page, args, tuned, front) | {"seconds": perf_counter() - began}
    data["files"] = _written(args, page, tuned, front, rows)
    complete = tuned.complete and (front is None or front.found.complete)
    if not complete:
        page.note("stopped early" + ("; the same command goes on with it" if args.log else ""))
        raise KeyboardInterrupt
    return data


def _checked(args: Namespace) -> None:
    """Raise UsageError for what cannot be meant, before anything is computed."""
    from biela.cueing.cost import NAMES
    from biela.cueing.search import SEARCHES

    chosen(args.method, SEARCHES, "method")
    for cost in [args.cost, *([args.front] if args.front else [])]:
        chosen(cost, NAMES, "cost")
    if args.front == args.cost:
        raise UsageError(f"--front {args.front}: a front is of two costs; this is the one that is tuned for.")
    if args.output and Path(args.output).suffix != ".html":
        raise UsageError(f"--output {args.output}: expected .html; got '{Path(args.output).suffix}'.")


def over_of(ride: Ride, given: list[str]) -> dict[str, tuple[float, float]]:
    """Names with bounds, their usual range where there are none; gains and tilt where nothing is given."""
    washout = ride.washout
    if not given:
        axes = ("surge", "sway", *ride.simulator.platform.dofs)
        given = [name for name in (*(f"{axis}.gain" for axis in dict.fromkeys(axes)), *USUAL)
                 if name in washout.tunables and name not in washout.idle()]  # fmt: skip
    found: dict[str, tuple[float, float]] = {}
    for text in given:
        name, equals, ends = text.partition("=")
        tunable = washout.tunables[chosen(name, washout.names, "number of the washout")]
        found[name] = _bounds(washout, name, ends) if equals else tunable.usual
    return found


def _bounds(washout: Washout, name: str, text: str) -> tuple[float, float]:
    low, dots, high = text.partition("..")
    if not dots:
        raise UsageError(f"--over {name}={text}: expected two numbers, as {name}=LOW..HIGH.")
    return driving.number(washout, name, low), driving.number(washout, name, high)


def _beside(log: str | None) -> str | None:
    """The file of the front, beside that of the search."""
    return None if log is None else str(Path(log).with_suffix(f".front{Path(log).suffix}"))


def _told(page: Page, args: Namespace, tuned: Tuned, front: Front | None) -> dict[str, Any]:
    gain = 100.0 * (1.0 - tuned.cost / tuned.before) if tuned.before else 0.0
    start, tunables = tuned.start.washout.values, tuned.ride.washout.tunables
    page.say(
        f"{tuned.label}: {tuned.before:.4g} before, {tuned.cost:.4g} now, {gain:.1f} % less "
        f"({tuned.evaluations} candidates)\n"
    )
    rows = [
        [name, f"{start[name]:.4g}", f"{value:.4g}", tunables[name].unit]
        for name, value in tuned.values.items()
    ]
    page.table(("", "before", "tuned", ""), rows, right=(1, 2))
    if tuned.ends:
        page.say(f"\nat an end of where was searched: {', '.join(tuned.ends)}")
    words = " ".join(f"--set {name}={value:.6g}" for name, value in tuned.values.items())
    page.say(f"\nbiela platform drive {args.drive} {args.rig} {words}")
    data: dict[str, Any] = {
        "cost": tuned.label, "before": tuned.before, "now": tuned.cost, "values": tuned.values,
        "evaluations": tuned.evaluations, "complete": tuned.complete,
    }  # fmt: skip
    if front is not None:
        page.say(
            f"\n{front.costs.shape[1]} candidates on the front of {front.labels[0]} against {front.labels[1]}"
        )
        data["front"] = dict(zip(front.labels, front.costs, strict=True))
    return data


def _written(args: Namespace, page: Page, tuned: Tuned, front: Front | None, rows: np.ndarray) -> list[str]:
    if not args.output:
        return []
    from biela.cueing.page import report

    title = f"{Path(args.drive).stem} on {Path(args.rig).stem}"
    with page.stage("writing the page"):
        path = str(report(args.output, tuned, rows, front=front, title=title))
    page.say(f"wrote {path}")
    return [path]


COMMAND = Command(
    "tune", "numbers of a washout that make a drive felt best", run, arguments,
    chapter="The cost is what is felt wrongly on the platform, in thresholds of perception, with a fine for\n"
    "what is out of reach or too fast; or another number of a ride, as room or felt.fx. With --log a search\n"
    "that was stopped goes on where it was.",
    examples=(
        "biela platform tune town -o tuning.html",
        "biela platform tune drive.csv rig.toml --over tilt.rate=1deg/s..8deg/s --over surge.gain "
        "--front room --log search.jsonl -o tuning.html",
    ),
)  # fmt: skip
