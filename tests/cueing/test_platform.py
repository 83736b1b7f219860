"""Platforms: tabulated angles, both forms, inverse against forward, and against the multibody models."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biela.cueing import (
    PLATFORMS,
    Hexapod,
    Limits,
    RotaryHexapod,
    SerialArm,
    ThreeDof,
    TwoRSSU,
    source_002,
)
from biela.simulate import Simulation, assemble

DEG = np.pi / 180
ANGLES = {  # pitch, roll: crank angles, all in degrees
    (0, 0): (0, 0),
    (10, 0): (-16.9191223665, -16.9191223665),
    (-10, 0): (16.9903771388, 16.9903771388),
    (30, 0): (-52.3875475444, -52.3875475444),
    (-30, 0): (69.4275250976, 69.4275250976),
    (0, 10): (-20.3980660774, 20.4728790507),
    (0, 26): (-58.0396846812, 70.4660540631),
    (15, 10): (-47.9935426517, -5.5764743548),
    (20, -5): (-24.0561027390, -45.4420828155),
    (-12, 8): (4.3315904188, 39.4937562812),
}
ENDS = {(1, 0): 30.27350887, (-1, 0): 30.27350887, (0, 1): 26.37994629, (0, -1): 26.37994629,
        (1, 1): 22.76549231, (-1, 1): 13.74045333, (-1, -1): 13.74045333}  # fmt: skip


def poses_within(platform, count=200, seed=1):
    """Random poses within nine tenths of the reach."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(count, len(platform.dofs)))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    return ways * (0.9 * rng.random(count) * platform.edge(ways, 1.0))[:, None]


@pytest.mark.parametrize("form", ["plane", "angle"])
def test_angles_of_the_source_geometry(form):
    angles, valid = TwoRSSU.source_002(form=form).positions(DEG * np.array(list(ANGLES), float))
    assert valid.all()
    assert angles / DEG == pytest.approx(np.array(list(ANGLES.values())), abs=1e-9)


def test_both_forms_agree_and_the_rods_keep_their_length():
    plane, angle = (TwoRSSU.source_002(form=form) for form in ("plane", "angle"))
    poses = poses_within(plane, 1000)
    one, two = plane.positions(poses)[0], angle.positions(poses)[0]
    assert np.abs(one - two).max() < 1e-12
    p, q = poses.T
    zero, unit = np.zeros_like(p), np.ones_like(p)
    Rx = np.array([[unit, zero, zero], [zero, np.cos(p), -np.sin(p)], [zero, np.sin(p), np.cos(p)]])
    Ry = np.array([[np.cos(q), zero, np.sin(q)], [zero, unit, zero], [-np.sin(q), zero, np.cos(q)]])
    for side, alpha in zip((1, -1), one.T, strict=True):
        P = np.einsum("ijn,jkn,k->in", Rx, Ry, [side * 0.3016, -0.2519, 0.0])
        C = [side * 0.3016 * unit, -0.4019 + 0.15 * np.cos(alpha), -0.60 + 0.15 * np.sin(alpha)]
        assert np.abs(((P - C) ** 2).sum(axis=0) - 0.36).max() < 1e-12


def test_the_radicand_factors():
    """Heron: rho^2 S - k^2 = ((b + rho)^2 - S)(S - (b - rho)^2) / 4."""
    rng = np.random.default_rng(2)
    b, rho, S = rng.uniform(0.1, 0.2, 500), rng.uniform(0.5, 0.6, 500), rng.uniform(0.1, 0.6, 500)
    k = (rho**2 + S - b**2) / 2
    heron = ((b + rho) ** 2 - S) * (S - (b - rho) ** 2) / 4
    assert np.abs(rho**2 * S - k**2 - heron).max() < 1e-15


@pytest.mark.parametrize("way", ENDS)
def test_the_ends_of_reach_of_the_source_geometry(way):
    platform = TwoRSSU.source_002()
    assert platform.edge([way])[0] / DEG == pytest.approx(ENDS[way], abs=1e-7)


def test_upwards_the_cranks_have_no_end_of_their_own():
    free = TwoRSSU.source_002(pose_limits=((-np.inf, np.inf),) * 2)
    assert free.edge([(1.0, 0.0)], 89 * DEG)[0] == pytest.approx(89 * DEG)


def test_the_order_of_the_turns_matters():
    one, two = (TwoRSSU.source_002(order=order).positions([15 * DEG, 10 * DEG])[0] for order in ("xy", "yx"))
    assert np.abs(one - two).max() > 1e-2


@pytest.mark.parametrize("name", PLATFORMS)
def test_out_of_reach_is_told_and_never_nan(name):
    platform = PLATFORMS[name]()
    rng = np.random.default_rng(3)
    poses = rng.uniform(-3.0, 3.0, (500, len(platform.dofs)))
    actuators, valid = platform.positions(poses)
    assert np.isfinite(actuators).all()
    assert not valid.all()
    assert platform.positions(np.zeros(len(platform.dofs)))[1]


@pytest.mark.parametrize("name", PLATFORMS)
def test_forward_undoes_inverse(name):
    platform = PLATFORMS[name]()
    poses = poses_within(platform)
    actuators, valid = platform.positions(poses)
    back, found = platform.poses(actuators)
    assert valid.all()
    assert found.all()
    assert back == pytest.approx(poses, abs=1e-12)


