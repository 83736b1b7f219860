"""What the commands of `biela arena` share: which game, who plays it, and playing until it ends or Ctrl-C."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted, measured

if TYPE_CHECKING:
    from biela.arena.match import Match, Player, Result
    from biela.simulate.record import Record

USUAL = {"sumo": ("charge", "orbiter"), "football": ("roles", "swarm")}
ELSEWHERE = "-"
PIECE = 0.5  # simulated seconds between two looks at how far a match is


def game_argument(parser: ArgumentParser) -> None:
    """The game."""
    parser.add_argument(
        "game", metavar="GAME", help="sumo, sumo-mega, football, vsss-5v5, ssl-b ...; see `biela list games`"
    )


def arguments(parser: ArgumentParser) -> None:
    """The game, its two players, and how it is played."""
    game_argument(parser)
    parser.add_argument(
        "players", metavar="PLAYER", nargs="*",
        help="two: names of `biela list strategies`, or Python files with a strategy",
    )  # fmt: skip
    group = parser.add_argument_group("the match")
    group.add_argument("--agents", metavar="PLAYER", nargs=2, help="the two players, the same as above")
    group.add_argument(
        "--robots", metavar="NAME", nargs="+", help="of `biela list robots`; in sumo one for either side"
    )
    group.add_argument(
        "--size", metavar="N", type=counted(), help="football players on a side (3, or 5 in 5v5)"
    )
    match_arguments(group)
    group.add_argument("--half", metavar="TIME", type=measured("s", positive=True), help="of football (300s)")
    group.add_argument("--points", metavar="N", type=counted(), help="that win a sumo match (2)")


def match_arguments(group: Any) -> None:
    """Seed, engine and the longest time."""
    group.add_argument("--seed", type=counted(0), default=0, help="of everything random (0)")
    group.add_argument("--engine", metavar="NAME", default="mujoco", help="mujoco, pymunk or flat (mujoco)")
    group.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=3600.0,
        help="simulated time after which it ends in any case (3600s)",
    )  # fmt: skip


def games() -> dict[str, tuple[str, str]]:
    """Games by name: the kind, and the field or ring."""
    from biela.arena.preset.field import FOOTBALL_FIELDS, SUMO_RINGS

    found = {"sumo": ("sumo", "mini")} | {f"sumo-{name}": ("sumo", name) for name in SUMO_RINGS}
    return found | {"football": ("football", "vsss-3v3")} | {n: ("football", n) for n in FOOTBALL_FIELDS}


def game_of(name: str) -> tuple[str, str]:
    """The kind of a game and its field or ring; raises UsageError for an unknown one."""
    return games()[chosen(name, games(), "game")]


def player_of(given: str) -> Player:
    """A strategy by its name, the beginning of one, or a file; ``-`` is somebody in another process.

    Raises UsageError for what is neither.
    """
    if given == ELSEWHERE:
        return "nobody"
    return named(given)


def named(given: str) -> str:
    """A file as it is, or the strategy whose name begins so; raises UsageError for what is neither."""
    from biela.arena.strategy.registry import STRATEGIES

    if given.endswith(".py"):
        if not Path(given).is_file():
            raise UsageError(f"There is no file '{given}' with a strategy in it.")
        return given
    begun = [name for name in STRATEGIES if name.startswith(given)]
    return begun[0] if len(begun) == 1 else chosen(given, STRATEGIES, "strategy")


def names_of(args: Namespace) -> tuple[str, str]:
    """The two players by their names or files; raises UsageError for more or fewer."""
    given: list[str] = [*args.players, *(args.agents or [])]
    if not given:
        return USUAL[game_of(args.game)[0]]
    if len(given) != 2:
        raise UsageError(f"A match has two players; got {len(given)}: {', '.join(given)}.")
    left, right = (name if name == ELSEWHERE else named(name) for name in given)
    return left, right


def match_of(args: Namespace) -> Match:
    """The match of arguments; raises UsageError for unknown names and options of the other game."""
    from biela.arena.match import football, sumo
    from biela.arena.physics.registry import BACKENDS
    from biela.arena.preset.robot import SUMO_ROBOTS, VSSS_ROBOTS
    from biela.arena.referee.football import FootballRules
    from biela.arena.referee.sumo import SumoRules

    kind, field = game_of(args.game)
    left, right = (player_of(name) for name in names_of(args))
    common: dict[str, Any] = {
        "left": left, "right": right, "seed": args.seed, "backend": chosen(args.engine, BACKENDS, "engine"),
    }  # fmt: skip
    if kind == "sumo":
        _foreign(args, "sumo", ("half", "size"))
        robots = _robots(args.robots, SUMO_ROBOTS, 2)
        pair = None if not robots else (robots[0], robots[-1])
        rules = SumoRules(**({"points": args.points} if args.points else {}))
        return sumo(field, robots=pair, rules=rules, **common)
    _foreign(args, "football", ("points",))
    robots = _robots(args.robots, VSSS_ROBOTS, 1)
    rules = FootballRules(**({"half": args.half} if args.half else {}))
    more: dict[str, Any] = {"robot": robots[0]} if robots else {}
    return football(field, players=args.size or 0, rules=rules, **more, **common)


def _robots(given: Iterable[str] | None, known: dict[str, Any], most: int) -> list[str]:
    names = [chosen(name, known, "robot of this game") for name in given or ()]
    if len(names) > most:
        raise UsageError(f"--robots: at most {most} in this game; got {len(names)}.")
    return names


def _foreign(args: Namespace, kind: str, options: Iterable[str]) -> None:
    for name in options:
        if getattr(args, name, None) is not None:
            raise UsageError(f"--{name} is no option of {kind}.")


def longest(match: Match, duration: float) -> float:
    """How long a match takes at most, as far as its rules tell."""
    rules: Any = getattr(match.referee, "rules", None)
    half = getattr(rules, "half", None)
    lasts = rules.halves * half if half else rules.rounds * (rules.hold + rules.round_time)
    return min(duration, 1.05 * lasts)


class Stop(AbstractContextManager["Stop"]):
    """Ctrl-C that lets what is under way come to a whole end; the second one ends it at once."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self.pressed = False
        self._told = told
        self._before: Any = None

    def __call__(self) -> bool:
        """Whether it was pressed."""
        return self.pressed

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        self._told("\nstopping; Ctrl-C again to end at once")

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def played(
    match: Match, duration: float, stop: Stop, watch: Callable[[Result], None] = lambda result: None
) -> Result:
    """Play to the end, for a time or until stopped, in pieces that ``watch`` sees."""
    from dataclasses import replace

    end = match.kernel.time + duration - 1e-9
    pieces: list[Record] = []
    result = match.play(0.0)
    while not match.referee.over and match.kernel.time < end and not stop():
        result = match.play(min(PIECE, end - match.kernel.time + 1e-9))
        pieces.append(result.record)
        watch(result)
    return replace(result, record=_joined(pieces)) if pieces else result


