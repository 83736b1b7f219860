"""`biela arena evolve`: better numbers for a behaviour, judged on seeds that it was not trained on."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import playing
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted, measured

if TYPE_CHECKING:
    from biela.arena.learning.evolution import Evolution, Generation

JUDGED = 64  # episodes that tell how good it is before and afterwards
FILE = '''"""A {kind} for {game}, evolved against {opponent} from {before:.3f} to {now:.3f}, seed {seed}."""

from biela import arena

PLAYER = arena.Learned(arena.{kind}({numbers}), arena.ENVIRONMENTS["{game}"]())


def act(view):
    """What the behaviour does about what it sees."""
    return PLAYER.act(view)
'''


def arguments(parser: ArgumentParser) -> None:
    """The game, the opponent, the search, the file."""
    playing.game_argument(parser)
    group = parser.add_argument_group("the search")
    group.add_argument("--opponent", metavar="NAME", default="", help="a baseline, noise or still")
    group.add_argument("--generations", metavar="N", type=counted(), default=10, help="how many (10)")
    group.add_argument("--episodes", metavar="N", type=counted(), default=16, help="of each candidate (16)")
    group.add_argument(
        "--for", dest="seconds", metavar="TIME", type=measured("s", positive=True), default=15.0,
        help="how long an episode lasts at most (15s)",
    )  # fmt: skip
    group.add_argument("--seed", type=counted(0), default=0, help="of the search (0)")
    group.add_argument("--processes", metavar="N", type=counted(), default=1, help="that judge at once (1)")
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", help="the player that comes out: .py")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Evolve, judge on unseen seeds, write the player."""
    from biela.arena.learning.behaviour import Shooter, Wrestler
    from biela.arena.learning.evolution import Fitness, evolve, unseen

    if args.output and Path(args.output).suffix != ".py":
        raise UsageError(f"--output {args.output}: expected .py; got '{Path(args.output).suffix}'.")
    game, kind = _environment(args.game), Wrestler if playing.game_of(args.game)[0] == "sumo" else Shooter
    opponent = _opponent(args)
    fitness = Fitness(
        kind, game, opponent=opponent, mates="still" if kind is Shooter else None, seconds=args.seconds
    )
    judges = unseen(JUDGED, args.seed)
    before, show = fitness(_numbers(kind.START), judges), page.progress("generations")
    done: list[Generation] = []

    def told(generation: Generation) -> None:
        done.append(generation)
        page.say(f"{len(done):4d}  best {generation.best:7.3f}  mean {generation.mean:7.3f}")
        if show:
            show(len(done), args.generations)

    with ExitStack() as stack:
        pool = None
        if args.processes > 1:
            pool = stack.enter_context(ProcessPoolExecutor(args.processes, mp_context=get_context("spawn")))
        found: Evolution = evolve(
            fitness, kind.START, scale=kind.SCALE, generations=args.generations, episodes=args.episodes,
            seed=args.seed, executor=pool, told=told,
        )  # fmt: skip
    now = fitness(found.numbers, judges)
    page.say(f"{before:.3f} before, {now:.3f} now, on {JUDGED} seeds not trained on")
    data: dict[str, Any] = {
        "game": game, "behaviour": kind.__name__, "opponent": str(opponent), "before": before, "now": now,
        "numbers": dict(zip(kind.NAMES, found.numbers.tolist(), strict=True)),
        "evaluations": found.evaluations,
    }  # fmt: skip
    data["files"] = _written(args, page, FILE.format(
        kind=kind.__name__, game=game, opponent=opponent, seed=args.seed, before=before, now=now,
        numbers=found.numbers.round(6).tolist(),
    ))  # fmt: skip
    return data


def _numbers(values: Any) -> Any:
    import numpy as np

    return np.asarray(values, float)


def _environment(name: str) -> str:
    """The learning environment of a game; raises UsageError for one that has none."""
    from biela.arena.learning.registry import ENVIRONMENTS

    kind, field = playing.game_of(name)
    found = f"sumo-{field}" if kind == "sumo" else field
    if found not in ENVIRONMENTS:
        raise UsageError(f"There is nothing to learn in for '{name}'. Known: {', '.join(ENVIRONMENTS)}.")
    return found


def _opponent(args: Namespace) -> str:
    from biela.arena.strategy.registry import STRATEGIES

    usual = "searcher" if playing.game_of(args.game)[0] == "sumo" else "noise"
    return chosen(args.opponent, [*STRATEGIES, "noise", "still"], "opponent") if args.opponent else usual


def _written(args: Namespace, page: Page, text: str) -> list[str]:
    if not args.output:
        return []
    from biela.simulate.storage import whole

    path = Path(args.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, lambda aside: aside.write_text(text, encoding="utf-8"))
    page.say(f"wrote {path}")
    return [str(path)]


COMMAND = Command(
    "evolve", "better numbers for a behaviour, by CMA-ES", run, arguments,
    chapter="A wrestler for sumo, a shooter for football: points of an episode and a tenth of its rewards.\n"
    "The player that is written takes part in matches and leagues like any other file.",
    examples=("biela arena evolve sumo --generations 20 --processes 2 -o wrestler.py",),
)  # fmt: skip
