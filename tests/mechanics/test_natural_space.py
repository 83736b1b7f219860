"""Natural coordinates in space: joints by shared points and unit vectors, against joint coordinates."""

import numpy as np
import pytest
from twins import assembled, assert_twins, moving

import biela as bl


def inertia(rng):
    """The tensor of a cloud of particles about its mass centre, as rows."""
    r = rng.normal(size=(6, 3)) * 0.3
    r -= r.mean(axis=0)
    return sum(p @ p * np.eye(3) - np.outer(p, p) for p in r).tolist()


class Parts:
    """Random masses, centres and inertia, drawn once for both models."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.of = {
            name: {"mass": rng.uniform(0.5, 2.0), "com": rng.normal(size=3).tolist(), "inertia": inertia(rng)}
            for name in ("one", "two", "three")
        }


def systems():
    joint, natural = bl.System("joint"), bl.System("natural")
    for s in (joint, natural):
        s.gravity([1.0, -2.0, -9.0])
    return joint, natural, bl.Natural(natural)


def rssr(seed):
    """Two cranks on fixed axes and a bar between balls."""
    s, other, n = systems()
    of = Parts(seed).of
    axis, arms = [0.6, 0.0, 0.8], {"one": [0.5, 0.0, 0.2], "three": [0.3, 0.8, 0.1]}
    one, three = s.body("one", **of["one"]), s.body("three", **of["three"])
    s.revolute(s.ground, one, axis="z")
    s.revolute(s.ground, three, at=[1.5, 0.2, 0.1], axis=axis)
    bar = s.body("bar", mass=1.3, com=[0.6, 0, 0], inertia=[0, 0.2, 0.2])
    s.universal(one, bar, at=arms["one"], axis="z", second="y")
    s.close(bar.point([1.4, 0, 0]), three.point(arms["three"]))
    A, D = n.fixed("A", [0, 0, 0]), n.fixed("D", [1.5, 0.2, 0.1])
    B, C = n.point("B", arms["one"]), n.point("C", [1.6, 1.1, 0.4])
    z, w = other.vector([0, 0, 1]), other.vector(axis)
    n.body("one", {A: [0, 0, 0], z: [0, 0, 1], B: arms["one"]}, **of["one"])
    n.body("three", {D: [0, 0, 0], w: axis, C: arms["three"]}, **of["three"])
    n.bar("bar", B, C, length=1.4, mass=1.3, com=0.6, inertia=0.2)
    n.angle("turn", (A, B), start=other.vector(arms["one"]), about=z)
    places = {
        "B": s.position(bar.origin),
        "C": s.position(three.point(arms["three"])),
        "turn": s.model().q[0],
    }
    return s, other, places, [0.2, 0.1, 0.8, 0.3]


def hinged_pair(seed):
    """A body on a fixed ball, and another hinged to it by a shared point and unit vector."""
    s, other, n = systems()
    of = Parts(seed).of
    one, two = s.body("one", **of["one"]), s.body("two", **of["two"])
    s.spherical(s.ground, one)
    s.revolute(one, two, at=[1.0, 0.2, 0.1], axis="y")
    A, B = n.fixed("A", [0, 0, 0]), n.point("B", [1.0, 0.2, 0.1])
    v, C = n.direction("v", [0, 1, 0]), n.point("C", [1.3, 0.4, 0.8])
    n.body("one", {A: [0, 0, 0], B: [1.0, 0.2, 0.1], v: [0, 1, 0]}, **of["one"])
    n.body("two", {B: [0, 0, 0], v: [0, 1, 0], C: [0.3, 0.2, 0.7]}, **of["two"])
    places = {
        "B": s.position(two.origin),
        "v": s.vector([0, 1, 0], one),
        "C": s.position(two.point([0.3, 0.2, 0.7])),
    }
    return s, other, places, [0.2, 0.5, -0.3, 0.7]


def universal_pair(seed):
    """A body on a hinge and another on a universal joint: a shared point, two unit vectors kept square."""
    s, other, n = systems()
    of = Parts(seed).of
    one, two = s.body("one", **of["one"]), s.body("two", **of["two"])
    s.revolute(s.ground, one, axis="x")
    s.universal(one, two, at=[0.2, 0.5, 0.1], axis="y", second="z")
    A, x = n.fixed("A", [0, 0, 0]), other.vector([1, 0, 0])
    B, u, v = n.point("B", [0.2, 0.5, 0.1]), n.direction("u", [0, 1, 0]), n.direction("v", [0, 0, 1])
    C = n.point("C", [0.8, 0.5, 0.3])
    n.body("one", {A: [0, 0, 0], x: [1, 0, 0], B: [0.2, 0.5, 0.1], u: [0, 1, 0]}, **of["one"])
    n.body("two", {B: [0, 0, 0], v: [0, 0, 1], C: [0.6, 0.0, 0.2]}, **of["two"])
    n.keep("cross", u, v, 0.0)
    places = {
        "B": s.position(two.origin),
        "u": s.vector([0, 1, 0], one),
        "v": s.vector([0, 0, 1], two),
        "C": s.position(two.point([0.6, 0.0, 0.2])),
    }
    return s, other, places, [0.4, 0.3, -0.6]


def sliding_pair(seed, kind):
    """A body on a hinge and another that slides along its unit vector; a second one keeps it from turning."""
    s, other, n = systems()
    of = Parts(seed).of
    one, two = s.body("one", **of["one"]), s.body("two", **of["two"])
    s.revolute(s.ground, one, axis="z")
    s.joint(kind, one, two, at=[0.1, 0.4, 0.2], axis="x")
    A, z = n.fixed("A", [0, 0, 0]), other.vector([0, 0, 1])
    u, P = n.direction("u", [1, 0, 0]), n.point("P", [0.3, 0.4, 0.2])
    B = n.point("B", [0.1, 0.4, 0.2])
    w = n.direction("w", [0, 1, 0])
    n.body("one", {A: [0, 0, 0], z: [0, 0, 1], u: [1, 0, 0], B: [0.1, 0.4, 0.2]}, **of["one"])
    n.body("two", {P: [0, 0, 0], u: [1, 0, 0], w: [0, 1, 0]}, **of["two"])
    if kind == "prismatic":
        n.keep("no turn", w, z, 0.0)
    n.slide("s", B, u, P)
    places = {
        "u": s.vector([1, 0, 0], one),
        "B": s.position(one.point([0.1, 0.4, 0.2])),
        "P": s.position(two.origin),
        "w": s.vector([0, 1, 0], two),
        "s": s.model().q[1],
    }
    return s, other, places, [0.4, 0.3, 0.7][: 3 if kind == "cylindrical" else 2]


def free_body(seed, entities):
    """A free body of two points and one or two vectors, of three points, or of four."""
    s, other, n = systems()
    of = Parts(seed).of
    body = s.body("one", **of["one"])
    s.free(s.ground, body)
    local, places, q = {}, {}, [0.3, -0.2, 0.5, 0.4, 0.7, -0.3]
    start = dict(zip([p.symbols.position for p in s.coordinates_by_name.values()], q, strict=True))
    for name, r in entities.items():
        if name.islower():
            r = (np.array(r) / np.linalg.norm(r)).tolist()
        where = s.vector(r, body) if name.islower() else s.position(body.point(r))
        places[name] = where
        values = where.at(s.space.root).value(start)
        made = n.direction(name, values) if name.islower() else n.point(name, values)
        local[made] = r
    n.body("one", local, **of["one"])
    return s, other, places, q


A, B, C, D = [0.1, 0.2, -0.3], [0.9, 0.1, 0.2], [0.3, 0.8, 0.1], [-0.2, 0.3, 0.7]
BODIES = {
    "2 points and a vector": {"A": A, "B": B, "u": [0, 1, 1]},
    "2 points and 2 vectors": {"A": A, "B": B, "u": [0, 1, 1], "v": [1, -1, 0.5]},
    "2 points along a vector, and another": {"A": A, "B": [1.1, 0.2, -0.3], "u": [1, 0, 0], "v": [0, 1, 1]},
    "3 points": {"A": A, "B": B, "C": C},
    "3 points and a vector": {"A": A, "B": B, "C": C, "u": [0, 1, 1]},
    "4 points": {"A": A, "B": B, "C": C, "D": D},
    "5 points": {"A": A, "B": B, "C": C, "D": D, "E": [0.5, 0.5, 0.5]},
    "1 point and 2 vectors": {"A": A, "u": [1, 0, 0], "v": [0, 1, 1]},
    "1 point and 4 vectors": {"A": A, "u": [1, 0, 0], "v": [0, 1, 1], "w": [1, 2, 3], "n": [3, -1, 1]},
    "3 points on a line and a vector": {"A": A, "B": B, "C": [0.5, 0.15, -0.05], "u": [0, 1, 1]},
}

MECHANISMS = {
    "rssr": rssr,
    "hinged pair": hinged_pair,
    "universal pair": universal_pair,
    "cylindrical pair": lambda seed: sliding_pair(seed, "cylindrical"),
    "prismatic pair": lambda seed: sliding_pair(seed, "prismatic"),
    **{name: (lambda seed, e=entities: free_body(seed, e)) for name, entities in BODIES.items()},
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("seed", [1, 2])
def test_accelerations_are_those_of_joint_coordinates(name, seed):
    rng = np.random.default_rng(seed)
    s, other, places, guess = MECHANISMS[name](seed)
    joint, natural = s.model(), other.model()
    for _ in range(3):
        q = assembled(joint, np.array(guess) + 0.2 * rng.normal(size=len(guess)))
        assert_twins(joint, natural, places, q, moving(joint, q, rng))
