"""What follows from driven coordinates: the equations of kinematics, square and factored.

With the driven coordinates known, as many independent equations remain as coordinates follow. Their Jacobian
is factored once, with pivots that are safe at the start and at states drawn at random; Newton's step, the
velocities and the accelerations are solutions with it (Plaza, 2015, section 2.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from scipy.linalg import qr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.linear import LU, lu
from biela.expr.matrix import Matrix, vector
from biela.mechanics.sample import samples
from biela.simulate.state import State

STATES = 3  # at which pivots are judged, beside the start
CUTOFF = 1e-9  # of singular values
NEAR = 1e-6  # of singular values: pivots are not judged at states so near to a singular one


class Following:
    """The coordinates that follow from those at the places ``driven``, near a state that closes.

    ``places`` are theirs, ``rows`` the equations they follow by. Raises ValueError where the drives are too
    few, too many, or in a singular position.
    """

    def __init__(self, first: State, driven: Sequence[int]) -> None:
        self.model, self.first, self.driven = first.model, first, list(driven)
        self.places = [k for k in range(len(self.model.q)) if k not in self.driven]
        self.rows = self._rows()

    def _rows(self) -> list[int]:
        """Independent equations that determine what follows; raises ValueError where they do not."""
        J, n = self._jacobian(self.first), len(self.model.q)
        free = n - _rank(J)
        k, name = len(self.driven), self.model.name
        if k != free and k == self.model.freedom:
            raise ValueError(
                f"Model '{name}' starts in a singular position: {free} coordinates are free there."
            )
        if k != free:
            advice = "Drive all of them, and no more."
            raise ValueError(f"Model '{name}' has {free} free coordinates to drive; {k} are driven. {advice}")
        if _rank(J[:, self.places]) < len(self.places):
            told = ", ".join(self.model.placements[k].name for k in self.driven)
            raise ValueError(
                f"Model '{name}' starts in a singular position: {told or 'its drives'} do not determine the "
                "motion there. Begin elsewhere, or drive other coordinates."
            )
        order = cast(Any, qr(J[:, self.places].T, mode="r", pivoting=True))[-1]
        return sorted(int(i) for i in order[: len(self.places)])

    def _jacobian(self, state: State) -> np.ndarray:
        if not len(self.model.phi):
            return np.zeros((0, len(self.model.q)))
        return state.value("Phi_q")

    @cached_property
    def correction(self) -> Function:
        """Newton's step: positions from positions."""
        step = list(self.model.q)
        if self.places:
            changes = self._factor.solve(_chosen(self.model.phi, self.rows))
            for place, change in zip(self.places, changes, strict=True):
                step[place] = step[place] - change
        return self.model.function("correction", {"q_next": vector(step, self.model.graph)}, "position")

    @cached_property
    def rates(self) -> Function:
        """The velocities from those of the driven coordinates."""
        return self.model.function(
            "rates", {"dq_next": self._solved(self.model.beta, self.model.dq)}, "velocity"
        )

    @cached_property
    def accelerations(self) -> Function:
        """The accelerations from those of the driven coordinates."""
        solved = self._solved(self.model.gamma, self.model.ddq)
        return self.model.function("accelerations", {"ddq_next": solved}, "acceleration")

    def _solved(self, right: Matrix, moving: list[Expr]) -> Matrix:
        model, demanded = self.model, _chosen(right, self.rows)
        if self.driven:
            known = _part(model.phi_q, self.rows, self.driven)
            demanded = demanded - known @ vector([moving[k] for k in self.driven], model.graph)
        entries = list(moving)
        for place, value in zip(self.places, self._factor.solve(demanded), strict=True):
            entries[place] = value
        return vector(entries, model.graph)

    @cached_property
    def _factor(self) -> LU:
        drawn = [state.evaluate(self.model.functions["Phi_q"]) for state in samples(self.model, STATES)]
        found = [J[np.ix_(self.rows, self.places)] for J in (self._jacobian(self.first), *drawn)]
        safe = [J for J in found[1:] if np.linalg.cond(J) < 1.0 / NEAR]
        return lu(_part(self.model.phi_q, self.rows, self.places), weights=[found[0], *safe])


def _rank(J: np.ndarray) -> int:
    sizes = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    return int(np.sum(sizes > CUTOFF * sizes.max(initial=0.0)))


def _chosen(values: Matrix, rows: Sequence[int]) -> Matrix:
    return Matrix(values.graph, (len(rows),), tuple(values.refs[i] for i in rows))


def _part(values: Matrix, rows: Sequence[int], columns: Sequence[int]) -> Matrix:
    width = values.shape[1]
    refs = tuple(values.refs[i * width + j] for i in rows for j in columns)
    return Matrix(values.graph, (len(rows), len(columns)), refs)
