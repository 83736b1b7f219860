"""Drives and washouts as they are named on a command line.

A drive is a name of `biela.cueing.drive.DRIVES`, or a table, CSV or Parquet, with the time ``t`` and what the
vehicle's sensors say: specific force fx, fy, fz and rates p, q, r. A head may have a unit, ``p [deg/s]``. A
table with the platform's own degrees of freedom instead is a demand, to which no washout is applied.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from biela.cli.fault import UsageError, chosen, hint
from biela.cli.quantity import assigned, measured, quantity
from biela.cli.rig import unit_of

if TYPE_CHECKING:
    import numpy as np

    from biela.cueing.recording import Recording
    from biela.cueing.washout.washout import Washout

MOTION = {"fx": "m/s2", "fy": "m/s2", "fz": "m/s2", "p": "rad/s", "q": "rad/s", "r": "rad/s"}
TABLES = (".csv", ".parquet", ".npz")


def drive_argument(parser: ArgumentParser) -> None:
    """The drive, and how it is read."""
    parser.add_argument("drive", metavar="DRIVE", help="a name of `biela list drives`, or a table")
    parser.add_argument(
        "--for", dest="duration", metavar="TIME", type=measured("s", positive=True), default=100.0,
        help="length of a shipped drive (100s)",
    )  # fmt: skip
    parser.add_argument(
        "--interpolate", action="store_true", help="read between rows whose rate does not match"
    )


def washout_arguments(parser: ArgumentParser) -> None:
    """The washout and its numbers."""
    group = parser.add_argument_group("the washout")
    group.add_argument("--washout", metavar="NAME", default="classical", help="its kind (classical)")
    group.add_argument("--preset", metavar="NAME", help="its numbers (its first preset)")
    group.add_argument(
        "--set", metavar="NAME=VALUE", type=assigned, action="append", default=[],
        help="one of its numbers, as tilt.rate=3deg/s",
    )  # fmt: skip


def recorded(path: str) -> Recording:
    """A table as a recording, in SI; raises ValueError for one without times."""
    from biela.cli.table import columns_of
    from biela.cueing.recording import Recording

    if Path(path).suffix not in TABLES:
        raise UsageError(f"'{path}': expected a table, {', '.join(TABLES)}.")
    units = {"t": "s"} | MOTION
    units |= {dof: unit_of(dof) for dof in ("surge", "sway", "heave", "roll", "pitch", "yaw")}
    found = columns_of(Path(path), units)
    if "t" not in found:
        raise ValueError(f"{path} has no column 't' with times in s. It has {', '.join(found)}.")
    return Recording(found.pop("t"), found, path)


def moving(args: Namespace, dofs: tuple[str, ...], dt: float) -> tuple[str, np.ndarray]:
    """What the drive is, 'motion' of a vehicle or 'demand' of a platform, and its rows.

    Raises UsageError for an unknown name, ValueError for a table that is neither.
    """
    from biela.cueing.drive import DRIVES

    if Path(args.drive).suffix in TABLES:
        return _rows(recorded(args.drive), dofs, dt, args.interpolate)
    if args.drive not in DRIVES:
        raise UsageError(
            f"There is no drive '{args.drive}': see `biela list drives`, or give a table, "
            f"{', '.join(TABLES)}.{hint(args.drive, DRIVES)}"
        )
    return "motion", DRIVES[args.drive](args.duration, dt)


def _rows(table: Recording, dofs: tuple[str, ...], dt: float, interpolate: bool) -> tuple[str, np.ndarray]:
    import numpy as np

    have = set(table.columns)
    kind = "motion" if have & set(MOTION) else "demand" if have & set(dofs) else ""
    if not kind:
        raise ValueError(
            f"{table.origin} is no drive: expected the columns {', '.join(MOTION)} of a vehicle, or some of "
            f"{', '.join(dofs)} of the platform. It has {', '.join(table.columns)}."
        )
    names = tuple(MOTION) if kind == "motion" else tuple(name for name in dofs if name in have)
    found = table.regular(*names).sampled(dt, interpolate=interpolate)
    still = np.zeros(len(found.t))
    wanted = names if kind == "motion" else dofs
    return kind, np.stack([found[name] if name in names else still for name in wanted], axis=1)


def washout_of(args: Namespace) -> Washout:
    """The washout that the arguments ask for; raises UsageError for unknown names."""
    from biela.cueing.washout.registry import WASHOUTS

    kind = WASHOUTS[chosen(args.washout, WASHOUTS, "washout")]
    preset = next(iter(kind.presets)) if args.preset is None else args.preset
    made = kind.preset(chosen(preset, kind.presets, "preset"))
    return made.changed({name: number(made, name, text) for name, text in args.set})


def number(washout: Washout, name: str, text: str) -> float:
    """A number of a washout, in its unit."""
    tunable = washout.tunables[chosen(name, washout.names, "number of the washout")]
    try:
        return quantity(text, tunable.unit or "1")
    except UsageError as error:
        raise UsageError(f"--set {name}: {error}") from None
