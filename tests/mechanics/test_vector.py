"""Extended vectors and tensors: the worked cases of the thesis's chapter 5, and what lowering may do."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import biela as bl
from biela.mechanics.space import RULES

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture
def s():
    """A chain of bases B1, B2, B3 that turn about x, y and z, and two more turns about z beside B2."""
    s = bl.System("chain")
    q = s.coordinates("q1 q2 q3 q4 q5")
    for i, (below, axis) in enumerate([("ground", "x"), ("B1", "y"), ("B2", "z"), ("B1", "z"), ("B4", "z")]):
        s.base(f"B{i + 1}", below, axis, q[i])
    return s


def symbols(s, name):
    """A column of three parameters."""
    return bl.vector([s.parameter(f"{name}{axis}") for axis in "xyz"])


def test_sums_go_column_by_column(s):
    """1b-12, equation 5.16: [0|u2|0] + [0|v2|v3] = [0|u2 + v2|v3], without a base change."""
    u2, v2, v3 = (symbols(s, name) for name in ("u2", "v2", "v3"))
    with s.using("extended"):
        u, v = s.vector(u2, "B2"), s.vector(v2, "B2") + s.vector(v3, "B3")
        total, difference, twice = u + v, v - u, v * 2.0
    B2, B3 = s.bases["B2"], s.bases["B3"]
    assert total.parts == {B2: u2 + v2, B3: v3}
    assert difference.parts == {B2: v2 - u2, B3: v3}
    assert twice.parts == {B2: v2 * 2.0, B3: v3 * 2.0}
    assert s.space.base_changes == 0


def test_a_dot_product_is_the_double_sum(s):
    """1b-12, equation 5.18: u2.v2 + u2.(R v3), each pair in the base of one of the two."""
    u2, v2, v3 = (symbols(s, name) for name in ("u2", "v2", "v3"))
    with s.using("extended"):
        got = s.vector(u2, "B2").dot(s.vector(v2, "B2") + s.vector(v3, "B3"))
    edge = s.bases["B3"].edge()
    assert got == u2.dot(v2) + edge.up(u2).dot(v3)
    assert s.space.base_changes == 1


def test_a_cross_product_files_each_pair_in_its_base(s):
    """1b-12, equations 5.19-5.21: [0|u2 x v2|u2 x v3]."""
    u2, v2, v3 = (symbols(s, name) for name in ("u2", "v2", "v3"))
    with s.using("extended"):
        got = s.vector(u2, "B2").cross(s.vector(v2, "B2") + s.vector(v3, "B3"))
    B2, B3 = s.bases["B2"], s.bases["B3"]
    assert got.parts == {B2: u2.cross(v2), B3: B3.edge().up(u2).cross(v3)}


def test_tensors_do_the_same(s):
    """1b-12, equations 5.34-5.36: sums column by column, products as double sums."""
    T2, T3 = (bl.matrix([list(symbols(s, f"{name}{axis}")) for axis in "xyz"]) for name in ("t2", "t3"))
    v3 = symbols(s, "v3")
    B2, B3 = s.bases["B2"], s.bases["B3"]
    with s.using("extended"):
        one = bl.Tensor(s.space, {B2: T2})
        both = one + bl.Tensor(s.space, {B2: T2, B3: T3})
        changes = s.space.base_changes
        assert both.parts == {B2: T2 + T2, B3: T3}
        assert changes == 0
        product = both @ s.vector(v3, "B3")
    R = B3.edge().matrix
    moved = R.T @ (T2 + T2) @ R
    assert list(product.parts) == [B3]
    values = {e: k / 7.0 for k, e in enumerate(sorted_symbols(product.parts[B3]))}
    expected = (moved @ v3 + T3 @ v3).value(values)
    assert product.parts[B3].value(values) == pytest.approx(expected, abs=1e-12)


def sorted_symbols(matrix):
    return sorted({symbol for entry in matrix for symbol in entry.symbols}, key=lambda e: e.name)


def test_the_triple_product_changes_the_base_of_no_column(s):
    """1b-17, equation 5.14: v (u.w) - w (u.v)."""
    u, v, w = (s.vector(symbols(s, name), base) for name, base in (("u", "B1"), ("v", "B2"), ("w", "B3")))
    with s.using("extended"):
        got = bl.triple_cross(u, v, w)
        expected = v * u.dot(w) - w * u.dot(v)
    assert set(got.parts) == {s.bases["B2"], s.bases["B3"]}
    assert got.parts == expected.parts


@given(st.data())
@settings(FEW, max_examples=30)
def test_products_are_computed_between_their_operands(data):
    """1b-13: in the base of one of the two or where their branches part, with no rotation beyond."""
    s = bl.System("random")
    bases = [s.space.root]
    for i in range(data.draw(st.integers(2, 7))):
        below = bases[data.draw(st.integers(0, i))]
        bases.append(s.base(f"B{i}", below, [0.6, 0.0, 0.8], s.coordinate(f"q{i}")))
    one, other = data.draw(st.sampled_from(bases)), data.draw(st.sampled_from(bases))
    low = s.space.common(one, other)
    apart = len(one.path) + len(other.path) - 2 * len(low.path)
    for rule in RULES:
        with s.using(rule):
            u, v = s.vector([1, 2, 3], one), s.vector([4, -5, 6], other)
            before = s.space.base_changes
            product = u.cross(v)
            assert s.space.base_changes - before == apart
            assert set(product.parts) <= {one, other, low}
            before = s.space.base_changes
            u.dot(v)
            assert s.space.base_changes - before == apart


def test_a_turn_about_the_axis_of_the_turn_before_is_lowered(s):
    """1b-14: planar w ends in the last base it is the same in, and w.w takes 2 operations instead of 6."""
    dq4, dq5 = (s.coordinates_by_name[name].symbols.velocity for name in ("q4", "q5"))
    with s.using("extended"):
        w = s.angular_velocity("B5", "B1")
        square = w.dot(w)
    assert w.parts == {s.bases["B1"]: bl.vector([0, 0, dq4 + dq5], s.graph)}
    assert bl.Function("square", {"dq": [dq4, dq5]}, {"y": square}).operations.total == 2


def test_lowering_stops_at_the_first_change(s):
    """1b-14: along z through the turns about z, not through that about y below them."""
    with s.using("extended"):
        assert list(s.vector([0, 0, 1], "B3").parts) == [s.bases["B2"]]
        assert list(s.vector([0, 0, 1], "B5").parts) == [s.bases["B1"]]
        assert list(s.vector([1, 0, 0], "B1").parts) == [s.space.root]
        assert list(s.vector([1, 0, 1], "B3").parts) == [s.bases["B3"]]
        assert list(s.tensor([2, 2, 3], "B3").parts) == [s.bases["B2"]]
        assert list(s.tensor([2, 3, 3], "B3").parts) == [s.bases["B3"]]
        assert list(s.tensor([2, 2, 3, 0.1, 0, 0], "B5").parts) == [s.bases["B5"]]
        assert list(s.tensor([2, 2, 2], "B3").parts) == [s.space.root]


def test_a_general_first_moment_is_not_lowered(s):
    """1b-15: m r~ is the same on both sides of a turn only along its axis (the error of listing B.6)."""
    mx, my, mz = symbols(s, "m")
    with s.using("extended"):
        for components, base in (([mx, my, mz], "B3"), ([mx, 0, mz], "B3"), ([mx, 0, 0], "B3")):
            moment = s.vector(components, "B3")
            assert list(moment.parts) == [s.bases[base]]
            assert list(moment.skew().parts) == [s.bases[base]]
        along = s.vector([0, 0, mz], "B3")
        assert list(along.parts) == [s.bases["B2"]]
        assert list(along.skew().parts) == [s.bases["B2"]]


@pytest.mark.parametrize("rule", RULES)
def test_a_spherical_tensor_is_a_number(s, rule):
    """1b-16, equation 5.61: I (w.w), without any rotation."""
    moment = s.parameter("I")
    with s.using(rule):
        w = s.vector(symbols(s, "w"), "B1")
        got = s.tensor([moment, moment, moment], "B3") @ w
    assert got.parts == (w * moment).parts
    assert s.space.base_changes == 0


def test_the_derivative_of_columns(s):
    """1b-18, equation 5.15: each column's own rate, and w x it, in the base of the column or below."""
    u2, u3 = symbols(s, "u2"), symbols(s, "u3")
    dq2, dq3 = (s.coordinates_by_name[name].symbols.velocity for name in ("q2", "q3"))
    with s.using("extended"):
        rate = (s.vector(u2, "B2") + s.vector(u3, "B3")).dt(s.bases["B1"])
    spin2 = bl.vector([0, dq2, 0], s.graph)
    B2, B3 = s.bases["B2"], s.bases["B3"]
    assert rate.parts[B2] == spin2.cross(u2)
    carried = B3.edge().up(spin2).cross(u3) + bl.vector([0, 0, dq3], s.graph).cross(u3)
    rng = np.random.default_rng(3)
    symbols_of = sorted_symbols(carried) + sorted_symbols(rate.parts[B3])
    values = {symbol: rng.normal() for symbol in dict.fromkeys(symbols_of)}
    assert rate.parts[B3].value(values) == pytest.approx(carried.value(values), abs=1e-12)


