"""Wrong calls of a system say what, where, what was given and what to do, when they are made.

What only the whole system shows is in test_validation.
"""

import math

import pytest

import biela as bl


def rig():
    """A system with a body on a hinge and one that has no place yet."""
    s = bl.System("rig")
    s.revolute(s.ground, s.body("arm", 1.0, inertia=[0, 0.1, 0.1]))
    s.body("rod", 1.0)
    return s


def elsewhere():
    """Another system, with a coordinate of the same name, a parameter, a body, a base and a point."""
    s = rig()
    s.parameter("k", 1.0)
    s.base("tilted", axis="x", angle=0.1)
    s.point("far")
    return s


def foreign(name):
    return elsewhere().graph.symbol(name)


ANOTHER = r"belongs to another system than 'rig'\."
NAME = "a name has letters, digits and underscores, beginning with a letter"

NAMES = {
    "a system with a blank": (lambda s: bl.System("four bar"), f"System 'four bar': {NAME}. Try 'four_bar'."),
    "a system with a dot": (lambda s: bl.System("four.bar"), f"System 'four.bar': {NAME}. Try 'four_bar'."),
    "a body with a blank": (
        lambda s: s.body("rear wheel"),
        f"Body 'rear wheel': {NAME}, qualified with dots like 'leg3.rod'. Try 'rear_wheel'.",
    ),
    "a body with a hyphen": (lambda s: s.body("rear-wheel"), "Try 'rear_wheel'."),
    "a body that begins with a digit": (lambda s: s.body("2nd"), "Body '2nd': a name has"),
    "a body without a name": (lambda s: s.body(""), "Body '': a name has"),
    "a natural body": (
        lambda s: bl.Natural(s).bar("the rod", s.origin, s.point("A", r=[1, 0, 0])),
        "Body 'the rod': a name has",
    ),
    "a coordinate": (lambda s: s.coordinate("my angle"), "System 'rig', symbol 'my angle': a name has"),
    "a parameter": (lambda s: s.parameter("m-2"), "System 'rig', symbol 'm-2': a name has"),
    "an input": (lambda s: s.input("a b"), "System 'rig', symbol 'a b': a name has"),
    "an unknown": (lambda s: s.unknown("a b"), "System 'rig', symbol 'a b': a name has"),
    "two bodies": (lambda s: s.body("arm"), "System 'rig': there is a body 'arm' already. Choose another"),
    "a body and a base": (
        lambda s: (s.base("leg", axis="x", angle=0.1), s.body("leg")),
        "System 'rig': there is a base 'leg' already.",
    ),
    "a body and a point": (
        lambda s: (s.point("leg"), s.body("leg")),
        "System 'rig': there is a point 'leg' already.",
    ),
    "a base and a body": (lambda s: s.base("arm", axis="x", angle=0.1), "there is a base 'arm' already"),
    "a natural body and a body": (
        lambda s: bl.Natural(s).bar("arm", s.origin, s.point("A", r=[1, 0, 0])),
        "there is a body 'arm' already",
    ),
    "a parameter and a coordinate": (
        lambda s: s.parameter("arm.angle"),
        "System 'rig': 'arm.angle' is already the name of a coordinate.",
    ),
}

