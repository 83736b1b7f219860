"""Formalisms: ways from a `Problem` to M and delta. All give the same numbers; `direct` the smallest code.

Adding one is adding a file with ``equations(problem)`` and a row here.
"""

from __future__ import annotations

from collections.abc import Callable

from biela.mechanics.formalism import bodies, classic, direct, lagrange, newton_euler
from biela.mechanics.formalism.problem import Equations, Problem

FORMALISMS: dict[str, Callable[[Problem], Equations]] = {
    "direct": direct.equations,
    "bodies": bodies.equations,
    "classic": classic.equations,
    "newton-euler": newton_euler.equations,
    "lagrange": lagrange.equations,
}

__all__ = ["FORMALISMS", "Equations", "Problem"]
