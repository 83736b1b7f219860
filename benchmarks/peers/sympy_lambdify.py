"""SymPy: `lambdify` with common subexpressions taken out, called step after step from Python.

Two settings: `run` with the functions of `math`, the fastest for single numbers; `run_default` with what
`lambdify` chooses by itself, the functions of NumPy. Without ``cse=True`` a step takes milliseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import four_bar


class Sympy:
    """Runs the Python functions that SymPy writes."""

    def __init__(self, step: Any, default: Any) -> None:
        self.step, self.default = step, default

    def run(self, state: np.ndarray, steps: int) -> np.ndarray:
        return _repeat(self.step, state, steps)

    def run_default(self, state: np.ndarray, steps: int) -> np.ndarray:
        return _repeat(self.default, state, steps)

    def run_batch(self, states: np.ndarray, steps: int) -> np.ndarray:
        return np.stack([self.run(state, steps) for state in states.T], axis=1)


def load(quick: bool) -> Sympy:
    """The contender; raises ImportError without SymPy."""
    import sympy

    state = sympy.symbols("theta1 omega1 theta2 theta3")
    following = four_bar.advance(state, sympy.sin, sympy.cos)
    return Sympy(
        sympy.lambdify(state, following, modules="math", cse=True),
        sympy.lambdify(state, following, cse=True),
    )


def _repeat(step: Any, state: np.ndarray, steps: int) -> np.ndarray:
    x = state.tolist()
    for _ in range(steps):
        x = step(*x)
    return np.array(x)
