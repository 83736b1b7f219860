"""`biela platform serve`: a platform in the loop, telemetry in and poses out over UDP."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import inf
from typing import TYPE_CHECKING, Any

from biela.cli import driving, rig
from biela.cli.command.command import Command
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import measured

if TYPE_CHECKING:
    from biela.cueing.live.server import Server

LOCAL, PORT = "127.0.0.1", 5555
MANNERS = (
    ("patience", 0.2, "until telemetry that stays away is lost"),
    ("settling", 2.0, "to rest, on pause and loss"),
    ("fading", 1.0, "in of the motion"),
    ("stopping", 0.3, "in an emergency"),
)


def arguments(parser: ArgumentParser) -> None:
    """The rig, the washout, the addresses, the manners."""
    rig.argument(parser)
    driving.washout_arguments(parser)
    group = parser.add_argument_group("the network")
    group.add_argument("--host", metavar="HOST", default=LOCAL, help=f"where telemetry comes to ({LOCAL})")
    group.add_argument(
        "--port", metavar="PORT", type=_port, default=PORT, help=f"and its port ({PORT}); 0: any"
    )
    group.add_argument("--to", metavar="HOST:PORT", type=_address, help="where poses go (to who sends)")
    group = parser.add_argument_group("the loop")
    group.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=inf,
        help="how long (until Ctrl-C)",
    )  # fmt: skip
    for name, usual, told in MANNERS:
        group.add_argument(
            f"--{name}", metavar="TIME", type=measured("s", positive=True), default=usual,
            help=f"{told} ({1e3 * usual:g}ms)",
        )  # fmt: skip


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise UsageError(f"'{text}' is no port: expected 0 to 65535.")
    return int(text)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (host and colon):
        raise UsageError(f"'{text}': expected HOST:PORT, as in 127.0.0.1:5556.")
    return host, _port(port)


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Serve until the time is over or Ctrl-C; then go to rest, and tell how it went."""
    from biela.cueing.live.live import Live, Manners
    from biela.cueing.live.server import Server
    from biela.cueing.ride import Ride

    manners = Manners(**{name: getattr(args, name) for name, _, _ in MANNERS})
    ride = Ride.on(rig.rig_of(args.rig, args.combination, args.dt), driving.washout_of(args))
    with page.stage("compiling the loop"):
        live = Live(ride, manners)
    with Server(live, (args.host, args.port), args.to) as server:
        host, port = server.address
        page.note(f"{ride.simulator.platform.name} every {1e3 * live.dt:g} ms; telemetry to {host}:{port}")
        try:
            server.run(args.duration)
        except KeyboardInterrupt:
            page.note("\ngoing to rest; Ctrl-C again to end at once")
        server.settle()
        return _told(page, server)


def _told(page: Page, server: Server) -> dict[str, Any]:
    from biela.cueing.live.server import quantiles

    report, counts = server.report, dict(server.live.counts)
    page.say(f"{report.periods} periods, {report.missed} missed, {report.unsent} poses not sent")
    page.table(("packets", ""), [[name, str(count)] for name, count in counts.items()], right=(1,))
    times = {"latency": quantiles(report.latencies), "work": quantiles(report.work)}
    for what, of in (("latency", "from telemetry to pose"), ("work", "of a period")):
        if times[what]:
            told = ", ".join(f"{name} {1e3 * value:.2f} ms" for name, value in times[what].items())
            page.say(f"{what} {of}: {told}")
    return {
        "address": list(server.address), "periods": report.periods, "missed": report.missed,
        "unsent": report.unsent, "packets": counts, **times, "worst": report.worst,
        "state": server.live.state.name.lower(),
    }  # fmt: skip


COMMAND = Command(
    "serve", "a platform in the loop: telemetry in, poses out, over UDP", run, arguments,
    chapter="The packets are told in `biela.cueing.live.packet`, and sent by `examples/telemetry.py`. The\n"
    "motion goes smoothly to rest on pause, when telemetry stays away, and at the end.",
    examples=(
        "biela platform serve",
        "biela platform serve rig.toml --port 5555 --to 127.0.0.1:5556 --patience 100ms",
    ),
)  # fmt: skip
