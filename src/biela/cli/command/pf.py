"""`biela pf`: the program of source 000 and its studies."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli.command import study
from biela.cli.command.command import Command
from biela.cli.command.simulate import pictured
from biela.cli.command.study import swarm_arguments
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import measured, quantity

if TYPE_CHECKING:
    from biela.cli.fourbar import Fourbar, Iteration, Look, Settings

MOST = 20_000_000  # particles times iterations that are kept for pictures


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
    swarm_arguments(group)
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
    from biela.cli.fourbar import Fourbar, estimated
    from biela.simulate.grashof import grashof

    settings = _settings(args)
    kind = grashof(*args.lengths)
    page.say(f"Mechanism: {kind.label}; the input bar is {'a' if kind.crank else 'no'} crank")
    with page.stage("compiling the filter"):
        program = Fourbar(settings)
    began = perf_counter()
    last, looks, files = _followed(program, args, page)
    spent = perf_counter() - began
    mean, gap, near = estimated(last.after)
    page.say("SIMULATION ENDED")
    told = "converged" if near else "NOT converged"
    page.say(f"Estimate: {mean:.3f} rad\tReference: {last.after.angle:.3f} rad\t{told}")
    files += _drawn(looks, Path(args.folder)) if args.plot else []
    for path in files:
        page.say(f"wrote {path}")
    return {
        "grashof": kind.label, "iterations": last.number, "simulated": last.time, "seconds": spent,
        "real_time_factor": last.time / spent, "resamplings": last.resamplings,
        "restarts": program.filter.restarts, "reference": last.after.angle, "estimate": mean, "error": gap,
        "converged": near, "files": files,
    }  # fmt: skip


def _followed(program: Fourbar, args: Namespace, page: Page) -> tuple[Iteration, list[Look], list[str]]:
    """Run, show and write every iteration: the last one, what is to be drawn, and the files."""
    from biela.cli.fourbar import screen
    from biela.observe.study.file import Texts

    looks: list[Look] = []
    last, paused = None, not args.nopause
    shows = not (page.quiet or page.as_json)
    progress = None if paused or shows else page.progress("iterations")
    with ExitStack() as stack:
        texts = stack.enter_context(Texts(args.folder)) if args.txtwrite else None
        for last in program:
            before = last.before
            if texts is not None:
                texts.write(before.angle, before.reading, before.angles, before.omegas, before.weights)
            if args.plot:
                looks.append(before)
            if shows:
                page.say(screen(last))
            if progress is not None:
                progress(last.number, len(program))
            answer = _asked(page) if paused else ""
            if answer == "q":
                break
            paused = paused and answer != "end"
    assert last is not None, "there is at least one iteration"
    return last, looks, [] if texts is None else list(map(str, texts.paths))


def _settings(args: Namespace) -> Settings:
    """What was asked for; raises UsageError for a run that has no step or does not fit into memory."""
    from biela.cli.fourbar import Settings

    options = {
        "SIMULATION_TIME_STEP": args.dt, "SENSOR_STDDEV": args.sensor_stddev,
        "SENSOR_STDDEV_MOD": args.sensor_stddev_mod, "MOTION_STDDEV": args.motion_stddev,
        "RESAMPLE_STDDEV": args.resample_stddev,
    }  # fmt: skip
    found = Settings(args.duration, args.particles, options, args.lengths, args.branch, args.seed)
    if found.iterations < 1:
        raise UsageError(f"--for {args.duration:g}s is less than a step of {args.dt:g}s.")
    if args.plot and found.iterations * found.particles > MOST:
        raise UsageError(f"--plot keeps every particle of every iteration: no more than {MOST:,} of them.")
    return found


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
        study.COMMAND,
    ),
)  # fmt: skip
