"""The base of an operation, the order of chains, and how few rotations they need."""

import numpy as np
import pytest

import biela as bl
from biela.expr.graph import Graph
from biela.mechanics.space import Space


@pytest.fixture
def s():
    """The trees of the thesis's section 4.2: RI-B1-{B2, B3-B4}, B5 and B6 above B1; O-P1-P3-{P4, P5}, P6."""
    s = bl.System("trees")
    q = s.coordinates("q1 q2 q3 q4 q5 q6")
    for i, below in enumerate(["ground", "B1", "B1", "B3", "B1", "B5"]):
        s.base(f"B{i + 1}", below, "xyzxyz"[i], q[i])
    s.point("P1", r=[1, 2, 3])
    s.point("P3", "P1", [4, 5, 6], "B1")
    s.point("P4", "P3", [7, 8, 9], "B3")
    s.point("P5", "P3", [1, 3, 5], "B3")
    s.point("P6", r=[2, 4, 6], base="B2")
    s.point("P7", "P6", [1, 1, 2], "B2")
    return s


@pytest.mark.parametrize(
    ("one", "other", "down", "up"),
    [
        ("B1", "B6", "B1", "B6"),  # of one branch
        ("ground", "B4", "ground", "B4"),
        ("B2", "B4", "B1", "B1"),  # of two
        ("B6", "B3", "B1", "B1"),
        ("B3", "B3", "B3", "B3"),
    ],
)
def test_where_operands_meet(s, one, other, down, up):
    """1a-18, 1b-8: down nearer the root, up farther; of different branches in the last common base."""
    for rule, expected in (("down", down), ("up", up)):
        with s.using(rule):
            u, v = s.vector([1, 2, 3], one), s.vector([4, 5, 6], other)
            for value in (u + v, v - u, u.cross(v), v.cross(u), s.tensor([1, 2, 3], one) @ v):
                assert value.base is s.bases[expected]


def test_up_is_the_default(s):
    """1a-19."""
    assert s.space.rule == "up"
    assert Space(Graph()).rule == "up"
    assert s.model().rule == "up"
    assert (s.vector([1, 2, 3], "B1") + s.vector([4, 5, 6], "B6")).base is s.bases["B6"]


@pytest.mark.parametrize("rule", ["up", "down"])
def test_a_zero_operand_leaves_the_other_where_it_is(s, rule):
    """1a-20: no base is changed for it."""
    with s.using(rule):
        for u_in, v_in in (("B1", "B6"), ("B6", "B1"), ("B2", "B4")):
            u, nothing = s.vector([1, 2, 3], u_in), s.vector([0, 0, 0], v_in)
            for total in (u + nothing, nothing + u, u - nothing, nothing - u):
                assert total.base is s.bases[u_in]
            assert u.dot(nothing).number == 0.0
            assert not u.cross(nothing).parts
    assert s.space.base_changes == 0


def test_up_shares_what_two_points_have_in_common(s):
    """1a-22: the second point costs three sums; under down all of its rotations are its own."""
    added = {}
    for rule in ("down", "up"):
        with s.using(rule):
            s.position("P4")
            nodes = len(s.graph.nodes)
            s.position("P5")
            added[rule] = len(s.graph.nodes) - nodes
    assert added["up"] == 3
    assert added["down"] > 10


def test_positions_are_nested_edge_by_edge(s):
    """1a-23, 1a-27: the equations 4.6 and 4.7, node by node, result topmost (up) or lowest (down)."""
    r1, r3, r4 = ([1, 2, 3], [4, 5, 6], [7, 8, 9])
    edge1, edge3 = s.bases["B1"].edge(), s.bases["B3"].edge()
    a, b, c = (bl.vector(r, s.graph) for r in (r1, r3, r4))
    with s.using("down"):
        assert s.position("P4").components == a + edge1.down(b + edge3.down(c))
        assert s.position("P4").base is s.space.root
    with s.using("up"):
        assert s.position("P4").components == edge3.up(edge1.up(a) + b) + c
        assert s.position("P4").base is s.bases["B3"]


