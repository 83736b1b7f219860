"""`biela arena watch`: a match at the pace of the clock: on a live page, or told line by line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from biela.cli import playing
from biela.cli.command.command import Command
from biela.cli.page import Page
from biela.cli.quantity import counted, quantity

if TYPE_CHECKING:
    from biela.arena.match import Match, Result


def arguments(parser: ArgumentParser) -> None:
    """The match, and how it is watched."""
    playing.arguments(parser)
    group = parser.add_argument_group("watching")
    group.add_argument("--headless", action="store_true", help="tell what happens; draw nothing")
    group.add_argument("--pace", metavar="N", type=quantity, default=1.0, help="times the clock's (1)")
    group.add_argument("--port", metavar="PORT", type=counted(0), default=0, help="of the page (any)")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Show it until it ends, or until Ctrl-C."""
    names, match = playing.names_of(args), playing.match_of(args)
    if not args.headless:
        return _drawn(args, page, match)
    seen, began, start = 0, perf_counter(), match.kernel.time

    def watch(so_far: Result) -> None:
        nonlocal seen
        playing.told(page, so_far, seen)
        seen = len(so_far.events)
        sleep(max(0.0, (match.kernel.time - start) / args.pace - (perf_counter() - began)))

    with playing.Stop(page.note) as stop:
        result = playing.played(match, args.duration, stop, watch)
    playing.ended(page, result, names)
    data = {"game": args.game, **playing.numbers(result, names), "over": match.referee.over}
    if stop.pressed:
        page.answer(data)
        raise KeyboardInterrupt
    return data


def _drawn(args: Namespace, page: Page, match: Match) -> dict[str, Any]:
    from biela.view.live_page.live import live

    shown = live(match, port=args.port, again=lambda: playing.match_of(args))
    with shown:
        page.note(f"{shown.url}  (Ctrl-C ends it)")
        shown.wait(args.duration)
    return {"url": shown.url}


COMMAND = Command(
    "watch", "a match at the pace of the clock, on a live page or told in lines", run, arguments,
    examples=("biela arena watch sumo charge orbiter", "biela arena watch football --headless --pace 5"),
)  # fmt: skip
