"""Mechanisms as they are named on a command line: one of the registry, or a file.

``four_bar`` is a row of `biela.mechanisms.MECHANISMS`; ``bench.py:rig`` the function ``rig`` in a file, which
returns a `System`. Without a name the file has to have one such function, or one System. What a function
takes is given by ``--option``. Files of `biela.description.READERS` (TOML, YAML, URDF, MJCF) describe one
mechanism each.
"""

from __future__ import annotations

import ast
import inspect
import runpy
import traceback
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import tau
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biela.cli.fault import UsageError, chosen, hint
from biela.cli.quantity import assigned, quantity

if TYPE_CHECKING:
    from biela.mechanics.model import Model
    from biela.mechanics.system import System
    from biela.simulate.state import State

MODULE = "biela_description"  # the name a file runs under


def arguments(parser: ArgumentParser) -> None:
    """The mechanism, and what its function takes."""
    parser.add_argument(
        "mechanism", metavar="MECHANISM",
        help="a name, FILE.py:FUNCTION, or a .toml, .yaml, .urdf or .xml file",
    )  # fmt: skip
    parser.add_argument(
        "--option", metavar="NAME=VALUE", type=assigned, action="append", default=[],
        help="an argument of the function that describes it, as n=5",
    )  # fmt: skip


def start_arguments(parser: ArgumentParser) -> None:
    """Where a study starts, and with which parameters and inputs."""
    group = parser.add_argument_group("the start")
    for name, told in (
        ("lock", "a coordinate that has this value at the start; the others follow"),
        ("speed", "the velocity of a coordinate at the start"),
        ("set", "a parameter"),
        ("input", "an input, held constant"),
    ):
        group.add_argument(
            f"--{name}", metavar="NAME=VALUE", type=assigned, action="append", default=[], help=told
        )


def model_of(args: Namespace) -> Model:
    """The frozen model that the arguments name."""
    return system_of(args.mechanism, dict(args.option)).model()


def start_of(model: Model, args: Namespace) -> State:
    """The assembled start that the arguments ask for.

    A coordinate with a speed keeps its place and speed, the others follow.
    """
    from biela.simulate.assembly import assemble

    places, parameters, inputs = (
        values(model.name, what, quantities, given)
        for what, quantities, given in (
            ("coordinate", model.placements, args.lock),
            ("parameter", model.parameters, args.set),
            ("input", model.inputs, args.input),
        )
    )
    speeds = values(model.name, "coordinate", model.placements, args.speed, per="s")
    begin = {c.name: c.value for c in model.placements}
    held: dict[str, Any] = {name: begin[name] for name in speeds} | places
    return assemble(model, velocities=speeds or None, p=parameters, u=inputs, **held)


def values(
    model: str, what: str, quantities: Iterable[Any], given: Sequence[tuple[str, str]], per: str = ""
) -> dict[str, float]:
    """Assignments as numbers by name; raises UsageError for an unknown name or a wrong unit."""
    units = {one.name: one.unit for one in quantities}
    found: dict[str, float] = {}
    for name, text in given:
        if name not in units:
            known = f"It has {', '.join(units)}." if units else "It has none."
            raise UsageError(f"Model '{model}' has no {what} '{name}'. {known}{hint(name, units)}")
        wanted = f"{units[name] or '1'}/{per}" if per else units[name]
        try:
            found[name] = quantity(text, wanted)
            _turns(name, text, wanted)
        except UsageError as error:
            raise UsageError(f"{what.capitalize()} '{name}': {error}") from None
    return found


def _turns(name: str, text: str, unit: str) -> None:
    """Warn of a bare number of many turns, which was meant in degrees as a rule."""
    try:
        many = unit == "rad" and abs(float(text)) > tau
    except ValueError:  # it has a unit
        return
    if many:
        warnings.warn(f"{name}={text} is in radians; for degrees write {name}={text}deg", stacklevel=2)


def system_of(name: str, options: Mapping[str, str] | None = None) -> System:
    """The system that a name stands for.

    Raises UsageError for an unknown one, or options that its function does not take.
    """
    from biela.description import READERS
    from biela.mechanics.system import System
    from biela.mechanisms import MECHANISMS

    path, place = name, ""
    if ":" in name and name.rpartition(":")[2].isidentifier():
        path, _, place = name.rpartition(":")
    if path.endswith(".py"):
        made = _in_file(Path(path), place)
    elif name in MECHANISMS:
        made = MECHANISMS[name]
    elif Path(name).suffix in READERS:
        made = _described(name, options or {})
    else:
        raise UsageError(
            f"There is no mechanism '{name}': see `biela list mechanisms`, or give FILE.py:FUNCTION or a "
            f"file with one of {', '.join(READERS)}."
            f"{hint(name, MECHANISMS)}"
        )
    found = made if isinstance(made, System) else _called(made, name, dict(options or {}))
    if not isinstance(found, System):
        raise ValueError(f"{name} returned {type(found).__name__}, where a biela.System is expected.")
    return found


def _described(path: str, options: Mapping[str, str]) -> System:
    """The system of a description file, which takes no options."""
    from biela.description import read

    if not Path(path).is_file():
        raise UsageError(f"There is no file '{path}'.")
    if options:
        raise UsageError(f"{path} has no options: give parameters by --set.")
    return read(path)


def _in_file(path: Path, place: str) -> Any:
    """The function or System in a file."""
    if not path.is_file():
        raise UsageError(f"There is no file '{path}'.")
    try:
        names = runpy.run_path(str(path), run_name=MODULE)
    except Exception as error:
        raise ValueError(f"{path}{_line(error, path)}: {type(error).__name__}: {error}") from error
    own = {name: value for name, value in names.items() if _describes(value)}
    if place:
        return own[chosen(place, own, f"function in {path}")]
    if len(own) == 1:
        return next(iter(own.values()))
    told = f"say which, as in {path}:{next(iter(own))}. It has {', '.join(own)}." if own else "it has none."
    raise UsageError(f"{path}: expected one function that returns a System: {told}")


def _describes(value: Any) -> bool:
    """Whether it is a System, or a function of the file itself that may return one."""
    from biela.mechanics.system import System

    own = inspect.isfunction(value) and value.__module__ == MODULE and not value.__name__.startswith("_")
    return isinstance(value, System) or own


def _called(function: Callable[..., Any], name: str, options: dict[str, str]) -> Any:
    known = inspect.signature(function).parameters
    for option in options:
        if option not in known:
            told = f"it takes {', '.join(known)}" if known else "it takes none"
            raise UsageError(f"{name} has no option '{option}': {told}.{hint(option, known)}")
    missing = [p.name for p in known.values() if p.default is p.empty and p.name not in options]
    if missing:
        raise UsageError(f"{name} wants --option {missing[0]}=...")
    return function(**{option: _literal(text) for option, text in options.items()})


def _literal(text: str) -> Any:
    """A number, a list, True: what Python would read; anything else is text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _line(error: Exception, path: Path) -> str:
    """Where in a file an error came from."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path]
    return f", line {lines[-1]}" if lines else ""
