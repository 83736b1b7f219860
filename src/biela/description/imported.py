"""`Imported`: a mechanism from another format: the system, and what our systems have no place for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from biela.mechanics.system import System


class Limits(NamedTuple):
    """What a joint is made for; None where nothing is said. They are told, not enforced."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True)
class Imported:
    """A system read from a file, the limits of its coordinates, and what was left out, in words."""

    system: System
    limits: dict[str, Limits] = field(default_factory=dict[str, Limits])
    notes: list[str] = field(default_factory=list[str])


def names_of(given: Iterable[str], taken: Iterable[str] = ("ground", "origin")) -> dict[str, str]:
    """A name that systems take for each given one, all different, and none of those taken.

    >>> names_of(["left-arm", "left_arm", "7"])
    {'left-arm': 'left_arm', 'left_arm': 'left_arm_2', '7': 'n7'}
    """
    found: dict[str, str] = {}
    used = set(taken)
    for name in given:
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "unnamed"
        plain = f"n{plain}" if plain[0].isdigit() else plain
        unique, k = plain, 2
        while unique in used:
            unique, k = f"{plain}_{k}", k + 1
        found[name] = unique
        used.add(unique)
    return found


def name_of(given: str) -> str:
    """The name that systems take for one given alone."""
    return next(iter(names_of([given]).values()))
