"""`biela pf`: the program of source 000 and its studies."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli.command.command import Command
from biela.cli.command.simulate import pictured
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import counted, measured, quantity

if TYPE_CHECKING:
    from biela.cli.fourbar import Look, Settings
    from biela.observe.study.trial import Mechanism

MOST = 20_000_000  # particles times iterations that are kept for pictures


def _settings(parser: Any, particles: int = 200) -> None:
    parser.add_argument(
        "--particles", metavar="N", type=counted(), default=particles, help=f"how many ({particles})"
    )
    parser.add_argument("--seed", type=counted(0), default=1, help="of all draws (1)")


def fourbar_arguments(parser: ArgumentParser) -> None:
    """The flags of the source, and what it had in its text."""
    parser.add_argument("--nopause", action="store_true", help="do not wait for Enter after an iteration")
    parser.add_argument(
        "--txtwrite", action="store_true", help="write Angles.txt, Weights.txt and Omegas.txt"
    )
    parser.add_argument("--folder", metavar="FOLDER", default=".", help="where files are written (.)")
    parser.add_argument("--plot", action="store_true", help="draw the four plots there")
    group = parser.add_argument_group("the run")
    group.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=60.0,
        help="simulated time (60s)",
    )  # fmt: skip
    group.add_argument(
        "--dt", metavar="TIME", type=measured("s", positive=True), default=0.006, help="step (6ms)"
    )
    _settings(group)
    for name, unit, usual, told in (
        ("sensor-stddev", "rad/s", 0.01, "noise of the gyroscope"),
        ("sensor-stddev-mod", "1", 10.0, "by which the filter takes it for larger"),
        ("motion-stddev", "rad", 0.02, "noise of the particles' angles, each step"),
        ("resample-stddev", "rad/s", 0.02, "noise of their speeds after resampling"),
    ):
        group.add_argument(
            f"--{name}",
            metavar="SIGMA",
            type=measured(unit),
            default=usual,
            help=f"{told} ({usual:g} {unit})",
        )
    group.add_argument(
        "--lengths", metavar="L,L,L,L", type=_lengths, default=(2.0, 4.0, 3.0, 4.0),
        help="ground, input, floating bar and output, m (2,4,3,4)",
    )  # fmt: skip
    group.add_argument(
        "--branch", type=int, choices=(-1, 0, 1), default=1, help="which way it closes; 0: any (1)"
    )


def _lengths(text: str) -> tuple[float, ...]:
    parts = tuple(quantity(part, "m") for part in text.split(","))
    if len(parts) != 4 or min(parts) <= 0.0:
        raise UsageError(f"'{text}': expected four lengths above zero, as in 2,4,3,4.")
    return parts


def fourbar(args: Namespace, page: Page) -> dict[str, Any]:
    """Run the program until its end, or until q or Ctrl-C."""
    from biela.cli.fourbar import Fourbar, Settings, estimated, screen
    from biela.observe.study.file import Texts
    from biela.simulate.grashof import grashof

    options = {
        "SIMULATION_TIME_STEP": args.dt, "SENSOR_STDDEV": args.sensor_stddev,
        "SENSOR_STDDEV_MOD": args.sensor_stddev_mod, "MOTION_STDDEV": args.motion_stddev,
        "RESAMPLE_STDDEV": args.resample_stddev,
    }  # fmt: skip
    settings = Settings(args.duration, args.particles, options, args.lengths, args.branch, args.seed)
    _fits(args, settings)
    kind = grashof(*args.lengths)
    page.say(f"Mechanism: {kind.label}; the input bar is {'a' if kind.crank else 'no'} crank")
    with page.stage("compiling the filter"):
        program = Fourbar(settings)
    looks: list[Look] = []
    last, done, resamplings = None, 0, 0
    paused, show = not args.nopause, page.progress("iterations") if args.nopause else None
    began = perf_counter()
    with ExitStack() as stack:
        texts = stack.enter_context(Texts(args.folder)) if args.txtwrite else None
        for one in program:
            before, last, done = one.before, one.after, one.number
            resamplings += one.resampling == one.resampling
            if texts is not None:
                texts.write(before.angle, before.reading, before.angles, before.omegas, before.weights)
            if args.plot:
                looks.append(before)
            if not (page.quiet or page.as_json):
                page.say(screen(one))
            elif show is not None:
                show(done, len(program))
            if paused:
                answer = _asked(page)
                if answer == "q":
                    break
                paused = answer != "end"
    spent = perf_counter() - began
    assert last is not None, "there is at least one iteration"
    mean, gap, near = estimated(last)
    page.say("SIMULATION ENDED")
    told = "converged" if near else "NOT converged"
    page.say(f"Estimate: {mean:.3f} rad\tReference: {last.angle:.3f} rad\t{told}")
    files = [str(path) for path in (texts.paths if texts is not None else [])]
    files += _drawn(looks, Path(args.folder)) if args.plot else []
    for path in files:
        page.say(f"wrote {path}")
    return {
        "grashof": kind.label, "iterations": done, "simulated": done * args.dt, "seconds": spent,
        "real_time_factor": done * args.dt / spent, "resamplings": resamplings,
        "restarts": program.filter.restarts,
        "reference": last.angle, "estimate": mean, "error": gap, "converged": near, "files": files,
    }  # fmt: skip


def _fits(args: Namespace, settings: Settings) -> None:
    """Raise UsageError for a run that has no step or does not fit into memory."""
    if settings.iterations < 1:
        raise UsageError(f"--for {args.duration:g}s is less than a step of {args.dt:g}s.")
    if args.plot and settings.iterations * settings.particles > MOST:
        raise UsageError(f"--plot keeps every particle of every iteration: no more than {MOST:,} of them.")


def _asked(page: Page) -> str:
    """Wait for Enter: 'q' ends the run; 'end' when nobody is there to press it."""
    page.note("Press Enter to keep iterating (q ends)")
    line = sys.stdin.readline()
    return line.strip().lower()[:1] if line else "end"


def _drawn(looks: list[Look], folder: Path) -> list[str]:
    """The four plots of a run."""
    import numpy as np

    from biela.observe.study import Trajectories, plot

    parts = zip(*((k.angle, k.reading, k.angles, k.omegas, k.weights) for k in looks), strict=True)
    angle, reading, angles, omegas, weights = (np.array(part) for part in parts)
    found = Trajectories(angle, reading, angles, omegas, weights, np.ones(len(looks)))
    figures = {
        "angles.png": plot.angles(found),
        "weighted.png": plot.angles(found, shaded=True),
        "omegas.png": plot.omegas(found),
    }
    paths = [str(pictured(figure, folder / name)) for name, figure in figures.items()]
    few = Trajectories(*(part[:, :20] if part.ndim == 2 else part for part in vars(found).values()))
    movie = folder / "particles.gif"
    from biela.simulate.storage import whole

    whole(movie, lambda aside: plot.animation(few).save(aside, writer="pillow", fps=4))
    return [*paths, str(movie)]


def study_arguments(parser: ArgumentParser) -> None:
    """What the two studies of convergence are given."""
    parser.add_argument("--values", metavar="V,V,...", help="instead of those of the source")
    parser.add_argument("--tries", metavar="N", type=counted(), default=100, help="of each value (100)")
    parser.add_argument(
        "--folder", metavar="FOLDER", help="results, and what is needed to go on after Ctrl-C"
    )
    parser.add_argument("--workers", metavar="N", type=counted(), help="processes (one a core)")
    parser.add_argument("--plot", metavar="FILE", help="a picture")
    parser.add_argument("--seed", type=counted(0), default=1, help="of the first try (1)")


def _study(args: Namespace, page: Page, setting: str, usual: tuple[float, ...]) -> dict[str, Any]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from biela.observe.study import Study, Trial, plot

    values = (
        [quantity(v, "1" if setting == "particles" else "rad") for v in args.values.split(",")]
        if args.values
        else usual
    )
    if setting == "particles" and any(v < 1 or v != int(v) for v in values):
        raise UsageError(f"--values {args.values}: numbers of particles are whole.")
    study = Study(mechanism(), setting, values, args.tries, Trial(seed=args.seed))
    # processes start afresh, since compiled code and threads do not survive a fork; Ctrl-C is for this one
    with ProcessPoolExecutor(
        args.workers, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
    ) as pool:
        try:
            found = study.run(args.folder, executor=pool, progress=page.progress("tries"), line=page.say)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            if args.folder:
                page.note(f"\nThe tries so far are in {args.folder}: the same command goes on from there.")
            raise
    if args.plot:
        page.say(f"wrote {pictured(plot.convergence(found), Path(args.plot))}")
    rows = [
        {
            "value": one.value, "tries": len(one.outcomes), "converged": one.converged,
            "converged_linear": one.converged_linear, "seconds": one.time, "resamplings": one.resamplings,
            "failed_seeds": [trial.seed for trial in one.failures],
        }
        for one in found
    ]  # fmt: skip
    return {"study": setting, "results": rows}


def number(args: Namespace, page: Page) -> dict[str, Any]:
    """The study of the particle number."""
    from biela.observe.study.convergence import PARTICLES

    return _study(args, page, "particles", PARTICLES)


def noise(args: Namespace, page: Page) -> dict[str, Any]:
    """The study of the motion noise."""
    from biela.observe.study.convergence import MOTIONS

    return _study(args, page, "motion", MOTIONS)


def timing_arguments(parser: ArgumentParser) -> None:
    """What the study of time is given."""
    parser.add_argument("--steps", metavar="T,T,...", help="instead of those of the source, as 6ms,300ms")
    parser.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=6.0,
        help="simulated time of each (6s)",
    )  # fmt: skip
    _settings(parser)
    parser.add_argument("--plot", metavar="FILE", help="a picture")


def timing(args: Namespace, page: Page) -> dict[str, Any]:
    """The study of time over the step."""
    from biela.observe.study import break_even, plot, timing
    from biela.observe.study.timing import STEPS, Timed

    steps = [quantity(text, "s") for text in args.steps.split(",")] if args.steps else STEPS
    if any(not dt > 0.0 or round(args.duration / dt) < 1 for dt in steps):
        raise UsageError(
            f"--steps: times above zero, and not above the {args.duration:g} s that are simulated."
        )
    show, found = page.progress("step sizes"), list[Timed]()
    for dt in steps:
        found += timing(
            mechanism(), particles=args.particles, steps=[dt], seed=args.seed, duration=args.duration
        )
        page.say(str(found[-1]))
        if show is not None:
            show(len(found), len(steps))
    least = break_even(found)
    page.say(f"it keeps up at steps of {1e3 * least:g} ms and more" if least else "it keeps up at every step")
    if args.plot:
        page.say(f"wrote {pictured(plot.timings(found), Path(args.plot))}")
    rows = [{**vars(one), "simulated": one.simulated, "real_over_simulated": one.factor} for one in found]
    return {"study": "timing", "break_even": least, "results": rows}


def mechanism() -> Mechanism:
    """The four-bar of the source."""
    from biela.mechanisms import four_bar_rod
    from biela.observe.study.trial import Mechanism

    return Mechanism(four_bar_rod, "input_bar", (("as_simulated", True),))


STUDIES = (
    Command(
        "timing", "time a run takes, over the size of the step", timing, timing_arguments,
        examples=("biela pf study timing", "biela pf study timing --steps 6ms,300ms --particles 1000"),
    ),
    Command(
        "number", "how many tries converge, over the number of particles", number, study_arguments,
        examples=("biela pf study number --folder number --plot number.png",),
    ),
    Command(
        "noise", "how many tries converge, over the noise of the motion", noise, study_arguments,
        examples=("biela pf study noise --values 1mrad,20mrad,0.2rad --tries 20",),
    ),
)  # fmt: skip

COMMAND = Command(
    "pf", "the particle filter of SimTKpf: its program and its studies",
    below=(
        Command(
            "fourbar", "find a falling four-bar by its gyroscope, iteration by iteration", fourbar,
            fourbar_arguments,
            chapter="Prints every particle after every iteration and waits for Enter; q or Ctrl-C ends it,\n"
            "and what was written stays whole. --quiet prints nothing; pauses remain without --nopause.",
            examples=("biela pf fourbar", "biela pf fourbar --nopause --txtwrite --folder run --json"),
        ),
        Command("study", "the studies of the source", below=STUDIES),
    ),
)  # fmt: skip
