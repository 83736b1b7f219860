"""`biela arena calibrate`: wheel speeds for the commands of the source's robot, from its straight lines."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import Any

from biela.cli.command.command import Command
from biela.cli.fault import chosen
from biela.cli.page import Page
from biela.cli.quantity import measured


def arguments(parser: ArgumentParser) -> None:
    """The robot's track, the engine, the step."""
    parser.add_argument(
        "--track", metavar="LENGTH", type=measured("m", positive=True), default=0.125,
        help="between the wheels (125mm; the source's turns imply 116mm to 127mm)",
    )  # fmt: skip
    parser.add_argument("--engine", metavar="NAME", default="mujoco", help="mujoco, pymunk or flat (mujoco)")
    parser.add_argument(
        "--dt", metavar="TIME", type=measured("s", positive=True), default=0.01, help="the step (10ms)"
    )
    parser.add_argument("--tables", action="store_true", help="the source's tables alone, computed again")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Find a speed for every command from straight lines, check it on turns; tell both."""
    from biela.arena.calibration import Calibration, Drive, calibrate, source_tables
    from biela.arena.physics.registry import BACKENDS
    from biela.arena.preset import sumbot

    chosen(args.engine, BACKENDS, "engine")
    tables = source_tables()
    if args.tables:
        found = Calibration({s.command: s.speed for s in tables.straights}, tables.straights, tables.turns)
    else:
        with page.stage("driving straight lines and turns"):
            found = calibrate(Drive(sumbot.scene(track=args.track), "1", ("0", "1"), args.engine, args.dt))
    page.say(str(found))
    page.say(f"\nworst straight {found.worst_straight:.1f} %, worst turn {found.worst_turn:.1f} %")
    for told in tables.discrepancies if args.tables else ():
        page.say(told)
    return {
        "speeds": found.speeds, "straights": [asdict(row) | {"error": row.error} for row in found.straights],
        "turns": [asdict(row) | {"error": row.error} for row in found.turns],
        "worst": {"straight": found.worst_straight, "turn": found.worst_turn},
        "discrepancies": tables.discrepancies,
    }  # fmt: skip


COMMAND = Command(
    "calibrate", "the source's robot fitted to its measurements: straight lines, then turns", run, arguments,
    examples=(
        "biela arena calibrate --engine flat --json",
        "biela arena calibrate --tables",
    ),
)  # fmt: skip
