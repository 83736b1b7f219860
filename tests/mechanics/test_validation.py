"""Descriptions that cannot become models: each fault is told, and all at once.

A fault that shows when it is written is raised there and then (see test_wrong_calls); here are those that
only the whole system shows, by `System.validate`.
"""

import math

import numpy as np
import pytest

import biela as bl

NO_BODY = "Body 'arm': no mass distribution has this inertia: of its central principal moments, "


def arm(s=None, **given):
    """A system with a body on a hinge."""
    s = s or bl.System("rig")
    body = s.body("arm", **{"mass": 2.0, "com": [0.5, 0, 0], "inertia": [0.0, 0.2, 0.2], **given})
    s.revolute(s.ground, body)
    s.gravity([0, -9.81, 0])
    return s, body


def four_bar(closing):
    """Crank, coupler and rocker, closed by a function of the system and its bodies."""
    s, crank = arm()
    coupler, rocker = (s.body(name, 1.0, inertia=[0.1, 0.1, 0.1]) for name in ("coupler", "rocker"))
    s.revolute(crank, coupler, at=[0.3, 0, 0])
    s.revolute(s.ground, rocker, at=[1, 0, 0])
    closing(s, coupler.point([0.9, 0, 0]), rocker.point([0.6, 0, 0]))
    return s


def test_a_sound_system_has_no_fault():
    assert arm()[0].validate() == []
    assert four_bar(lambda s, p, q: s.close(p, q)).validate() == []


# the trees


def test_a_body_without_a_place():
    s, _ = arm()
    s.body("spare", 1.0)
    assert s.validate() == [
        "Body 'spare' has no place. Join it to another body, as in system.revolute(system.ground, spare), "
        "or give its origin and base."
    ]


def test_bodies_joined_to_each_other_only():
    s, _ = arm()
    one, two = s.body("one", 1.0), s.body("two", 1.0)
    s.revolute(one, two)
    assert [fault.split(".")[0] for fault in s.validate()] == [
        "Body 'one' has no place",
        "Body 'two': Base 'two' does not hang on 'ground': 'one' has no parent",
    ]


def test_a_loop_in_the_tree_of_bases():
    s, _ = arm()
    q = s.coordinate("q")
    low = s.base("low", axis="x", angle=q)
    low.parent = s.base("high", low, axis="x", angle=q)
    assert s.validate() == [
        "Base 'low' lies on a loop of the tree: low -> high -> low.",
        "Base 'high' lies on a loop of the tree: high -> low -> high.",
    ]


def test_a_loop_in_the_tree_of_points():
    s, _ = arm()
    one = s.point("one", r=[1, 0, 0])
    two = s.point("two", one, [1, 0, 0])
    one.parent = two
    assert s.validate() == [
        "Point 'one' lies on a loop of the tree: one -> two -> one.",
        "Point 'two' lies on a loop of the tree: two -> one -> two.",
    ]


# mass and inertia


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"mass": -1.0}, "Body 'arm' has the negative mass -1."),
        ({"mass": 0.0}, "Body 'arm' has inertia but no mass. Give its mass."),
        (
            {"inertia": [0.1, -0.1, 0.1]},
            NO_BODY + "-0.1, 0.1, 0.1 kg m2, one is negative: was it given about another point (about=)?",
        ),
        (
            {"inertia": [0.0, 0.0, -0.1]},
            NO_BODY + "-0.1 kg m2, one is negative: was it given about another point (about=)?",
        ),
        (
            {"inertia": [0.1, 0.1, 0.5]},
            NO_BODY + "0.1, 0.1, 0.5 kg m2, the largest exceeds the sum of the others.",
        ),
        (
            {"inertia": (1.0, 1.0, 1.0, 0.0, 0.0, 0.9)},  # skewed: 0.1, 1 and 1.9 along its own axes
            NO_BODY + "0.1, 1, 1.9 kg m2, the largest exceeds the sum of the others.",
        ),
    ],
)
def test_what_no_body_has(given, fault):
    assert arm(**given)[0].validate() == [fault]


def test_values_of_parameters_are_judged_too():
    s = bl.System("rig")
    arm(s, mass=s.parameter("m", 0.0))
    assert s.validate() == ["Body 'arm' has inertia but no mass. Give its mass."]
    s = bl.System("rig")
    arm(s, inertia=[s.parameter("xx", 0.1), 0.1, s.parameter("zz", 0.5)])
    assert s.validate() == [NO_BODY + "0.1, 0.1, 0.5 kg m2, the largest exceeds the sum of the others."]
    s = bl.System("rig")
    arm(s, mass=s.parameter("m"))  # without a value nothing is known
    assert s.validate() == []


