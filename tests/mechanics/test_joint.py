"""Joints: the number of equations of each that closes a loop, and that they say what its words say."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tree import MOTIONS, Tree, evaluate, random_link, states
from scipy.spatial.transform import Rotation
from swarm import error

import biela as bl
from biela.mechanics import JOINTS

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=12)
SEEDS = st.integers(0, 2**32 - 1)
CLOSING = sorted(name for name, kind in JOINTS.items() if kind.demands)
LEFT = {name: len(motions) for name, motions in MOTIONS.items()}


class Pair:
    """Two free bodies and a joint that closes a loop between them, as if it placed the second."""

    def __init__(self, kind, seed):
        self.rng = np.random.default_rng(seed)
        ground, self.link = random_link(self.rng, -1, "free"), random_link(self.rng, 0, kind)
        self.placed = Tree((ground, self.link), np.zeros(3)).swarm()
        s = bl.System("pair")
        one, other = s.body("one", 1.0, inertia=[1, 1, 1]), s.body("other", 1.0, inertia=[1, 1, 1])
        s.free(s.ground, one)
        s.free(s.ground, other)
        options = {"second": list(self.link.axes[1])} if kind in ("universal", "planar") else {}
        at, to, axis = (list(v) for v in (self.link.at, self.link.to, self.link.axes[0]))
        self.joint = s.joint(kind, one, other, at=at, to=to, axis=axis, **options)
        self.model = s.model()

    def assembled(self):
        """The coordinates of both bodies where the joint that places the second puts them."""
        q, dq, ddq = states(self.rng, self.placed.n)
        bases, points = self.placed.motion(q, dq, ddq)
        poses = []
        for solid in self.placed.solids:
            R, p = bases[solid.base][0], points[solid.point][0]
            poses += [*p, *Rotation.from_matrix(R).as_euler("ZYX")]
        return np.array(poses)

    def equations(self, q):
        """Equations and Jacobian."""
        return evaluate(self.model, "Phi|Phi_q", q)

    def gap(self, q):
        """What the words of the joint want to be zero, in numbers."""
        R, S = (Rotation.from_euler("ZYX", q[k : k + 3]).as_matrix() for k in (3, 9))
        turned = R.T @ S
        d = R.T @ (q[6:9] + S @ self.link.to - q[:3]) - self.link.at
        a, b, c = self.link.axes
        meet, along, across = d, np.array([b @ d, c @ d]), np.array([a @ d])
        parallel, fixed = turned @ a - a, (turned - np.eye(3)).ravel()
        return np.concatenate(
            {
                "revolute": [meet, parallel],
                "prismatic": [along, fixed],
                "cylindrical": [along, parallel],
                "universal": [meet, [a @ turned @ b]],
                "spherical": [meet],
                "planar": [across, parallel],
                "weld": [meet, fixed],
            }[self.joint.kind.name]
        )


@pytest.mark.parametrize("kind", CLOSING)
@given(seed=SEEDS)
@settings(FEW)
def test_a_joint_that_closes_demands_what_it_would_have_kept(kind, seed):
    """1a-33: zero where the joint would have put the body, with as many independent equations as it stops."""
    pair = Pair(kind, seed)
    assert pair.joint.closes
    assert len(pair.model.phi) == 6 - LEFT[kind]
    for _ in range(3):
        got = pair.equations(pair.assembled())
        assert np.max(np.abs(got.Phi)) < 1e-12
        assert np.linalg.matrix_rank(got.Phi_q, tol=1e-9) == 6 - LEFT[kind]


@pytest.mark.parametrize("kind", CLOSING)
@given(seed=SEEDS)
@settings(FEW)
def test_nothing_else_fulfils_them(kind, seed):
    """1a-33: moved a little and brought back by Newton's method, the pair is joined as the words say."""
    pair = Pair(kind, seed)
    q = pair.assembled()
    moved = q + pair.rng.normal(size=12) * 0.02
    assert np.max(np.abs(pair.gap(q))) < 1e-12
    assert np.max(np.abs(pair.gap(moved))) > 1e-4
    assert np.max(np.abs(pair.equations(moved).Phi)) > 1e-5
    for _ in range(8):
        Phi, Phi_q = pair.equations(moved)
        moved = moved - np.linalg.pinv(Phi_q) @ Phi
    assert np.max(np.abs(pair.equations(moved).Phi)) < 1e-12
    assert np.max(np.abs(pair.gap(moved))) < 1e-10


@pytest.mark.parametrize("kind", sorted(set(JOINTS) - set(CLOSING)))
def test_joints_without_demands_close_no_loop(kind):
    s = bl.System("loop")
    one, other = s.body("one", 1.0), s.body("other", 1.0)
    s.free(s.ground, one)
    s.free(s.ground, other)
    s.joint(kind, one, other, pitch=0.1 if kind == "screw" else None)
    with pytest.raises(ValueError, match=f"Joint 'one-other': a {kind} joint cannot close a loop"):
        s.model()


