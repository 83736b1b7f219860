"""Rigs as they are named on a command line: a platform with its channels, by name or from a TOML file.

A name of `biela.cueing.PLATFORMS` is that platform with the channels that source 002 fitted for its own, and
usual ones for others. A file says what is different; its values have units as everywhere:

    platform = "two_rssu"
    dt = "20ms"
    combination = "exact"

    [geometry]
    rod = "600mm"

    [limits]
    speed = "280deg/s"

    [channel.pitch]
    delay = "80ms"
    frequency = "2.8Hz"
    rate = "130deg/s"

`written` writes such a file, of what `biela platform fit` has found.
"""

from __future__ import annotations

import dataclasses
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from biela.cli.fault import UsageError, chosen, hint
from biela.cli.quantity import measured, quantity

if TYPE_CHECKING:
    from biela.cueing.channel import Channel
    from biela.cueing.combination import Combination
    from biela.cueing.platform import Platform
    from biela.cueing.simulator import Simulator

KEYS = ("platform", "dt", "combination", "geometry", "limits", "channel")
COMBINATIONS = "exact, bisection, printed, or first:DOF,DOF"
USUAL = "two_rssu"


def argument(parser: ArgumentParser) -> None:
    """The rig, and how it combines its degrees of freedom."""
    parser.add_argument(
        "rig", metavar="RIG", nargs="?", default=USUAL,
        help=f"a name of `biela list platforms`, or a file .toml ({USUAL})",
    )  # fmt: skip
    parser.add_argument("--combination", metavar="HOW", help=f"of demands out of reach: {COMBINATIONS}")
    parser.add_argument("--dt", metavar="TIME", type=measured("s", positive=True), help="sample time (20ms)")


def rig_of(name: str, combination: str | None = None, dt: float | None = None) -> Simulator:
    """The rig that a name stands for; options go before what its file says.

    Raises UsageError for an unknown name, ValueError for a file that is none, naming the key.
    """
    if name.endswith(".toml"):
        found = _read(Path(name))
    else:
        from biela.cueing.platform import PLATFORMS

        if name not in PLATFORMS:
            raise UsageError(
                f"There is no platform '{name}': see `biela list platforms`, or give a file .toml."
                f"{hint(name, PLATFORMS)}"
            )
        found = _of(name, {})
    more: dict[str, Any] = {} if dt is None else {"dt": dt}
    return found.changed(**more | ({"combination": combination_of(combination)} if combination else {}))


def combination_of(text: str) -> Combination:
    """How demands are combined, in a word; raises UsageError for an unknown one."""
    from biela.cueing.combination import Bisection, Exact, Priority

    word, _, names = text.partition(":")
    chosen(word, ("exact", "bisection", "printed", "first"), "combination")
    if word == "first":
        return Priority(tuple(name.strip() for name in names.split(",")))
    return Exact() if word == "exact" else Bisection(printed=word == "printed")