@pytest.mark.parametrize(
    "given",
    [
        {"inertia": [0.1, 0.1, 0.2]},  # flat
        {"inertia": [0, 0.1, 0.1]},  # thin
        {"inertia": [0, 0, 0.1]},  # planar: only the moment that is asked for
        {"inertia": [0, 0, 0.5], "about": "origin"},  # a point of mass 2 at 0.5
        {"inertia": [0, 0, 0.4], "about": "origin"},  # less than that, as published models have it
        {"inertia": None},
        {"mass": 0.0, "com": [0, 0, 0], "inertia": None},
    ],
)
def test_what_a_body_may_have(given):
    assert arm(**given)[0].validate() == []


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize(
    ("spoil", "where"),
    [
        (lambda s, body, bad: s.gravity([0, bad, 0]), "gravity"),
        (lambda s, body, bad: s.force(body, [bad, 0, 0]), "load 'force on arm'"),
        (lambda s, body, bad: s.moment(body, [bad, 0, 0]), "load 'moment on arm'"),
        (lambda s, body, bad: s.drive("arm.angle", bad * s.time), "constraint 'drive of arm.angle'"),
        (lambda s, body, bad: s.spring(body.point([1, 0, 0]), s.origin, bad), "load 'spring arm[1, 0, 0]-or"),
    ],
)
def test_numbers_that_are_none(spoil, where, bad):
    s, body = arm()
    spoil(s, body, bad)
    (fault,) = [fault for fault in s.validate() if "nan" in fault]
    assert fault.startswith(f"A number in {where}")
    assert fault.endswith("is nan or infinite. Give finite numbers.")


def test_numbers_of_a_body_that_are_none():
    nowhere = np.array([0.0, math.nan, 0.0])
    assert arm(inertia=nowhere)[0].validate() == [
        "A number in body 'arm' is nan or infinite. Give finite numbers."
    ]
    assert arm(com=nowhere)[0].validate() == [
        "A number in point 'arm.com' is nan or infinite. Give finite numbers."
    ]


# symbols and constraints


@pytest.mark.parametrize(
    ("use", "where"),
    [
        (lambda s, body, x: s.force(body, [x, 0, 0]), "load 'force on arm'"),
        (lambda s, body, x: s.effort("arm.angle", x), "effort on 'arm.angle'"),
        (lambda s, body, x: s.gravity([0, -x, 0]), "gravity"),
        (lambda s, body, x: s.drive("arm.angle", x), "constraint 'drive of arm.angle'"),
        (lambda s, body, x: s.start(x - 1), "start of position"),
        (lambda s, body, x: s.start_velocity(x - 1), "start of velocity"),
    ],
)
def test_a_symbol_that_nobody_declared(use, where):
    s, body = arm()
    use(s, body, s.graph.symbol("x"))
    assert s.validate() == [
        f"Symbol 'x', used in {where}, is not declared. Declare it with system.parameter('x', value), "
        "system.input('x') or system.coordinate('x')."
    ]


@pytest.mark.parametrize(
    ("use", "what", "where", "may"),
    [
        (lambda s, q, u: s.body("hung", mass=q.position), "coordinate 'arm.angle'", "body 'hung'", 0),
        (lambda s, q, u: s.body("hung", mass=1 + u), "input 'u'", "body 'hung'", 0),
        (
            lambda s, q, u: s.body("hung", 1.0, inertia=[0, 0, q.velocity]),
            "velocity 'arm.dangle'",
            "body 'hung'",
            0,
        ),
        (lambda s, q, u: s.body("hung", 1.0, com=[u, 0, 0]), "input 'u'", "point 'hung.com'", 1),
        (lambda s, q, u: s.constrain("gear", q.velocity), "velocity 'arm.dangle'", "constraint 'gear'", 1),
        (lambda s, q, u: s.drive("arm.angle", u), "input 'u'", "constraint 'drive of arm.angle'", 1),
        (lambda s, q, u: s.start(q.velocity), "velocity 'arm.dangle'", "start of position", 1),
        (
            lambda s, q, u: s.constrain_velocity("roll", q.velocity + u),
            "input 'u'",
            "constraint 'roll'",
            2,
        ),
        (
            lambda s, q, u: s.effort("arm.angle", q.acceleration),
            "acceleration 'arm.ddangle'",
            "effort on 'arm.angle'",
            3,
        ),
        (
            lambda s, q, u: s.force("arm", [q.acceleration, 0, 0]),
            "acceleration 'arm.ddangle'",
            "load 'force on arm'",
            3,
        ),
    ],
)
def test_a_symbol_where_it_cannot_be(use, what, where, may):
    s, body = arm()
    use(s, s.coordinates_by_name["arm.angle"].symbols, s.input("u"))
    if "hung" in s.bodies:
        s.revolute(body, "hung", at=[1, 0, 0])
    listed = ("parameters", ", coordinates, time", ", velocities", ", inputs, unknowns")[: may + 1]
    assert f"The {what} stands in {where}, which may depend on {''.join(listed)} only." in s.validate()