def test_the_child_s_axis_may_lie_elsewhere_in_its_base():
    """1a-33: a hinge along x of one body and y of the other."""
    s = bl.System("pair")
    one, other = s.body("one", 1.0, inertia=[1, 1, 1]), s.body("other", 1.0, inertia=[1, 1, 1])
    s.free(s.ground, one)
    s.free(s.ground, other)
    s.revolute(one, other, axis="x", child_axis="y")
    model = s.model()
    turned = Rotation.from_euler("Z", -np.pi / 2) * Rotation.from_euler("Y", 0.7)
    q = [0.0] * 9 + list(turned.as_euler("ZYX"))
    assert np.max(np.abs(evaluate(model, "Phi", q))) < 1e-15
    assert np.max(np.abs(evaluate(model, "Phi", [0.0] * 12))) == 1.0


def test_the_child_s_axis_has_no_meaning_where_a_joint_places():
    s = bl.System("pair")
    with pytest.raises(ValueError, match="Joint 'ground-one' places 'one', so child_axis= has no meaning"):
        s.revolute(s.ground, s.body("one", 1.0), axis="x", child_axis="y")


def test_axes_have_to_be_square():
    s = bl.System("pair")
    with pytest.raises(ValueError, match="of a joint are not square to each other"):
        s.universal(s.ground, s.body("one", 1.0), axis="x", second=[1, 1, 0])


@pytest.mark.parametrize("axis", [[0, 0, 1], [1, 2, 2], [1, 2, -3], [0.3, -0.5, 0.1]], ids=str)
@pytest.mark.parametrize("hinge", [False, True])
def test_a_planar_loop_closes_with_two_equations_whatever_its_plane(axis, hinge):
    """1a-33: by two points or by a hinge, with no third equation that follows but for rounding."""
    a = np.array(axis) / np.linalg.norm(axis)
    u = np.linalg.svd(a[None])[2][1]
    s = bl.System("four_bar")
    crank, coupler, rocker = (s.body(name, 1.0, inertia=[1, 1, 1]) for name in ("crank", "coupler", "rocker"))
    s.revolute(s.ground, crank, axis=axis)
    s.revolute(crank, coupler, at=list(0.3 * u), axis=axis)
    s.revolute(s.ground, rocker, at=list(u), axis=axis)
    if hinge:
        s.revolute(rocker, coupler, at=list(0.5 * u), to=list(0.8 * u), axis=axis)
    else:
        s.close(coupler.point(list(0.8 * u)), rocker.point(list(0.5 * u)))
    model = s.model()
    assert (len(model.phi), model.freedom) == (2, 1)
    q, dq = np.array([0.3, 0.4, 0.5]), np.zeros(3)
    for _ in range(50):
        Phi, Phi_q = evaluate(model, "Phi|Phi_q", q, dq)
        q = q - np.linalg.pinv(Phi_q) @ Phi
    ends = 0.3 * turn(a, q[0], u) + 0.8 * turn(a, q[0] + q[1], u), u + 0.5 * turn(a, q[2], u)
    assert error(*ends) < 1e-12


def turn(a, angle, v):
    return Rotation.from_rotvec(a * angle).apply(v)


def test_given_coordinates_are_used():
    """1a-17: by name or as expressions, so that angles may be absolute or shared."""
    s = bl.System("arms")
    q = s.coordinate("q")
    first, second, third = (s.body(name, 1.0, inertia=[1, 1, 1]) for name in ("first", "second", "third"))
    assert s.revolute(s.ground, first, coordinates=q).coordinates == (q,)
    s.revolute(s.ground, second, coordinates=[2 * q + 1])
    assert s.revolute(second, third, coordinates="elbow").coordinates[0].name == "elbow"
    model = s.model()
    assert [p.name for p in model.placements] == ["q", "elbow"]
    M = evaluate(model, "M", [0.3, 0.2])
    assert error(M, [[1.0 + 4.0 + 4.0, 2.0], [2.0, 1.0]]) < 1e-12


def test_more_coordinates_than_motions_are_refused():
    s = bl.System("arm")
    with pytest.raises(ValueError, match="A revolute joint has 1 coordinate; got 2 for 'arm'"):
        s.revolute(s.ground, s.body("arm", 1.0), coordinates=["angle", "distance"])


def test_a_frame_fixed_to_the_parent_says_where_the_axis_is():
    """1a-17: the child's base begins as the frame."""
    s = bl.System("inclined")
    slope = s.base("slope", axis="y", angle=bl.deg(30.0))
    block = s.body("block", 1.0)
    s.prismatic(s.ground, block, axis="x", frame=slope)
    at = s.position(block).at(s.space.root).value({s.coordinates_by_name["block.distance"].symbols[0]: 2.0})
    assert at == pytest.approx([2.0 * np.cos(np.pi / 6), 0.0, -1.0], abs=1e-15)
    assert s.rotation(block).value() == pytest.approx(
        Rotation.from_euler("Y", 30, True).as_matrix(), abs=1e-15
    )


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_quaternions_keep_their_length(kind):
    """1a-33: one equation for the norm; coordinates start at no turn."""
    s = bl.System("ball")
    joint = s.joint(kind, s.ground, s.body("ball", 1.0, inertia=[1, 2, 2.5]), quaternion=True)
    model = s.model()
    assert len(joint.coordinates) == {"spherical": 4, "free": 7}[kind]
    assert (len(model.phi), model.freedom) == (1, LEFT[kind])
    assert evaluate(model, "Phi", model.start[0]).tolist() == [0.0]
    with pytest.raises(ValueError, match="A revolute joint has no quaternion"):
        s.revolute(s.ground, s.body("other", 1.0), quaternion=True)
