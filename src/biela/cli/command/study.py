"""`biela pf study`: the studies of source 000: time, number of particles, noise of the motion."""

from __future__ import annotations

import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli.command.command import Command
from biela.cli.command.simulate import pictured
from biela.cli.fault import UsageError
from biela.cli.page import Page
from biela.cli.quantity import counted, measured, quantity

if TYPE_CHECKING:
    from biela.observe.study.trial import Mechanism


def swarm_arguments(parser: Any, particles: int = 200) -> None:
    """How many particles, and the seed."""
    parser.add_argument(
        "--particles", metavar="N", type=counted(), default=particles, help=f"how many ({particles})"
    )
    parser.add_argument("--seed", type=counted(0), default=1, help="of all draws (1)")


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
    swarm_arguments(parser)
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


def trajectory_arguments(parser: ArgumentParser) -> None:
    """Which try, and where its pictures go."""
    swarm_arguments(parser)
    parser.add_argument(
        "--motion-stddev", metavar="SIGMA", type=measured("rad"), default=0.02,
        help="noise of the particles' angles (0.02 rad)",
    )  # fmt: skip
    parser.add_argument(
        "--branch", type=int, choices=(-1, 0, 1), default=1, help="how truth and particles are assembled (1)"
    )
    parser.add_argument("--txtwrite", action="store_true", help="write the three files of the source, too")
    parser.add_argument("--folder", metavar="FOLDER", help="draw angles.png and omegas.png there")


def trajectories(args: Namespace, page: Page) -> dict[str, Any]:
    """Run one try again, a failure of a study for instance, and look at all its particles."""
    from biela.observe.study import Trial, plot, replayed, write_texts

    if args.txtwrite and args.folder is None:
        raise UsageError("--txtwrite writes into a folder: give --folder.")
    trial = Trial(args.seed, args.particles, args.motion_stddev, branch=args.branch)
    outcome, found = replayed(mechanism(), trial)
    page.say(f"{trial}")
    told = "converged" if outcome.converged else "did not converge"
    page.say(
        f"it {told}: truth {outcome.reference:.4f} rad, circular mean {outcome.circular:.4f} rad, "
        f"linear mean {outcome.linear:.4f} rad; resampled {outcome.resamplings} times"
    )
    files: list[str] = []
    if args.folder is not None:
        place = Path(args.folder)
        files += [str(path) for path in (write_texts(found, place) if args.txtwrite else [])]
        files.append(str(pictured(plot.angles(found, shaded=True), place / "angles.png")))
        files.append(str(pictured(plot.omegas(found), place / "omegas.png")))
    for path in files:
        page.say(f"wrote {path}")
    spread = [_spread(found.angles[k], found.weights[k]) for k in (0, -1)]
    return {"study": "trajectories", "outcome": outcome.numbers(), "converged": outcome.converged,
            "spread": {"begin": spread[0], "end": spread[1]}, "files": files}  # fmt: skip


def _spread(angles: Any, weights: Any) -> float:
    """The deviation of weighted angles on the circle, rad."""
    import numpy as np

    length = abs(np.sum(weights * np.exp(1j * angles)) / np.sum(weights))
    return float(np.sqrt(max(0.0, -2.0 * np.log(length))))


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
    Command(
        "trajectories", "every particle of one try, by its seed: a failure say, or one without noise",
        trajectories, trajectory_arguments,
        examples=(
            "biela pf study trajectories --seed 12 --folder try",
            "biela pf study trajectories --motion-stddev 0rad",
        ),
    ),
)  # fmt: skip

COMMAND = Command("study", "the studies of the source", below=STUDIES)
