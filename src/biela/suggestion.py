"""What was probably meant by a name that is unknown: the last words of an error message."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(name: object, known: Iterable[str], most: int = 1) -> str:
    """' Did you mean ...?' with the nearest of the known names, whatever their case; '' if none is near.

    >>> suggestion("RK4", ["euler", "rk4"])
    " Did you mean 'rk4'?"
    >>> suggestion("lagrange", ["euler", "rk4"])
    ''
    """
    folded: dict[str, list[str]] = {}
    for other in known:
        folded.setdefault(other.casefold(), []).append(other)
    near = [other for key in get_close_matches(str(name).casefold(), folded, most) for other in folded[key]]
    return f" Did you mean {' or '.join(map(repr, near[:most]))}?" if near else ""
