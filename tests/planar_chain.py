"""A planar chain of rigid bodies on revolute joints, modelled apart from the package, as a reference.

Body i turns by q[i] about +Y relative to body i - 1, and carries at its point P[i] an external force and a
moment; the next point lies at `lengths[i]` along its local x. Gravity acts along -z. The equation of motion
is ``M ddq = delta``, with M positive definite, and the closure puts the last point on (`ground`, 0).

The method is Kane's in absolute angles, with vectors of the plane as complex numbers x + i z. A turn by
a about +Y takes (x, z) to (x cos a + z sin a, z cos a - x sin a), the product with exp(-i a), so that
every derivative with respect to an angle is a product with -i, and the dot product of two vectors
is Re(conj(u) v). Relative angles enter at the end, through the constant matrix T of ``a = T q``.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Chain:
    """Parameters of a chain of n bodies; vectors as (x, z) in the base of their body."""

    lengths: np.ndarray  # (n,)
    masses: np.ndarray  # (n,)
    centres: np.ndarray  # (n, 2), mass centre from the body's point
    inertias: np.ndarray  # (n,), Iyy about the body's point
    forces: np.ndarray  # (n, 2), at the body's point
    moments: np.ndarray  # (n,), My
    gravity: float = 9.81
    ground: float = 0.0

    @classmethod
    def random(cls, rng, n=3):
        """Any chain; its moments of inertia are those of real bodies."""
        masses, centres = rng.uniform(0.5, 2.0, n), rng.uniform(-0.7, 0.7, (n, 2))
        return cls(
            lengths=rng.uniform(0.5, 2.0, n),
            masses=masses,
            centres=centres,
            inertias=rng.uniform(0.1, 1.0, n) + masses * (centres**2).sum(axis=1),
            forces=rng.uniform(-5.0, 5.0, (n, 2)),
            moments=rng.uniform(-5.0, 5.0, n),
            gravity=9.81,
            ground=rng.uniform(0.5, 2.0),
        )

    @property
    def central_inertias(self):
        """Iyy about the mass centres."""
        return self.inertias - self.masses * (self.centres**2).sum(axis=1)


def mass_matrix_and_delta(chain, q, dq):
    """M (n, n) and delta (n,), both of positive sign, at joint angles `q` and rates `dq`."""
    n = len(q)
    T = np.tril(np.ones((n, n)))
    e, rate = np.exp(-1j * T @ q), T @ dq
    points = np.tril(np.ones((n, n)), -1) * (chain.lengths * e)  # row i: what each body adds to P[i]
    centres = points + np.diag(_plane(chain.centres) * e)
    J_P, J_G = -1j * points, -1j * centres  # derivatives with respect to the absolute angles
    M = np.real(J_G.conj().T @ (chain.masses[:, None] * J_G)) + np.diag(chain.central_inertias)
    at_G = chain.masses * (centres @ rate**2 - 1j * chain.gravity)  # minus the centripetal part, and weight
    at_P = _plane(chain.forces) * e
    delta = np.real(J_G.conj().T @ at_G + J_P.conj().T @ at_P) + chain.moments
    return T.T @ M @ T, T.T @ delta


def tip(chain, q):
    """The last point, (x, z) in the fixed base."""
    end = np.sum(chain.lengths * np.exp(-1j * np.cumsum(q)))
    return np.array([end.real, end.imag])


def closure(chain, q):
    """Phi (2,), the last point less (`ground`, 0), and its Jacobian Phi_q (2, n)."""
    links = chain.lengths * np.exp(-1j * np.cumsum(q))
    columns = -1j * np.cumsum(links[::-1])[::-1]  # joint j turns all links from j on
    return tip(chain, q) - [chain.ground, 0.0], np.array([columns.real, columns.imag])


def _plane(pairs):
    return pairs[:, 0] + 1j * pairs[:, 1]