UNKNOWN = {
    "a base": (
        lambda s: s.base("hand", "amr", axis="x", angle=0.1),
        "Base 'hand': there is no base 'amr' in system 'rig'. Known: ground, arm, rod. Did you mean 'arm'?",
    ),
    "the base of a point": (lambda s: s.point("A", base="hand"), "Point 'A': there is no base 'hand'"),
    "a point": (
        lambda s: s.point("A", "orign"),
        "Point 'A': there is no point 'orign' in system 'rig'. Known: origin, arm, rod. Did you mean "
        "'origin'?",
    ),
    "a body": (lambda s: s.force("amr", [1, 0, 0]), "There is no body 'amr' in system 'rig'."),
    "a joint": (
        lambda s: s.joint("revolut", "arm", "rod"),
        "There is no joint 'revolut' in system 'rig'. Known: revolute, prismatic, cylindrical, screw, "
        "universal, spherical, planar, free, weld. Did you mean 'revolute'?",
    ),
    "a coordinate of a drive": (
        lambda s: s.drive("angle", s.time),
        "Drive: there is no coordinate 'angle' in system 'rig'. Known: arm.angle. Did you mean 'arm.angle'?",
    ),
    "a parameter driven": (
        lambda s: s.drive(s.parameter("k", 1.0), s.time),
        "Drive: 'k' is no coordinate of system 'rig'. Known: arm.angle.",
    ),
    "an expression driven": (
        lambda s: s.drive(2 * s.coordinates_by_name["arm.angle"].symbols.position, s.time),
        "Drive: '2*arm.angle' is no coordinate of system 'rig'. Known: arm.angle.",
    ),
    "a coordinate with an effort": (
        lambda s: s.effort("angle", 1.0),
        "Effort: there is no coordinate 'angle'",
    ),
    "a coordinate with a spring": (
        lambda s: s.torsion_spring("angle", 1.0),
        "Torsion spring: there is no coordinate 'angle'",
    ),
    "a coordinate with a motor": (lambda s: s.motor("angle", "torque"), "Effort: there is no coordinate"),
    "an axis": (
        lambda s: s.revolute("arm", "rod", axis="w"),
        "Joint 'arm-rod': Axis 'w': expected x, y, z, -x, -y, -z or a vector of 3.",
    ),
    "a letter of a sequence": (
        lambda s: s.base("hand", euler="xyw", angles=[1, 2, 3]),
        "Base 'hand': Axis 'w': expected x, y, z",
    ),
    "a point of reference": (lambda s: s.body("leg", about="com2"), "Body 'leg': about='com2'; expected"),
    "a kind of load": (
        lambda s: (s.revolute("arm", "rod"), s.force("arm", [1, 0, 0], kind="wind"), s.model()),
        "Load 'force on arm': unknown kind 'wind'. Known: external, constitutive, actuator, constraint.",
    ),
    "a formalism": (lambda s: (s.revolute("arm", "rod"), s.model("direkt")), "Unknown formalism 'direkt'."),
    "a rule": (lambda s: (s.revolute("arm", "rod"), s.model(rule="upp")), "Unknown rule 'upp'."),
    "a sign": (lambda s: (s.revolute("arm", "rod"), s.model(sign=2)), "sign=2: expected 1, for a positive"),
}

JOINTS = {
    "a pitch of a hinge": (
        lambda s: s.revolute("arm", "rod", pitch=0.1),
        "Joint 'arm-rod': a revolute joint has no pitch: leave it out.",
    ),
    "a screw without a pitch": (
        lambda s: s.joint("screw", "arm", "rod"),
        "Joint 'arm-rod': a screw joint wants pitch=, its advance a turn.",
    ),
    "a body and itself": (
        lambda s: s.revolute("arm", "arm"),
        "A revolute joint from 'arm' to 'arm': they are one body.",
    ),
    "the ground as the child": (
        lambda s: s.revolute("arm", s.ground),
        "A revolute joint from 'arm' to 'ground': the ground never moves, so name it first.",
    ),
    "too many coordinates": (
        lambda s: s.revolute("arm", "rod", coordinates=["a", "b"]),
        "A revolute joint has 1 coordinate; got 2 for 'rod'.",
    ),
    "too many coordinates of a universal joint": (
        lambda s: s.universal("arm", "rod", coordinates=["a", "b", "c"]),
        "A universal joint has 2 coordinates; got 3 for 'rod'.",
    ),
    "coordinates of a loop": (
        lambda s: (s.revolute("arm", "rod"), s.revolute(s.ground, "rod", coordinates="a")),
        "Joint 'ground-rod' closes a loop, so coordinates= has no meaning: leave it out.",
    ),
    "coordinates of a quaternion": (
        lambda s: s.spherical("arm", "rod", quaternion=True, coordinates=["a", "b", "c", "d"]),
        "Joint 'arm-rod' turns by a quaternion, so coordinates= has no meaning: leave it out.",
    ),
    "a quaternion of a hinge": (
        lambda s: s.revolute("arm", "rod", quaternion=True),
        "A revolute joint has no quaternion: spherical and free joints have.",
    ),
    "a symbolic axis alone": (
        lambda s: s.universal("arm", "rod", axis=[s.parameter("n", 1.0), 0, 0]),
        "Joint 'arm-rod': The axis [n, 0, 0] is symbolic: give the second axis of the joint too.",
    ),
    "an axis without direction": (
        lambda s: s.revolute("arm", "rod", axis=[0, 0, 0]),
        "Joint 'arm-rod': The axis [0, 0, 0] has no direction.",
    ),
    "axes that are not square": (
        lambda s: s.universal("arm", "rod", axis="x", second=[1, 1, 0]),
        "Joint 'arm-rod': The two axes [1, 0, 0] and ",
    ),
}

