"""`biela arena run`: a refereed match, played without a screen as fast as it goes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli import playing
from biela.cli.command.arena import files
from biela.cli.command.command import Command
from biela.cli.page import Page

if TYPE_CHECKING:
    from biela.arena.match import Result


def arguments(parser: ArgumentParser) -> None:
    """The game, the players, the match, the files."""
    playing.arguments(parser)
    files.arguments(parser)


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Play, tell, write."""
    files.checked(args)
    names = playing.names_of(args)
    match = playing.match_of(args)
    show, lasts, began = page.progress("match"), playing.longest(match, args.duration), perf_counter()

    def watch(so_far: Result) -> None:
        if show:
            show(int(1e3 * min(so_far.record.t[-1], 0.99 * lasts)), int(1e3 * lasts))

    with playing.Stop(page.note) as stop:
        result = playing.played(match, args.duration, stop, watch)
        spent = perf_counter() - began
        if show:
            show(1, 1)
        result.replay.notes["players"] = list(names)
        playing.told(page, result)
        playing.ended(page, result, names)
        data = {"game": args.game, "engine": args.engine, "seed": args.seed, **playing.numbers(result, names)}
        data |= {"over": match.referee.over, "wall": spent}
        page.say(f"{data['seconds'] / spent:.0f} times as fast as the clock: {spent:.2f} s")
        data["files"] = files.written(args, page, result.replay, result.record)
    if stop.pressed:
        page.answer(data)
        raise KeyboardInterrupt
    return data


COMMAND = Command(
    "run", "play a refereed match, as fast as it goes", run, arguments,
    chapter="A player is a strategy of the library or a Python file with one: a subclass of\n"
    "biela.arena.Strategy, or a function act(view). What a strategy does wrong stops its robot and is\n"
    "told with its line; the match goes on. The same seed plays the same match.",
    examples=(
        "biela arena run sumo charge orbiter --replay match.html",
        "biela arena run sumo a.py b.py --seed 7 -o match.replay -o match.csv",
        "biela arena run vsss-3v3 roles swarm --half 30s --film goals.gif --view top",
    ),
)  # fmt: skip
