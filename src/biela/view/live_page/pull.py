"""`Pull`: a spring between a pointer and a body, for any mechanism.

The point that is held is a fixed sum of what is drawn (places, and axes of bases), so its Jacobian J comes by
differences from the native Function of the drawing. With the motions R that the constraints leave free, a
force F there changes velocities by

    P J' F h,   P = R (R' M R)^-1 R'.

Stiffness and damping follow from the mass that is felt, m = 1 / max eig(J P J'): the spring swings `HERTZ`
times a second, whatever it holds. It acts at the end of the interval (implicit Euler), which no stiffness
makes unstable:

    F = (1 + (h c + h^2 k) A)^-1 (k (d - h v) - c v),   A = J P J', v = J q'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.mechanics.model import Model
from biela.view.live_page.source import Grip
from biela.view.motion import quaternions
from biela.view.scene import Scene

HERTZ, DAMPING = 3.0, 0.8  # of the spring on the mass that it feels
SMALL = 1e-6  # rad or m, of the differences
CUTOFF = 1e-9  # of singular values: what is smaller is redundant


class Frames:
    """Places and turns of a scene for states, natively."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.kernel = Kernel(scene.frames)
        self.ports = [port.name for port in scene.frames.inputs]
        sizes = {port.name: port.shape[0] for port in scene.frames.outputs}
        self.points, self.bases = sizes.get("places", 0), sizes.get("turns", 0)

    def at(self, q: np.ndarray, t: Any, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (lane, point, 3) and turning matrices (lane, base, 9) of lanes of q."""
        have = {"q": np.ascontiguousarray(q), "t": np.full(q.shape[1], t), "p": np.ascontiguousarray(p)}
        found: Any = self.kernel.batch(*(have[name] for name in self.ports))
        outputs = [port.name for port in self.scene.frames.outputs]
        values: dict[str, Any] = dict(zip(outputs, found if len(outputs) > 1 else (found,), strict=True))
        none = np.zeros((0, 3, q.shape[1])), np.zeros((0, 9, q.shape[1]))
        places, turns = values.get("places", none[0]), values.get("turns", none[1])
        return np.moveaxis(places, -1, 0), np.moveaxis(turns, -1, 0)

    def parts(self, q: np.ndarray, t: Any, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places and quaternions, as a page takes them."""
        places, R = self.at(q, t, p)
        turns = quaternions(R.reshape(1, *R.shape[:2], 3, 3))[0] if self.bases else np.zeros((len(R), 0, 4))
        return places, turns


class Pull:
    """What is held of a mechanism, and how it is drawn along."""

    def __init__(self, model: Model, frames: Frames) -> None:
        self.frames, self.model = frames, model
        self._mass = Kernel(model.functions["M"])
        self._slopes = Kernel(model.functions["Phi_dq"]) if len(model.phi_dot) else None
        self.force = np.zeros(3)  # N, on the body

    def ready(self, q: np.ndarray, t: float, p: np.ndarray) -> None:
        """Compile what is called, before somebody takes hold."""
        self._mobility(q, t, p)

    def hold(self, grip: Grip, q: np.ndarray, t: float, p: np.ndarray) -> None:
        """Take hold where a pointer is: on a bar between its ends, on a solid anywhere."""
        self.grip, self.to = grip, grip.at.copy()
        places, R = self.frames.at(q[:, None], t, p)
        a = places[0, grip.a]
        self.share, self.offset = 0.0, np.zeros(3)
        if grip.b >= 0:
            along = places[0, grip.b] - a
            size = float(along @ along)
            self.share = float(np.clip((grip.at - a) @ along / size, 0.0, 1.0)) if size else 0.0
        elif grip.turn >= 0:
            self.offset = R[0, grip.turn].reshape(3, 3).T @ (grip.at - a)

    def places(self, q: np.ndarray, t: float, p: np.ndarray) -> np.ndarray:
        """Where the point that is held is, for lanes of q."""
        places, R = self.frames.at(q, t, p)
        found = places[:, self.grip.a]
        if self.grip.b >= 0:
            found = (1.0 - self.share) * found + self.share * places[:, self.grip.b]
        elif self.grip.turn >= 0:
            found = found + R[:, self.grip.turn].reshape(-1, 3, 3) @ self.offset
        return found

    def pushed(self, q: np.ndarray, dq: np.ndarray, t: float, p: np.ndarray, h: float) -> np.ndarray:
        """The velocities after the spring has drawn for a time."""
        n = len(q)
        lanes = np.repeat(q[:, None], 2 * n + 1, axis=1)
        lanes[np.arange(n), 1 + np.arange(n)] += SMALL
        lanes[np.arange(n), 1 + n + np.arange(n)] -= SMALL
        found = self.places(lanes, t, p)
        J = (found[1 : n + 1] - found[n + 1 :]).T / (2.0 * SMALL)
        P = self._mobility(q, t, p)
        A, v, d = J @ P @ J.T, J @ dq, self.to - found[0]
        largest = float(np.linalg.eigvalsh(A)[-1])
        if not largest > 0.0:  # it hangs on nothing that moves
            return dq
        omega = 2.0 * np.pi * HERTZ
        k, c = omega**2 / largest, 2.0 * DAMPING * omega / largest
        left, right = np.eye(3) + (h * c + h * h * k) * A, k * (d - h * v) - c * v
        F = np.asarray(np.linalg.solve(left, right), float)
        self.force = F
        return dq + P @ J.T @ F * h

    def _mobility(self, q: np.ndarray, t: float, p: np.ndarray) -> np.ndarray:
        have = {"q": q, "t": t, "p": p}
        M = self._called(self._mass, have) * self.model.sign
        if self._slopes is None:
            return np.linalg.pinv(M, rcond=CUTOFF, hermitian=True)
        _, sizes, V = np.linalg.svd(self._called(self._slopes, have))
        R = V[int((sizes > CUTOFF * sizes[0]).sum()) :].T
        return R @ np.linalg.pinv(R.T @ M @ R, rcond=CUTOFF, hermitian=True) @ R.T

    @staticmethod
    def _called(kernel: Kernel, have: dict[str, Any]) -> np.ndarray:
        return np.asarray(kernel(**{port.name: have[port.name] for port in kernel.function.inputs}))