def test_what_rolls_restrains_velocities_linearly():
    s, _ = arm()
    q = s.coordinates_by_name["arm.angle"].symbols
    s.constrain_velocity("still", q.position - 1.0)
    s.constrain_velocity("square", q.velocity * q.velocity - 1.0)
    assert s.validate() == [
        "Constraint 'still' restrains no velocity. Give it to system.constrain().",
        "Constraint 'square' is not linear in the velocities, as what rolls is.",
    ]


def test_a_spring_between_points_that_are_one():
    s, body = arm()
    s.spring(body, s.origin, 100.0)
    assert s.validate() == [
        "Load 'spring arm-origin': its two points are always in one place, so it has no direction."
    ]


def test_a_loop_closed_twice_over():
    def closing(s, p, q):
        s.close(p, q, "pin")
        s.distance(p, s.point("far", r=[1, 0, 0]), 0.6, "rod")  # the rocker keeps it already

    s = four_bar(lambda s, p, q: (s.close(p, q, "pin"), s.close(q, p, "again")))
    assert s.validate() == [
        "The mechanism is over-closed: 'again[0]', 'again[1]' follow from the constraints before, at every "
        "state. Remove them, or close the loop with a joint that leaves more motion."
    ]
    # what follows only where the other constraints hold is left to the solver of redundant equations
    assert four_bar(closing).validate() == []


def test_one_equation_too_many():
    s = four_bar(lambda s, p, q: s.close(p, q, "pin"))
    q = [placement.symbols.position for placement in s.coordinates_by_name.values()]
    s.constrain("gear", q[0] - q[2])
    s.constrain("gear back", q[2] - q[0])
    assert s.validate() == [
        "The mechanism is over-closed: 'gear back' follows from the constraints before, at every state. "
        "Remove it, or close the loop with a joint that leaves more motion."
    ]


def test_two_constraints_of_one_name():
    s = four_bar(lambda s, p, q: (s.close(p, q, "pin"), s.constrain("pin", s.coordinate("spare"))))
    assert s.validate() == ["Constraint 'pin' is there 2 times. Remove all but one, or name them apart."]


def test_nothing_can_move():
    s = bl.System("rock")
    s.weld(s.ground, s.body("rock", 1.0))
    assert s.validate() == ["It has no coordinates: nothing can move. Add a joint or a coordinate."]


# all at once


def test_every_fault_is_told_at_once():
    s, body = arm(mass=0.0)
    heavy = s.body("heavy", -1.0)
    s.revolute(body, heavy)
    s.close(body, s.origin, "idle")
    s.constrain("never", bl.constant(s.graph, 1.0))
    s.force(body, [s.graph.symbol("F"), 0, 0])
    s.gravity([0, math.nan, 0])
    with pytest.raises(ValueError, match=r"^System 'rig' has 6 fault\(s\):\n1\. ") as caught:
        s.model()
    told = [line.split(" ", 1)[1] for line in str(caught.value).splitlines()[1:]]
    assert told == s.validate()
    assert [fault[:24] for fault in told] == [
        "Body 'arm' has inertia b",
        "Body 'heavy' has the neg",
        "Constraint 'idle' is ful",
        "Constraint 'never': the ",
        "Symbol 'F', used in load",
        "A number in gravity is n",
    ]


def test_faults_of_bodies_are_told_though_others_have_no_place():
    s, _ = arm(mass=0.0, inertia=[0.1, 0.1, 0.5])
    s.body("spare", -1.0)
    s.body("lost", s.graph.symbol("m"), com=[math.nan, 0, 0])
    assert [fault[:24] for fault in s.validate()] == [
        "Body 'spare' has no plac",
        "Body 'lost' has no place",
        "Body 'arm' has inertia b",
        "Body 'spare' has the neg",
        "Symbol 'm', used in body",
        "A number in body 'lost' ",
    ]
