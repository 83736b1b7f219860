"""Friction of wheels on rails: forces by the slip of a contact, its normal load and what covers the rail.

A rolling wheel slips a little wherever it pulls. Small creepages give forces proportional to them
(Kalker's linear theory), large ones a Coulomb friction whose coefficient falls with the slip velocity.
Polach (2005, Wear 258, 992-1000) joins both. Speeds are those of the body whose force is asked for, along
two tangents, as `System.rub` gives them. The normal load is given: an input, or a static load.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

from biela.expr.expression import Expr, atan, exp, sqrt

Pair = tuple[Expr, Expr]
REST = 1e-6  # m/s; keeps the direction of a vanishing slip finite


@dataclass(frozen=True, slots=True)
class Film:
    """What lies between wheel and rail: friction at rest, its part at high slip, how fast it falls.

    ``adhesion`` and ``slipping`` reduce Kalker's stiffness in the area of adhesion and in that of slip.
    """

    friction: float
    part: float
    fall: float  # s/m
    adhesion: float = 1.0
    slipping: float = 0.4


# Dry and wet: Polach (2005), table 2. Contaminated, by leaves or oil, is chosen: a third of the wet friction.
FILMS = {
    "dry": Film(0.55, 0.40, 0.60, 1.00, 0.40),
    "wet": Film(0.30, 0.40, 0.20, 0.30, 0.10),
    "contaminated": Film(0.10, 0.40, 0.20, 0.20, 0.10),
}


def falling_friction(slip: Any, film: Film | str = "dry") -> Any:
    """The friction coefficient at a slip velocity: mu0 ((1 - A) exp(-B slip) + A).

    >>> from biela.expr.graph import Graph
    >>> w = Graph().symbol("w")
    >>> [round(falling_friction(w, film).value({w: 1.0}), 3) for film in ("dry", "wet")]
    [0.401, 0.267]

    Raises ValueError for an unknown film.
    """
    f = _film(film)
    return f.friction * ((1.0 - f.part) * exp(-f.fall * slip) + f.part)


def sliding(slip: Pair, load: Any, film: Film | str = "dry", width: float = 1e-3) -> Pair:
    """Coulomb friction against the slip with a falling coefficient; smooth below ``width``, in m/s."""
    speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1] + width * width)
    factor = -load * falling_friction(speed, film) / speed
    return slip[0] * factor, slip[1] * factor


def linear_creep(slip: Pair, forward: Any, along: Any, across: Any) -> Pair:
    """Kalker's linear forces: a stiffness, in N, times the slip over the forward speed."""
    return -slip[0] * (along / forward), -slip[1] * (across / forward)


def polach(slip: Pair, forward: Any, load: Any, stiffness: Any, film: Film | str = "dry") -> Pair:
    """Creep forces that begin as Kalker's, with a ``stiffness`` in N, and end as falling friction.

    ``stiffness`` is G a b c11 pi / 4 of the contact ellipse (Polach, 2005, eqs 6 to 13).
    """
    f = _film(film)
    speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1] + REST * REST)
    limit = load * falling_friction(speed, f)
    gradient = (stiffness * speed) / (limit * forward)
    near, far = f.adhesion * gradient, f.slipping * gradient
    force = (near / (1.0 + near * near) + atan(far)) * limit * (2.0 / pi)
    factor = -force / speed
    return slip[0] * factor, slip[1] * factor


def _film(film: Film | str) -> Film:
    if isinstance(film, Film):
        return film
    if film not in FILMS:
        raise ValueError(f"Unknown film {film!r}. Known: {', '.join(FILMS)}.")
    return FILMS[film]
