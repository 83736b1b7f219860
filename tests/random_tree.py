"""Random trees of bodies on the joints of the table, as data.

They are built with the package, and as swarms of particles. What each joint lets move is written here anew,
from the words of the table, not read from it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from swarm import Edge, Solid, Swarm, Turn

import biela as bl

MOTIONS = {
    "revolute": ["turn a"],
    "prismatic": ["shift a"],
    "cylindrical": ["shift a", "turn a"],
    "screw": ["screw a"],
    "universal": ["turn a", "turn b"],
    "spherical": ["turn x", "turn y", "turn z"],
    "planar": ["shift b", "shift c", "turn a"],
    "free": ["shift x", "shift y", "shift z", "turn z", "turn y", "turn x"],
    "weld": [],
}
KINDS = sorted(MOTIONS)


@dataclass(frozen=True)
class Link:
    """A body and the joint that places it on its parent; -1 is the ground."""

    parent: int
    kind: str
    at: np.ndarray
    to: np.ndarray
    axes: np.ndarray  # rows a, b, c: right-handed
    pitch: float
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # central
    given: str  # "com", "origin" or "first_moment": how the body is described
    quaternion: bool = False

    @property
    def motions(self):
        """Kind and direction of each motion."""
        directions = dict(zip("xyzabc", np.vstack([np.eye(3), self.axes]), strict=True))
        return [(word.split()[0], directions[word.split()[1]]) for word in MOTIONS[self.kind]]

    @property
    def speeds(self):
        """How many coordinates it has."""
        return len(self.motions) + self.quaternion


@dataclass(frozen=True)
class Tree:
    """Links, each after its parent, and the acceleration of free fall."""

    links: tuple[Link, ...]
    gravity: np.ndarray
    symbolic: bool = False  # whether sizes are parameters or numbers

    @cached_property
    def n(self):
        """The number of coordinates."""
        return sum(link.speeds for link in self.links)

    def system(self, name="tree"):
        """The system; bodies are named b0, b1 ..."""
        s = bl.System(name)
        for i, link in enumerate(self.links):
            body = s.body(f"b{i}", mass=self._given(s, f"m{i}", link.mass), **self._inertia(s, i, link))
            parent = s.ground if link.parent < 0 else s.bodies[f"b{link.parent}"]
            options = {"pitch": link.pitch} if link.kind == "screw" else {}
            if link.kind in ("universal", "planar"):
                options["second"] = list(link.axes[1])
            at, to = self._given(s, f"at{i}", link.at), self._given(s, f"to{i}", link.to)
            s.joint(
                link.kind, parent, body, at=at, to=to, axis=list(link.axes[0]),
                quaternion=link.quaternion, **options,
            )  # fmt: skip
        s.gravity(self._given(s, "g", self.gravity))
        return s

    def _inertia(self, s, i, link):
        shift = link.mass * (link.com @ link.com * np.eye(3) - np.outer(link.com, link.com))
        central = link.given == "com"
        tensor = link.inertia if central else link.inertia + shift
        upper = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        words = {"inertia": self._given(s, f"I{i}", upper), "about": "com" if central else "origin"}
        moment = link.given == "first_moment"
        place = self._given(s, f"c{i}", link.com * link.mass if moment else link.com)
        return words | {"first_moment" if moment else "com": place}

    def _given(self, s, name, value):
        """Numbers as they are, or as parameters; zeros stay zeros."""
        if np.ndim(value) == 0:
            return s.parameter(name, float(value)) if self.symbolic and value else float(value)
        return [self._given(s, f"{name}_{k}", x) for k, x in enumerate(value)]

    def swarm(self):
        """The same as particles; quaternions are left to Pinocchio."""
        turns, edges, solids, ends = [], [], [], []
        k = 0
        for link in self.links:
            base, point = ends[link.parent] if link.parent >= 0 else (0, 0)
            nothing = np.zeros((3, self.n))
            edges.append(Edge(point, base, link.at, nothing))
            for motion, direction in link.motions:
                slope = np.eye(self.n)[k]
                advance = {"shift": 1.0, "turn": 0.0, "screw": link.pitch / (2.0 * np.pi)}[motion]
                if advance:
                    edges.append(Edge(len(edges), base, np.zeros(3), advance * np.outer(direction, slope)))
                if motion != "shift":
                    turns.append(Turn(base, direction, slope))
                    base = len(turns)
                k += 1
            edges.append(Edge(len(edges), base, -link.to, nothing))
            ends.append((base, len(edges)))
            solids.append(Solid(len(edges), base, link.mass, link.com, link.inertia))
        return Swarm(self.n, tuple(turns), tuple(edges), tuple(solids), self.gravity)


def evaluate(model, name, q=None, dq=None, ddq=None, t=0.0):
    """A Function of a model at a state, in plain Python, with the default parameters and inputs."""
    function = model.functions[name]
    known = {"q": q, "dq": dq, "ddq": ddq, "t": t}
    known |= {"p": model.p} if model.parameters else {}
    known |= {"u": model.u} if model.inputs else {}
    return function.evaluate(**{port.name: known[port.name] for port in function.inputs})


def random_inertia(rng, mass):
    """The central inertia of some distribution of mass: general, of a rod or spherical."""
    shape = rng.integers(4)
    spread = rng.normal(size=(3, 3))
    spread = mass * 0.1 * spread @ spread.T  # integral of r r^T dm
    if shape == 0:
        spread = np.diag([mass * 0.1, 0.0, 0.0])
    elif shape == 1:
        spread = mass * 0.1 * np.eye(3)
    tensor = np.trace(spread) * np.eye(3) - spread
    return (tensor + tensor.T) / 2.0


def random_axes(rng):
    """Three right-handed directions: along the coordinates as often as not."""
    if rng.integers(2):
        first, second = rng.permutation(3)[:2]
        a, b = (rng.choice([-1.0, 1.0]) * np.eye(3)[k] for k in (first, second))
    else:
        a, b = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
    return np.array([a, b, np.cross(a, b)])


def random_place(rng):
    """A place, often with zeros."""
    return rng.uniform(-1.0, 1.0, 3) * (rng.random(3) < rng.choice([0.0, 0.5, 1.0], p=[0.2, 0.2, 0.6]))


def random_link(rng, parent, kind, quaternion=False):
    """A link with random sizes."""
    mass = rng.uniform(0.5, 2.0)
    given = rng.choice(["com", "origin", "first_moment"])
    return Link(
        parent, kind, random_place(rng), random_place(rng), random_axes(rng), rng.uniform(-2.0, 2.0),
        mass, random_place(rng), random_inertia(rng, mass), str(given), quaternion,
    )  # fmt: skip


@st.composite
def trees(draw, most=4, kinds=KINDS, quaternions=False, grounded=True):
    """Trees of up to ``most`` bodies; sizes come from a seed that is drawn, so that the shape shrinks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    links = []
    for i in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(kinds))
        quaternion = quaternions and kind in ("spherical", "free") and draw(st.booleans())
        links.append(random_link(rng, draw(st.integers(-1, i - 1)), kind, quaternion))
    if sum(link.speeds for link in links) == 0:
        links.append(random_link(rng, -1, "revolute"))
    if not grounded:
        links = [random_link(rng, -1, "free"), *(_on(link) for link in links)]
    return Tree(tuple(links), rng.normal(size=3) * 5.0 if grounded else np.zeros(3), draw(st.booleans()))


def _on(link):
    return Link(**{**link.__dict__, "parent": link.parent + 1})


def states(rng, n):
    """A position, velocity and acceleration."""
    return rng.uniform(-1.5, 1.5, n), rng.uniform(-1.5, 1.5, n), rng.uniform(-1.5, 1.5, n)
