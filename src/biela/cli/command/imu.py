"""`biela imu`: the two experiments of source 003 with its figures, on a simulated bench."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from biela.cli.command.command import Command
from biela.cli.command.simulate import pictured
from biela.cli.page import Page
from biela.cli.quantity import counted, measured, quantity


def usual_arguments(parser: ArgumentParser) -> None:
    """The seed, and where figures go."""
    parser.add_argument("--seed", type=counted(0), default=1, help="of all noise (1)")
    parser.add_argument("--folder", metavar="FOLDER", help="draw the figures there")


def kinematic_arguments(parser: ArgumentParser) -> None:
    """How far the crank turns, and what is wrong."""
    parser.add_argument("--turns", type=measured("1", positive=True), default=2.0, help="of the crank (2)")
    parser.add_argument(
        "--mounting", metavar="ANGLE", type=measured("rad"), default=0.0,
        help="by which the sensors are glued on wrongly (0deg)",
    )  # fmt: skip
    parser.add_argument(
        "--misprint", action="store_true", help="reckon P3 with the angle that equation (11) prints"
    )
    usual_arguments(parser)


def kinematic(args: Namespace, page: Page) -> dict[str, Any]:
    """Compare what the model predicts with what the sensors say."""
    from biela.mechanisms import four_bar
    from biela.observe.study.imu import SPEED, kinematic_experiment, plot_angles, plot_places

    page.say(f"The crank turns at {SPEED:g} rad/s; inertial sensors on coupler and rocker.\n")
    found = kinematic_experiment(
        four_bar().model(), args.turns, mounting=args.mounting, misprint=args.misprint, seed=args.seed
    )
    units = {"P3''": "m/s2"} | dict.fromkeys(("P1", "P2", "P3"), "m")
    data = {name: found.rmse(name) for name in found.predicted}
    rows = [[name, *_told(name, value, units)] for name, value in data.items()]
    page.table(("quantity", "RMSE", "unit"), rows, right=(1,))
    files = _drawn(args, {"figure-5.png": plot_angles, "figure-6.png": plot_places}, found)
    return {"experiment": "kinematic", "rmse": data, "files": _said(page, files)}


def _told(name: str, value: float, units: dict[str, str]) -> tuple[str, str]:
    """A number for people: angles in degrees."""
    from math import degrees

    if name in units:
        return f"{value:.4g}", units[name]
    return f"{degrees(value):.3f}", "deg/s" if name.endswith("'") else "deg"


def dynamic_arguments(parser: ArgumentParser) -> None:
    """From where the crank falls, and what stops it."""
    parser.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=15.0,
        help="simulated time (15s)",
    )  # fmt: skip
    parser.add_argument(
        "--angle", type=measured("rad"), default=quantity("90deg", "rad"), help="of the crank (90deg)"
    )
    parser.add_argument(
        "--friction", metavar="D", type=measured("N m s"), default=0.15,
        help="at the crank's bearing, which the filters do not know (0.15 N m s; 0 for none)",
    )  # fmt: skip
    usual_arguments(parser)


def dynamic(args: Namespace, page: Page) -> dict[str, Any]:
    """Release the crank and let two filters find its angle."""
    from math import degrees

    from biela.mechanisms import four_bar
    from biela.observe.study.imu import dynamic_experiment, plot_dynamic

    page.say("The crank is released; two gyroscopes, 0.5 deg/s at 100 Hz; its angle is not measured.\n")
    system, rough = four_bar(), four_bar()
    if args.friction:
        rough.torsion_spring("crank", 0.0, damping=args.friction)
    with page.stage("simulating and compiling"):
        found = dynamic_experiment(
            system.model(), rough.model(), args.duration, args.seed, degrees(args.angle)
        )
    data = {
        name: {
            "rmse_deg": found.rmse(name), "step_us": 1e6 * found.times[name].step,
            "worst_call_us": 1e6 * float(found.times[name].calls.max()),
            "calls_below_1ms": float((found.times[name].calls < 1e-3).mean()),
        }
        for name in found.estimates
    }  # fmt: skip
    rows = [
        [
            name, f"{one['rmse_deg']:.3f} deg", f"{one['step_us']:.2f} us", f"{one['worst_call_us']:.0f} us",
            f"{100.0 * one['calls_below_1ms']:.2f} %",
        ]
        for name, one in data.items()
    ]  # fmt: skip
    head = ("filter", "RMSE of the crank", "a step", "worst call", "calls below 1 ms")
    page.table(head, rows, right=(1, 2, 3, 4))
    page.say("\nThe source: 1.15 deg (DEKF) and 1.16 deg (UKF) on its rig, every step below 1 ms.")
    files = _drawn(args, {"figure-7.png": plot_dynamic}, found)
    return {"experiment": "dynamic", "filters": data, "files": _said(page, files)}


def _drawn(args: Namespace, figures: dict[str, Any], found: Any) -> list[str]:
    if args.folder is None:
        return []
    return [str(pictured(draw(found), Path(args.folder) / name)) for name, draw in figures.items()]


def _said(page: Page, files: list[str]) -> list[str]:
    for path in files:
        page.say(f"wrote {path}")
    return files


COMMAND = Command(
    "imu", "the experiments of source 003: a four-bar linkage seen by inertial sensors",
    below=(
        Command(
            "kinematic", "a driven crank: predicted and measured motion, figures 5 and 6", kinematic,
            kinematic_arguments,
            examples=("biela imu kinematic --folder figures", "biela imu kinematic --mounting 2deg"),
        ),
        Command(
            "dynamic", "a released crank: two filters and their step times, figure 7", dynamic,
            dynamic_arguments,
            examples=("biela imu dynamic --folder figures", "biela imu dynamic --friction 0 --for 5s"),
        ),
    ),
)  # fmt: skip
