"""Rigid bodies in space in absolute coordinates, modelled apart from the package, as a reference.

Every body has six unknown accelerations, those of its mass centre and of its orientation, and Newton's and
Euler's equations; joints are equations between bodies, differentiated twice by hand. `Frame` carries places,
velocities and accelerations along a chain of turns and shifts, to set bodies up and to compare with.
"""

from dataclasses import dataclass

import numpy as np

AXES = dict(zip("xyz", np.eye(3), strict=True))


def skew(u):
    """The matrix of the cross product with u."""
    return np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])


@dataclass(frozen=True)
class Frame:
    """Where a frame is and how it moves: R, p; w, v; dw, a; all but R by components in the ground."""

    R: np.ndarray
    p: np.ndarray
    w: np.ndarray
    v: np.ndarray
    dw: np.ndarray
    a: np.ndarray

    @classmethod
    def ground(cls):
        return cls(np.eye(3), *np.zeros((5, 3)))

    def turn(self, axis, angle, rate=0.0, acceleration=0.0):
        """A frame turned about one of its axes (Rodrigues' formula)."""
        n, K = self.R @ AXES[axis], skew(AXES[axis])
        R = self.R @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)
        dw = self.dw + acceleration * n + np.cross(self.w, rate * n)
        return Frame(R, self.p, self.w + rate * n, self.v, dw, self.a)

    def move(self, r, rate=(0.0, 0.0, 0.0), acceleration=(0.0, 0.0, 0.0)):
        """A frame at r, by components in this one."""
        arm, own = self.R @ r, self.R @ rate
        v = self.v + np.cross(self.w, arm) + own
        a = self.a + np.cross(self.dw, arm) + np.cross(self.w, np.cross(self.w, arm))
        a = a + 2.0 * np.cross(self.w, own) + self.R @ acceleration
        return Frame(self.R, self.p + arm, self.w, v, self.dw, a)


@dataclass(frozen=True)
class Moving:
    """A vector that moves: value, rate, and second derivative ``A x + c`` in the accelerations x."""

    value: np.ndarray
    rate: np.ndarray
    A: np.ndarray
    c: np.ndarray

    def __sub__(self, other):
        return Moving(self.value - other.value, self.rate - other.rate, self.A - other.A, self.c - other.c)

    def dot(self, other):
        """The rows and the rest of the second derivative of a scalar product."""
        row = other.value @ self.A + self.value @ other.A
        rest = other.value @ self.c + self.value @ other.c + 2.0 * self.rate @ other.rate
        return row[None], np.array([rest])


class Mechanism:
    """Bodies with joints; `accelerations` solves for x = (a, dw) of all bodies, and the multipliers."""

    def __init__(self, gravity):
        self.gravity = np.asarray(gravity)
        self.bodies, self.forces, self.moments = [], [], []
        self.joints = []

    def body(self, frame, mass, inertia):
        """A body whose mass centre is at the origin of a frame; the inertia is about it, in the frame."""
        self.bodies.append((frame, mass, frame.R @ np.asarray(inertia) @ frame.R.T))
        self.forces.append(mass * self.gravity)
        self.moments.append(np.zeros(3))
        return len(self.bodies) - 1

    def push(self, body, force, moment=(0.0, 0.0, 0.0)):
        """A force at the mass centre and a moment, by components in the ground."""
        self.forces[body] = self.forces[body] + force
        self.moments[body] = self.moments[body] + moment

    def direction(self, body, u):
        """A direction fixed in a body (None: the ground), by components in its frame."""
        u = np.asarray(u, float)
        if body is None:
            return lambda n: Moving(u, np.zeros(3), np.zeros((3, n)), np.zeros(3))
        frame = self.bodies[body][0]
        now = frame.R @ u

        def moving(n):
            A = np.zeros((3, n))
            A[:, 6 * body + 3 : 6 * body + 6] = -skew(now)
            rate = np.cross(frame.w, now)
            return Moving(now, rate, A, np.cross(frame.w, rate))

        return moving

    def point(self, body, r):
        """A point fixed in a body (None: the ground), from its mass centre."""
        if body is None:
            return self.direction(None, r)
        frame, arm = self.bodies[body][0], self.direction(body, r)

        def moving(n):
            m = arm(n)
            A = m.A.copy()
            A[:, 6 * body : 6 * body + 3] = np.eye(3)
            return Moving(frame.p + m.value, frame.v + m.rate, A, m.c)

        return moving

    def ball(self, p, q):
        """Two points coincide."""
        self.joints.append(lambda n: ((p(n) - q(n)).A, (p(n) - q(n)).c))

    def square(self, u, w):
        """Two directions stay square."""
        self.joints.append(lambda n: u(n).dot(w(n)))

    def straight(self, p, q, u):
        """The way from p to q stays square to a direction."""
        self.joints.append(lambda n: (q(n) - p(n)).dot(u(n)))

    def accelerations(self):
        """(n, 6) accelerations of mass centres and orientations."""
        n = 6 * len(self.bodies)
        M, f = np.zeros((n, n)), np.zeros(n)
        for k, (frame, mass, inertia) in enumerate(self.bodies):
            i = 6 * k
            M[i : i + 3, i : i + 3] = mass * np.eye(3)
            M[i + 3 : i + 6, i + 3 : i + 6] = inertia
            f[i : i + 3] = self.forces[k]
            f[i + 3 : i + 6] = self.moments[k] - np.cross(frame.w, inertia @ frame.w)
        rows = [joint(n) for joint in self.joints]
        J, rest = np.vstack([row for row, _ in rows]), np.concatenate([c for _, c in rows])
        kkt = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        return np.linalg.solve(kkt, np.concatenate([f, -rest]))[:n].reshape(-1, 6)
