"""Loads: what each adds to delta, against particles; laws of springs, dampers and friction."""

import hand_tree
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_tree import evaluate, states, trees
from swarm import error, spin

import biela as bl
from biela.mechanics.space import RULES

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=25)
SEEDS = st.integers(0, 2**32 - 1)


class Case:
    """A tree with a model before and after a load, at a state."""

    def __init__(self, tree, seed):
        self.rng = np.random.default_rng(seed)
        self.tree, self.swarm = tree, tree.swarm()
        self.q, self.dq, _ = states(self.rng, tree.n)
        self.system = tree.system()
        self.before = evaluate(self.system.model(), "delta", self.q, self.dq)
        self.real = self.swarm.motion(self.q, self.dq, np.zeros(tree.n))

    def body(self):
        """The index of a body, or -1 for the ground."""
        return int(self.rng.integers(-1, len(self.tree.links)))

    def named(self, i):
        """A body of the system."""
        return self.system.bodies["ground" if i < 0 else f"b{i}"]

    def solid(self, i):
        """Point and base of a body in the swarm."""
        return (0, 0) if i < 0 else (self.swarm.solids[i].point, self.swarm.solids[i].base)

    def turned(self, i):
        """The rotation of a body."""
        return self.real[0][self.solid(i)[1]][0]

    def place(self, i, r):
        """Value and rate of a place on a body."""
        return self.swarm.place((*self.solid(i), np.asarray(r, float)), self.real)[:2]

    def power(self, i, r, force):
        """What a force at a place on a body adds."""
        return self.swarm.force(self.q, (*self.solid(i), np.asarray(r, float)), force)

    def added(self, **rules):
        """What the loads added to delta, under every rule."""
        found = [evaluate(self.system.model(rule=r), "delta", self.q, self.dq) for r in rules["rules"]]
        return [delta - self.before for delta in found]

    def check(self, expected):
        """Compare under every rule."""
        for delta in self.added(rules=RULES):
            assert np.max(np.abs(delta - expected)) < 1e-11 * max(1.0, np.max(np.abs(self.before)))


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_a_force_at_a_place(tree, seed):
    """1a-40, 1b-8: components in any base, and the reaction on another body."""
    case = Case(tree, seed)
    i, other, seen = 0, case.body(), case.body()
    r, f = case.rng.normal(size=3), case.rng.normal(size=3)
    case.system.force(case.named(i), list(f), at=list(r), base=case.named(seen), by=case.named(other))
    F = case.turned(seen) @ f
    at_other = case.turned(other).T @ (case.place(i, r)[0] - case.place(other, np.zeros(3))[0])
    case.check(case.power(i, r, F) - case.power(other, at_other, F))


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_a_force_at_a_place_that_moves_over_the_body(tree, seed):
    """1a-29: it acts on the part of the body that is there at the moment."""
    case = Case(tree, seed)
    i, carrier = len(tree.links) - 1, case.body()
    r, f = case.rng.normal(size=3), case.rng.normal(size=3)
    point = case.named(carrier).point(list(r), "contact")
    case.system.force(case.named(i), list(f), at=point)
    here = case.turned(i).T @ (case.place(carrier, r)[0] - case.place(i, np.zeros(3))[0])
    case.check(case.power(i, here, f))


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_a_moment(tree, seed):
    """1a-40: on a body, by components in any base, with the reaction on another."""
    case = Case(tree, seed)
    i, other, seen = 0, case.body(), case.body()
    m = case.rng.normal(size=3)
    case.system.moment(case.named(i), list(m), base=case.named(seen), by=case.named(other))
    M = case.turned(seen) @ m
    turned = case.swarm.moment(case.q, case.solid(i)[1], M) - case.swarm.moment(
        case.q, case.solid(other)[1], M
    )
    case.check(turned)


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_springs_dampers_and_actuators_between_points(tree, seed):
    """1a-40: stiffness (rest - length) - damping rate + force, along the line, on both ends."""
    case = Case(tree, seed)
    i, j = 0, case.body()
    a, b = case.rng.normal(size=3), case.rng.normal(size=3) + 3.0
    k, rest, c, d, push = case.rng.uniform(0.5, 2.0, 5)
    p, q = case.named(i).point(list(a)), case.named(j).point(list(b))
    case.system.spring(p, q, k, length=rest, damping=c)
    case.system.damper(p, q, d)
    case.system.actuator(p, q, push)
    (here, v), (there, w) = case.place(i, a), case.place(j, b)
    length = np.linalg.norm(there - here)
    along = (there - here) / length
    force = k * (rest - length) - (c + d) * along @ (w - v) + push
    case.check(case.power(j, b, force * along) - case.power(i, a, force * along))


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_efforts_on_coordinates(tree, seed):
    """1a-40: torsion springs, motors and given efforts act on their coordinate alone."""
    case = Case(tree, seed)
    k = int(case.rng.integers(tree.n))
    q = [placement.symbols.position for placement in case.system.coordinates_by_name.values()][k]
    stiffness, rest, damping, given_effort = case.rng.uniform(0.5, 2.0, 4)
    case.system.torsion_spring(q, stiffness, rest, damping)
    case.system.effort(q, given_effort)
    case.system.motor(q, "torque")
    case.system.inputs_by_name["torque"] = bl.mechanics.quantity.Quantity(
        case.system.inputs_by_name["torque"].symbol, 0.7, "N m"
    )
    effort = -stiffness * (case.q[k] - rest) - damping * case.dq[k] + given_effort + 0.7
    case.check(np.eye(tree.n)[k] * effort)


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_what_stores_energy_pushes_down_its_slope(tree, seed):
    """1a-46: without motion, delta is minus the gradient of the potential energy."""
    case = Case(tree, seed)
    body = case.named(len(tree.links) - 1)
    case.system.spring(case.system.ground.point([3.0, 1.0, -2.0]), body.point([0.1, 0.2, 0.3]), 2.0, 0.5)
    first = next(iter(case.system.coordinates_by_name.values())).symbols.position
    case.system.torsion_spring(first, 3.0, 0.1)
    model = case.system.model()
    slopes = model.functions["energy"].jacobian("potential", "q")
    known = {"q": case.q, "dq": 0 * case.dq, **({"p": model.p} if model.parameters else {})}
    slope = slopes.evaluate(**{port.name: known[port.name] for port in slopes.inputs})
    delta = evaluate(model, "delta", case.q, 0 * case.dq)
    assert error(delta, -np.ravel(slope)) < 1e-11


