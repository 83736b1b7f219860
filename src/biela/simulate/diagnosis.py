"""What is wrong with constraints, by name: redundant, ineffective, inconsistent, or a singular position.

Judged at one position, the state's or the one where the constraints gape least, and not at random states:
equations that depend on each other only where all hold, as in Bricard's linkage, are found so.

* redundant: the row of the Jacobian follows from others, and the equation holds all the same;
* ineffective: the row is zero, so the equation restrains nothing;
* inconsistent: equations whose rows depend on each other and which cannot hold together;
* a singular position: more motions are free than at positions nearby.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from biela.mechanics.model import Model
from biela.mechanics.sample import samples
from biela.simulate.assembly import AssemblyError, assemble, index_of
from biela.simulate.state import State, inputs, parameters

CUTOFF = 1e-9  # of singular values
HOLDS = 1e-9  # of residuals
SHARE = 1e-6  # of coefficients: smaller ones are rounding
ITERATIONS = 200


@dataclass(frozen=True)
class Diagnosis:
    """What `diagnose` found; equations by their names.

    ``redundant`` maps an equation to those it follows from. ``inconsistent`` maps equations that cannot hold
    to how far they are apart; ``conflicts`` are the sets that contradict each other.
    """

    freedom: int
    rank: int
    redundant: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    ineffective: tuple[str, ...] = ()
    inconsistent: dict[str, float] = field(default_factory=dict[str, float])
    conflicts: tuple[tuple[str, ...], ...] = ()
    singular: bool = False

    @property
    def sound(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.redundant or self.ineffective or self.inconsistent or self.singular)

    def __str__(self) -> str:
        told = [f"rank {self.rank}, {self.freedom} degree{'s' * (self.freedom != 1)} of freedom"]
        told += [
            f"'{name}' is redundant: it follows from {', '.join(f)}" for name, f in self.redundant.items()
        ]
        told += [f"'{name}' is ineffective: it restrains nothing" for name in self.ineffective]
        told += [f"'{name}' cannot hold: {gap:.3g} apart" for name, gap in self.inconsistent.items()]
        told += [f"{', '.join(names)} contradict each other" for names in self.conflicts]
        if self.singular:
            told.append("the position is singular: nearby, fewer motions are free")
        return "\n".join(told)


def diagnose(model: Model, state: State | None = None, *, p: Any = None, **locked: Any) -> Diagnosis:
    """What is redundant, ineffective or inconsistent in a model's constraints at a position.

    Without a state it is assembled with the locked coordinates; where that fails, the position at which
    the constraints gape least is judged.
    """
    if not len(model.phi_dot):
        return Diagnosis(len(model.q), 0)
    here, closed = (state, True) if state is not None else _position(model, p, locked)
    J, beta = _evaluate(here, "Phi_dq|beta")
    phi = _evaluate(here, "Phi") if len(model.phi) else np.zeros(0)
    names = model.equation_names
    held = len(model.phi)
    ineffective = [i for i, row in enumerate(J) if not np.abs(row).max() > CUTOFF * np.abs(J).max()]
    kept, follows = _dependent(J, [i for i in range(len(J)) if i not in ineffective])
    gaps, conflicts = _contradictions(J[:held], phi)
    slips, more = _contradictions(J, beta) if not gaps else ({}, [])
    apart = gaps | slips
    redundant = {names[i]: tuple(names[k] for k in rows) for i, rows in follows.items() if i not in apart}
    best = max((_rank(s.evaluate(model.functions["Phi_dq"])) for s in samples(model, 3)), default=len(kept))
    return Diagnosis(
        len(model.q) - len(kept), len(kept), redundant,
        tuple(names[i] for i in ineffective if i not in apart),
        {names[i]: gap for i, gap in apart.items()},
        tuple(tuple(names[i] for i in rows) for rows in (*conflicts, *more)),
        closed and len(kept) < best,
    )  # fmt: skip


def _position(model: Model, p: Any, locked: dict[str, Any]) -> tuple[State, bool]:
    try:
        return assemble(model, p=p, **locked), True
    except AssemblyError:
        return _nearest(model, p, locked), False


def _nearest(model: Model, p: Any, locked: dict[str, Any]) -> State:
    """Where the constraints of position gape least, found by Gauss-Newton steps that do not overshoot."""
    q, dq = model.start
    places = {index_of(model, name): float(value) for name, value in locked.items()}
    for k, value in places.items():
        q[k] = value
    free = np.array([k for k in range(len(q)) if k not in places])
    state = State(model, q, dq, 0.0, parameters(model, p), inputs(model))
    if not len(model.phi):
        return state
    damping = 1e-6
    for _ in range(ITERATIONS):
        phi, slopes = _evaluate(state, "Phi|Phi_q")
        part = slopes[:, free]
        step = cast(Any, np.linalg.solve(part.T @ part + damping * np.eye(len(free)), part.T @ phi))
        after = state.q.copy()
        after[free] -= step
        trial = state.changed(q=after)
        better = np.linalg.norm(_evaluate(trial, "Phi")) < np.linalg.norm(phi)
        damping = max(damping / 10.0, 1e-14) if better else min(damping * 10.0, 1e9)
        state = trial if better else state
        if np.abs(step).max() < 1e-12:
            break
    return state


def _evaluate(state: State, name: str) -> Any:
    return state.value(name)


def _rank(J: np.ndarray) -> int:
    sizes = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(sizes > CUTOFF * max(float(sizes.max(initial=0.0)), 1e-300)))


def _dependent(J: np.ndarray, rows: list[int]) -> tuple[list[int], dict[int, list[int]]]:
    """Independent rows in order, and for each other the rows that it is made of."""
    unit = J / np.maximum(np.linalg.norm(J, axis=1, keepdims=True), 1e-300)
    kept: list[int] = []
    follows: dict[int, list[int]] = {}
    for i in rows:
        if _rank(unit[[*kept, i]]) > len(kept):
            kept.append(i)
            continue
        factors = cast(Any, np.linalg.lstsq(unit[kept].T, unit[i], rcond=None)[0])
        follows[i] = [k for k, factor in zip(kept, factors, strict=True) if abs(factor) > SHARE]
    return kept, follows


def _contradictions(J: np.ndarray, right: np.ndarray) -> tuple[dict[int, float], list[list[int]]]:
    """Equations with a residual that no small change of the coordinates removes, and those that conflict."""
    if not J.size or not right.size:
        return {}, []
    U, sizes, _ = np.linalg.svd(J)
    rank = int(np.sum(sizes > 1e-6 * max(float(sizes.max(initial=0.0)), 1e-300)))
    left = U[:, rank:]
    stays = left @ (left.T @ right)
    size = float(np.abs(stays).max(initial=0.0))
    if size <= HOLDS * max(1.0, float(np.abs(right).max())):
        return {}, []
    gaps = {int(i): float(abs(stays[i])) for i in np.flatnonzero(np.abs(stays) > 1e-3 * size)}
    conflict = [list(gaps)] if len(gaps) > 1 else []
    return gaps, conflict
