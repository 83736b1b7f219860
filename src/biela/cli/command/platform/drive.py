"""`biela platform drive`: a vehicle's motion through washout and platform, into a table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import pi
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biela.cli import driving, rig
from biela.cli.command.command import Command
from biela.cli.command.platform import machine
from biela.cli.command.simulate import pictured
from biela.cli.page import Page

if TYPE_CHECKING:
    import numpy as np

    from biela.cueing.feeling import Felt
    from biela.cueing.simulator import Simulator
    from biela.simulate.record import Record

SENSED = ("fx", "fy", "fz", "p", "q", "r")


def arguments(parser: ArgumentParser) -> None:
    """The drive, the rig, the washout, the files."""
    driving.drive_argument(parser)
    rig.argument(parser)
    driving.washout_arguments(parser)
    files = parser.add_argument_group("files")
    files.add_argument("-o", "--output", metavar="FILE", help="the table: .csv, .parquet, .npz, .h5")
    files.add_argument("--plot", metavar="FILE", help="a picture: .png, .svg, .pdf")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Drive, tell what became of it, write what is wanted."""
    from biela.cueing.feeling import felt
    from biela.cueing.ride import Ride

    machine.checked_files(args.output, args.plot)
    simulator = rig.rig_of(args.rig, args.combination, args.dt)
    kind, rows = driving.moving(args, simulator.platform.dofs, simulator.dt)
    sensed: Felt | None = None
    began = perf_counter()
    with page.stage("compiling the ride"):
        if kind == "motion":
            ride = Ride.on(simulator, driving.washout_of(args))
            record, sensed = ride.run(rows), felt(ride, rows)
        else:
            record = simulator.run(rows)
    spent = perf_counter() - began
    data = _told(page, simulator, record, sensed) | {"kind": kind, "seconds": spent}
    whole = table(simulator, record, rows if kind == "motion" else None, sensed)
    data["files"] = [str(path) for path in _files(args, simulator, whole)]
    for path in data["files"]:
        page.say(f"wrote {path}")
    return data


def table(simulator: Simulator, record: Record, motion: np.ndarray | None, sensed: Felt | None) -> Record:
    """The record with all there is to know: the motion, cranks or legs, flags, and what is felt.

    ``clipped`` is 1 where the demand was out of reach, ``reachable`` 0 where the pose itself is.
    """
    import numpy as np

    platform = simulator.platform
    poses = np.stack([record[name] for name in platform.dofs], axis=1)
    places, valid = platform.positions(poses)
    columns = {} if motion is None else dict(zip(SENSED, motion.T, strict=True))
    columns |= dict(record.columns)
    columns |= {name: np.ascontiguousarray(places[:, k]) for k, name in enumerate(platform.actuators)}
    columns |= {"clipped": (record["scale"] < 1.0).astype(float), "reachable": valid.astype(float)}
    if sensed is not None:
        for what, values in (("vehicle", sensed.vehicle), ("platform", sensed.platform)):
            held = np.repeat(values[-1:], len(record) - len(values), axis=0)  # what felt leaves out
            whole = np.concatenate([values, held])
            columns |= {f"felt.{name}.{what}": whole[:, k] for k, name in enumerate(SENSED)}
    units = {**record.units, **{name: rig.actuator_unit(platform) for name in platform.actuators}}
    units |= {name: driving.MOTION[key] for name in columns for key in SENSED if key in name.split(".")}
    return record.replaced(columns=columns, units=units)


def _told(page: Page, simulator: Simulator, record: Record, sensed: Felt | None) -> dict[str, Any]:
    dofs = simulator.platform.dofs
    page.say(f"{simulator.platform.name}, {len(record)} samples of {1e3 * simulator.dt:g} ms\n")
    ranges: dict[str, dict[str, list[float]]] = {}
    rows: list[list[str]] = []
    for dof in dofs:
        scale, unit = (1e3, "mm") if rig.unit_of(dof) == "m" else (180.0 / pi, "deg")
        columns = {"demand": f"{dof}.demand", "achieved": f"{dof}.achieved", "pose": dof}
        ranges[dof] = {k: [float(record[c].min()), float(record[c].max())] for k, c in columns.items()}
        told = [f"{scale * low:.2f} .. {scale * high:.2f}" for low, high in ranges[dof].values()]
        rows.append([dof, *told, unit])
    page.table(("", "demand", "achieved", "pose", ""), rows, right=(1, 2, 3))
    notes = {key: record.notes[key] for key in ("clipped", "out_of_reach", "too_fast", "too_hard")}
    page.say(
        f"\nclipped {notes['clipped']} demands; out of reach {notes['out_of_reach']} poses; actuators too "
        f"fast in {notes['too_fast']} samples, too hard in {notes['too_hard']}"
    )
    data: dict[str, Any] = {
        "platform": simulator.platform.name,
        "samples": len(record),
        "ranges": ranges,
        **notes,
    }
    if sensed is not None:
        page.say(f"\nfelt in the vehicle, and shown\n{sensed}")
        data["felt"] = {"errors": sensed.errors, "delays": sensed.delays, "false": sensed.false}
    return data


def _files(args: Namespace, simulator: Simulator, record: Record) -> list[Path]:
    from biela.cli.table import written

    paths = [written(record, Path(args.output))] if args.output else []
    if args.plot:
        from biela.cli.command.platform import picture

        paths.append(pictured(picture.ridden(record, simulator.platform), Path(args.plot)))
    return paths


COMMAND = Command(
    "drive", "a vehicle's motion, or a demand, through washout and platform", run, arguments,
    chapter="A table with fx, fy, fz, p, q, r is the motion of a vehicle and goes through the washout; one\n"
    "with the platform's degrees of freedom is a demand and does not. The table that is written has\n"
    "demand, achieved demand, pose, actuators, flags of clipping and reach, and what is felt.",
    examples=(
        "biela platform drive slalom -o ride.csv --plot ride.png",
        "biela platform drive telemetry.csv rig.toml --set tilt.rate=4deg/s -o ride.csv",
    ),
)  # fmt: skip
