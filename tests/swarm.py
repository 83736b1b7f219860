"""Bodies on trees of bases and points as swarms of particles, apart from the package, as a reference.

A rigid body is six particles that have its mass, mass centre and inertia, so that no formula of rigid
bodies is needed: M = sum of m J^T J and delta = sum of J^T (m g - m a + f), particle by particle. Places are
carried along a motion q(t) with their first two derivatives, exact to rounding, by the rules of products; a
column of J is the rate of a place when one coordinate moves alone and time stands still.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Turn:
    """A base turned from its parent about a unit axis by slope.q + rest + drift t."""

    parent: int
    axis: np.ndarray
    slope: np.ndarray
    rest: float = 0.0
    drift: float = 0.0


@dataclass(frozen=True)
class Edge:
    """A point at r + slope q + drift t from its parent, by components in a base."""

    parent: int
    base: int
    r: np.ndarray
    slope: np.ndarray  # (3, n)
    drift: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Solid:
    """A rigid body: its point, its base, and its mass, mass centre and central inertia in that base."""

    point: int
    base: int
    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def particles(self):
        """Places in the body's base and masses, with the same zeroth, first and second moments."""
        spread = np.trace(self.inertia) / 2.0 * np.eye(3) - self.inertia  # integral of r r^T dm
        moments, axes = np.linalg.eigh(spread)
        arms = axes * np.sqrt(3.0 * np.maximum(moments, 0.0) / self.mass)
        places = np.hstack([self.com[:, None] + arms, self.com[:, None] - arms])
        return places, np.full(6, self.mass / 6.0)


@dataclass(frozen=True)
class Swarm:
    """Base 0 and point 0 are the ground; base i + 1 is made by ``turns[i]``, point i + 1 by ``edges[i]``."""

    n: int
    turns: tuple[Turn, ...]
    edges: tuple[Edge, ...]
    solids: tuple[Solid, ...]
    gravity: np.ndarray

    def motion(self, q, dq, ddq, t=0.0, running=1.0):
        """Bases (3, 3, 3) and points (3, 3): value, first and second derivative along a motion.

        With ``running`` zero, time stands still.
        """
        bases, points = [_constant(np.eye(3))], [_constant(np.zeros(3))]
        for turn in self.turns:
            angle = [
                turn.slope @ q + turn.rest + turn.drift * t,
                turn.slope @ dq + turn.drift * running,
                turn.slope @ ddq,
            ]
            bases.append(product(bases[turn.parent], rodrigues(turn.axis, *angle)))
        for edge in self.edges:
            r = np.array(
                [
                    edge.r + edge.slope @ q + edge.drift * t,
                    edge.slope @ dq + edge.drift * running,
                    edge.slope @ ddq,
                ]
            )
            points.append(points[edge.parent] + product(bases[edge.base], r))
        return bases, points

    def place(self, at, motion):
        """A place (point, base, components) along a motion."""
        bases, points = motion
        point, base, r = at
        return points[point] + bases[base] @ r

    def unit_motions(self, q, t=0.0):
        """The motions of single coordinates at unit speed."""
        rest = np.zeros(self.n)
        return [self.motion(q, unit, rest, t, running=0.0) for unit in np.eye(self.n)]

    def particles(self):
        """(point, base, components, mass) of all."""
        for solid in self.solids:
            places, masses = solid.particles()
            for r, m in zip(places.T, masses, strict=True):
                yield (solid.point, solid.base, r), m

    def equations(self, q, dq, t=0.0):
        """M and delta, without loads."""
        M, delta = np.zeros((self.n, self.n)), np.zeros(self.n)
        real, units = self.motion(q, dq, np.zeros(self.n), t), self.unit_motions(q, t)
        for at, m in self.particles():
            J = np.array([self.place(at, unit)[1] for unit in units]).T
            M += m * J.T @ J
            delta += J.T @ (m * (self.gravity - self.place(at, real)[2]))
        return M, delta

    def energy(self, q, dq, t=0.0):
        """Kinetic energy and the potential energy of weight."""
        real = self.motion(q, dq, np.zeros(self.n), t)
        kinetic = potential = 0.0
        for at, m in self.particles():
            r, v, _ = self.place(at, real)
            kinetic += m * v @ v / 2.0
            potential -= m * self.gravity @ r
        return kinetic, potential

    def momentum(self, q, dq, t=0.0):
        """Linear momentum, and angular momentum about point 0."""
        real = self.motion(q, dq, np.zeros(self.n), t)
        states = [(*self.place(at, real)[:2], m) for at, m in self.particles()]
        return sum(m * v for _, v, m in states), sum(m * np.cross(r, v) for r, v, m in states)

    def force(self, q, at, force, t=0.0):
        """What a force (in the ground) at a place adds to delta."""
        return np.array([self.place(at, unit)[1] @ force for unit in self.unit_motions(q, t)])

    def moment(self, q, base, moment, t=0.0):
        """What a moment (in the ground) on a base adds to delta."""
        return np.array([spin(unit[0][base]) @ moment for unit in self.unit_motions(q, t)])


def product(a, b):
    """A product of two quantities with their derivatives."""
    return np.array([a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2.0 * a[1] @ b[1] + a[0] @ b[2]])


def rodrigues(axis, angle, rate, acceleration):
    """A turn about an axis, with its derivatives."""
    K = skew(axis)
    first = K * np.cos(angle) + K @ K * np.sin(angle)
    second = -K * np.sin(angle) + K @ K * np.cos(angle)
    value = np.eye(3) + K * np.sin(angle) + K @ K * (1.0 - np.cos(angle))
    return np.array([value, first * rate, first * acceleration + second * rate**2])


def spin(R):
    """The angular velocity, by components in the ground, of a base along a motion."""
    W = R[1] @ R[0].T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def skew(v):
    """The matrix of v x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def error(got, expected):
    """The largest difference, relative to the largest value expected if that is above one."""
    expected = np.asarray(expected, float)
    return np.max(np.abs(np.subtract(got, expected)), initial=0.0) / max(
        1.0, np.max(np.abs(expected), initial=0.0)
    )


def _constant(value):
    return np.array([value, np.zeros_like(value), np.zeros_like(value)])
