"""Edges of the tree of bases: their matrices against SciPy, their spins, and the tensors they turn."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Peer

import biela as bl
from biela.expr.graph import Graph
from biela.mechanics.rotation import about, by_matrix, by_quaternion

AXES = ["x", "-y", "z", [0.0, 0.0, -2.0], [1.0, 2.0, -3.0], [0.6, 0.0, 0.8]]


def vector_of(axis):
    if isinstance(axis, str):
        return np.eye(3)["xyz".index(axis[-1])] * (-1.0 if axis[0] == "-" else 1.0)
    return np.array(axis) / np.linalg.norm(axis)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", [0.0, 0.3, -2.0, np.pi / 2, np.pi])
def test_turns_about_an_axis(axis, angle):
    """1a-24: by Rodrigues; exactly so for quarter turns given as numbers."""
    g = Graph()
    q = bl.coordinate(g, "q")
    expected = Peer.from_rotvec(vector_of(axis) * angle).as_matrix()
    assert about(g, axis, q.position).matrix.value({q.position: angle}) == pytest.approx(expected, abs=1e-15)
    assert about(g, axis, angle).matrix.value() == pytest.approx(expected, abs=1e-15)
    spin = about(g, axis, q.position).spin.value({q.velocity: 2.0})
    assert spin == pytest.approx(2.0 * vector_of(axis), abs=1e-15)


def test_a_quarter_turn_has_no_rounding():
    R = about(Graph(), "z", bl.deg(90.0)).matrix.value()
    assert R.tolist() == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("sequence", ["zyx", "zxz", "xyz", "yxy"])
def test_euler_sequences_are_turns_about_new_axes(sequence):
    """1a-17: intrinsic; the bases between are bases too."""
    s = bl.System("wrist")
    angles = s.coordinates("a b c")
    s.base("hand", euler=sequence, angles=angles)
    values = dict(zip(angles, (0.3, -0.8, 1.4), strict=True))
    expected = Peer.from_euler(sequence.upper(), [0.3, -0.8, 1.4]).as_matrix()
    assert s.rotation("hand").value(values) == pytest.approx(expected, abs=1e-15)
    assert [base.name for base in s.bases["hand"].path] == ["ground", "hand.1", "hand.2", "hand"]


def test_quaternions_are_scalar_first():
    g = Graph()
    e = [bl.coordinate(g, f"e{i}") for i in range(4)]
    numbers = np.array([0.5, -0.1, 0.7, 0.3])
    numbers /= np.linalg.norm(numbers)
    edge = by_quaternion(g, [c.position for c in e])
    values = dict(zip((c.position for c in e), numbers, strict=True))
    expected = Peer.from_quat(numbers, scalar_first=True).as_matrix()
    assert edge.matrix.value(values) == pytest.approx(expected, abs=1e-15)
    with pytest.raises(ValueError, match="A quaternion has 4 components, scalar first; got 3"):
        by_quaternion(g, [c.position for c in e[:3]])


@pytest.mark.parametrize("made", ["axis", "matrix", "quaternion"])
def test_the_spin_is_the_rate_of_the_matrix(made):
    """1a-30, E2: w~ = R^T dR/dt, by components in the new base."""
    g = Graph()
    c = [bl.coordinate(g, f"e{i}") for i in range(4)]
    rng = np.random.default_rng(2)
    q, dq = rng.normal(size=4), rng.normal(size=4)
    q /= np.linalg.norm(q)
    dq -= q * (q @ dq)
    if made == "axis":
        edge = about(g, [1.0, -2.0, 0.5], c[0].position * c[1].position)
    elif made == "matrix":
        first, second = about(g, "x", c[0].position), about(g, [0.0, 0.6, 0.8], c[1].position)
        edge = by_matrix(g, first.matrix @ second.matrix)
    else:
        edge = by_quaternion(g, [p.position for p in c])
    values = {c[i].position: q[i] for i in range(4)} | {c[i].velocity: dq[i] for i in range(4)}
    R, rate = edge.matrix.value(values), edge.matrix.dt().value(values)
    x, y, z = edge.spin.value(values)
    assert R.T @ rate == pytest.approx(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), abs=1e-14)


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_vectors_and_tensors_through_an_edge(axis):
    """1a-31, 1b-11: vectors and the columns of Jacobians from the left, tensors from both sides."""
    g = Graph()
    q = g.symbol("q")
    edge = about(g, axis, q)
    R = Peer.from_rotvec(vector_of(axis) * 0.7).as_matrix()
    rng = np.random.default_rng(1)
    v, J, T = rng.normal(size=3), rng.normal(size=(3, 5)), rng.normal(size=(3, 3))
    S = T + T.T
    cases = [
        (edge.down(bl.vector(v, g)), R @ v),
        (edge.up(bl.vector(v, g)), R.T @ v),
        (edge.down(bl.matrix(J, g)), R @ J),
        (edge.up(bl.matrix(J, g)), R.T @ J),
        (edge.tensor_down(bl.matrix(T, g)), R @ T @ R.T),
        (edge.inertia_down(bl.matrix(S, g)), R @ S @ R.T),
    ]
    for got, expected in cases:
        assert got.value({q: 0.7}) == pytest.approx(expected, abs=1e-14)
    turned = edge.inertia_down(bl.matrix(S, g))
    assert all(turned[i, j].ref == turned[j, i].ref for i in range(3) for j in range(3))


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_what_an_edge_keeps(axis):
    """1b-14: a vector along its axis and a tensor round about it, found for coordinate axes; nothing else."""
    g = Graph()
    edge, k = about(g, axis, g.symbol("q")), vector_of(axis)
    if np.count_nonzero(k) == 1:
        assert edge.keeps(bl.vector(3.0 * k, g))
        assert edge.keeps(bl.matrix(np.eye(3) * 2.0 + np.outer(k, k), g))
    assert not edge.keeps(bl.vector(np.add(k, [0.1, 0.2, 0.4]), g))
    assert not edge.keeps(bl.matrix(np.diag([1.0, 2.0, 4.0]), g))


def test_neighbouring_turns_about_one_axis_merge():
    """1b-20: projected with merge, cos(q1 + q2) stands for four products."""
    s = bl.System("planar")
    q1, q2 = s.coordinates("q1 q2")
    s.base("B1", axis="y", angle=q1)
    s.base("B2", "B1", axis="y", angle=q2)
    v = bl.vector([1, 0, 0], s.graph)
    merged = s.space.project(v, s.bases["B2"], s.space.root, merge=True)
    assert merged == bl.vector([bl.cos(q1 + q2), 0, -bl.sin(q1 + q2)], s.graph)
    values = {q1: 0.3, q2: 0.9}
    plain = s.space.project(v, s.bases["B2"], s.space.root)
    assert merged.value(values) == pytest.approx(plain.value(values), abs=1e-15)
    back = s.space.project(v, s.space.root, s.bases["B2"], merge=True)
    assert back == bl.vector([bl.cos(q1 + q2), 0, bl.sin(q1 + q2)], s.graph)


@pytest.mark.parametrize("axis", ["w", "xy", [0, 0, 0], [1, 2], [np.inf, 0, 0]])
def test_what_is_no_axis_is_refused(axis):
    with pytest.raises(ValueError, match="xis"):
        about(Graph(), axis, 1.0)
