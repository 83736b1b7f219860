"""Tables of operation counts, ours next to those of the thesis, counted when the documentation is built."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tables import table

from benchmarks import generating, published
from biela.mechanics.model import Model

COUNTED = published.MODELS[:-1]  # by their older ways, the locomotive takes longer than a page should


def sizes() -> str:
    """Operations and atoms of every Function with a figure in the thesis."""
    rows: list[tuple[str, ...]] = []
    for name in published.MODELS:
        model = generating.modelled(name)
        for key, source in published.OPERATIONS.items():
            if key[0] == name:
                rows.append(_sized(model, key[1], source))
    return table(("model", "Function", "operations", "atoms", "source", "source, atoms", "must", "aim"), rows)


def _sized(model: Model, function: str, source: float) -> tuple[str, ...]:
    key, count = (model.name, function), model.functions[function].operations
    bound = published.BOUNDS.get(key)
    told = (f"{bound.must:.0f}", f"{bound.aim:.0f}") if bound else ("", "")
    atoms = published.ATOMS.get(key)
    cells = (count.total, count.atoms, f"{source:.0f}", "" if atoms is None else f"{atoms:.0f}", *told)
    return (f"`{model.name}`", f"`{function}`".replace("|", "\\|"), *map(str, cells))


def rules() -> str:
    """M and delta by the rules, body by body and directly."""
    ways = (("up", "bodies"), ("down", "bodies"), ("extended", "bodies"), ("up", "direct"))
    rows = [
        (f"`{name}`", f"{published.JOINT[name]:.0f}", f"{published.DOWN[name]:.0f}",
         *(_joint(name, rule=rule, formalism=formalism) for rule, formalism in ways))
        for name in COUNTED
    ]  # fmt: skip
    head = ("source, up", "source, down", "up", "down", "extended", "direct, any rule")
    return table(("model", *head), rows)


def formalisms() -> str:
    """M and delta by every formalism."""
    names = ("direct", "newton-euler", "bodies", "classic", "lagrange")
    rows = [
        (f"`{name}`", f"{published.JOINT[name]:.0f}", f"{published.CLASSIC[name]:.0f}",
         *(_joint(name, formalism=formalism) for formalism in names))
        for name in COUNTED
    ]  # fmt: skip
    return table(("model", "source, bodies", "source, classic", *(f"`{name}`" for name in names)), rows)


def joint() -> str:
    """M and delta by one Function and by two."""
    rows: list[tuple[str, ...]] = []
    for name in published.MODELS:
        functions = generating.modelled(name).functions
        apart = [functions[part].operations.total for part in ("M", "delta")]
        source = (published.SEPARATE[name], published.JOINT[name])
        counts = (sum(apart), functions["M|delta"].operations.total)
        rows.append((f"`{name}`", *_whole((*source, *counts))))
    return table(("model", "source, two", "source, one", "two Functions", "one Function"), rows)


def _joint(name: str, **options: Any) -> str:
    return str(generating.modelled(name, **options).functions["M|delta"].operations.total)


def _whole(values: Iterable[float]) -> tuple[str, ...]:
    return tuple(f"{value:.0f}" for value in values)