SHAPES = {
    "a place of a point": (
        lambda s: s.point("A", r=[1, 0]),
        "Point 'A': expected 3 components, got shape (2,).",
    ),
    "a mass centre": (
        lambda s: s.body("leg", com=[1, 0]),
        "Body 'leg': expected 3 components, got shape (2,)",
    ),
    "a first moment": (
        lambda s: s.body("leg", first_moment=[1, 0]),
        "Body 'leg': expected 3 components, got",
    ),
    "an inertia": (
        lambda s: s.body("leg", inertia=[1, 0]),
        "Body 'leg': inertia is a 3x3 tensor, three principal moments, or (xx, yy, zz, xy, xz, yz); got "
        "shape (2,).",
    ),
    "an inertia that is not symmetric": (
        lambda s: s.body("leg", inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
        "Body 'leg': the inertia tensor is not symmetric: entry (0, 1) is '0.1', (1, 0) is '0'.",
    ),
    "a place on the parent": (lambda s: s.revolute("arm", "rod", at=[1, 0]), "A place on 'arm' has 3 comp"),
    "a place on the child": (
        lambda s: s.revolute("arm", "rod", to=[1, 0]),
        "Joint 'arm-rod': expected 3 components, got shape (2,).",
    ),
    "an axis": (
        lambda s: s.revolute("arm", "rod", axis=[1, 0]),
        "Joint 'arm-rod': An axis has 3 components; got shape (2,).",
    ),
    "a force": (lambda s: s.force("arm", [1, 0]), "Vector: expected 3 components, got shape (2,)."),
    "gravity": (lambda s: s.gravity([0, -9.81]), "Gravity: expected 3 components, got shape (2,)."),
    "a matrix": (lambda s: s.base("hand", matrix=[[1, 0], [0, 1]]), "Base 'hand': A rotation matrix is 3x3;"),
    "a matrix that stretches": (
        lambda s: s.base("hand", matrix=[[1, 0, 0], [0, 2, 0], [0, 0, 1]]),
        "Base 'hand': The matrix is no rotation: its columns are not square, right-handed unit vectors.",
    ),
    "a matrix that mirrors": (
        lambda s: s.base("hand", matrix=[[1, 0, 0], [0, 1, 0], [0, 0, -1]]),
        "Base 'hand': The matrix is no rotation",
    ),
    "a quaternion": (
        lambda s: s.base("hand", quaternion=[1, 2, 3]),
        "Base 'hand': A quaternion has 4 components, scalar first; got 3.",
    ),
    "a sequence": (
        lambda s: s.base("hand", euler="xyz", angles=[1, 2]),
        "Base 'hand': sequence 'xyz' wants 3 angles, got 2.",
    ),
    "no description of a base": (lambda s: s.base("hand"), "Base 'hand': give one of axis and angle, matrix"),
    "an axis without an angle": (lambda s: s.base("hand", axis="x"), "Base 'hand': an axis wants an angle."),
    "an origin without a base": (
        lambda s: s.body("leg", origin=s.origin),
        "Body 'leg': give both origin and base, or neither and place it by a joint.",
    ),
    "a mass that is nan": (
        lambda s: s.body("leg", math.nan),
        "Mass of body 'leg': expected a finite number, got nan.",
    ),
    "a start that is infinite": (
        lambda s: s.coordinate("q", math.inf),
        "Coordinate 'q': expected a finite number, got inf.",
    ),
    "an effort that is nan": (
        lambda s: s.effort("arm.angle", math.nan),
        "Effort on 'arm.angle': expected a finite number, got nan.",
    ),
    "a parameter that is nan": (
        lambda s: s.parameter("k", math.nan),
        "Parameter 'k': expected a finite number, got nan.",
    ),
}

FOREIGN = {
    "a mass": (lambda s: s.body("leg", foreign("k")), "Body 'leg': 'k' "),
    "a mass centre": (lambda s: s.body("leg", com=[foreign("k"), 0, 0]), "Body 'leg': 'k' "),
    "an inertia": (lambda s: s.body("leg", inertia=[foreign("k"), 0, 0]), "Body 'leg': 'k' "),
    "a place": (lambda s: s.point("A", r=[0, foreign("k"), 0]), "Point 'A': 'k' "),
    "an angle": (lambda s: s.base("hand", axis="x", angle=foreign("k")), "Base 'hand': 'k' "),
    "a matrix": (lambda s: s.base("hand", matrix=[[foreign("k"), 0, 0]]), "Base 'hand': 'k' "),
    "gravity": (lambda s: s.gravity([0, -foreign("k"), 0]), "Gravity: '-k' "),
    "an axis": (lambda s: s.revolute("arm", "rod", axis=[foreign("k"), 0, 0]), "Joint 'arm-rod': 'k' "),
    "a given coordinate": (
        lambda s: s.revolute("arm", "rod", coordinates=foreign("k")),
        "Joint 'arm-rod': 'k' ",
    ),
    "a constraint": (lambda s: s.constrain("gear", foreign("k")), "Constraint 'gear': 'k' "),
    "rolling": (lambda s: s.constrain_velocity("roll", foreign("k")), "Constraint 'roll': 'k' "),
    "a distance": (lambda s: s.distance("arm", s.origin, foreign("k"), "rope"), "Constraint 'rope': 'k' "),
    "a start": (lambda s: s.start(foreign("k")), "Start: 'k' "),
    "a start of speeds": (lambda s: s.start_velocity(foreign("k")), "Start: 'k' "),
    "a coordinate driven": (lambda s: s.drive(foreign("arm.angle"), s.time), "Drive: 'arm.angle' "),
    "a prescribed motion": (lambda s: s.drive("arm.angle", foreign("k")), "drive of arm.angle: 'k' "),
    "an effort": (lambda s: s.effort("arm.angle", foreign("k")), "Effort on 'arm.angle': 'k' "),
    "a coordinate with an effort": (lambda s: s.effort(foreign("arm.angle"), 1.0), "Effort: 'arm.angle' "),
    "a torsion spring": (
        lambda s: s.torsion_spring("arm.angle", foreign("k")),
        "Torsion spring on 'arm.angle': 'k' ",
    ),
    "a stiffness": (lambda s: s.spring("arm", s.origin, foreign("k")), "Load 'spring arm-origin': 'k' "),
    "an actuator": (lambda s: s.actuator("arm", s.origin, foreign("k")), "Load 'actuator arm-origin': 'k' "),
    "a force": (lambda s: s.force("arm", [foreign("k"), 0, 0]), "Vector: 'k' "),
    "a force on a body": (lambda s: s.force(elsewhere().bodies["arm"], [1, 0, 0]), "Body 'arm' "),
    "the base of a moment": (
        lambda s: s.moment("arm", [1, 0, 0], base=elsewhere().bases["tilted"]),
        "Vector: base 'tilted' ",
    ),
    "the end of a spring": (
        lambda s: s.spring("arm", elsewhere().points["far"], 1.0),
        "spring: point 'far' ",
    ),
    "the end of a loop": (lambda s: s.close("arm", elsewhere().points["far"]), "Loop: point 'far' "),
    "a joint": (lambda s: s.revolute("arm", elsewhere().bodies["rod"]), "Body 'rod' "),
    "a parent": (
        lambda s: s.base("hand", elsewhere().bases["tilted"], axis="x", angle=0.1),
        "Base 'hand': base 'tilted' ",
    ),
    "an origin": (
        lambda s: s.body("leg", origin=elsewhere().points["far"], base=s.base("turned", axis="x", angle=0.1)),
        "Body 'leg': point 'far' ",
    ),
}

TYPES = {
    "a place on the body that is placed": (
        lambda s: s.revolute("arm", "rod", to=s.point("far")),
        "Joint 'arm-rod': expected 3 components, got Point <Point far>.",
    ),
    "an inertia that is a number": (
        lambda s: s.body("disc", 1.0, inertia=0.1),
        "got '0.1' alone",
    ),
    "a name of a system": (lambda s: bl.System(3), "System: a name is a str; got int 3."),
    "a name of a body": (lambda s: s.body(3), "Body: a name is a str; got int 3."),
    "a name of a coordinate": (
        lambda s: s.revolute("arm", "rod", coordinates=3.0),
        "System 'rig', symbol: a name is a str; got float 3.0.",
    ),
    "a body": (lambda s: s.revolute(3, "rod"), "Expected a body or the name of one; got int 3."),
    "a point": (lambda s: s.point("A", 3), "Point 'A': expected a point or the name of one; got int 3."),
    "a base": (lambda s: s.point("A", base=3), "Point 'A': expected a base or the name of one; got int 3."),
    "gravity": (lambda s: s.gravity(-9.81), "Gravity: expected 3 components, got float -9.81."),
    "a mass": (lambda s: s.body("leg", "1"), "Mass of body 'leg': expected a number, got str '1'."),
    "a parameter": (lambda s: s.parameter("k", [1]), "Parameter 'k': expected a number, got list [1]."),
    "a coordinate driven": (
        lambda s: s.drive(3, s.time),
        "Drive: expected a coordinate or the name of one; ",
    ),
    "an effort": (
        lambda s: s.effort("arm.angle", "1"),
        "Effort on 'arm.angle': expected a number, got str '1'.",
    ),
    "a constraint": (
        lambda s: s.constrain("gear", 1.0),
        "Constraint 'gear': expected expressions, got float 1.0.",
    ),
    "rolling": (
        lambda s: s.constrain_velocity("roll", 1.0),
        "Constraint 'roll': expected expressions, got fl",
    ),
    "a name of a base": (lambda s: s.base(3, axis="x", angle=0.1), "Base: a name is a str; got int 3."),
    "a misspelt option": (lambda s: s.revolute("arm", "rod", axsi="x"), "unexpected keyword argument 'axsi'"),
}


def table(rows, error, ending=""):
    return [pytest.param(call, error, told + ending, id=name) for name, (call, told) in rows.items()]


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        *table(NAMES, ValueError),
        *table(UNKNOWN, ValueError),
        *table(JOINTS, ValueError),
        *table(SHAPES, ValueError),
        *table(FOREIGN, ValueError, "belongs to another system than 'rig'."),
        *table(TYPES, TypeError),
    ],
)
def test_a_wrong_call_is_told(call, error, told):
    with pytest.raises(error) as caught:
        call(rig())
    assert told in str(caught.value)


def test_names_qualified_with_dots_reach_every_function():
    s = bl.System("leg3")
    s.revolute(s.ground, s.body("leg3.upper_rod", 1.0, inertia=[0.1, 0.1, 0.1]), name="hip joint (left)")
    model = s.model()
    assert model.functions["reactions"].outputs[0].name == "hip_joint_left"
    assert model.reaction("hip joint (left)").name == "leg3_reaction_hip_joint_left"


def test_a_coordinate_may_be_named_instead_of_given():
    forces = []
    for by_name in (True, False):
        s = rig()
        s.revolute("arm", "rod")
        q = s.coordinates_by_name["rod.angle"].symbols.position
        s.drive("arm.angle" if by_name else s.coordinates_by_name["arm.angle"].symbols.position, s.time)
        s.torsion_spring("rod.angle" if by_name else q, 3.0, 0.5)
        s.motor("rod.angle" if by_name else q, "torque")
        model = s.model()
        forces.append(str(model.delta[1]))
        assert len(model.phi) == 1
    assert forces[0] == forces[1]
    assert "torque" in forces[0]
