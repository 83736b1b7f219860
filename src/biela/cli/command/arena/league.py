"""`biela arena league`: everybody against everybody, on both sides, and ratings with their confidence."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from math import comb
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from biela.cli import playing
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted, measured


def arguments(parser: ArgumentParser) -> None:
    """The game, the players, how often."""
    playing.game_argument(parser)
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="two or more, as of `biela arena run`")
    group = parser.add_argument_group("the league")
    group.add_argument(
        "--matches", metavar="N", type=counted(), default=4, help="of a pair on either side (4)"
    )
    group.add_argument("--seed", type=counted(0), default=0, help="of the first matches (0)")
    group.add_argument("--engine", metavar="NAME", default="mujoco", help="mujoco, pymunk or flat (mujoco)")
    group.add_argument(
        "--half", metavar="TIME", type=measured("s", positive=True), default=30.0, help="of football (30s)"
    )
    group.add_argument("--processes", metavar="N", type=counted(), default=1, help="that play at once (1)")
    group.add_argument("--log", metavar="FILE", help="results; a league goes on where it ended: .json")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Play, tell the table."""
    from biela.arena.league import league

    players = _players(args)
    total, done = 2 * args.matches * comb(len(players), 2), 0
    show = page.progress("matches")

    def count() -> None:
        nonlocal done
        done += 1
        if show:
            show(done, total)

    contest = _contest(args)
    options: dict[str, Any] = {"seeds": args.matches, "seed": args.seed, "path": args.log}
    if args.processes == 1:
        table = league(players, _Counted(contest, count), **options)
    else:
        with ProcessPoolExecutor(args.processes, mp_context=get_context("spawn")) as pool:
            table = league(players, contest, executor=_Counting(pool, count), **options)
    page.say(str(table))
    ratings = {name: {"rating": value, "half": half} for name, (value, half) in table.ratings.items()}
    results = [[*pairing, *score] for pairing, score in table.results.items()]
    return {"game": args.game, "players": list(players), "ratings": ratings, "results": results}


def _players(args: Namespace) -> dict[str, Any]:
    """Players by name; raises UsageError for fewer than two, or two of one name."""
    names = [Path(given).stem if given.endswith(".py") else given for given in args.players]
    if len(names) < 2 or len(set(names)) < len(names):
        raise UsageError(f"A league has two or more players of different names; got {', '.join(names)}.")
    if playing.ELSEWHERE in names:
        raise UsageError("A league is played by strategies; '-' is somebody in another process.")
    return dict(zip(names, map(playing.player_of, args.players), strict=True))


def _contest(args: Namespace) -> Any:
    from biela.arena.league import Contest
    from biela.arena.physics.registry import BACKENDS
    from biela.arena.referee.football import FootballRules

    kind, field = playing.game_of(args.game)
    options: dict[str, Any] = {"backend": chosen(args.engine, BACKENDS, "engine")}
    if kind == "sumo":
        return Contest("sumo", options | {"size": field})
    return Contest("football", options | {"field": field, "rules": FootballRules(half=args.half)})


class _Counted:
    """A contest that tells of every match."""

    def __init__(self, play: Callable[..., tuple[int, int]], count: Callable[[], None]) -> None:
        self._play, self._count = play, count

    def __call__(self, left: Any, right: Any, seed: int) -> tuple[int, int]:
        score = self._play(left, right, seed)
        self._count()
        return score


class _Counting(Executor):
    """An executor that tells of everything that is done."""

    def __init__(self, inner: Executor, count: Callable[[], None]) -> None:
        self._inner, self._count = inner, count

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand it on."""
        future = self._inner.submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: self._count())
        return future


COMMAND = Command(
    "league", "everybody against everybody, with ratings and their confidence", run, arguments,
    chapter="Ratings are Elo's scale, fitted to all results at once, with intervals of 95 %.",
    examples=(
        "biela arena league sumo charge orbiter mine.py --matches 10 --processes 2 --log league.json",
    ),
)  # fmt: skip
