"""The registries of the library, with a line for each row: what `biela list` shows."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import biela as bl

Rows = list[tuple[str, str]]


def sentence(thing: Any) -> str:
    """The first sentence of what is said about something, without its full stop.

    >>> sentence("It is. It was.")
    'It is'
    """
    text = thing if isinstance(thing, str) else inspect.getdoc(thing) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.)(?<!al\.)\s", paragraph)[0].rstrip(".").replace("``", "")


def _documented(rows: Mapping[str, Any]) -> Rows:
    return [(name, sentence(value)) for name, value in rows.items()]


def _described(rows: Mapping[str, Any]) -> Rows:
    return [(name, row.description) for name, row in rows.items()]


def _by_module(rows: Mapping[str, Any]) -> Rows:
    """Rows that are the main thing of a module of theirs: what it says first."""
    return [(name, sentence(sys.modules[row.__module__])) for name, row in rows.items()]


def _sensors() -> Rows:
    found: Rows = []
    for name, kind in bl.observe.SENSORS.items():
        spelt = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
        found.append((spelt, f"{sentence(kind)}"))
    return found


def _smoothers() -> Rows:
    kinds = {**bl.observe.SMOOTHERS, "particle": bl.observe.ParticleSmoother}
    return _documented(kinds)


def _formats() -> Rows:
    told = {".toml": "TOML", ".yaml": "YAML", ".yml": "YAML", ".urdf": "URDF", ".xml": "MJCF"}
    return [(suffix, f"mechanisms described in {told[suffix]}") for suffix in bl.description.READERS]


def _functions() -> Rows:
    from biela.mechanics.catalogue import FUNCTIONS

    return _described(FUNCTIONS)


def _sources(*tables: str) -> Rows:
    """Presets of robots, and where their numbers are from."""
    rows = {name: row for table in tables for name, row in getattr(bl.arena, table).items()}
    return [(name, sentence(row.source.split(": ")[0])) for name, row in rows.items()]


def _fields() -> Rows:
    fields = [(n, f"football, {f.length:g} m by {f.width:g} m: {f.source.split(';')[0]}")
              for n, f in bl.arena.FOOTBALL_FIELDS.items()]  # fmt: skip
    return fields + [
        (n, f"sumo, {r.diameter:g} m across: {r.source}") for n, r in bl.arena.SUMO_RINGS.items()
    ]


def _games() -> Rows:
    from biela.cli.playing import USUAL, games

    return [(name, f"{kind} on {field}, {' against '.join(USUAL[kind])} unless others are given")
            for name, (kind, field) in games().items()]  # fmt: skip


def _engines() -> Rows:
    from importlib import import_module

    return [(name, sentence(import_module(module))) for name, (module, _) in bl.arena.BACKENDS.items()]


KINDS: dict[str, Callable[[], Rows]] = {
    "mechanisms": lambda: _documented(bl.mechanisms.MECHANISMS),
    "formulations": lambda: _described(bl.FORMULATIONS),
    "integrators": lambda: _described(bl.INTEGRATORS),
    "filters": lambda: _by_module(bl.observe.FILTERS),
    "particle-filters": lambda: _by_module(bl.observe.PARTICLE_FILTERS),
    "smoothers": _smoothers,
    "sensors": _sensors,
    "resamplers": lambda: _documented(bl.observe.RESAMPLERS),
    "functions": _functions,
    "targets": lambda: _described(bl.TARGETS),
    "formalisms": lambda: _by_module(bl.FORMALISMS),
    "joints": lambda: _described(bl.JOINTS),
    "formats": _formats,
    "platforms": lambda: _documented(bl.cueing.PLATFORMS),
    "drives": lambda: _documented(bl.cueing.drive.DRIVES),
    "washouts": lambda: _by_module(bl.cueing.WASHOUTS),
    "games": _games,
    "strategies": lambda: _documented(bl.arena.STRATEGIES),
    "robots": lambda: _sources("VSSS_ROBOTS", "SUMO_ROBOTS"),
    "fields": _fields,
    "engines": _engines,
    "agents": lambda: _documented(bl.arena.FILTERS),
}


def listed(kinds: Iterable[str]) -> dict[str, dict[str, str]]:
    """The rows of some registries, by kind and name."""
    return {kind: dict(KINDS[kind]()) for kind in kinds}
