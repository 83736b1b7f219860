"""`biela platform validate`: tables 2, 4, 5 and 7 of source 002, its numbers and ours side by side."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import rig
from biela.cli.command.command import Command
from biela.cli.command.platform import machine
from biela.cli.command.simulate import pictured
from biela.cli.page import Page
from biela.cli.quantity import counted

if TYPE_CHECKING:
    from biela.cueing.plant import Plant
    from biela.cueing.validation import Identified, Row

TITLES = {
    2: "table 2: delay, excursions (s), and where sweeps have lost 3 and 6 dB (Hz)",
    4: "table 4: the fitted channels",
    5: "table 5: normalised root mean square fit, 1 is best",
    7: "table 7: how long a drive with a washout takes",
}


def arguments(parser: ArgumentParser) -> None:
    """The rig, the tables, recordings."""
    parser.add_argument(
        "rig", metavar="RIG", nargs="?", help="a file .toml; without one the plant is fitted first"
    )
    parser.add_argument(
        "--table", type=int, choices=tuple(TITLES), action="append", help="one of them; may be given again"
    )
    parser.add_argument("--rounds", metavar="N", type=counted(), default=30, help="of the fit (30)")
    machine.recorded_arguments(parser)
    parser.add_argument("--plot", metavar="FILE", help="a picture of table 5: .png, .svg, .pdf")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Compare, table by table."""
    from biela.cueing.plant import Plant

    machine.checked_files(plot=args.plot)
    if args.recorded:
        return _against_recordings(args, page)
    wanted = args.table or list(TITLES)
    plant = Plant()
    with page.stage("fitting"):
        found = _found(args, plant)
    data: dict[str, Any] = {"tables": {}}
    for number in wanted:
        with page.stage(f"table {number}"):
            rows = made(number, plant, found)
        page.say(f"{TITLES[number]}\n")
        page.table(("", "source", "ours"), [_cells(row) for row in rows], right=(1, 2))
        page.say()
        data["tables"][number] = machine.rows_of(rows)
        if number == 5 and args.plot:
            from biela.cli.command.platform import picture

            data["files"] = [str(pictured(picture.compared(rows, TITLES[5]), Path(args.plot)))]
            page.say(f"wrote {data['files'][0]}")
    return data


def _found(args: Namespace, plant: Plant) -> Identified:
    """The rig that is validated."""
    from biela.cueing.validation import Identified, characterise

    if args.rig is None:
        return characterise(plant, delays=[0.08], size=32, rounds=args.rounds)
    simulator = rig.rig_of(args.rig)
    machine.two_axes(simulator, args.rig)
    return Identified({}, simulator)


def made(number: int, plant: Plant, found: Identified) -> list[Row]:
    """The rows of a table."""
    from biela.cueing import validation
    from biela.cueing.washout.classical import ClassicalWashout

    if number == 2:
        return [*validation.excursions(plant), *validation.attenuations(plant)]
    if number == 4:
        return validation.fitted(found)
    if number == 5:
        rows = validation.validate(plant, found.simulator)
        return [*rows, validation.mean(rows)]
    return validation.speeds(plant, found.simulator, ClassicalWashout.preset("delft"))


def _against_recordings(args: Namespace, page: Page) -> dict[str, Any]:
    """The fit of a rig on each recording."""
    from biela.cueing.recorded import scores

    simulator = rig.rig_of(args.rig or rig.USUAL)
    pairs = machine.pairs_of(args, simulator)
    found = [scores(simulator, rows, seen) for rows, seen in pairs]
    rows = [
        [names[1], dof, f"{score:.4f}"]
        for names, one in zip(args.recorded, found, strict=True) for dof, score in one.items()
    ]  # fmt: skip
    page.table(("recording", "", "fit"), rows, right=(2,))
    return {"fits": [{"response": names[1], **one} for names, one in zip(args.recorded, found, strict=True)]}


def _cells(row: Row) -> tuple[str, str, str]:
    source, ours = ("-" if value is None else f"{value:.4g}" for value in (row.source, row.ours))
    return row.name, source, ours


COMMAND = Command(
    "validate", "the tables of source 002, its numbers and ours side by side", run, arguments,
    chapter="The plant, a multibody 2-RSSU with motors and a noisy tracker, takes the real platform's place.",
    examples=(
        "biela platform validate",
        "biela platform validate rig.toml --table 5 --plot fits.png",
        "biela platform validate rig.toml --recorded demand.csv tracker.csv",
    ),
)  # fmt: skip
