"""The operators of kinematics on random trees by hand, relative to any frame, against motions."""

import hand_tree
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tree import states
from swarm import error, product, spin

from biela.mechanics import Jacobian, triple_cross
from biela.mechanics.space import RULES

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)


class Motion:
    """A mechanism on its way: numbers for its symbols, and its bases and points with two derivatives."""

    def __init__(self, swarm, seed, t=0.3):
        self.rng = np.random.default_rng(seed)
        self.system = hand_tree.system(swarm)
        state = states(self.rng, swarm.n)
        self.bases, self.points = swarm.motion(*state, t)
        self.values = {self.system.time: t}
        for k, placement in enumerate(self.system.coordinates_by_name.values()):
            self.values |= dict(zip(placement.symbols, (part[k] for part in state), strict=True))

    def base(self):
        """A random base: of the system, and its motion."""
        i = int(self.rng.integers(len(self.bases)))
        return self.system.bases["ground" if i == 0 else f"B{i}"], self.bases[i]

    def point(self):
        """A random point: of the system, and its motion."""
        i = int(self.rng.integers(len(self.points)))
        return self.system.points["origin" if i == 0 else f"P{i}"], self.points[i]

    def same(self, vector, expected):
        """Whether a vector is what is expected (in the ground), in whatever base it is asked for."""
        base, R = self.base()
        return error(R[0] @ vector.at(base).value(self.values), expected) < 1e-12


def transposed(R):
    return np.transpose(R, (0, 2, 1))


