"""Base parameters: the fewest combinations of inertia parameters that the motion depends on.

What inertia and weight ask for is K phi (`biela.mechanics.inverse`); of a mechanism with loops, only its part
along the motions that constraints allow can be observed, N' K phi with N a basis of the null space of
Phi_dq. Stacked over random states, the columns are taken body by body from the ground outwards, in each
second moments first, then first moments, then the mass; a column that depends on those before it is
regrouped with them (Gautier, 1991, by a QR decomposition). So masses move towards the ground, as engineers
write it.

Coefficients are numbers. Those that, at other values of the parameters, turn out to be a parameter, or a
product or ratio of two, are written so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, permutations
from typing import TYPE_CHECKING

import numpy as np

from biela.mechanics.inverse import PARAMETERS, inertia_values
from biela.mechanics.sample import Sample, null_space, samples

if TYPE_CHECKING:
    from biela.mechanics.model import Model

ORDER = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")
DEPENDENT = 1e-7  # what is left of a column of length one
VARY = 0.2
SIMPLE = (1.0, 2.0, 0.5)


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The base parameters phi_b = B phi, for which K phi = K[:, columns] phi_b on all allowed motions."""

    names: tuple[str, ...]  # of all inertia parameters, as the columns of K
    columns: tuple[int, ...]  # those that lead a group
    matrix: np.ndarray  # B: a row for each group
    coefficients: tuple[dict[int, str], ...]  # by row: how each coefficient is written
    phi: np.ndarray  # the default values of the inertia parameters

    def __repr__(self) -> str:
        return "\n".join(f"{g} = {v:.6g}" for g, v in zip(self.groupings, self.values, strict=True))

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.columns)

    @property
    def values(self) -> np.ndarray:
        """Their default values."""
        return self.matrix @ self.phi

    @cached_property
    def groupings(self) -> tuple[str, ...]:
        """Each as a sum of inertia parameters."""
        return tuple(self._written(row) for row in self.coefficients)

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The inertia parameters that no motion depends on."""
        return tuple(name for name, column in zip(self.names, self.matrix.T, strict=True) if not column.any())

    def _written(self, row: dict[int, str]) -> str:
        text = ""
        for j, factor in row.items():
            negative = factor.startswith("-")
            plain = factor.removeprefix("-")
            term = self.names[j] if plain == "1" else f"{plain}*{self.names[j]}"
            text += f" {'-' if negative else '+'} {term}" if text else f"{'-' if negative else ''}{term}"
        return text


def base_parameters(model: Model, seed: int = 1) -> BaseParameters:
    """The base parameters of a model.

    Raises ValueError when it cannot be assembled at random states, or has no body with inertia.
    """
    heavy = (*model.problem.bodies, *model.natural_bodies)
    names = tuple(f"{body.name}.{name}" for body in heavy for name in PARAMETERS)
    count = 3 + 2 * len(names) // max(model.freedom, 1)
    runs = [samples(model, count, seed)]
    if not names or not runs[0]:
        why = "no random state could be assembled: give coordinates values at which the loops nearly close"
        raise ValueError(f"Model '{model.name}': {why if names else 'no body has inertia'}.")
    runs += [samples(model, count, seed + k, VARY) for k in (1, 2)]
    columns, B = _grouped(_observations(model, runs[0]))
    others = [_grouped(_observations(model, run)) for run in runs[1:] if run]
    alike = [B, *(other for found, other in others if found == columns)]
    products = _products(model, [run[0].p for run in runs]) if len(alike) == len(runs) else {}
    written: list[dict[int, str]] = []
    for i, lead in enumerate(columns):
        places = [lead, *(int(j) for j in np.flatnonzero(B[i]) if j != lead)]
        written.append({j: _coefficient(np.array([b[i, j] for b in alike]), products) for j in places})
    phi = model.function("phi", {"phi": inertia_values(model)}, "constant")
    return BaseParameters(names, tuple(columns), B, tuple(written), runs[0][0].evaluate(phi))


def _observations(model: Model, states: list[Sample]) -> np.ndarray:
    """K along the allowed motions, at all states, one above the other."""
    blocks: list[np.ndarray] = []
    for state in states:
        allowed = np.eye(len(model.q))
        if len(model.phi_dot):
            allowed = null_space(state.evaluate(model.functions["Phi_dq"]))
        blocks.append(allowed.T @ state.evaluate(model.functions["K"]))
    return np.vstack(blocks)


def _grouped(W: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The leading columns, and B with W = W[:, columns] B."""
    n = W.shape[1]
    sizes = np.linalg.norm(W, axis=0)
    scale = np.where(sizes > DEPENDENT * sizes.max(), sizes, np.inf)
    unit = W / scale
    basis = np.zeros((len(W), 0))
    columns: list[int] = []
    for j in (10 * b + PARAMETERS.index(name) for b in range(n // 10) for name in ORDER):
        rest = unit[:, j] - basis @ (basis.T @ unit[:, j])
        rest = rest - basis @ (basis.T @ rest)
        if np.linalg.norm(rest) > DEPENDENT:
            columns.append(j)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    columns.sort()
    found, *_ = np.linalg.lstsq(unit[:, columns], unit, rcond=None)
    found[np.abs(found) < DEPENDENT] = 0.0
    with np.errstate(invalid="ignore"):
        B = found * np.where(np.isfinite(scale), scale, 0.0) / scale[columns][:, None]
    B[:, columns] = np.eye(len(columns))
    return columns, B


def _products(model: Model, points: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Parameters, products and ratios of two, as they are written, with their values at several points."""
    used = set(model.graph.reachable([*model.functions["K"].outputs[0].refs, *model.phi_dq.refs]))
    pairs = zip(model.parameters, np.array(points).T, strict=True)
    single = {q.name: row for q, row in pairs if q.symbol.ref in used and row.all()}
    pairs = combinations_with_replacement(single, 2)
    double = {f"{a}**2" if a == b else f"{a}*{b}": single[a] * single[b] for a, b in pairs}
    ratios = {f"{a}/{b}": single[a] / single[b] for a, b in permutations(single, 2)}
    return single | double | ratios


def _coefficient(found: np.ndarray, products: dict[str, np.ndarray]) -> str:
    if np.ptp(found) <= 1e-6 * abs(found[0]):
        return f"{found[0]:.6g}"
    for name, values in products.items():
        ratio = found / values
        factor = next((f for f in SIMPLE if np.allclose(np.abs(ratio), f, rtol=1e-6)), None)
        if factor is not None and np.ptp(ratio) <= 1e-6 * factor:
            sign = "-" if ratio[0] < 0 else ""
            return f"{sign}{name}" if factor == 1.0 else f"{sign}{factor:g}*{name}"
    return f"{found[0]:.6g}"
