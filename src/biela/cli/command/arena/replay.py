"""`biela arena replay`: a recording of a match: what happened, whether it repeats, a page, a film."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from biela.cli.command.arena import files
from biela.cli.command.command import Command
from biela.cli.page import Page


def arguments(parser: ArgumentParser) -> None:
    """The recording, and what is made of it."""
    parser.add_argument("recording", metavar="FILE", help="what `biela arena run -o match.replay` wrote")
    parser.add_argument("--check", action="store_true", help="play it again and compare the engine's states")
    files.arguments(parser)


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Tell, compare, write."""
    from biela.arena.recording import Replay

    files.checked(args)
    replay = Replay.load(Path(args.recording))
    notes = replay.notes
    settings, scene = replay.start["settings"], replay.start["scene"]["name"]
    seconds = replay.last * settings["step"] * settings["steps_per_iteration"]
    for moment, text in notes.get("events", []):
        page.say(f"{moment:8.2f} s  {text}")
    left, right = notes.get("players", ("left", "right"))
    a, b = notes.get("score", (0, 0))
    page.say(f"{scene}: {left} {a} : {b} {right} after {seconds:.1f} s on {replay.start['backend']}")
    data = {
        "scene": scene, "engine": replay.start["backend"], "seed": replay.start["seed"], "seconds": seconds,
        **{name: notes.get(name) for name in ("players", "winner", "score", "events")},
    }  # fmt: skip
    data["files"] = files.written(args, page, replay)
    if args.check:
        data |= _checked(page, replay)
    return data


def _checked(page: Page, replay: Any) -> dict[str, Any]:
    """Whether it repeats; raises ValueError, with where it leaves its way, if it does not."""
    with page.stage("playing it again"):
        found = replay.differences()
    if found:
        raise ValueError(
            f"{len(found)} of {len(replay.keyframes)} kept states differ, the first at iteration {found[0]}: "
            "recorded on another machine or with another version."
        )
    page.say(f"{len(replay.keyframes)} kept states repeat bit for bit")
    return {"keyframes": len(replay.keyframes), "differences": found}


COMMAND = Command(
    "replay", "a recorded match: what happened, whether it repeats, a page or a film of it", run, arguments,
    examples=(
        "biela arena replay match.replay --check",
        "biela arena replay match.replay --replay match.html --film match.gif -o match.csv",
    ),
)  # fmt: skip
