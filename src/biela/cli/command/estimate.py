"""`biela estimate`: what a filter makes of recorded readings."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli import description, sensing
from biela.cli.command.command import Command
from biela.cli.command.simulate import PAGES, PICTURES, RECORDS, pictured, played
from biela.cli.fault import UsageError, chosen
from biela.cli.page import Page
from biela.cli.quantity import assigned, counted, measured, quantity

if TYPE_CHECKING:
    from biela.mechanics.model import Model
    from biela.observe.process import Process
    from biela.observe.sensor.sensor import Sensor
    from biela.simulate.record import Record

GAUSSIAN, PARTICLES = (1e-6, 1e-4), (2e-3, 2e-2)  # noise a step, of positions and velocities


def arguments(parser: ArgumentParser) -> None:
    """The mechanism, the readings, the filter, the first guess, the files."""
    description.arguments(parser)
    parser.add_argument(
        "readings", metavar="READINGS", help="a table: .csv, .parquet or .npz, with a column t"
    )
    sensing.argument(parser, "what a column is, as gyro:coupler:0.5deg/s; may be given again")
    group = parser.add_argument_group("the filter")
    group.add_argument("--filter", metavar="NAME", default="ekf", help="see `biela list filters` (ekf)")
    group.add_argument(
        "--dt", metavar="TIME", type=measured("s", positive=True), default=1e-3, help="its step (1ms)"
    )
    group.add_argument(
        "--exact", action="store_true", help="take readings at their own times, between the steps"
    )
    group.add_argument(
        "--integrator", metavar="NAME", default="rk4", help="see `biela list integrators` (rk4)"
    )
    group.add_argument(
        "--independent",
        metavar="NAMES",
        help="coordinates that the others follow, with commas; those of --lock where they are enough",
    )
    for name, told in (("position", "positions"), ("velocity", "velocities")):
        group.add_argument(
            f"--{name}-noise", metavar="SIGMA", type=quantity, help=f"what a step adds to {told}, one sigma"
        )
    group.add_argument("--particles", metavar="N", type=counted(), default=1000, help="how many (1000)")
    group.add_argument(
        "--resampling", metavar="NAME", default="systematic", help="see `biela list resamplers`"
    )
    group.add_argument("--seed", type=counted(0), default=1, help="of the particles (1)")
    group.add_argument(
        "--bias", metavar="CHANNEL=SIGMA", type=assigned, action="append", default=[],
        help="a bias that is estimated too, by 'error-state' and 'rao-blackwellised'",
    )  # fmt: skip
    description.start_arguments(parser)
    guess = parser.add_argument_group("its uncertainty")
    guess.add_argument("--spread", metavar="SIGMA", type=quantity, default=0.1, help="of positions (0.1)")
    guess.add_argument(
        "--spread-speed", metavar="SIGMA", type=quantity, default=0.1, help="of velocities (0.1)"
    )
    guess.add_argument(
        "--anywhere", action="store_true", help="particles begin wherever the mechanism closes"
    )
    guess.add_argument("--begin", metavar="TIME", type=measured("s"), default=0.0, help="when it starts (0s)")
    files = parser.add_argument_group("files")
    files.add_argument("--truth", metavar="FILE", help="a record of the true motion, to compare with")
    files.add_argument("-o", "--output", metavar="FILE", help=f"the estimates: {', '.join(RECORDS)}")
    files.add_argument("--plot", metavar="FILE", help=f"a picture: {', '.join(PICTURES)}")
    files.add_argument("--replay", metavar="FILE", help="a page that plays it, beside the truth: .html")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Read, run the filter, tell what it found."""
    from biela.cli.table import events_of, readings_of, record_of, written

    _check(args)
    model = description.model_of(args)
    observer = observer_of(model, sensing.needed(args.sensors), args)
    path, times = Path(args.readings), None
    if args.exact:
        times, y = events_of(path, observer.instruments, args.begin)
    else:
        y = readings_of(path, observer.instruments, args.dt, args.begin)
    guess = None if args.anywhere else description.start_of(model, args).changed(t=args.begin)
    independent = len(observer.process.manifold.free)
    P = None if guess is None else [args.spread] * independent + [args.spread_speed] * independent
    with page.stage("compiling the filter"):
        observer.run(y[:1], guess, P)
    began = perf_counter()
    with page.stage("running the filter"):
        found: Record = observer.run(y, guess, P, t=args.begin, times=times)
    spent = perf_counter() - began
    data = _told(page, observer, found, spent, args)
    files: list[str] = []
    if args.output:
        files.append(str(written(found, Path(args.output))))
    if args.plot:
        files.append(str(pictured(found.plot(), Path(args.plot))))
    if args.replay:
        truth = {"truth": record_of(Path(args.truth)).attached(model)} if args.truth else {}
        files.append(str(played({**truth, "estimate": found}, Path(args.replay))))
    data["files"] = files
    for path in files:
        page.say(f"wrote    {path}")
    if not found.ok:
        raise ValueError(f"The filter did not stay sound: {found.status}.")
    return data