def _joined(pieces: list[Record]) -> Record:
    import numpy as np

    last = pieces[-1]
    columns = {name: np.concatenate([piece.columns[name] for piece in pieces]) for name in last.columns}
    return last.replaced(t=np.concatenate([piece.t for piece in pieces]), columns=columns)


def told(page: Page, result: Result, since: int = 0) -> None:
    """Say what the referee decided, from one event on."""
    for moment, text in result.events[since:]:
        page.say(f"{moment:8.2f} s  {text}")


def numbers(result: Result, names: tuple[str, str]) -> dict[str, Any]:
    """A result as plain data."""
    return {
        "players": list(names),
        "winner": result.winner,
        "score": list(result.score),
        "seconds": result.record.t[-1] if len(result.record) else 0.0,
        "events": [[moment, text] for moment, text in result.events],
        "faults": result.faults,
    }


def ended(page: Page, result: Result, names: tuple[str, str]) -> None:
    """Say who won, and what strategies did wrong."""
    a, b = result.score
    won = {"left": names[0], "right": names[1]}.get(result.winner or "", "")
    seconds = result.record.t[-1] if len(result.record) else 0.0
    page.say(f"{names[0]} {a} : {b} {names[1]}, {f'{won} wins' if won else 'draw'} after {seconds:.1f} s")
    for side, name in zip(("left", "right"), names, strict=True):
        for fault in result.faults[side][:5]:
            page.say(f"fault of {side}, {name}: {fault}")
        if len(result.faults[side]) > 5:
            page.say(f"fault of {side}, {name}: ... and {len(result.faults[side]) - 5} more")
