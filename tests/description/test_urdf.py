"""URDF against Pinocchio: mass matrix, places, inverse dynamics; and what is refused."""

import numpy as np
import pinocchio as pin
import pytest

import biela as bl
from biela.description import DescriptionError, read_urdf

ARM = """<robot name="arm-1">
  <link name="base"/>
  <link name="upper-arm">
    <inertial><origin xyz="0.1 0.02 0.2" rpy="0.3 -0.2 0.5"/><mass value="3.2"/>
      <inertia ixx="0.05" ixy="0.002" ixz="-0.004" iyy="0.04" iyz="0.003" izz="0.03"/></inertial>
  </link>
  <link name="box">
    <inertial><origin xyz="0 0.1 0" rpy="0 0.4 0"/><mass value="0.7"/>
      <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.002"/></inertial>
  </link>
  <link name="fore_arm">
    <inertial><origin xyz="0.2 0 0"/><mass value="1.5"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial>
  </link>
  <link name="slide"><inertial><mass value="0.4"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0.1 0.5" rpy="0.1 0.2 -0.3"/><parent link="base"/><child link="upper-arm"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2.5" effort="30" velocity="4"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
  <joint name="strap" type="fixed">
    <origin xyz="0.05 0 0.1" rpy="0.7 0 0.2"/><parent link="upper-arm"/><child link="box"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0.3 0 0.1" rpy="0 1.2 0"/><parent link="box"/><child link="fore_arm"/>
    <axis xyz="1 2 -1"/>
  </joint>
  <joint name="reach" type="prismatic">
    <origin xyz="0.4 0 0" rpy="0 0 0.6"/><parent link="fore_arm"/><child link="slide"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.3" effort="100" velocity="1"/>
  </joint>
  <joint name="mount" type="fixed">
    <origin xyz="0 0 0.05"/><parent link="slide"/><child link="tool"/>
  </joint>
</robot>"""


def pinocchio(text):
    model = pin.buildModelFromXML(text)
    return model, model.createData()