def seen(A, r):
    """A vector's components in a moving base, with derivatives."""
    return product(transposed(A), r)


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW, max_examples=120)
def test_places_and_their_rates_relative_to_any_frame(swarm, seed, rule):
    """1a-17, 1a-25, 1a-26, 1a-28, 1b-44: position, velocity and acceleration, also across branches."""
    motion = Motion(swarm, seed)
    s = motion.system
    (a, A), (o, Q), (p, P) = motion.base(), motion.point(), motion.point()
    x = seen(A, P - Q)
    with s.using(rule):
        assert motion.same(s.position(p, o), (P - Q)[0])
        assert motion.same(s.position(o, p), (Q - P)[0])
        assert motion.same(s.velocity(p, (a, o)), A[0] @ x[1])
        assert motion.same(s.acceleration(p, (a, o)), A[0] @ x[2])


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW, max_examples=120)
def test_turning_relative_to_any_base(swarm, seed, rule):
    """1a-24, 1a-25, 1a-26, 1b-44: rotation, angular velocity and angular acceleration."""
    motion = Motion(swarm, seed)
    s = motion.system
    (a, A), (b, B) = motion.base(), motion.base()
    R = product(transposed(A), B)
    W = R[2] @ R[0].T + R[1] @ R[1].T
    with s.using(rule):
        assert error(s.rotation(b, a).value(motion.values), R[0]) < 1e-12
        assert motion.same(s.angular_velocity(b, a), A[0] @ spin(R))
        assert motion.same(s.angular_velocity(a, b), -A[0] @ spin(R))
        assert motion.same(s.angular_acceleration(b, a), A[0] @ [W[2, 1], W[0, 2], W[1, 0]])


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW, max_examples=80)
def test_rates_in_any_frame_and_composition(swarm, seed, rule):
    """1a-30, 1b-18: du/dt seen from two bases differs by w x u; v and a compose, with the Euler term."""
    motion = Motion(swarm, seed)
    s = motion.system
    (a, A), (b, _), (o, _), (c, C), (p, P) = (
        motion.base(),
        motion.base(),
        motion.point(),
        motion.point(),
        motion.point(),
    )
    with s.using(rule):
        u = s.position(p, c)
        assert motion.same(u.dt(a), A[0] @ seen(A, P - C)[1])
        w, turning, r = s.angular_velocity(b, a), s.angular_acceleration(b, a), s.position(p, c)
        v_a, v_b, v_c = s.velocity(p, (a, o)), s.velocity(p, (b, c)), s.velocity(c, (a, o))
        assert motion.same(u.dt(a) - u.dt(b) - w.cross(u), np.zeros(3))
        assert motion.same(v_a - v_b - v_c - w.cross(r), np.zeros(3))
        a_a, a_b, a_c = s.acceleration(p, (a, o)), s.acceleration(p, (b, c)), s.acceleration(c, (a, o))
        rest = a_a - a_b - a_c - turning.cross(r) - w.cross(w.cross(r)) - w.cross(v_b) * 2
        assert motion.same(rest, np.zeros(3))
        assert motion.same(s.velocity(p, (a, o)).dt(a) - a_a, np.zeros(3))


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW, max_examples=60)
def test_the_velocity_of_a_place_as_part_of_a_body(swarm, seed, rule):
    """1a-29: that of what is fixed on the body at the place where the point is at the moment."""
    motion = Motion(swarm, seed)
    s, solid = motion.system, swarm.solids[0]
    (a, A), (o, Q), (p, P) = motion.base(), motion.point(), motion.point()
    B, origin = motion.bases[solid.base], motion.points[solid.point]
    fixed = origin + B @ (B[0].T @ (P[0] - origin[0]))
    with s.using(rule):
        got = s.velocity(p, (a, o), body="b0")
    assert motion.same(got, A[0] @ seen(A, fixed - Q)[1])


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW, max_examples=80)
def test_products_of_vectors_of_three_bases(swarm, seed, rule):
    """1a-21, 1a-32, 1b-17: sums, products, skew tensors and the triple product are those of plain numbers."""
    motion = Motion(swarm, seed)
    s = motion.system
    with s.using(rule):
        vectors, numbers = [], []
        for _ in range(3):
            (b, B), parts = motion.base(), motion.rng.normal(size=3) * motion.rng.integers(0, 2, 3)
            vectors.append(s.vector(list(parts), b))
            numbers.append(B[0] @ parts)
        (u, v, w), (x, y, z) = vectors, numbers
        assert motion.same(u + v - w * 2.0, x + y - 2.0 * z)
        assert motion.same((u + v).cross(v - w), np.cross(x + y, y - z))
        assert motion.same(u.skew() @ (v + w), np.cross(x, y + z))
        assert motion.same(triple_cross(u, v, w), np.cross(x, np.cross(y, z)))
        assert (u + w).dot(v + w).value(motion.values) == pytest.approx((x + z) @ (y + z), abs=1e-12)
        assert (u + v).norm().value(motion.values) == pytest.approx(np.linalg.norm(x + y), abs=1e-12)


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW, max_examples=80)
def test_tensors_change_base_on_both_sides_and_jacobians_on_the_left(swarm, seed, rule):
    """1a-31, 1b-11: also of sums of tensors of several bases, and their products."""
    motion = Motion(swarm, seed)
    s = motion.system
    with s.using(rule):
        (b, B), (c, C), (d, D) = motion.base(), motion.base(), motion.base()
        T, S = np.diag([1.0, 2.0, 3.0]), np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 4.0]])
        one, other, u = s.tensor(T, b), s.tensor(S, c), s.vector([1.0, -2.0, 0.5], d)
        first, second, x = B[0] @ T @ B[0].T, C[0] @ S @ C[0].T, D[0] @ [1.0, -2.0, 0.5]
        total = (one + other).at(d).value(motion.values)
        assert error(D[0] @ total @ D[0].T, first + second) < 1e-12
        assert motion.same((one + other) @ u, (first + second) @ x)
        assert motion.same(one @ (other @ u), first @ second @ x)
        assert motion.same((one @ other) @ u, first @ second @ x)
        v, speeds = s.velocity(f"P{len(swarm.edges)}"), [p.symbols[1] for p in s.coordinates_by_name.values()]
        slopes = Jacobian.of(v, speeds)
        at_b, at_c = slopes.at(b).value(motion.values), slopes.at(c).value(motion.values)
        assert error(C[0] @ at_c, B[0] @ at_b) < 1e-12