@given(hand_tree.swarms(), SEEDS, st.sampled_from(RULES))
@settings(FEW)
def test_springs_and_moments_by_hand(swarm, seed, rule):
    """1a-40: between any two points, in any parametrisation, and on any base."""
    rng = np.random.default_rng(seed)
    q, dq, _ = states(rng, swarm.n)
    s = hand_tree.system(swarm)
    before = evaluate(s.model(rule=rule), "delta", q, dq, t=0.3)
    bases, points = swarm.motion(q, dq, np.zeros(swarm.n), 0.3)
    i, j = rng.choice(len(points), 2, replace=False)
    d = points[j] - points[i]
    assume(np.linalg.norm(d[0]) > 0.1)
    p, r = list(s.points.values())[i], list(s.points.values())[j]
    s.spring(p, r, 2.0, length=0.7, damping=0.4)
    k = int(rng.integers(len(bases)))
    m = rng.normal(size=3)
    body, solid = s.bodies["b0"], swarm.solids[0]
    s.moment(body, list(m), base=list(s.bases.values())[k])
    length = np.linalg.norm(d[0])
    along = d[0] / length
    f = (2.0 * (0.7 - length) - 0.4 * along @ d[1]) * along
    zero = np.zeros(3)
    added = swarm.force(q, (j, 0, zero), f, 0.3) - swarm.force(q, (i, 0, zero), f, 0.3)
    added = added + swarm.moment(q, solid.base, bases[k][0] @ m, 0.3)
    after = evaluate(s.model(rule=rule), "delta", q, dq, t=0.3)
    assert np.max(np.abs(after - before - added)) < 1e-11 * max(1.0, np.max(np.abs(before)))


def test_the_spin_of_the_reference_is_an_angular_velocity():
    R = np.array([np.eye(3), [[0, -3, 2], [3, 0, -1], [-2, 1, 0]], np.zeros((3, 3))])
    assert list(spin(R)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("speed", "expected"), [(-2.0, 5.0), (0.0, 0.0), (3.0, -5.0), (0.5e-3, -5.0 * np.tanh(0.5))]
)
def test_coulomb_friction_opposes_and_is_smooth_at_rest(speed, expected):
    v = bl.System("rub").coordinate("v")
    assert bl.coulomb(v, 5.0).value({v: speed}) == pytest.approx(expected, rel=1e-15)


def test_stribeck_friction_falls_from_static_to_sliding_and_rises_with_viscosity():
    v = bl.System("rub").coordinate("v")
    friction = bl.stribeck(v, level=2.0, static=3.0, fall=0.1, viscous=0.5)
    assert friction.value({v: 0.01}) == pytest.approx(-(2.0 + np.exp(-0.01)) - 0.005, rel=1e-8)
    assert friction.value({v: -10.0}) == pytest.approx(2.0 + 5.0, rel=1e-12)
