"""Models written into files and read again: the equations of motion stay."""

import numpy as np
import pytest

import biela as bl
from biela.description import read, read_urdf, write_description
from biela.description.writing import document_of

SAYABLE = [
    "andrews_squeezer", "arm6", "bricard", "cart_pole", "double_four_bar", "five_bar", "four_bar",
    "four_bar_rod", "n_pendulum", "slider_crank", "spatial_slider_crank",
]  # fmt: skip


def residuals(model, q, dq):
    """M, delta and the equations of position at a state."""
    state = bl.State(model, q, dq, 0.3, model.p, model.u)
    return [state.value("M"), state.value("delta"), *([state.value("Phi")] if len(model.phi) else [])]


@pytest.mark.parametrize("name", SAYABLE)
def test_mechanisms_come_back(name, tmp_path):
    suffix = "toml" if SAYABLE.index(name) % 2 else "yaml"
    own = bl.mechanisms.MECHANISMS[name]().model()
    model = read(write_description(own, tmp_path / f"a.{suffix}")).model()
    assert [c.name for c in model.placements] == [c.name for c in own.placements]
    assert [c.value for c in model.placements] == [c.value for c in own.placements]
    assert [(o.name, o.value, o.unit, o.note) for o in model.parameters] == [
        (o.name, o.value, o.unit, o.note) for o in own.parameters
    ]
    rng = np.random.default_rng(1)
    q = np.array([c.value for c in own.placements]) + 0.1 * rng.normal(size=len(own.q))
    dq = rng.normal(size=len(q))
    for mine, wanted in zip(residuals(model, q, dq), residuals(own, q, dq), strict=True):
        assert np.abs(mine - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max())


def test_loads_frames_and_time_come_back(tmp_path):
    s = bl.System("loaded")
    k, t = s.parameter("k", 30.0), s.time
    tilted = s.base("tilted", axis="x", angle=0.4)
    block = s.body("block", mass=2, inertia=[0.1, 0.2, 0.3])
    arm = s.body("arm", mass=1, com=[0, 0, -0.3], inertia=[0.1, 0.1, 0.01])
    s.prismatic(s.ground, block, axis="y", frame=tilted)
    s.revolute(block, arm, at=[0, 0, 0.1], axis=[1, 1, 0])
    s.spring(s.point("hook", r=[0, -1, 0]), s.point("eye", block, [0, 0, 0.2], block), k, 0.8, 0.3)
    s.force(arm, [0, bl.sin(t), 0], at=[0, 0, -0.5])
    s.moment(arm, [0.1, 0, 0], by=block)
    x = s.coordinates_by_name["block.distance"].symbols.position
    s.effort(x, bl.coulomb(x.dt(), 0.3))
    s.drive("arm.angle", 0.2 * t)
    own = s.model()
    system = read(write_description(own, tmp_path / "a.toml"))
    model = system.model()
    assert "eye" in system.points
    q, dq = np.array([0.3, -0.4]), np.array([0.5, 0.7])
    for mine, wanted in zip(residuals(model, q, dq), residuals(own, q, dq), strict=True):
        assert np.abs(mine - wanted).max() < 1e-10


def test_a_robot_goes_from_urdf_to_a_description(tmp_path):
    text = (
        "<robot name='r'><link name='g'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
        "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
        "<joint name='j' type='continuous'><parent link='g'/>"
        "<child link='a'/><origin xyz='1 0 0' rpy='0.1 0.2 0.3'/><axis xyz='0 0 1'/></joint></robot>"
    )
    own = read_urdf(text).system.model()
    model = read(write_description(own, tmp_path / "r.toml")).model()
    q, dq = np.array([0.3]), np.array([0.5])
    for mine, wanted in zip(residuals(model, q, dq), residuals(own, q, dq), strict=True):
        assert np.abs(mine - wanted).max() < 1e-12


def test_what_a_file_cannot_say_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"no joint places \(frame, fork\); equations of velocity"):
        document_of(bl.mechanisms.whipple_bicycle().model())
    with pytest.raises(ValueError, match=r"natural bodies \("):
        document_of(bl.mechanisms.four_bar_natural().model())
    with pytest.raises(ValueError, match=r"one of .toml"):
        write_description(bl.mechanisms.pendulum().model(), tmp_path / "a.txt")