def configuration(model, q):
    """Pinocchio has a cosine and a sine for a continuous joint."""
    row = []
    for joint, value in zip(model.joints[1:], q, strict=True):
        row += [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
    return np.array(row)


@pytest.mark.parametrize("fixed", ["fuse", "keep"])
def test_an_arm_is_that_of_pinocchio(fixed):
    found = read_urdf(ARM, fixed=fixed)
    s = found.system
    model, (other, data) = s.model(), pinocchio(ARM)
    assert [c.name for c in model.placements] == ["shoulder", "elbow", "reach"]
    function = bl.Function("place", {"q": model.q}, {"p": list(s.position("tool").at(s.space.root))})
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, dq, ddq = rng.normal(size=(3, 3))
        x = configuration(other, q)
        state = bl.State(model, q, dq, 0.0, model.p, model.u)
        M = pin.crba(other, data, x)
        assert np.abs(state.value("M") - (np.triu(M) + np.triu(M, 1).T)).max() < 1e-9
        p = model.p.copy()
        for k, one in enumerate(model.parameters):
            p[k] = 0.0 if one.name.startswith("shoulder") else p[k]
        e = model.functions["e"].evaluate(q=q, dq=dq, ddq=ddq, p=p, u=model.u)
        assert np.abs(e - pin.rnea(other, data, x, dq, ddq)).max() < 1e-9
        pin.framesForwardKinematics(other, data, x)
        place = data.oMf[other.getFrameId("tool")].translation
        assert np.abs(function.evaluate(q=q) - place).max() < 1e-9


def test_damping_friction_limits_and_inputs():
    found = read_urdf(ARM)
    model = found.system.model()
    values = {one.name: one.value for one in model.parameters}
    assert values == {"g": 9.81, "shoulder.damping": 0.3, "shoulder.friction": 0.1}
    assert found.limits["shoulder"] == (-2.0, 2.5, 30.0, 4.0)
    assert [one.name for one in model.inputs] == ["shoulder.effort", "elbow.effort", "reach.effort"]
    q, dq, ddq = np.zeros(3), np.array([0.5, 0.0, 0.0]), np.zeros(3)
    lossy = model.functions["e"].evaluate(q=q, dq=dq, ddq=ddq, p=model.p, u=model.u)
    free = model.functions["e"].evaluate(q=q, dq=dq, ddq=ddq, p=model.p * [1, 0, 0], u=model.u)
    assert np.abs(lossy - free - [0.3 * 0.5 + 0.1, 0, 0]).max() < 1e-12


def test_a_floating_base_is_that_of_pinocchio():
    text = ARM.replace('<link name="base"/>', bar("base", x=0.0))
    model = read_urdf(text, floating=True).system.model()
    other = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    data, q = other.createData(), np.zeros(9)
    q[:3], q[6:] = [0.1, 0.2, 0.3], [0.5, -0.4, 0.2]
    state = bl.State(model, q, np.zeros(9), 0.0, model.p, model.u)
    names = [c.name for c in model.placements]
    order = [names.index(name) for name in ("shoulder", "elbow", "reach")]
    x = np.concatenate([_state(names, q, ["base.x", "base.y", "base.z"]), [0, 0, 0, 1]])
    angles = configuration_tail(other, [q[k] for k in order])
    M = pin.crba(other, data, np.concatenate([x, angles]))
    M = np.triu(M) + np.triu(M, 1).T
    mine = state.value("M")
    turn = [names.index(f"base.{k}") for k in ("x", "y", "z", "roll", "pitch", "yaw")]
    assert np.abs(mine[np.ix_([*turn, *order], [*turn, *order])] - M).max() < 1e-9


def _state(names, q, wanted):
    return [q[names.index(name)] for name in wanted]


def configuration_tail(model, q):
    row = []
    for joint, value in zip(list(model.joints)[2:], q, strict=True):
        row += [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
    return row


def hinge(name, parent, child, more="", xyz="0 0 -1", kind="revolute"):
    limit = '<limit effort="1" velocity="1" lower="-9" upper="9"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/>{limit}{more}</joint>'
    )


def bar(name, mass=1.0, x=0.5):
    return (
        f'<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>'
    )


def robot(*parts):
    return f"<robot name='r'>{''.join(parts)}</robot>"


def test_joints_that_mimic_follow():
    """M is J^T M' J, with M' of the free joints and J = (1, -2)."""
    links = '<link name="g"/>' + bar("a") + bar("b")
    mimic = '<mimic joint="one" multiplier="-2" offset="0.3"/><dynamics damping="0.5"/>'
    free = read_urdf(robot(links, hinge("one", "g", "a"), hinge("two", "a", "b")))
    tied = read_urdf(robot(links, hinge("one", "g", "a"), hinge("two", "a", "b", mimic)))
    model, other = tied.system.model(), free.system.model()
    assert [c.name for c in model.placements] == ["one"]
    whole = bl.State(other, np.array([0.4, -0.5]), np.zeros(2), 0.0, other.p, other.u).value("M")
    J = np.array([1.0, -2.0])
    state = bl.State(model, np.array([0.4]), np.zeros(1), 0.0, model.p, model.u)
    assert abs(state.value("M")[0, 0] - J @ whole @ J) < 1e-12
    q, dq, ddq = np.array([0.4]), np.array([0.7]), np.zeros(1)
    efforts, given = model.functions["e"].evaluate, {"q": q, "dq": dq, "ddq": ddq, "u": model.u}
    e = [efforts(p=model.p * k, **given) for k in ([1, 1], [1, 0])]
    assert abs(e[0] - e[1] - 0.5 * 4 * 0.7) < 1e-12


def test_planar_and_floating_joints():
    """A body with its mass centre at its origin: M is that of its mass and inertia."""
    free = robot('<link name="g"/>', bar("a", 2.0, 0.0), hinge("f", "g", "a", kind="planar"))
    model = read_urdf(free).system.model()
    assert [c.name for c in model.placements] == ["f.distance1", "f.distance2", "f.angle"]
    M = bl.assemble(model).value("M")
    assert np.abs(M - np.diag([2.0, 2.0, 0.02])).max() < 1e-12  # about y
    floating = free.replace("planar", "floating")
    model = read_urdf(floating).system.model()
    M = bl.assemble(model).value("M")
    names = [c.name for c in model.placements]
    assert names == [f"f.{k}" for k in ("x", "y", "z", "yaw", "pitch", "roll")]
    assert np.abs(M - np.diag([2.0, 2.0, 2.0, 0.02, 0.02, 0.01])).max() < 1e-12
    turned = read_urdf(floating, quaternion=True).system.model()
    assert (len(turned.placements), turned.freedom) == (7, 6)


def test_loops_close_by_an_extension():
    """The four-bar of `biela.mechanisms`, as links in the plane of x and y."""
    own = bl.mechanisms.four_bar().model()
    values = {one.name: one.value for one in own.parameters}

    def link(name, mass, length, izz):
        return (
            f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/><inertia '
            f'ixx="0" ixy="0" ixz="0" iyy="{izz}" iyz="0" izz="{izz}"/></inertial></link>'
        )

    def joint(name, parent, child, x):
        return (
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>'
        )

    assert {"m1", "m2", "m3", "l1", "l2", "l3", "l4"} <= set(values), values
    v = values
    text = (
        "<robot name='four_bar'><link name='bench'/>"
        + link("crank", v["m1"], 0.0, v["m1"] * 0.14**2 / 2)
        + link("coupler", v["m2"], v["l2"], v["m2"] * v["l2"] ** 2 / 12)
        + link("rocker", v["m3"], v["l3"], v["m3"] * v["l3"] ** 2 / 12)
        + joint("crank_joint", "bench", "crank", 0.0)
        + joint("coupler_joint", "crank", "coupler", v["l1"])
        + joint("rocker_joint", "bench", "rocker", v["l4"])
        + '<loop name="close" type="revolute"><parent link="coupler"/><child link="rocker"/>'
        + f'<origin xyz="{v["l2"]} 0 0"/><child_origin xyz="{v["l3"]} 0 0"/><axis xyz="0 0 1"/>'
        + "</loop></robot>"
    )
    system = read_urdf(text).system
    system.gravity([0, -v["g"], 0])
    model = system.model()
    assert model.freedom == 1
    start = bl.assemble(own, crank=1.2)
    here = dict(zip([c.name for c in own.placements], start.q, strict=True))
    state = bl.State(
        model, np.array([here["crank"], here["coupler"], here["rocker"]]), np.zeros(3), 0.0, model.p, model.u
    )
    assert np.abs(state.value("Phi")).max() < 1e-12
    assert np.abs(state.value("ddq").ddq - start.value("ddq").ddq).max() < 1e-9


FAULTY = """<robot name="bad">
  <link name="a"/>
  <link name="b"/>
  <link name="b"/>
  <link name="c"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9"/>
  </inertial></link>
  <joint name="j" type="revolut"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="revolute"><parent link="bb"/><child link="c"/><axis xyz="0 0"/></joint>
  <joint name="l" type="revolute"><parent link="a"/><axis xyz="0 0 0"/></joint>
  <joint name="m" type="prismatic"><parent link="a"/><child link="c"/><mimic joint="nn"/></joint>
  <lnk name="d"/>
</robot>"""


def test_every_fault_is_told_with_its_line():
    with pytest.raises(DescriptionError) as told:
        read_urdf(FAULTY)
    for line, words in (
        (4, "a link 'b' already, on line 3"), (5, "mass -1 is negative"), (5, "exceeds the sum"),
        (7, "unknown type 'revolut'"), (7, "Did you mean 'revolute'"), (8, "link 'bb' that is not there"),
        (8, 'xyz="0 0" are not three numbers'), (9, "no <child"), (9, "axis is zero"),
        (10, "is carried by 'k' already"), (10, "mimics 'nn'"), (11, "unknown element <lnk>"),
    ):  # fmt: skip
        rows = [row for row in told.value.faults if row.startswith(f"line {line}: ")]
        assert any(words in row for row in rows), (words, str(told.value))


def test_missing_inertias_are_all_told_with_what_to_do():
    links = '<link name="g"/><link name="a"/><link name="b"/>' + bar("c")
    text = robot(links, hinge("one", "g", "a"), hinge("two", "a", "b"), hinge("three", "b", "c"))
    with pytest.raises(DescriptionError, match="2 faults") as told:
        read_urdf(text)
    assert all(f"link '{name}' has no <inertial>, and joint" in str(told.value) for name in "ab")
    assert "massless=True" in str(told.value)
    assert len(read_urdf(text, massless=True).system.model().placements) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "document type"),
        ('<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>', "document type"),
        ("<robot>" + "<link>" * 200, "nest deeper"),
        ("<robot><link></robot>", "no XML"),
        ("<sdf/>", "where <robot> is wanted"),
        ("<robot name='r'/>", "there is no link"),
    ],
)
def test_hostile_and_broken_files_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        read_urdf(text)


def test_loops_of_joints_are_told():
    text = robot('<link name="g"/>', bar("a"), bar("b"), hinge("x", "a", "b"), hinge("y", "b", "a"))
    with pytest.raises(DescriptionError, match="carry each other"):
        read_urdf(text)
    with pytest.raises(ValueError, match=r"no file 'nothing.urdf'"):
        read_urdf("nothing.urdf")
