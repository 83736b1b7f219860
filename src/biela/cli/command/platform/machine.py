"""What is characterised, fitted and validated: a machine by name, or what was recorded of one.

No recorded data come with source 002, so ``plant``, a multibody model of its platform with motors, limits, a
bus and a noisy tracker, takes the machine's place; a rig answers as its channels do.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli import rig
from biela.cli.command.simulate import PICTURES, RECORDS
from biela.cli.driving import recorded
from biela.cli.fault import UsageError

if TYPE_CHECKING:
    import numpy as np

    from biela.cueing.simulator import Simulator
    from biela.cueing.validation import Machine

PLANT = "plant"


def checked_files(output: str | None = None, plot: str | None = None) -> None:
    """Raise UsageError for files of unknown formats, before anything is computed."""
    for option, path, known in (("output", output, RECORDS), ("plot", plot, PICTURES)):
        if path is not None and Path(path).suffix not in known:
            raise UsageError(f"--{option} {path}: expected {', '.join(known)}; got '{Path(path).suffix}'.")


def recorded_arguments(parser: ArgumentParser) -> None:
    """Recordings in the place of a machine."""
    group = parser.add_argument_group("recordings")
    group.add_argument(
        "--recorded", nargs=2, metavar=("DEMAND", "RESPONSE"), action="append", default=[],
        help="tables with t and degrees of freedom, .csv, .parquet, .npz; may be given again",
    )  # fmt: skip
    group.add_argument("--align", action="store_true", help="their clocks differ: shift to the best match")
    group.add_argument(
        "--interpolate", action="store_true", help="their rates do not match: read between rows"
    )


def pairs_of(args: Namespace, simulator: Simulator) -> list[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """The recordings that the arguments name, on the clock of a simulator."""
    from biela.cueing.recorded import paired

    return [
        paired(simulator, recorded(u), recorded(y), align=args.align, interpolate=args.interpolate)
        for u, y in args.recorded
    ]


def machine_of(name: str) -> Machine:
    """The plant, or a rig."""
    from biela.cueing.plant import Plant

    return Plant() if name == PLANT else rig.rig_of(name)


def two_axes(machine: Machine, name: str) -> None:
    """Raise UsageError for a machine to which the tables of source 002 do not apply."""
    from biela.cueing.validation import DOFS

    if machine.platform.dofs != DOFS:
        raise UsageError(
            f"{name} moves in {', '.join(machine.platform.dofs)}; the signals and tables of source 002 are "
            f"for {' and '.join(DOFS)}. Give recordings: --recorded DEMAND RESPONSE."
        )


def rows_of(table: Any) -> list[dict[str, Any]]:
    """Rows of a table as data."""
    return [{"name": row.name, "source": row.source, "ours": row.ours} for row in table]
