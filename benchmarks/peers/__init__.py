"""The contenders: each takes the same start and does the same steps, in the way that suits it best.

A contender is one file with one final class made by ``load(quick)``, which raises `MissingPeerError` or
ImportError where it is not installed. Adding one adds its name to `PEERS`, whose contenders do exactly our
step, or to `ENGINES`, which simulate the same mechanism in their own ways.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

PEERS = {"C": "hand_written", "CasADi": "casadi_c", "JAX": "jax_loop", "SymPy": "sympy_lambdify"}
ENGINES = {"MuJoCo": "mujoco_engine", "Pinocchio": "pinocchio_engine", "Exudyn": "exudyn_engine"}


class MissingPeerError(Exception):
    """A contender, or something it needs, is not installed."""


class Peer(Protocol):
    """What every contender can do; each method returns new arrays."""

    def run(self, state: Any, steps: int) -> Any:
        """One state, (4,), ``steps`` later."""
        ...

    def run_batch(self, states: Any, steps: int) -> Any:
        """Many states, (4, N), ``steps`` later, on one core."""
        ...


def load(name: str, *, quick: bool) -> Any:
    """A contender by its name in `PEERS` or `ENGINES`; raises `MissingPeerError`."""
    try:
        return import_module(f"{__name__}.{(PEERS | ENGINES)[name]}").load(quick)
    except ImportError as error:
        raise MissingPeerError(str(error)) from None
