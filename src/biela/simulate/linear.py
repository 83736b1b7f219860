"""Linearisation on the constraints: A, B, C, D about a state, modes, and root loci.

The state of the linear model is the deviations of independent positions and velocities (`Tangent`), so it has
no superfluous modes, and mechanisms that roll have more positions than velocities. Derivatives are exact.
About an equilibrium or a steady motion the eigenvalues of A are those of the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from scipy.optimize import linear_sum_assignment  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from biela.expr.function import Function
from biela.mechanics.quantity import TURN
from biela.simulate.state import State, index
from biela.simulate.tangent import Tangent, evaluated

STEADY = 1e-6  # of accelerations, relative to one radian or metre a square second
Outputs = Iterable[str] | Function | None


@dataclass(frozen=True)
class Mode:
    """An eigenvalue, or a pair of conjugate ones, and how the coordinates move with it."""

    eigenvalue: complex  # of a pair, the one with the positive imaginary part
    shape: dict[str, complex]  # coordinates, the largest one 1

    def __repr__(self) -> str:
        if self.eigenvalue.imag == 0.0:
            return f"<Mode {self.eigenvalue.real:.6g} 1/s>"
        return f"<Mode {self.frequency:.6g} Hz, damping {round(self.damping, 9) + 0.0:.4g}>"

    @property
    def frequency(self) -> float:
        """Of the oscillation, damped as it is, Hz."""
        return self.eigenvalue.imag / TURN

    @property
    def natural_frequency(self) -> float:
        """Without the damping, Hz."""
        return abs(self.eigenvalue) / TURN

    @property
    def damping(self) -> float:
        """The damping ratio: 1 is critical, negative grows, 0 for an eigenvalue of zero."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Linear:
    """``x' = A x + B u, y = C x + D u`` for small deviations from ``about``."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    about: State
    basis: np.ndarray  # how all coordinates follow the states
    acceleration: float  # the largest of the independent ones at the state

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<Linear {self.about.model.name}: {sizes}>"

    @property
    def steady(self) -> bool:
        """Whether the state is an equilibrium, or a motion whose velocities stay."""
        return self.acceleration <= STEADY * max(1.0, float(np.abs(self.about.dq).max(initial=0.0)))

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of A, the largest real part first."""
        values: list[complex] = np.linalg.eigvals(self.A).astype(complex).tolist()
        return np.array(sorted(values, key=lambda v: (-round(v.real, 12), -v.imag)), complex)

    def modes(self) -> list[Mode]:
        """The modes, slowest first; a conjugate pair is one mode.

        Raises ValueError about a state that is not steady.
        """
        if not self.steady:
            raise ValueError(
                f"Model '{self.about.model.name}' has no modes about this state, for it accelerates by up to "
                f"{self.acceleration:.3g}. Find an equilibrium first, with equilibrium(model)."
            )
        values, vectors = np.linalg.eig(self.A)
        names = self.about.names
        found = [
            Mode(complex(value), dict(zip(names, _unit(self.basis @ vector), strict=True)))
            for value, vector in zip(values, vectors.T, strict=True)
            if complex(value).imag >= 0.0
        ]
        return sorted(found, key=lambda mode: abs(mode.eigenvalue))


def _unit(shape: np.ndarray) -> list[complex]:
    largest = shape[np.argmax(np.abs(shape))]
    return [complex(value) for value in (shape / largest if abs(largest) > 0.0 else shape)]


def linearise(state: State, outputs: Outputs = None, independent: Sequence[str] = ()) -> Linear:
    """The linear model about a state that fulfils the constraints.

    ``outputs`` are coordinates ("crank"), velocities ("crank'") and accelerations ("crank''"), or a Function
    of the model such as ``model.functions["energy"]``; all coordinates unless given. ``independent`` names
    coordinates to take as states; others that tell most are added.

    Raises KeyError for an unknown name, and ValueError for coordinates that cannot be independent.
    """
    tangent = Tangent([state], independent)
    model, free = state.model, tangent.velocities
    names = [model.placements[k].name for k in tangent.positions]
    rates = [f"{model.placements[k].name}'" for k in free]
    follow, forced = tangent.accelerations(), tangent.forced()
    A = _system_matrix(tangent, follow[0])[0]
    above = np.zeros((len(names), len(model.inputs)))
    B = np.vstack([above, forced[0][0][free]])
    C, D, labels = _seen(state, tangent, outputs, follow, forced)
    return Linear(
        A, B, C, D, names + rates, [quantity.name for quantity in model.inputs], labels, state,
        tangent.q[0], float(np.abs(tangent.ddq[0, free]).max(initial=0.0)),
    )  # fmt: skip