def test_values_of_several_bases_have_no_single_one(s):
    with s.using("extended"):
        v = s.vector([1, 2, 3], "B2") + s.vector([1, 2, 3], "B3")
    with pytest.raises(ValueError, match="This value has parts in B2, B3: say in which base, with at"):
        _ = v.components


@pytest.mark.parametrize("operation", [lambda u, v: u + v, lambda u, v: u.dot(v), lambda u, v: u.cross(v)])
def test_values_of_two_systems_do_not_meet(operation):
    u, v = bl.System("one").vector([1, 2, 3]), bl.System("other").vector([1, 2, 3])
    with pytest.raises(ValueError, match="The two values belong to different systems"):
        operation(u, v)


def test_products_by_rows_are_half_and_the_coupling_is_computed_once():
    """1b-6, 1b-7, 1a-47: per body 4 dot products for each pair i <= j, and n products with the inertia."""
    s = bl.System("arm")
    below = s.ground
    for i in range(3):
        body = s.body(f"b{i}", 1.0, [0.1, 0.2, 0.3], [2, 3, 4, 0.1, 0.2, 0.3], about="origin")
        s.revolute(below, body, at=[1, 0, 0], axis="xyz"[i])
        below = body
    problem = s.model().problem
    from biela.mechanics.formalism import bodies

    n, zero = 3, s.vector([0, 0, 0]).dot(s.vector([0, 0, 0]))
    M = [[zero] * n for _ in range(n)]
    twist = bodies.Twist(problem, problem.bodies[-1])
    with (
        patch.object(bl.Vector, "dot", autospec=True, side_effect=bl.Vector.dot) as dots,
        patch.object(bl.Tensor, "__matmul__", autospec=True, side_effect=bl.Tensor.__matmul__) as products,
    ):
        bodies._add_mass(M, twist)
    assert dots.call_count == 4 * n * (n + 1) // 2
    assert products.call_count == 2 * n