def _check(args: Namespace) -> None:
    """Raise UsageError for what cannot be meant, before anything is computed."""
    from biela.observe import FILTERS, PARTICLE_FILTERS, RESAMPLERS
    from biela.simulate.integrator import INTEGRATORS

    chosen(args.filter, [*FILTERS, *PARTICLE_FILTERS], "filter")
    chosen(args.integrator, INTEGRATORS, "integrator")
    chosen(args.resampling, RESAMPLERS, "resampler")
    if args.anywhere and args.filter in FILTERS:
        raise UsageError(f"A '{args.filter}' needs a first guess; --anywhere is for particle filters.")
    able = ("error-state", "rao-blackwellised")
    if args.bias and args.filter not in able:
        raise UsageError(f"A '{args.filter}' estimates no bias; filters that do are {' and '.join(able)}.")
    for option, path, known in (
        ("--output", args.output, RECORDS),
        ("--plot", args.plot, PICTURES),
        ("--replay", args.replay, PAGES),
    ):
        if path is not None and Path(path).suffix not in known:
            raise UsageError(f"{option} {path}: expected {', '.join(known)}; got '{Path(path).suffix}'.")


def observer_of(model: Model, sensors: list[Sensor], args: Namespace) -> Any:
    """The filter that the arguments ask for, a `Filter` or a `ParticleFilter`."""
    from biela.observe import FILTERS, PARTICLE_FILTERS, Options, Sir

    locked = [name for name, _ in args.lock]
    usual = locked if len(locked) == model.freedom else []
    names: list[str] = args.independent.split(",") if args.independent else usual
    for name in names:
        chosen(name, [c.name for c in model.placements], f"coordinate of model '{model.name}'")
    biases = {channel: quantity(text) for channel, text in args.bias}
    if args.filter in FILTERS:
        biased: dict[str, Any] = {"biases": list(biases)} if biases else {}
        gaussian: Any = FILTERS[args.filter]
        return gaussian(_process(model, args, names, GAUSSIAN), sensors, **biased)
    kind: Any = PARTICLE_FILTERS[args.filter]
    more: dict[str, Any] = {"seed": args.seed, "resampling": args.resampling}
    more |= {"biases": biases} if args.filter == "rao-blackwellised" else {}
    if kind is Sir:
        options = Options(SIMULATION_TIME_STEP=args.dt, SENSOR_STDDEV=float(sensors[0].deviations(model)[0]))
        more |= {"noisy": names, "integrator": args.integrator}
        return Sir(model, sensors, args.particles, options, **more)
    return kind(_process(model, args, names, PARTICLES), sensors, args.particles, **more)


def _process(model: Model, args: Namespace, names: list[str], usual: tuple[float, float]) -> Process:
    from biela.observe.process import Process

    given = (args.position_noise, args.velocity_noise)
    position, velocity = (u if g is None else g for u, g in zip(usual, given, strict=True))
    return Process(model, args.dt, args.integrator, independent=names, position=position, velocity=velocity)


def _told(page: Page, observer: Any, found: Record, spent: float, args: Namespace) -> dict[str, Any]:
    steps, units = len(found) - 1, found.units
    page.say(f"{observer!r}"[1:-1])
    simulated = float(found.t[-1] - found.t[0])
    page.say(f"{steps} steps in {spent:.3g} s, {simulated / spent:.3g} times real time\n")
    names = [name for name in observer.process.manifold.names if name in found]
    ends = {name: {"value": float(found[name][-1]), "sd": float(found[f"sd({name})"][-1])} for name in names}
    rows = [
        [name, f"{one['value']:.6g}", f"{one['sd']:.2g}", units.get(name, "")] for name, one in ends.items()
    ]
    page.table(("at the end", "estimate", "sigma", "unit"), rows, right=(1, 2))
    data: dict[str, Any] = {"filter": args.filter, "steps": steps, "seconds": spent, "end": ends}
    if "nis" in found:
        data["nis"] = _consistency(page, found)
    else:
        data |= {"ess": float(found["ess"][-1])}
        data |= {name: found.notes[name] for name in ("resamplings", "restarts")}
        page.say(f"\neffective particles {100 * data['ess']:.0f} %, resampled {data['resamplings']} times")
    if args.truth:
        data["rmse"] = _compared(page, found, Path(args.truth), names)
    return data


def _consistency(page: Page, found: Record) -> dict[str, Any]:
    from biela.observe.judgement import nis

    judged = nis(found)
    fits = "as it expects" if judged.ok else "more than it expects" if judged.mean > judged.high else "less"
    page.say(
        f"\ninnovations squared {judged.mean:.3g}, expected {judged.low:.3g} to {judged.high:.3g}: {fits}"
    )
    return {"mean": judged.mean, "low": judged.low, "high": judged.high, "ok": judged.ok}


def _compared(page: Page, found: Record, path: Path, names: list[str]) -> dict[str, float]:
    """The root mean square errors against a record of the truth, in the second half."""
    from biela.cli.table import record_of
    from biela.observe.judgement import rmse

    truth = record_of(path).at(found.t).replaced(units=found.units)
    half = float(found.t[0] + found.t[-1]) / 2.0
    errors = {name: float(rmse(truth, found, name, half)) for name in names}
    told = ", ".join(
        f"{name} {value:.3g} {found.units.get(name, '')}".rstrip() for name, value in errors.items()
    )
    page.say(f"error against {path}, from {half:g} s on: {told}")
    return errors


COMMAND = Command(
    "estimate", "run a filter over recorded readings", run, arguments,
    chapter="The table has a column t and one for each channel, as gyro.coupler, with its unit behind it in\n"
    "brackets if it is not SI: gyro.coupler [deg/s]. --lock, --speed and the others say the first guess.",
    examples=(
        "biela estimate four_bar readings.csv --sensor gyro:coupler:0.5deg/s --lock crank=95deg "
        "--independent crank",
        "biela estimate four_bar readings.csv --sensor gyro:coupler:0.5deg/s --filter bootstrap --anywhere "
        "--dt 10ms --independent crank",
    ),
)  # fmt: skip
