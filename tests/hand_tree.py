"""Random mechanisms by hand: bases and points of two separate trees, in any parametrisation.

Angles are absolute or relative, sums of coordinates or functions of time; a point may hang on one body and
be given in the base of another; a body may have its place from here and its orientation from there.
"""

import numpy as np
from hypothesis import strategies as st
from random_tree import random_axes, random_inertia, random_place
from swarm import Edge, Solid, Swarm, Turn

import biela as bl


def random_swarm(rng, n, bases, points, bodies):
    """A mechanism with random trees; its coordinates turn or shift what the generator says."""
    turns, edges = [], []
    for i in range(bases):
        drift = rng.uniform(-1.0, 1.0) * (rng.random() < 0.15)
        parent, axis = int(rng.integers(0, i + 1)), random_axes(rng)[0]
        turns.append(Turn(parent, axis, _slope(rng, n), rng.uniform(-1.0, 1.0) * rng.integers(2), drift))
    for i in range(points):
        slope = np.zeros((3, n))
        if rng.random() < 0.3:
            slope[:, rng.integers(n)] = random_axes(rng)[0]
        drift = random_place(rng) * (rng.random() < 0.1)
        parent, base = int(rng.integers(0, i + 1)), int(rng.integers(0, bases + 1))
        edges.append(Edge(parent, base, random_place(rng), slope, drift))
    solids = []
    for _ in range(bodies):
        mass = rng.uniform(0.5, 2.0)
        point, base = int(rng.integers(0, points + 1)), int(rng.integers(0, bases + 1))
        solids.append(Solid(point, base, mass, random_place(rng), random_inertia(rng, mass)))
    return Swarm(n, tuple(turns), tuple(edges), tuple(solids), rng.normal(size=3) * 5.0)


def _slope(rng, n):
    """One coordinate, or a sum of two."""
    slope = np.eye(n)[rng.integers(n)]
    if rng.random() < 0.2:
        slope = slope + rng.uniform(-2.0, 2.0) * np.eye(n)[rng.integers(n)]
    return slope


def system(swarm, symbolic=False):
    """The system of a swarm: bases B1 ..., points P1 ..., bodies b0 ..., coordinates q0 ..."""
    s = bl.System("by_hand")
    q = s.coordinates(" ".join(f"q{k}" for k in range(swarm.n)))
    bases, points = [s.space.root], [s.origin]
    for i, turn in enumerate(swarm.turns, 1):
        angle = _moving(s, turn.rest, turn.slope, turn.drift, q)
        bases.append(s.base(f"B{i}", bases[turn.parent], list(turn.axis), angle))
    for i, edge in enumerate(swarm.edges, 1):
        r = [_moving(s, edge.r[k], edge.slope[k], edge.drift[k], q) for k in range(3)]
        points.append(s.point(f"P{i}", points[edge.parent], r, bases[edge.base]))
    for i, solid in enumerate(swarm.solids):
        mass = s.parameter(f"m{i}", solid.mass) if symbolic else solid.mass
        com = [s.parameter(f"c{i}{k}", x) if symbolic and x else x for k, x in enumerate(solid.com)]
        origin, base = points[solid.point], bases[solid.base]
        s.body(f"b{i}", mass=mass, com=com, inertia=solid.inertia.tolist(), origin=origin, base=base)
    s.gravity(list(swarm.gravity))
    return s


def _moving(s, rest, slope, drift, q):
    total = s.vector([float(rest), 0, 0]).components[0]
    for k, coefficient in enumerate(slope):
        if coefficient:
            total = total + (q[k] if coefficient == 1.0 else coefficient * q[k])
    return total + drift * s.time if drift else total


@st.composite
def swarms(draw, bases=4, points=5, bodies=3):
    """Mechanisms by hand; sizes come from a seed that is drawn, so that the shape shrinks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = [draw(st.integers(0, bases)), draw(st.integers(1, points)), draw(st.integers(1, bodies))]
    return random_swarm(rng, draw(st.integers(1, 4)), *counts)
