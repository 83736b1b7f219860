"""What natural coordinates say about wrong calls, and what they leave out because it holds already."""

import pytest

import biela as bl


@pytest.fixture
def s():
    return bl.System("linkage")


def names(model):
    return [name.split("[")[0] for name in model.equation_names]


def test_bodies_that_share_two_points_hold_their_distance_once(s):
    n = bl.Natural(s)
    A, B, C, D = (
        n.point(k, r) for k, r in zip("ABCD", [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], strict=True)
    )
    n.body("one", [A, B, C])
    n.body("two", [B, A, D])
    model = s.model()
    assert names(model) == ["one"] * 3 + ["two"] * 2
    assert model.freedom == 7


def test_fixed_entities_ask_for_nothing(s):
    n = bl.Natural(s)
    A, z, B = n.fixed("A", [0, 0, 0]), s.vector([0, 0, 1]), n.point("B", [1, 0, 1])
    n.body("crank", {A: [0, 0, 0], z: [0, 0, 1], B: [1, 0, 1]})
    assert repr(s.model()) == "<Model linkage: 3 coordinates, 2 constraint equations, 1 degree of freedom>"


def test_a_point_may_be_a_fixed_combination(s):
    n = bl.Natural(s, plane="xy")
    A, B, C = n.fixed("A", [0, 0]), n.point("B", [2, 0]), n.point("C", [0.5, 0])
    n.bar("rod", A, B)
    n.combination("on the rod", C, {A: 0.75, B: 0.25})
    model = s.model()
    assert model.freedom == 1
    assert [str(e) for e in model.phi[1:]] == ["C.x - 0.25*B.x", "C.y - 0.25*B.y"]


def test_a_slide_has_a_sign_and_passes_through_zero(s):
    n = bl.Natural(s, plane="xy")
    A, B, P = n.fixed("A", [1, 1]), n.fixed("B", [1, 3]), n.point("P", [1, 0.5])
    d = n.slide("d", A, (A, B), P)
    model = s.model()
    assert s.coordinates_by_name["d"].value == -0.5
    assert [str(e) for e in model.phi] == ["P.x - 1", "P.y - 1 - d"]
    assert d == model.q[-1]


def test_a_negative_moment_about_the_mass_centre_is_told(s):
    n = bl.Natural(s)
    points = [n.point("A", [0, 0, 0]), n.point("B", [1, 0, 0]), n.point("C", [0, 1, 0])]
    n.body("stone", points, 1.0, [0, 0, 0], [1.0, 1.0, 5.0])
    with pytest.raises(ValueError, match="Body 'stone': no mass distribution has this inertia"):
        s.model()


def space(call):
    def run(s):
        n = bl.Natural(s)
        call(s, n, n.point("A", [0, 0, 0]), n.point("B", [1, 0, 0]), n.direction("u", [0, 0, 1]))

    return run


def plane(call):
    def run(s):
        n = bl.Natural(s, plane="xy")
        call(s, n, n.point("A", [0, 0]), n.point("B", [1, 0]), n.fixed("F", [0, 0]))

    return run


WRONG = {
    "plane": (lambda s: bl.Natural(s, plane="xx"), ValueError, "Plane 'xx': expected two of x, y and z"),
    "components": (plane(lambda s, n, A, B, F: n.point("C", [0, 0, 0])), ValueError,
                   "Point 'C': expected 2 components, along x, y; got 3"),
    "speed": (plane(lambda s, n, A, B, F: n.point("C", [0, 0], speed=[1])), ValueError,
              "Point 'C', speed: expected 2 components"),
    "name": (plane(lambda s, n, A, B, F: n.point("A", [0, 0])), ValueError, "there is a point 'A' already"),
    "body name": (plane(lambda s, n, A, B, F: (s.body("rod"), n.bar("rod", A, B))), ValueError,
                  "there is a body 'rod' already"),
    "zero direction": (space(lambda s, n, A, B, u: n.direction("v", [0, 0, 0])), ValueError,
                       "Direction 'v': it starts as the zero vector"),
    "bar of a vector": (space(lambda s, n, A, B, u: n.bar("rod", A, u)), ValueError,
                        "Bar 'rod': both ends are points; got a vector"),
    "bar without length": (plane(lambda s, n, A, B, F: n.bar("rod", A, F)), ValueError,
                           "Bar 'rod': its two points start at the same place"),
    "unknown point": (plane(lambda s, n, A, B, F: n.bar("rod", A, "b")), ValueError, "there is no point 'b'"),
    "no point": (space(lambda s, n, A, B, u: n.body("b", [u])), ValueError,
                 "Body 'b': at least one of its entities must be a point"),
    "one point": (plane(lambda s, n, A, B, F: n.body("b", [A])), ValueError,
                  "Body 'b': it needs a second point, away from 'A', or a unit vector"),
    "one place": (plane(lambda s, n, A, B, F: n.body("b", {A: [1, 1], B: [1, 1]})), ValueError,
                  "Body 'b': it needs a second point"),
    "one line": (space(lambda s, n, A, B, u: n.body("b", [A, B])), ValueError,
                 "Body 'b': its entities lie on one line, so they do not tell how it turns"),
    "no centre": (plane(lambda s, n, A, B, F: n.body("b", [A, B], mass=1.0)), ValueError,
                  "Body 'b': it has mass. Say where in its frame the mass centre is"),
    "about": (plane(lambda s, n, A, B, F: n.body("b", [A, B], about="A")), ValueError,
              "about='A'; expected 'com'"),
    "inertia": (plane(lambda s, n, A, B, F: n.body("b", [A, B], 1.0, [0, 0], -1.0)), ValueError,
                "Body 'b': its moment of inertia about the mass centre is negative"),
    "fixed misfit": (plane(lambda s, n, A, B, F: n.body("b", {F: [0, 0], n.fixed("E", [1, 0]): [2, 0]})),
                     ValueError, "Constraint 'b': what is fixed of it does not fit the sizes given"),
    "angle in space": (space(lambda s, n, A, B, u: n.angle("th", (A, B))), ValueError,
                       "Angle 'th': in space, say from which vector it starts and about which it turns"),
    "angle of the axis": (space(lambda s, n, A, B, u: n.angle("th", u, start=(A, B), about=u)), ValueError,
                          "Angle 'th': a vector is zero or along the axis"),
    "line": (plane(lambda s, n, A, B, F: n.angle("th", A)), TypeError,
             "Angle 'th': expected a vector or a pair of points; got <Point A>"),
    "place": (plane(lambda s, n, A, B, F: n.body("b", [A, B]).point([1, 2, 3])), ValueError,
              "A place on 'b': expected 2 components, along x, y; got 3"),
    "no value": (plane(lambda s, n, A, B, F: n.bar("b", A, B, length=s.parameter("L"))), ValueError,
                 "need a value for parameter L"),
    "other system": (plane(lambda s, n, A, B, F: n.bar("b", A, bl.System("x").origin)), ValueError,
                     "belongs to another system than 'linkage'"),
    "other vector": (space(lambda s, n, A, B, u: n.body("b", [A, B, bl.System("x").vector([1, 0, 0])])),
                     ValueError, "belongs to another system than 'linkage'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_is_told(case, s):
    call, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        call(s)
