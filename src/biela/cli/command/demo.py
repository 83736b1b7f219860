"""`biela demo`: from a description to four observers, in half a minute."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli.command.command import Command
from biela.cli.command.simulate import played
from biela.cli.page import Page
from biela.cli.quantity import counted, measured

if TYPE_CHECKING:
    from biela.cli.contest import Contest, Entry
    from biela.simulate.record import Record

DOUBT, TURN = 0.3, 6.283185307179586  # rad

STORY = """\
A four-bar linkage on a bench: a heavy disc as crank, a coupler, a rocker (Torres-Moreno and others, 2016). It
is released with the crank upright. Two gyroscopes, on coupler and rocker, read 100 times a second with a
noise of 0.5 deg/s. Nothing measures the crank: four filters estimate it."""


def arguments(parser: ArgumentParser) -> None:
    """How long, how many particles, where to."""
    parser.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=10.0,
        help="simulated time (10s)",
    )  # fmt: skip
    parser.add_argument("--particles", metavar="N", type=counted(), default=2000, help="how many (2000)")
    parser.add_argument("--seed", type=counted(0), default=1, help="of all noise (1)")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", default="biela_demo", help="where to (biela_demo)"
    )


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Describe, simulate, estimate, compare, draw."""
    began = perf_counter()
    with page.stage("importing"):
        from biela.cli.contest import Contest
        from biela.cli.table import written
        from biela.mechanisms import four_bar

    page.say(f"{STORY}\n")
    model = four_bar().model()
    count = model.functions["M|delta"].operations
    page.say(f"model      {model!r}".replace("<Model ", "").rstrip(">"))
    page.say(f"equations  M and delta in {count}")
    with page.stage("simulating"):
        contest = Contest(model, args.duration, args.seed)
    _moved(page, contest.truth)
    entries, clouds = _estimated(page, contest, args.particles)
    page.say()
    _compared(page, entries)
    folder = Path(args.output)
    files = [str(written(contest.truth, folder / "truth.csv"))]
    files += [str(written(e.estimate, folder / f"{e.name.replace(' ', '-')}.csv")) for e in entries]
    files += _drawn(page, contest, entries, clouds, folder)
    records = {"truth": contest.truth, **{e.name: _sure(e.estimate, contest.truth) for e in entries}}
    files.append(
        str(played(records, folder / "replay.html", "Four filters find the crank of a four-bar linkage"))
    )
    page.say(f"\nwrote {len(files)} files into {folder}: {', '.join(Path(f).name for f in files)}")
    spent = perf_counter() - began
    page.say(f"open {folder / 'replay.html'} in a browser to see it move; all took {spent:.1f} s")
    return {
        "model": repr(model), "operations": count.total, "seconds": spent, "files": files,
        "filters": {entry.name: entry.numbers() for entry in entries},
    }  # fmt: skip


def _sure(estimate: Record, truth: Record) -> Record:
    """An estimate from where the crank is known to some degrees, its angles in the turn of the truth.

    Before, the mean of a swarm that is in several places is no mechanism that could be drawn.
    """
    import numpy as np

    doubtful = np.flatnonzero(estimate["sd(crank)"] > DOUBT)
    later = estimate.taken(slice(int(doubtful[-1]) + 1 if len(doubtful) else 0, None))
    there = truth.at(later.t)
    turned = {
        name: values - TURN * np.round((values - there[name]) / TURN)
        for name, values in later.columns.items()
        if later.units.get(name) == "rad" and name in truth
    }
    return later.replaced(columns={**later.columns, **turned})


def _moved(page: Page, truth: Record) -> None:
    told = truth.report()
    page.say(
        f"motion     {truth.t[-1]:g} s in steps of {1e3 * truth.notes['dt']:g} ms; "
        f"energy within {told.energy:.0e} J, loop within {told.residual:.0e} m"
    )


def _estimated(page: Page, contest: Contest, particles: int) -> tuple[list[Entry], Any]:
    entries: list[Entry] = []
    for name, observer in contest.filters().items():
        with page.stage(f"compiling and running the {name}"):
            entries.append(contest.kalman(name, observer))
    with page.stage("compiling and running the particle filter"):
        last, clouds = contest.particles(particles)
    return [*entries, last], clouds


def _compared(page: Page, entries: list[Entry]) -> None:
    head = ("filter", "begins", "RMSE", "worst", "within 1 deg", "a step", "real time")
    rows = [
        (
            e.name, e.start, f"{e.rmse:.3f} deg", f"{e.worst:.3f} deg",
            f"from {e.settled:.2f} s" if e.settled < float("inf") else "never",
            f"{1e6 * e.spent:,.2f} us", f"x {e.factor:,.0f}",
        )
        for e in entries
    ]  # fmt: skip
    page.table(head, rows, right=(2, 3, 4, 5, 6))
    page.say(f"\nErrors are those of the crank, RMSE and worst from {entries[0].begin:g} s on.")
    page.say(
        "The Kalman filters step every 1 ms, the particle filter at every reading, 10 ms; it does not know"
    )
    page.say("how the mechanism is assembled.")


def _drawn(page: Page, contest: Contest, entries: list[Entry], clouds: Any, folder: Path) -> list[str]:
    from biela.cli.picture import drawn

    try:
        with page.stage("drawing"):
            return list(map(str, drawn(contest.truth, entries, clouds, folder)))
    except ImportError as error:
        page.note(f"No pictures: {error}")
        return []


COMMAND = Command(
    "demo", "a four-bar linkage and four filters that find its crank, in half a minute", run, arguments,
    examples=("biela demo", "biela demo --particles 10000 -o contest"),
)  # fmt: skip
