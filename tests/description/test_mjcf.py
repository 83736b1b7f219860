"""MJCF against MuJoCo's own accelerations."""

import numpy as np
import pytest

import biela as bl
from biela.description import read_mjcf

mujoco = pytest.importorskip("mujoco")

TREE = """<mujoco model="tree">
  <compiler angle="degree"/>
  <option gravity="0.3 0 -9.81"/>
  <worldbody>
    <body name="a" pos="0.1 0.2 0.3" euler="10 20 30">
      <joint name="ax" type="hinge" axis="1 0 0.3" pos="0.05 0 0.1" damping="0.4" armature="0.03"/>
      <joint name="ay" type="hinge" axis="0 1 0" ref="15" stiffness="3" springref="20"/>
      <inertial pos="0.1 0 0.2" mass="2" fullinertia="0.05 0.06 0.04 0.002 -0.001 0.003"/>
      <body name="b" pos="0.4 0 0" quat="0.9 0.1 -0.2 0.3">
        <joint name="bs" type="slide" axis="0 1 1" damping="0.2"/>
        <inertial pos="0 0.1 0" euler="5 0 40" mass="0.8" diaginertia="0.01 0.02 0.015"/>
        <body name="c" pos="0 0 0.3">
          <inertial pos="0 0 0.1" mass="0.3" diaginertia="0.001 0.001 0.001"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="ax" gear="2.5"/></actuator>
</mujoco>"""

LOOP = """<mujoco model="four_bar">
  <compiler angle="radian"/>
  <option gravity="0 -9.81 0"/>
  <default><equality solimp="0.9999 0.9999 0.001"/></default>
  <worldbody>
    <body name="crank"><joint name="q1" axis="0 0 1"/>
      <inertial pos="0.06 0 0" mass="2" diaginertia="0.01 0.02 0.03"/>
      <body name="coupler" pos="0.12 0 0"><joint name="q2" axis="0 0 1"/>
        <inertial pos="0.27 0 0" mass="0.4" diaginertia="0.001 0.01 0.01"/>
        <site name="end" pos="0.54 0 0"/></body></body>
    <body name="rocker" pos="{base}"><joint name="q3" axis="0 0 1"/>
      <inertial pos="0.2275 0 0" mass="1.23" diaginertia="0.001 0.02 0.02"/>
      <site name="top" pos="0.455 0 0"/>{tip}</body>
  </worldbody>
  <equality>{equality}</equality>
</mujoco>"""
TIP = """<body name="tip" pos="0.455 0 0"><joint name="q4" axis="0 0 1"/>
  <inertial pos="0.02 0 0" mass="0.1" diaginertia="0.001 0.001 0.001"/></body>"""
TURN = "0.9238795325112867 0 0 0.3826834323650898"
LOOPS = {  # by kind: what is welded on, the constraint, the angle to start from
    "connect": ("", '<connect name="loop" body1="coupler" body2="rocker" anchor="0.54 0 0"/>', 0.3),
    "sites": ("", '<connect name="loop" site1="end" site2="top"/>', 0.9),
    "weld": (TIP, f'<weld name="loop" body1="coupler" body2="tip" relpose="0.54 0 0 {TURN}"/>', 0.9),
    "joint": ("", '<joint name="loop" joint1="q3" joint2="q1" polycoef="0.2 0.5 0.3 0 0"/>', 0.9),
}