def _read(path: Path) -> Simulator:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}.") from None
    try:
        for key in given:
            chosen(key, KEYS, "key")
        from biela.cueing.platform import PLATFORMS

        return _of(chosen(str(given.get("platform", USUAL)), PLATFORMS, "platform"), given)
    except (UsageError, ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def _of(name: str, given: Mapping[str, Any]) -> Simulator:
    """The rig of a platform and what a file says."""
    from biela.cueing.simulator import SAMPLE, Simulator

    platform = _platform(name, given)
    channels = _table(given, "channel")
    for dof in channels:
        chosen(dof, platform.dofs, f"degree of freedom of {name}")
    made = tuple(_channel(name, dof, _table(channels, dof)) for dof in platform.dofs)
    found = Simulator(platform, made, _number(given.get("dt", SAMPLE), "s", "dt"))
    if "combination" in given:
        return found.changed(combination=combination_of(str(given["combination"])))
    return found


def _table(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    value: Any = given.get(key, {})
    if not isinstance(value, dict):
        raise UsageError(f"'{key}' is a table, [{key}]; got {value!r}.")
    return cast("dict[str, Any]", value)


def _platform(name: str, given: Mapping[str, Any]) -> Platform:
    from biela.cueing.platform import PLATFORMS

    usual = PLATFORMS[name]()
    sizes = {field.name for field in dataclasses.fields(cast("Any", usual))} - {"limits"}
    changes: dict[str, Any] = {}
    for key, value in _table(given, "geometry").items():
        chosen(key, sizes, f"size of {name}")
        text = isinstance(value, str) and key in ("form", "order")
        changes[key] = value if text else _numbers(value, "rad" if key == "pose_limits" else "m", key)
    limits = _table(given, "limits")
    if limits:
        changes["limits"] = _limits(usual, limits)
    return cast("Platform", dataclasses.replace(cast("Any", usual), **changes))


def _limits(platform: Platform, given: Mapping[str, Any]) -> Any:
    """Limits of the actuators: a number for all of them, or one each."""
    count, unit = len(platform.actuators), actuator_unit(platform)
    units = {"low": unit, "high": unit, "speed": f"{unit}/s", "acceleration": f"{unit}/s2"}
    found: dict[str, Any] = {}
    for key, value in given.items():
        wanted = units[chosen(key, units, "limit")]
        several = isinstance(value, list)
        each: tuple[Any, ...] = (
            _numbers(value, wanted, key) if several else (_number(value, wanted, key),) * count
        )
        if len(each) != count:
            raise UsageError(f"limits.{key}: {platform.name} has {count} actuators; got {len(each)} values.")
        found[key] = each
    return dataclasses.replace(platform.limits, **found)


def angular(platform: Platform) -> bool:
    """Whether the actuators turn."""
    return platform.actuators[0].startswith(("crank", "joint"))


def actuator_unit(platform: Platform) -> str:
    """The unit of the actuators' positions."""
    return "rad" if angular(platform) else "m"


def unit_of(dof: str) -> str:
    """The unit of a degree of freedom."""
    return "m" if dof in ("surge", "sway", "heave") else "rad"


def _channel(name: str, dof: str, given: Mapping[str, Any]) -> Channel:
    from biela.cueing.channel import Channel
    from biela.cueing.source_002 import FITTED

    unit = unit_of(dof)
    units = {
        "delay": "s", "gain": "1", "damping": "1", "frequency": "Hz", "rate": f"{unit}/s",
        "acceleration": f"{unit}/s2", "softening": "1",
    }  # fmt: skip
    found: dict[str, Any] = {}
    for key, value in given.items():
        chosen(key, (*units, "order", "prewarp", "form"), f"number of channel.{dof}")
        found[key] = _number(value, units[key], f"channel.{dof}.{key}") if key in units else value
    names = ("delay", "gain", "damping", "frequency")
    if name == USUAL and not found:
        found = dict(zip(names, FITTED[dof], strict=True))
    return Channel(**found)


def _numbers(value: Any, unit: str, key: str) -> Any:
    """A number, or as many as there are, in tuples."""
    if isinstance(value, list):
        return tuple(_numbers(one, unit, key) for one in cast("list[Any]", value))
    return _number(value, unit, key)


def _number(value: Any, unit: str, key: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        raise UsageError(f"{key} is a number, with a unit as text; got {value!r}.")
    try:
        return quantity(value, unit)
    except UsageError as error:
        raise UsageError(f"{key}: {error}") from None


def written(rig: Simulator, path: Path) -> Path:
    """Write a rig as a file that `rig_of` reads; it appears whole or not at all."""
    from biela.simulate.storage import whole

    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(_lines(rig)) + "\n"
    return whole(path, lambda aside: aside.write_text(text, encoding="utf-8"))


def _lines(rig: Simulator) -> Iterable[str]:
    from biela.cueing.channel import Channel
    from biela.cueing.platform import PLATFORMS

    yield '# SI units and radians, unless a unit is given as in "80ms"'
    yield f'platform = "{rig.platform.name}"'
    yield f"dt = {rig.dt!r}"
    yield f'combination = "{_named(rig.combination)}"'
    usual = PLATFORMS[rig.platform.name]()
    yield from _different("geometry", rig.platform, usual, ("limits",))
    yield from _different("limits", rig.platform.limits, usual.limits)
    for dof, channel in zip(rig.platform.dofs, rig.channels, strict=True):
        yield f"\n[channel.{dof}]"
        for field in dataclasses.fields(Channel):
            value = getattr(channel, field.name)
            if not (isinstance(value, float) and not isfinite(value)):
                yield f"{field.name} = {_literal(value)}"


def _named(combination: Combination) -> str:
    """The word that `combination_of` takes."""
    from biela.cueing.combination import Bisection, Priority

    if isinstance(combination, Priority):
        return f"first:{','.join(combination.first)}"
    if isinstance(combination, Bisection):
        return "printed" if combination.printed else "bisection"
    return "exact"


def _different(title: str, own: Any, usual: Any, without: Iterable[str] = ()) -> Iterable[str]:
    """The fields that are not as they usually are, under a title."""
    names = [field.name for field in dataclasses.fields(own) if field.name not in without]
    lines = [
        f"{name} = {_literal(getattr(own, name))}"
        for name in names
        if getattr(own, name) != getattr(usual, name)
    ]
    return [f"\n[{title}]", *lines] if lines else []


def _literal(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_literal(one) for one in cast('Iterable[Any]', value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