@pytest.mark.parametrize("name", PLATFORMS)
def test_the_edge_is_where_reach_ends(name):
    platform = PLATFORMS[name]()
    ways = np.random.default_rng(4).normal(size=(50, len(platform.dofs)))
    edge = platform.edge(ways, 0.5)
    inside, outside = (platform.positions(ways * (s * edge)[:, None])[1] for s in (1 - 1e-9, 1 + 1e-9))
    assert inside.all()
    assert not outside[edge < 0.499].any()


@pytest.mark.parametrize("name", PLATFORMS)
def test_one_pose_is_a_batch_of_one(name):
    platform = PLATFORMS[name]()
    poses = poses_within(platform, 37)
    many = platform.positions(poses)[0]
    assert np.array_equal(many, np.array([platform.positions(pose)[0] for pose in poses]))
    assert many == pytest.approx(np.array([platform.inverse.evaluate(pose)[0] for pose in poses]), abs=1e-12)


def test_two_rssu_is_its_mechanism():
    platform = TwoRSSU.source_002()
    model = platform.mechanism().model()
    for pitch, roll in list(ANGLES)[:8]:
        state = assemble(model, pitch=pitch * DEG, roll=roll * DEG)
        angles = [state["crank1.angle"], state["crank2.angle"]]
        assert angles == pytest.approx(platform.positions([pitch * DEG, roll * DEG])[0], abs=1e-9)


def test_hexapod_is_its_mechanism():
    platform = Hexapod()
    model = platform.mechanism().model()
    for surge, sway, heave, roll, pitch, yaw in 0.6 * poses_within(platform, 4):
        place = {"x": surge, "y": sway, "z": platform.height + heave}
        state = assemble(model, **place, yaw=yaw, pitch=pitch, roll=roll)
        lengths = [state[f"leg{k}.length"] for k in range(1, 7)]
        assert lengths == pytest.approx(
            platform.positions([surge, sway, heave, roll, pitch, yaw])[0], abs=1e-9
        )


@pytest.mark.parametrize(
    ("platform", "actuator"),
    [(ThreeDof(), "leg{}.length"), (RotaryHexapod(), "crank{}.angle"), (Hexapod(height=0.9), "leg{}.length")],
    ids=lambda value: getattr(value, "name", ""),
)
def test_others_are_their_mechanisms_and_keep_their_energy(platform, actuator):
    model = platform.mechanism().model()
    assert model.freedom == len(platform.dofs)
    for pose in 0.3 * poses_within(platform, 3):
        state = assemble(model, **dict(zip(platform.dofs, pose, strict=True)))
        places = [state[actuator.format(k)] for k in range(1, len(platform.actuators) + 1)]
        assert places == pytest.approx(platform.positions(pose)[0], abs=1e-9)
    run = Simulation(model, dt=1e-3).run(state, 0.1)
    assert run.ok
    assert np.ptp(run.energy) < 1e-6
    assert np.abs(run["heave"] - run["heave"][0]).max() > 1e-3  # it falls


def test_the_arm_is_its_mechanism():
    platform = SerialArm()
    system = platform.mechanism()
    model = system.model()
    turn = system.rotation("link6").T
    place = system.position("link6").at(system.ground.base) + 0.056 * turn[2]
    tool = model.function("tool", {"place": place, "turn": turn}, "position")
    zero = tool.evaluate(q=platform.positions(np.zeros(6))[0], p=model.p)
    for pose in poses_within(platform, 20):
        now = tool.evaluate(q=platform.positions(pose)[0], p=model.p)
        assert now.place - zero.place == pytest.approx(pose[:3], abs=1e-12)
        turned = Rotation.from_euler("ZYX", pose[:2:-1]).as_matrix()
        assert now.turn.T @ zero.turn == pytest.approx(turned, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: RotaryHexapod(rod=0.1).legs, "rods of 0.1 m do not reach the platform"),
        (lambda: TwoRSSU.source_002(form="sphere"), "unknown form 'sphere'. Known: plane, angle"),
        (
            lambda: TwoRSSU.source_002().positions([0.1, np.nan]),
            r"poses are finite numbers; row 0 is \[0.1, nan\]",
        ),
        (lambda: TwoRSSU.source_002().positions([0.1]), r"poses have 2 columns; got shape \(1,\)"),
    ],
)
def test_wrong_platforms_and_poses(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_limits_of_actuators_end_the_reach():
    narrow = Hexapod(limits=Limits.alike(6, 0.9, 1.0, 0.5, 5.0))
    way = [(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)]
    assert narrow.edge(way)[0] < Hexapod().edge(way)[0]
    assert narrow.positions([0, 0, narrow.edge(way)[0], 0, 0, 0])[0].max() == pytest.approx(1.0)


def test_the_workspace_of_the_source_is_its_table_1():
    told = TwoRSSU.source_002().workspace()
    for dof, ends in source_002.RANGES_DEG.items():
        assert np.degrees(told.ranges[dof]) == pytest.approx(ends, abs=0.005)
    assert 0.5 < told.share < 0.9
    assert str(told).splitlines()[1].split() == ["pitch", "-30.274", "..", "30.274", "deg"]


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_workspace_is_around_rest(name):
    told = PLATFORMS[name]().workspace(samples=2000)
    assert all(low < 0 < high for low, high in told.ranges.values())
    assert 0 < told.share <= 1


def test_a_mechanism_has_the_geometry_of_its_platform():
    wide = TwoRSSU(0.35, 0.27, 0.16, 0.62)
    state = assemble(wide.mechanism().model(), pitch=0.1, roll=-0.2)
    angles = [state["crank1.angle"], state["crank2.angle"]]
    assert angles == pytest.approx(wide.positions([0.1, -0.2])[0], abs=1e-9)
