"""Sensors in a few characters: ``gyro:coupler:0.5deg/s:rate=100Hz``.

A sensor is its kind, what it is on, how noisy it is, and more by name, with colons between:

    KIND:PLACE[:SIGMA][:NAME=VALUE...]

The kind is one of `biela list sensors`, in any spelling of case, hyphens and underscores. Sigma is the
standard deviation of a reading. Lists have commas: ``axes=x,y``, ``at=0.1,0,0``, ``distance:P1,P3:1mm``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from biela.cli.fault import UsageError, chosen
from biela.cli.quantity import quantity

if TYPE_CHECKING:
    from biela.observe.sensor.sensor import Sensor

VECTORS = ("at", "field")
WORDS = ("axis", "axes", "up", "heading")


def argument(parser: Any, told: str = "", **more: Any) -> None:
    """The option ``--sensor``."""
    parser.add_argument(
        "--sensor", metavar="KIND:PLACE:SIGMA", dest="sensors", action="append", default=[],
        help=told or "as gyro:coupler:0.5deg/s:rate=100Hz; may be given again", **more,
    )  # fmt: skip


def sensor_of(text: str) -> Sensor:
    """The sensor that some characters stand for.

    >>> sensor_of("gyro:coupler:0.5:rate=100Hz")
    Gyro(sigma=0.5, rate=100.0, bias=0.0, walk=0.0, resolution=0.0, delay=0.0, dropout=0.0, covariance=None, \
limits=(-1e+300, 1e+300), name='', body='coupler', axis='z')

    Raises UsageError for an unknown kind or name, a missing place, or a value that is none.
    """
    from biela.observe.sensor import SENSORS

    kinds = {_plain(name): kind for name, kind in SENSORS.items() if name != "Reading"}
    head, *parts = text.split(":")
    if _plain(head) not in kinds:
        chosen(head, [name for name in SENSORS if name != "Reading"], "kind of sensor")
    kind = kinds[_plain(head)]
    try:
        return kind(**_given(kind, parts))
    except UsageError as error:
        raise UsageError(f"Sensor '{text}': {error}") from None


def _given(kind: type[Sensor], parts: list[str]) -> dict[str, Any]:
    """The arguments of a sensor."""
    places = [f.name for f in fields(kind) if not f.kw_only and f.default is MISSING]
    found: dict[str, Any] = {}
    bare = [part for part in parts if "=" not in part]
    words = bare[0].split(",") if bare else []
    if len(words) != len(places) or not all(words):
        raise UsageError(f"say what it is on: {' and '.join(places)}, with a comma between.")
    found |= dict(zip(places, words, strict=True))
    if len(bare) > 2:
        raise UsageError(f"'{bare[2]}' is too much; more is given by name, as in rate=100Hz.")
    unit = "" if kind.__name__ == "Encoder" else kind.unit  # the unit of an encoder is its coordinate's
    if len(bare) == 2:
        found["sigma"] = quantity(bare[1], unit)
    readers = _readers(kind, unit)
    for part in (part for part in parts if "=" in part):
        name, _, value = part.partition("=")
        found[name] = readers[chosen(name, readers, "property")](value)
    return found


def _readers(kind: type[Sensor], unit: str) -> dict[str, Callable[[str], Any]]:
    """How the values of the other properties are read."""

    def in_unit(text: str) -> float:
        return quantity(text, unit)

    def pair(text: str) -> tuple[float, ...]:
        return tuple(map(in_unit, text.split(",")))

    found: dict[str, Callable[[str], Any]] = dict.fromkeys(("sigma", "bias", "resolution"), in_unit)
    found |= {"rate": lambda text: quantity(text, "Hz"), "delay": lambda text: quantity(text, "s")}
    found |= {"walk": quantity, "dropout": quantity, "limits": pair, "name": str}
    own = {f.name for f in fields(kind)}
    found |= {name: _vector for name in VECTORS if name in own}
    found |= {name: _words for name in WORDS if name in own}
    return found | ({"zero": in_unit} if "zero" in own else {})


def _vector(text: str) -> tuple[float, ...]:
    return tuple(quantity(part) for part in text.split(","))


def _words(text: str) -> Any:
    words = text.split(",")
    return tuple(words) if len(words) > 1 else text


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def needed(given: list[str]) -> list[Sensor]:
    """At least one sensor; raises UsageError for none."""
    if not given:
        raise UsageError("Give at least one sensor, as in --sensor gyro:coupler:0.5deg/s.")
    return [sensor_of(text) for text in given]