def mass_matrix(m, d):
    M = np.zeros((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, d, M)
    except TypeError:  # before version 4
        mujoco.mj_fullM(m, M, d.qM)
    return M


def test_a_tree_accelerates_as_in_mujoco():
    found = read_mjcf(TREE)
    model = found.system.model()
    names = [c.name for c in model.placements]
    assert names == ["ax", "ay", "bs"]
    m = mujoco.MjModel.from_xml_string(TREE)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(2)
    for _ in range(5):
        d.qpos[:], d.qvel[:], d.ctrl[:] = rng.normal(size=3), rng.normal(size=3), 0.7
        mujoco.mj_forward(m, d)
        state = bl.State(model, d.qpos.copy(), d.qvel.copy(), 0.0, model.p, np.array([0.7]))
        assert np.abs(state.value("M") - mass_matrix(m, d)).max() < 1e-9
        assert np.abs(state.value("ddq") - d.qacc).max() < 1e-8
    assert model.placements[1].value == m.qpos0[1]


@pytest.mark.parametrize("kind", LOOPS)
def test_loops_are_those_of_mujoco_made_rigid(kind):
    """At rest: M a + J' l = f and J a = 0, with MuJoCo's own M, f and J; its soft answer is near."""
    tip, equality, angle = LOOPS[kind]
    text = LOOP.format(equality=equality, tip=tip, base="0.5 0.3 0" if kind == "connect" else "0.8 0 0")
    model = read_mjcf(text).system.model()
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    start = bl.assemble(model, q1=angle)
    d.qpos[:] = start.q
    mujoco.mj_forward(m, d)
    assert np.abs(d.efc_pos[: d.ne]).max() < 1e-9
    J = np.asarray(d.efc_J).reshape(-1, m.nv)[: d.ne] if not mujoco.mj_isSparse(m) else None
    M = mass_matrix(m, d)
    free = np.linalg.solve(M, d.qfrc_smooth)
    G = J @ np.linalg.solve(M, J.T)
    a = free - np.linalg.solve(M, J.T @ np.linalg.lstsq(G, J @ free, rcond=1e-10)[0])
    mine = start.value("ddq").ddq
    assert np.abs(mine - a).max() < 1e-8 * max(1.0, np.abs(a).max())
    assert np.abs(mine - d.qacc).max() < 2e-2 * max(1.0, np.abs(free).max())


def test_balls_and_free_joints_fall_as_in_mujoco():
    text = """<mujoco><worldbody>
      <body name="a" pos="0 0 1"><freejoint name="f"/>
        <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.3"/>
        <body name="b" pos="0.3 0 0"><joint name="s" type="ball" pos="0 0.1 0"/>
          <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.03"/></body></body>
      </worldbody></mujoco>"""
    model = read_mjcf(text).system.model()
    start = bl.assemble(model, {"a.x": 0.0})
    start = bl.State(model, start.q, _spin(model), 0.0, model.p, model.u)
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.timestep, m.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_RK4
    d = mujoco.MjData(m)
    d.qvel[3:6], d.qvel[6:9] = [0.4, -0.2, 0.6], [0.2, 0.8, -0.4]
    mujoco.mj_step(m, d, 200)
    end = bl.Simulation(model, dt=1e-3).run(start, 0.2)
    names = [c.name for c in model.placements]
    got = [end[name][-1] for name in ("a.x", "a.y", "a.z", *(f"{b}.e{k}" for b in "ab" for k in range(4)))]
    assert len(names) == 11
    assert np.abs(np.array(got) - d.qpos).max() < 1e-7


def _spin(model):
    """A quaternion 1 changes by half the angular velocity."""
    rates = {"a.e1": 0.2, "a.e2": -0.1, "a.e3": 0.3, "b.e1": 0.1, "b.e2": 0.4, "b.e3": -0.2}
    return np.array([rates.get(c.name, 0.0) for c in model.placements])


def test_what_is_left_out_is_told():
    text = TREE
    for old, new in (
        ("</actuator>", '<position name="servo" joint="ay"/></actuator>'),
        ('<inertial pos="0 0 0.1"', '<geom name="g" size="0.1"/><inertial pos="0 0 0.1"'),
        ('type="slide"', 'type="slide" frictionloss="0.2" range="-1 1" limited="true"'),
    ):
        text = text.replace(old, new)
    found = read_mjcf(text)
    told = " ".join(found.notes)
    assert "contacts are left out" in told
    assert "'servo' is no motor" in told
    assert "smoothed" in told
    assert found.limits["bs"][:2] == (-1.0, 1.0)
    with pytest.raises(ValueError, match="XML"):
        read_mjcf("<mujoco><nonsense/></mujoco>")
