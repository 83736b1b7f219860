"""`biela view`: what runs, in a browser, until Ctrl-C."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from biela.cli import description, sensing
from biela.cli.command.command import Command
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import counted, measured

if TYPE_CHECKING:
    from biela.view.live_page.source import Source

GAMES = ("sumo", "football")
KALMAN, SWARM = (1e-6, 1e-4), (2e-4, 4e-3)  # noise a step: positions, velocities
SPREAD = 0.1  # of the first guess


def arguments(parser: ArgumentParser) -> None:
    """What is shown, how it runs, where it is served."""
    description.arguments(parser)
    description.start_arguments(parser)
    group = parser.add_argument_group("the motion")
    group.add_argument(
        "--dt", metavar="TIME", type=measured("s", positive=True), default=1e-3, help="the step (1ms)"
    )
    group.add_argument("--formulation", metavar="NAME", default="auto", help="see `biela list formulations`")
    group.add_argument("--integrator", metavar="NAME", default="rk4", help="see `biela list integrators`")
    observer = parser.add_argument_group("a filter beside it")
    sensing.argument(observer)
    observer.add_argument("--filter", metavar="NAME", help="see `biela list filters`; wants a --sensor")
    observer.add_argument("--particles", metavar="N", type=counted(), default=500, help="how many (500)")
    other = parser.add_argument_group("a platform or a match")
    other.add_argument("--washout", metavar="NAME", default="classical", help="of a platform (classical)")
    other.add_argument("--preset", metavar="NAME", default="delft", help="its numbers (delft)")
    other.add_argument("--left", metavar="STRATEGY", help="who plays from the left; a name or a file")
    other.add_argument("--right", metavar="STRATEGY", help="who plays from the right")
    other.add_argument("--seed", metavar="N", type=counted(0), default=1, help="of noise and matches (1)")
    served = parser.add_argument_group("the page")
    served.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="served on (127.0.0.1)")
    served.add_argument("--port", metavar="N", type=counted(0), default=0, help="a free one, unless given")
    served.add_argument("--paused", action="store_true", help="begin paused")
    served.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), help="end after a while"
    )


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Serve it, say where, and wait for Ctrl-C."""
    from biela.view.live_page.live import live

    with page.stage("compiling"):
        source = source_of(args)
    if args.port > 65535:
        raise UsageError(f"--port {args.port}: ports go up to 65535.")
    with live(source, host=args.host, port=args.port, play=not args.paused) as served:
        page.note(f"{source.title} on {served.url} (Ctrl-C ends it)")
        served.wait(args.duration)
        t = float(source.t)
    counts = served.counts
    browsers = counts.pop("browsers", 0)
    page.say(f"{source.title} ended at t={t:.4g} s; {browsers} browser{'s' * (browsers != 1)} came")
    return {"title": source.title, "url": served.url, "t": t, "browsers": browsers, "refused": counts}


def source_of(args: Namespace) -> Source:
    """What the name stands for: a game, a platform, or a mechanism, with a filter if there is one."""
    from biela.cueing.platform import PLATFORMS
    from biela.mechanisms import MECHANISMS
    from biela.view.live_page.registry import source_of as shown

    name = args.mechanism
    game, _, ground = name.partition(":")
    if game in GAMES:
        return _match(game, ground, args)
    if name in PLATFORMS and name not in MECHANISMS:
        return shown(_ride(name, args))
    if game == "platform":
        return shown(_ride(ground, args))
    return _mechanism(args)


def _match(game: str, ground: str, args: Namespace) -> Source:
    from biela.arena import match
    from biela.view.live_page.match import Played

    make = getattr(match, game)
    players = {side: player for side in ("left", "right") if (player := getattr(args, side))}
    grounds = (ground,) if ground else ()

    def again() -> match.Match:
        return make(*grounds, seed=args.seed, **players)

    return Played(again(), again)


def _ride(name: str, args: Namespace) -> Any:
    from biela.cli.rig import rig_of
    from biela.cueing.ride import Ride
    from biela.cueing.washout.registry import WASHOUTS

    kind = WASHOUTS[chosen(args.washout, WASHOUTS, "washout")]
    return Ride.on(rig_of(name), kind.preset(chosen(args.preset, kind.presets, f"preset of {args.washout}")))


def _mechanism(args: Namespace) -> Source:
    from biela.simulate.formulation import FORMULATIONS
    from biela.simulate.integrator import INTEGRATORS
    from biela.simulate.simulation import Simulation
    from biela.view.live_page.registry import source_of as shown

    chosen(args.integrator, INTEGRATORS, "integrator")
    if args.formulation != "auto":
        chosen(args.formulation, FORMULATIONS, "formulation")
    if bool(args.filter) != bool(args.sensors):
        raise UsageError("--filter and --sensor belong together: what estimates, and what it reads.")
    model = description.model_of(args)
    start = description.start_of(model, args)
    simulation = Simulation(model, args.formulation, args.integrator, args.dt)
    if not args.filter:
        return shown(simulation, start=start)
    from biela.observe.bench import Bench

    sensors = sensing.needed(args.sensors)
    observer = _observer(args, model, sensors)
    deviations = [SPREAD] * len(observer.process.manifold.names)
    return shown(
        observer, bench=Bench(simulation, sensors), start=start, guess=start, P=deviations, seed=args.seed
    )


def _observer(args: Namespace, model: Any, sensors: Any) -> Any:
    from biela.observe import FILTERS, PARTICLE_FILTERS
    from biela.observe.particle.sir import Sir
    from biela.observe.process import Process

    chosen(args.filter, [*FILTERS, *PARTICLE_FILTERS], "filter")
    if args.filter == "sir":
        return Sir(model, sensors, args.particles, seed=args.seed)
    position, velocity = KALMAN if args.filter in FILTERS else SWARM
    process = Process(model, args.dt, args.integrator, position=position, velocity=velocity)
    if args.filter in FILTERS:
        kalman: Any = FILTERS[args.filter]
        return kalman(process, sensors)
    swarm: Any = PARTICLE_FILTERS[args.filter]
    return swarm(process, sensors, args.particles, seed=args.seed)


COMMAND = Command(
    "view", "drive a mechanism, filter, platform or match in a browser", run, arguments,
    chapter="Shows a mechanism by name or file, with --filter and --sensor what a filter makes of it;\n"
    "a platform of `biela list platforms`, or platform:FILE.toml; a game: sumo, sumo:mega, football,\n"
    "football:vsss-5v5. The page is served on this machine alone.",
    examples=(
        "biela view four_bar",
        "biela view four_bar --filter bootstrap --sensor gyro:coupler:0.5deg/s:rate=100Hz --dt 5ms",
        "biela view hexapod --washout classical",
        "biela view football --left roles --port 8080",
    ),
)  # fmt: skip
