"""`biela describe`: what a mechanism says of itself."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from biela.cli import description
from biela.cli.command.command import Command
from biela.cli.page import Page

if TYPE_CHECKING:
    from biela.mechanics.model import Model

COUNTED = ("M", "M|delta", "ddq", "all")  # Functions whose operations are told


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Print coordinates, parameters, sizes of equations, constraints and their diagnosis."""
    from biela.simulate.diagnosis import diagnose

    with page.stage("deriving the equations"):
        model = description.model_of(args)
        data = described(model)
    data["diagnosis"] = str(diagnose(model)).splitlines()
    page.say(repr(model).strip("<>"))
    for title in ("coordinates", "parameters", "inputs"):
        if data[title]:
            page.say(f"\n{title}")
            rows = [
                [f"  {one['name']}", f"{one['value']:.9g}", one["unit"], one["note"]] for one in data[title]
            ]
            page.table(("", "", "", ""), rows, right=(1,))
    for title in ("bodies", "joints", "points", "constraints"):
        if data[title]:
            page.say(f"\n{title}\n  {', '.join(data[title])}")
    page.say("\noperations (arithmetic, and calls of functions)")
    rows = [
        [f"  {name}", str(count["operations"]), str(count["atoms"])]
        for name, count in data["functions"].items()
    ]
    page.table(("  function", "operations", "atoms"), rows, right=(1, 2))
    page.say("\nconstraints at the start")
    for line in data["diagnosis"]:
        page.say(f"  {line}")
    if args.picture:
        from biela.view import picture

        data["picture"] = str(picture(model, args.picture))
        page.say(f"\nwrote {data['picture']}")
    return data


def described(model: Model) -> dict[str, Any]:
    """A model as plain data."""
    counts = {name: model.functions[name].operations for name in COUNTED}
    return {
        "name": model.name,
        "freedom": model.freedom,
        "coordinates": [
            {
                "name": c.name, "value": c.value, "unit": c.unit, "speed": c.speed,
                "note": "" if c.inertia else "without inertia",
            }
            for c in model.placements
        ],
        "parameters": [_quantity(one) for one in model.parameters],
        "inputs": [_quantity(one) for one in model.inputs],
        "bodies": list(model.bodies),
        "joints": [joint.name for joint in model.joints],
        "points": list(model.points),
        "constraints": list(model.equation_names),
        "functions": {
            name: {"operations": count.total, "atoms": count.atoms} for name, count in counts.items()
        },
    }  # fmt: skip


def _quantity(one: Any) -> dict[str, Any]:
    return {"name": one.name, "value": one.value, "unit": one.unit, "note": one.note}


def arguments(parser: ArgumentParser) -> None:
    """The mechanism."""
    description.arguments(parser)
    parser.add_argument("--picture", metavar="FILE", help="draw it as it starts: .svg or .png")


COMMAND = Command(
    "describe", "coordinates, parameters, equations and constraints of a mechanism", run, arguments,
    examples=(
        "biela describe four_bar --picture four_bar.svg",
        "biela describe n_pendulum --option n=5",
        "biela describe rig.py:rig",
        "biela describe rig.toml",
    ),
)  # fmt: skip
