"""`biela arena serve`: a match or a scene that agents in other processes and languages take part in."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import playing
from biela.cli.command.arena import files
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted, measured, quantity

if TYPE_CHECKING:
    from biela.arena.kernel import Kernel
    from biela.arena.match import Match
    from biela.arena.recording import Recorder
    from biela.arena.wire.server import Server

PORT = 4700
NAP = 0.05  # s between two looks at Ctrl-C
SCENES = (".toml", ".json", ".xml")


def arguments(parser: ArgumentParser) -> None:
    """The match or scene, the network, the pace."""
    parser.add_argument(
        "game", metavar="GAME", help="as of `biela arena run`, or a scene: .toml, .json, .xml"
    )
    parser.add_argument(
        "players",
        metavar="PLAYER",
        nargs="*",
        help="of a game: as of `biela arena run`; - is an agent outside (- -)",
    )
    group = parser.add_argument_group("the network")
    group.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where it listens (127.0.0.1)")
    group.add_argument("--port", metavar="PORT", type=port, default=PORT, help=f"of UDP ({PORT}); 0: any")
    group.add_argument("--tcp", metavar="PORT", type=port, help="and of TCP; 0: any")
    group.add_argument("--websocket", metavar="PORT", type=port, help="and of WebSocket; 0: any")
    group.add_argument(
        "--origin", metavar="URL", action="append", default=[], help="web pages that may connect"
    )
    group.add_argument(
        "--protocol", metavar="NAME", action="append", default=[],
        help="a league's own instead of ours, on its own ports: firasim, vssref, ssl-vision, ssl-control, "
        "ssl-sync; may be given again",
    )  # fmt: skip
    group.add_argument(
        "--tournament", action="store_true", help="agents may drive their robots, and nothing else"
    )
    group = parser.add_argument_group("the match")
    playing.match_arguments(group)
    group.add_argument(
        "--pace", metavar="N", type=quantity, default=1.0, help="times the clock's (1); 0: as fast as it goes"
    )
    group.add_argument(
        "--wait", metavar="N", type=counted(0), default=0, help="agents outside that it begins with (0)"
    )
    group.add_argument(
        "--step", metavar="TIME", type=measured("s", positive=True), default=0.005, help="of a scene (5ms)"
    )
    parser.set_defaults(agents=None, robots=None, size=None, half=None, points=None)
    files.arguments(parser)


def port(text: str) -> int:
    """A port; raises UsageError for what is none."""
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise UsageError(f"'{text}' is no port: expected 0 to 65535.")
    return int(text)


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Serve until the match is over, the time is, or Ctrl-C; write the recording."""
    from biela.arena.recording import Recorder
    from biela.arena.wire.server import TOURNAMENT, Server

    files.checked(args)
    if args.protocol:
        return _leagues(args, page)
    match, kernel = _world(args)
    recorder = match.recorder if match else Recorder(kernel)
    kernel.log.keeping = bool(args.output or args.replay or args.film)
    server = Server(
        kernel, args.host, udp=args.port, tcp=args.tcp, websocket=args.websocket, origins=args.origin,
        rights=TOURNAMENT if args.tournament else None,
    )  # fmt: skip
    with server, playing.Stop(page.note) as stop:
        ports = ", ".join(f"{kind} {number}" for kind, number in sorted(server.ports.items()))
        page.note(f"{kernel.scene.name} on {args.host}: {ports}  (Ctrl-C ends it)")
        _serve(args, server, match, recorder, stop)
    notes: dict[str, Any] = {}
    if match:
        referee = match.referee
        notes = {"winner": referee.winner, "score": list(referee.score), "events": list(referee.events)}
        page.say(f"{referee.score[0]} : {referee.score[1]} after {kernel.time:.1f} s")
    replay = recorder.done(**notes)
    page.say(f"{server.received} messages, {server.refused} refused, {kernel.iteration} iterations")
    return notes | {
        "seconds": kernel.time, "iterations": kernel.iteration, "received": server.received,
        "refused": server.refused, "files": files.written(args, page, replay) if kernel.iteration else [],
    }  # fmt: skip