def test_every_base_change_spans_one_edge(s):
    """1a-23: three edges in a chain, three changes at most, in either direction."""
    for rule, most in (("up", 2), ("down", 2)):
        with s.using(rule):
            before = s.space.base_changes
            s.position("P4")
            assert s.space.base_changes - before <= most


def test_rotations_are_products_and_their_transposes(s):
    """1a-24: from left to right, whatever the rule; the opposite one adds no node."""
    edges = [s.bases[name].edge().matrix for name in ("B1", "B3", "B4")]
    for rule in ("up", "down", "extended"):
        with s.using(rule):
            assert s.rotation("B4") == edges[0] @ edges[1] @ edges[2]
    nodes = len(s.graph.nodes)
    assert s.rotation("ground", "B4") == s.rotation("B4").T
    assert len(s.graph.nodes) == nodes


def test_rotations_across_branches_go_by_the_last_common_base(s):
    """1a-25: R_A^B = (R_C^A)^T R_C^B, without the bases below."""
    assert s.rotation("B4", "B2") == s.rotation("B2", "B1").T @ s.rotation("B4", "B1")
    q1 = s.coordinates_by_name["q1"].symbols.position
    assert q1 not in {symbol for entry in s.rotation("B4", "B2").reshape(9) for symbol in entry.symbols}


def test_positions_across_branches_go_by_the_last_common_point(s):
    """1a-25: from P7 to P5 neither rule asks for the ground's rotations beyond what the edges need."""
    values = dict(
        zip((p.symbols[0] for p in s.coordinates_by_name.values()), np.arange(6) / 3.0, strict=True)
    )
    whole = s.position("P5").at(s.space.root) - s.position("P7").at(s.space.root)
    got = s.position("P5", relative_to="P7").at(s.space.root)
    assert got.value(values) == pytest.approx(whole.value(values), abs=1e-12)


def test_opposite_vectors_add_no_node(s):
    """1a-26."""
    forward, turning = s.position("P7", "P5"), s.angular_velocity("B4", "B2")
    nodes = len(s.graph.nodes)
    assert s.position("P5", "P7").components == -forward.components
    assert s.angular_velocity("B2", "B4").components == -turning.components
    assert len(s.graph.nodes) == nodes


def test_an_unknown_rule_is_refused_and_the_old_one_restored(s):
    with (
        pytest.raises(ValueError, match="Unknown rule 'sideways': expected one of up, down, extended"),
        s.using("sideways"),
    ):
        pass
    with s.using("down"), s.using("extended"):
        assert s.space.rule == "extended"
    assert s.space.rule == "up"


def test_a_loop_of_bases_is_refused(s):
    s.bases["B1"].parent = s.bases["B4"]
    for base in s.bases.values():
        base._path = () if base.parent is not None else base._path
    with pytest.raises(ValueError, match="Base 'B4' lies on a loop of the tree: B4 -> B3 -> B1 -> B4"):
        _ = s.bases["B4"].path


def test_what_paths_lead_by_stays_where_it_is(s):
    """Otherwise the paths of all that hangs on it would be those of before."""
    one, other = s.base("one", axis="z", angle=0.1), s.base("other", axis="x", angle=0.2)
    tip = s.base("tip", parent=one, axis="y", angle=0.3)
    assert tip.path == (s.ground.base, one, tip)
    with pytest.raises(ValueError, match=r"Base 'one' hangs on 'ground' already, and paths lead by it"):
        one.parent = other
    A, B = s.point("A", r=[1, 0, 0]), s.point("B", r=[0, 1, 0])
    assert A.path == (s.origin, A)
    with pytest.raises(ValueError, match="Point 'A' hangs on 'origin' already"):
        A.parent = B
