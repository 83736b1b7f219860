"""Workspaces against Grashof's ranges, circles that meet, and the dead centres of the slider-crank."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import branches
from biela.simulate.grashof import grashof
from biela.simulate.workspace import workspace


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


def test_a_crank_closes_in_two_ways_all_around(four_bar):
    found = workspace(four_bar, {"crank": np.linspace(-np.pi, np.pi, 49)})
    assert (found.ways == 2).all()
    assert np.abs(found.value("Phi")).max() < 1e-10
    state = found.state(17)
    assert np.abs(state.value("Phi")).max() < 1e-10
    assert state["crank"] == found["crank"][17]
    assert "49 crank, 100.0% reachable, 98 positions" in repr(found)


def test_they_are_the_branches(four_bar):
    found = workspace(four_bar, {"crank": [1.0]})
    expected = np.array([state.q for state in branches(four_bar, crank=1.0)])
    np.testing.assert_allclose(
        found.q[np.argsort(found.q[:, 1])], expected[np.argsort(expected[:, 1])], atol=1e-9
    )


def test_the_rocker_reaches_what_grashof_says(four_bar):
    """Seen from the rocker the linkage is ground, rocker, coupler, crank; its angle is the supplement."""
    expected = grashof(0.8, 0.455, 0.54, 0.12)
    angles = np.linspace(-np.pi, np.pi, 361) + 1e-3
    found = workspace(four_bar, {"rocker": angles})
    assert list(found.reachable) == [expected.closes(np.pi - angle) for angle in angles]
    assert set(found.ways) == {0, 2}


def test_other_lengths_other_ranges(four_bar):
    expected = grashof(0.6, 0.5, 0.54, 0.455)
    angles = np.linspace(-np.pi, np.pi, 181) + 1e-3
    found = workspace(four_bar, {"crank": angles}, p={"l1": 0.5, "l4": 0.6})
    assert list(found.reachable) == [expected.closes(angle) for angle in angles]


def test_a_five_bar_closes_where_its_circles_meet():
    """Arms of 0.5 m from (0, 0) and (5.3, 0) m, then bars of 2.06 and 3.20 m."""
    model = bl.mechanisms.five_bar().model()
    axis = np.linspace(-np.pi, np.pi, 24) + 0.01
    found = workspace(model, {"left_inner": axis, "right_inner": axis}, p={"d": 5.3})
    left, right = np.meshgrid(axis, axis, indexing="ij")
    x = 5.3 + 0.5 * np.cos(right) - 0.5 * np.cos(left)
    apart = np.hypot(x, 0.5 * np.sin(right) - 0.5 * np.sin(left))
    one, other = 2.0615528128088303, 3.2015621187164243
    np.testing.assert_array_equal(found.ways, np.where(apart <= one + other, 2, 0))
    assert 0.3 < found.reachable.mean() < 0.7
    depth = one + other - apart.ravel()[found.point]  # the bars are in line where it is zero
    assert found.direct[depth < 0.03].max() < found.direct[depth > 0.5].min()


def test_the_slider_crank_is_singular_at_its_dead_centres():
    model = bl.mechanisms.slider_crank().model()
    crank = np.linspace(-np.pi, np.pi, 73)
    found = workspace(model, {"crank": crank}, outputs=["piston"])
    dead = np.abs(np.sin(found["crank"])) < 1e-9
    assert dead.sum() == 6  # of two ways each: -pi, 0 and pi
    assert found.inverse[dead].max() < 1e-12
    assert found.inverse[~dead].min() > 1e-3
    assert found.direct.min() > 0.1  # the crank always tells where the piston is
    piston = workspace(model, {"piston": np.linspace(0.151, 0.249, 15)}, outputs=["crank"])
    np.testing.assert_array_equal(piston.ways, 2)
    far = workspace(model, {"piston": [0.26]})
    assert not far.reachable.any()
    assert len(far.q) == 0


def test_a_tree_reaches_every_point():
    model = bl.mechanisms.double_pendulum().model()
    names = [c.name for c in model.placements]
    found = workspace(model, {names[0]: [0.0, 1.0], names[1]: [0.0, 2.0, 3.0]})
    assert found.shape == (2, 3)
    assert (found.ways == 1).all()


def test_wrong_calls(four_bar):
    with pytest.raises(KeyError, match="no coordinate 'wheel'"):
        workspace(four_bar, {"wheel": [0.0]})
    with pytest.raises(ValueError, match="free coordinates to drive; 2 are driven"):
        workspace(four_bar, {"crank": [0.0], "rocker": [2.0]})
    with pytest.raises(ValueError, match="values of 'crank' are a row of finite numbers"):
        workspace(four_bar, {"crank": [0.0, np.nan]})
    with pytest.raises(ValueError, match="1 outputs are expected"):
        workspace(four_bar, {"crank": [0.0]}, outputs=["coupler", "rocker"])
    with pytest.raises(ValueError, match="rolls, or depends on time"):
        workspace(bl.mechanisms.rolling_disc().model(), {"x": [0.0]})