def _system_matrix(tangent: Tangent, accelerations: np.ndarray) -> np.ndarray:
    return np.concatenate([tangent.dq[:, tangent.positions], accelerations[:, tangent.velocities]], axis=1)


def _seen(
    state: State,
    tangent: Tangent,
    outputs: Outputs,
    follow: tuple[np.ndarray, np.ndarray],
    forced: tuple[np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """C, D and the names of the outputs."""
    nothing = np.zeros((len(state.q), len(state.model.inputs)))
    by_state = {"q": tangent.q[0], "dq": tangent.dq[0], "ddq": follow[0][0], "lambda_": follow[1][0]}
    by_input = {"q": nothing, "dq": nothing, "ddq": forced[0][0], "lambda_": forced[1][0]}
    by_input["u"] = np.eye(len(state.model.inputs))
    if isinstance(outputs, Function):
        return _of_function(outputs, tangent, by_state, by_input)
    labels = state.names if outputs is None else [outputs] if isinstance(outputs, str) else list(outputs)
    places = [_place(state, name) for name in labels]
    C = np.array([by_state[kind][k] for kind, k in places]).reshape(len(places), -1)
    D = np.array([by_input[kind][k] for kind, k in places]).reshape(len(places), -1)
    return C, D, labels


def _place(state: State, name: str) -> tuple[str, int]:
    plain = name.rstrip("'")
    primes = len(name) - len(plain)
    if primes > 2:
        raise KeyError(f"'{name}': a coordinate, its velocity (') or its acceleration ('') is expected.")
    return ("q", "dq", "ddq")[primes], index(state.model, plain)


def _of_function(
    function: Function, tangent: Tangent, by_state: dict[str, np.ndarray], by_input: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The chain rule over all inputs of a Function, for all its outputs."""
    C: list[np.ndarray] = []
    D: list[np.ndarray] = []
    labels: list[str] = []
    for output in function.outputs:
        rows = np.zeros((output.size, tangent.q.shape[2]))
        direct = np.zeros((output.size, len(tangent.model.inputs)))
        for port in function.inputs:
            if port.name in by_input:
                slope: Any = evaluated(function.jacobian(output.name, port.name), tangent.have)
                values = next(iter(slope.values()))[0]
                direct += values @ by_input[port.name]
                rows += values @ by_state[port.name] if port.name in by_state else 0.0
        C.append(rows)
        D.append(direct)
        one = output.size == 1 and not output.shape
        labels += [output.name] if one else [f"{output.name}[{k}]" for k in range(output.size)]
    return np.vstack(C), np.vstack(D), labels


@dataclass(frozen=True, eq=False)
class Locus:
    """Eigenvalues along a sweep of states: a row for each, in an order in which columns are curves."""

    eigenvalues: np.ndarray
    A: np.ndarray
    states: list[str]

    def __len__(self) -> int:
        return len(self.eigenvalues)


def root_locus(states: Sequence[State], independent: Sequence[str] = ()) -> Locus:
    """The eigenvalues about many states of a model at once, as over a parameter or a speed.

    Raises ValueError for no states, or where the constraints' rank is not the same at all of them.
    """
    if not states:
        raise ValueError("A root locus needs at least one state.")
    tangent = Tangent(states, independent)
    A = _system_matrix(tangent, tangent.accelerations()[0])
    model = tangent.model
    names = [model.placements[k].name for k in tangent.positions]
    names += [f"{model.placements[k].name}'" for k in tangent.velocities]
    values: Any = np.linalg.eigvals(A).astype(complex)
    values[0] = values[0][np.argsort(-values[0].real, kind="stable")]
    for before, after in pairwise(values):
        pairs = cast(Any, linear_sum_assignment(np.abs(before[:, None] - after[None, :])))
        after[:] = after[pairs[1]]
    return Locus(values, A, names)