def _leagues(args: Namespace, page: Page) -> dict[str, Any]:
    """Play a match with clients of the leagues' protocols."""
    from biela.arena.protocol.serve import PROTOCOLS, serve

    protocols = [chosen(name, PROTOCOLS, "protocol") for name in args.protocol]
    match = _league_match(args, protocols)
    with playing.Stop(page.note) as stop:
        page.note(f"{match.kernel.scene.name} for {', '.join(protocols)}  (Ctrl-C ends it)")
        result = serve(match, protocols, seconds=args.duration, speed=args.pace, until=stop)
    page.say(f"{result.score[0]} : {result.score[1]} after {match.kernel.time:.1f} s")
    return {
        "winner": result.winner, "score": list(result.score), "events": list(result.events),
        "seconds": match.kernel.time, "iterations": match.kernel.iteration,
        "files": files.written(args, page, result.replay, result.record) if match.kernel.iteration else [],
    }  # fmt: skip


def _league_match(args: Namespace, protocols: list[str]) -> Match:
    """The match that such clients play: robots of the small size league for those of it."""
    from biela.arena.small_size import small_size

    if not any(name.startswith("ssl") for name in protocols):
        args.players = args.players or [playing.ELSEWHERE, playing.ELSEWHERE]
        return playing.match_of(args)
    _, field = playing.game_of(args.game)
    if not field.startswith("ssl") or args.players or not all(name.startswith("ssl") for name in protocols):
        raise UsageError(
            f"Protocols of the small size league serve ssl-a or ssl-b, without players and other protocols; "
            f"got {' '.join([args.game, *args.players])} for {', '.join(protocols)}."
        )
    return small_size(field, players=11 if field == "ssl-a" else 6, seed=args.seed, backend=args.engine)


def _serve(args: Namespace, server: Server, match: Any, recorder: Recorder, stop: playing.Stop) -> None:
    """Iterate at a pace; a world that is paused still listens."""
    kernel, inside = server.kernel, 3 if match else 0
    while args.wait and len(kernel.agents) < inside + args.wait and not stop():
        server.wait(NAP)
        kernel.attend()
    begin, start = kernel.wall(), kernel.time
    while not stop() and kernel.time < args.duration - 1e-9 and not (match and match.referee.over):
        if kernel.iterate():
            recorder.look()
        else:
            server.wait(NAP)
            begin, start = kernel.wall(), kernel.time
        while args.pace and (left := (kernel.time - start) / args.pace - (kernel.wall() - begin)) > 0:
            server.wait(min(left, NAP))
            server.take()


def _world(args: Namespace) -> tuple[Any, Kernel]:
    """A match, or None, and its kernel."""
    from biela.arena.kernel import Kernel
    from biela.arena.scene.document import load

    path = Path(args.game)
    if path.suffix not in SCENES:
        args.players = args.players or [playing.ELSEWHERE, playing.ELSEWHERE]
        match = playing.match_of(args)
        return match, match.kernel
    if args.players:
        raise UsageError(f"{args.game} is a scene: it has no players.")
    if not path.is_file():
        raise UsageError(f"There is no file '{args.game}'.")
    return None, Kernel(load(path), backend_name=args.engine, seed=args.seed, step=args.step)


COMMAND = Command(
    "serve", "a match or a scene for agents in other processes and languages", run, arguments,
    chapter="Agents speak the compact binary form, JSON or the source's XML, over UDP, TCP or WebSocket;\n"
    "examples/agents has clients in C and JavaScript. Without --host it listens on this machine alone.",
    examples=(
        "biela arena serve sumo - charge --wait 1 -o match.replay",
        "biela arena serve my_scene.toml --port 4700 --tcp 4701 --pace 0",
        "biela arena serve vsss-3v3 - swarm --protocol firasim --protocol vssref",
        "biela arena serve ssl-b --protocol ssl-vision --protocol ssl-control",
    ),
)  # fmt: skip
