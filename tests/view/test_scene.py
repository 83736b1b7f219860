"""What is drawn of a model: names, colours, what stands still, and which way is up."""

import numpy as np
import pytest

import biela as bl
from biela.view.scene import Scene


def scene_of(name):
    return Scene(getattr(bl.mechanisms, name)().model())


@pytest.mark.parametrize(
    ("name", "up"), [("four_bar", [0, 1, 0]), ("stewart", [0, 0, 1]), ("whipple_bicycle", [0, 0, -1])]
)
def test_up_is_where_nothing_falls_to(name, up):
    assert scene_of(name).up.tolist() == up


def test_without_gravity_up_is_z():
    s = bl.System("drifting")
    body = s.body("body", mass=1.0)
    s.prismatic(s.ground, body, axis="x")
    assert Scene(s.model()).up.tolist() == [0, 0, 1]


def test_shapes_bear_the_names_of_their_bodies():
    shapes = scene_of("four_bar").shapes
    names = [(shape["kind"], shape["name"]) for shape in shapes]
    assert names == [
        ("solid", "crank"), ("bar", "crank"), ("bar", "coupler"), ("bar", "coupler"), ("bar", "rocker"),
        ("trace", "path of P3"),
    ]  # fmt: skip


def test_a_body_has_one_colour_and_neighbours_another():
    colors = {}
    for shape in scene_of("hexaglide").shapes:
        colors.setdefault(shape["body"], set()).add(shape["color"])
    assert all(len(found) == 1 for found in colors.values())
    assert colors["slide1"] != colors["leg1"]


def test_pivots_are_what_stands_still_and_carries():
    scene = scene_of("four_bar")
    model = scene.model
    places = np.asarray(scene.frames.evaluate(q=model.start[0], p=model.p).places)
    assert sorted(places[scene.pivots].round(6).tolist()) == [
        [0, 0, 0],
        [places[scene.pivots, 0].max(), 0, 0],
    ]
    assert scene_of("whipple_bicycle").pivots == []


@pytest.mark.parametrize(
    ("name", "plane"), [("four_bar", [2]), ("whipple_bicycle", []), ("flyball_governor", []), ("stewart", [])]
)
def test_planes_that_nothing_leaves(name, plane):
    assert scene_of(name).plane == plane


def test_a_model_without_a_drawing_is_sketched():
    s = bl.System("plain")
    upper = s.body("upper", mass=1.0, com=[0.5, 0, 0])
    lower = s.body("lower", mass=1.0, com=[0.5, 0, 0])
    s.revolute(s.ground, upper, axis="z")
    s.revolute(upper, lower, at=[1, 0, 0], axis="z")
    kinds = [(shape["kind"], shape["name"]) for shape in Scene(s.model()).shapes]
    assert kinds.count(("solid", "upper")) == kinds.count(("solid", "lower")) == 1
    assert kinds.count(("bar", "upper")) == 2  # to its mass centre and to the lower one


def drawn(*shapes):
    s = bl.System("drawn")
    body = s.body("body", mass=1.0, com=[1, 0, 0])
    s.revolute(s.ground, body, axis="z")
    s.draw(*(make(body) for make in shapes))
    return Scene(s.model())


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda b: bl.Solid("cone", b.com, b.base, (1.0, 2.0)), "form 'cone'"),
        (lambda b: bl.Solid("box", b.com, b.base, (1.0, 2.0)), "a box has (x, y, z)"),
        (lambda b: bl.Solid("cylinder", b.com, b.base, (1.0, 2.0), axis="w"), "an axis is x, y or z"),
        (lambda b: bl.Bar(b.origin, b.com, color="stone"), "'stone' of a shape"),
    ],
)
def test_shapes_that_nobody_can_draw(make, told):
    with pytest.raises(ValueError, match=r"shape|solid") as caught:
        drawn(make).shapes  # noqa: B018 - a property that raises
    assert told in str(caught.value)


def test_nothing_to_show():
    s = bl.System("empty")
    s.coordinate("x")
    with pytest.raises(ValueError, match=r"'empty' has nothing to show.*system\.draw"):
        Scene(s.model())


def test_a_sketch_reaches_to_where_loops_close():
    s = bl.System("press")
    crank, rod, piston = (s.body(name, mass=1.0, com=c) for name, c in
                          [("crank", [0.1, 0, 0]), ("rod", [0.4, 0, 0]), ("piston", [0, 0, 0])])  # fmt: skip
    s.revolute(s.ground, crank)
    s.revolute(crank, rod, at=[0.2, 0, 0])
    s.prismatic(s.ground, piston, axis="x")
    s.close(rod.point([0.8, 0, 0]), piston.origin)
    names = [shape["name"] for shape in Scene(s.model()).shapes if shape["kind"] == "bar"]
    assert names.count("rod") == 2  # to its mass centre, and on to the piston
