"""Both engines: conformance, joints, exact snapshots, and the same scene on both."""

import math

import numpy as np
import pytest

from biela import arena
from biela.arena import Body, Entity, Interaction, Joint, Materials, Motor, Placement, Scene, SceneError
from biela.arena.physics.conformance import CHECKS, FLOOR, MATERIALS, cart
from biela.arena.physics.footing import Support, loads
from biela.arena.preset import sumbot

BOTH = sorted(arena.BACKENDS)


@pytest.mark.parametrize("step", [0.002, 0.01])
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", BOTH)
def test_conformance(name, check, step):
    outcome = CHECKS[check](arena.backend(name), step)
    assert outcome.ok, str(outcome)


def test_conformance_can_fail():
    from dataclasses import replace

    check = CHECKS["settle"](arena.backend("pymunk"), 0.01)
    assert not replace(check, got=check.wanted + 2 * check.tolerance).ok
    assert not replace(check, got=math.nan).ok


@pytest.mark.parametrize("name", BOTH)
def test_the_annex_robot_falls_settles_and_stays_upright(name):
    kernel = arena.Kernel(sumbot.scene(), backend_name=name, step=0.01)
    walls = kernel.physics.scene.entity["7"]
    kernel.run(3)
    seen = kernel.broadcast().entities["1"]
    assert seen.upright > 0.9999
    assert np.linalg.norm(seen.velocity) < 1e-3
    assert ("1", "7") in kernel.broadcast().touching
    assert "7" not in kernel.broadcast().entities  # nothing of the field moves
    assert all(b.immovable for b in walls.bodies)
    # on its skids: the soft wheels sink 4 mm until these carry the weight
    assert seen.position[2] == pytest.approx(sumbot.FLOOR_TOP + 0.004 + 0.25 - 0.196, abs=2e-4)


@pytest.mark.parametrize("name", BOTH)
def test_snapshots_are_exact(name):
    def world():
        return arena.backend(name)(Scene("s", MATERIALS, (FLOOR, cart(), cart("other", 0.15))), 0.005)

    one = world()
    one.drive("cart", "left", 9.0)
    one.drive("cart", "right", 7.0)
    one.advance(300)  # in contact with the other by now
    assert ("cart", "other") in one.touching()
    kept = one.snapshot()
    two = world()
    two.restore(kept)
    one.advance(300)
    two.advance(300)
    assert np.array_equal(one.snapshot(), two.snapshot())
    assert not np.array_equal(one.snapshot(), kept)


@pytest.mark.parametrize("name", BOTH)
def test_building_again_keeps_everything_going(name):
    world = arena.backend(name)(Scene("s", MATERIALS, (FLOOR, cart())), 0.005)
    world.drive("cart", "left", 5.0)
    world.drive("cart", "right", 5.0)
    world.advance(200)
    other = world.again(step=0.004, scene=world.scene.adding(cart("new", 1.0)))
    assert np.allclose(other.motion().position[0], world.motion().position[0], atol=1e-12)
    assert np.allclose(other.motion().velocity[0], world.motion().velocity[0], atol=1e-12)
    other.advance(250)
    way = other.motion().position[0, 0] - world.motion().position[0, 0]
    assert way == pytest.approx(0.1, rel=0.02)


@pytest.mark.parametrize("name", ["mujoco", "pymunk"])  # "flat" leaves the inertia of wheels out
def test_a_motor_never_exceeds_its_torque(name):
    """A free wheel of inertia I gains at most tau h / I a step, and does not overshoot."""
    world = arena.backend(name)(Scene("s", MATERIALS, (FLOOR, cart())), 0.001)
    world.place("cart", Placement(position=(0, 0, 0.03)))
    inertia, torque = 0.02 * 0.02**2 / 2, 0.02
    world.drive("cart", "left", 1000.0)
    before = world.motion().motor[0]
    world.advance(1)
    assert world.motion().motor[0] - before <= torque * 0.001 / inertia * 1.001
    world.drive("cart", "left", 3.0)
    world.advance(600)
    assert world.motion().motor[0] == pytest.approx(3.0, abs=0.05)


def test_the_same_scene_on_all_engines():
    ends = {}
    for name in BOTH:
        world = arena.backend(name)(sumbot.scene(), 0.01)
        world.advance(100)
        world.drive("1", "0", 6.0)
        world.drive("1", "1", 2.6)
        world.advance(300)
        ends[name] = world.motion()
    two = ends.pop("pymunk")
    way = np.linalg.norm(two.position[0, :2])
    assert way > 0.1
    for one in ends.values():
        assert np.linalg.norm(one.position[0] - two.position[0]) < 0.15 * way
        assert one.spin[0, 2] == pytest.approx(two.spin[0, 2], rel=0.2)


@pytest.mark.parametrize("name", BOTH)
def test_hardness_makes_soft_and_friction_stops(name):
    """Speed lost in a second of sliding is mu g, until at rest."""

    def world(mu):
        pair = Interaction(1e-5, 0.2, mu)
        block = Body("b", "box", 1.0, (0, 0, 0.05), size=(0.1, 0.1, 0.1), material="m")
        materials = Materials({"floor": "f", "m": "m"}, {("floor", "m"): pair})
        made = arena.backend(name)(Scene("s", materials, (FLOOR, Entity("b", "free", (block,)))), 0.002)
        made.advance(50)
        made.place("b", Placement(velocity=(2.0, 0, 0)))
        made.advance(250)
        return made.motion().velocity[0, 0]

    assert world(0.0) == pytest.approx(2.0, abs=1e-2)
    assert world(0.1) == pytest.approx(2.0 - 0.1 * 9.81 * 0.5, rel=0.03)
    assert abs(world(1.0)) < 1e-3


def test_soft_contacts_sink_as_their_spring_says():
    """Static depth: hardness h / bounciness times the force on each of four feet."""
    sunk = {}
    for hardness in (0.01, 0.02):
        feet = [Body(f"f{n}", "sphere", 0.25, (x, y, 0.02), radius=0.02, material="m")
                for n, (x, y) in enumerate([(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)])]  # fmt: skip
        ties = tuple(Joint(f"t{n}", "fixed", "f0", f"f{n}") for n in range(1, 4))
        pair = {("floor", "m"): Interaction(hardness, 0.5, 1.0, 0.05, 0.05)}
        scene = Scene(
            "s", Materials({"floor": "f", "m": "m"}, pair), (FLOOR, Entity("e", "free", tuple(feet), ties))
        )
        world = arena.backend("mujoco")(scene, 0.005)
        world.advance(4000)
        sunk[hardness] = 0.02 - world.motion().position[0, 2]
        assert sunk[hardness] == pytest.approx(hardness * 0.005 / 0.5 * 9.81 / 4, rel=0.05)
    assert sunk[0.02] > sunk[0.01]


def test_higher_bounciness_corrects_more_of_a_penetration():
    """Without gravity, of 1 mm in one step: in proportion, up to a fifth of it."""

    def corrected(bounciness):
        feet = [Body(f"f{n}", "sphere", 0.25, (x, y, 0.019), radius=0.02, material="m")
                for n, (x, y) in enumerate([(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)])]  # fmt: skip
        ties = tuple(Joint(f"t{n}", "fixed", "f0", f"f{n}") for n in range(1, 4))
        pair = {("floor", "m"): Interaction(0.01, bounciness, 1.0, 0.05, 0.05)}
        materials = Materials({"floor": "f", "m": "m"}, pair)
        scene = Scene("s", materials, (FLOOR, Entity("e", "free", tuple(feet), ties)), (0.0, 0.0, 0.0))
        world = arena.backend("mujoco")(scene, 0.005)
        world.advance()
        return (world.motion().position[0, 2] - 0.019) / 0.001

    found = [corrected(b) for b in (0.1, 0.2, 0.4, 0.8)]
    assert found == sorted(found)
    assert found[1] / found[0] == pytest.approx(2.0, rel=0.01)
    assert found[2] / found[1] == pytest.approx(2.0, rel=0.01)
    assert found[3] == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "axes", "free"),
    [("fixed", ((0, 0, 0), (0, 0, 0)), 0), ("hinge", ((0, 1, 0), (0, 0, 0)), 1),
     ("slider", ((1, 0, 0), (0, 0, 0)), 1),
     ("universal", ((1, 0, 0), (0, 1, 0)), 2), ("ball", ((0, 0, 0), (0, 0, 0)), 3),
     ("wheel", ((0, 0, 1), (0, 1, 0)), 1)],
)  # fmt: skip
def test_joints_have_their_freedoms(kind, axes, free):
    bodies = (
        Body("a", "box", size=(0.1, 0.1, 0.1)),
        Body("b", "box", 1.0, (0.3, 0, 0), size=(0.1, 0.1, 0.1)),
    )
    joint = Joint("j", kind, "a", "b", *axes, at=(0.1, 0, 0))
    world = arena.backend("mujoco")(Scene("s", Materials(), (Entity("e", "free", bodies, (joint,)),)), 0.002)
    assert world.model.nv == free
    if kind == "hinge":  # a pendulum of length 0.2: its rate at the bottom from the energy
        inertia = 1.0 * (0.1**2 + 0.1**2) / 12 + 0.2**2
        fastest = 0.0
        for _ in range(400):
            world.advance()
            fastest = max(fastest, float(np.linalg.norm(world.motion().spin[0])))
        assert fastest == pytest.approx(math.sqrt(2 * 9.81 * 0.2 / inertia), rel=0.01)


@pytest.mark.parametrize("inside", [False, True])
def test_collisions_inside_an_entity_are_a_switch(inside):
    bodies = tuple(Body(n, "sphere", 0.1, (0, 0, z), radius=0.05) for n, z in (("a", 0.05), ("b", 0.3)))
    entity = Entity("e", "free", bodies, self_collision=inside)
    world = arena.backend("mujoco")(Scene("s", MATERIALS, (FLOOR, entity)), 0.002)
    world.advance(1000)
    apart = world.motion().position[1, 2] - world.motion().position[0, 2]
    assert apart == pytest.approx(0.1 if inside else 0.0, abs=0.01)


def test_a_robot_of_eight_wheels():
    shell = Body("s", "box", 1.0, (0, 0, 0.05), size=(0.4, 0.1, 0.03))
    spots = [(x, y) for x in (-0.15, -0.05, 0.05, 0.15) for y in (-0.07, 0.07)]
    wheels = tuple(Body(f"w{n}", "wheel", 0.05, (x, y, 0.03), (math.pi / 2, 0, 0), "tyre", 0.03, 0.01)
                   for n, (x, y) in enumerate(spots))  # fmt: skip
    hubs = tuple(Joint(w.id, "wheel", "s", w.id, (0, 0, 1), (0, 1, 0), maximum_torque=0.1) for w in wheels)
    robot = Entity("r", "robot", (shell, *wheels), hubs, tuple(Motor(w.id, w.id) for w in wheels))
    for name in BOTH:
        world = arena.backend(name)(Scene("s", MATERIALS, (FLOOR, robot)).checked(), 0.005)
        for w in wheels:
            world.drive("r", w.id, 10.0)
        world.advance(400)
        assert world.motion().velocity[0, 0] == pytest.approx(0.3, rel=0.02)


def test_the_plane_has_no_hinges():
    bodies = (Body("a", "sphere", 1.0, radius=0.1), Body("b", "sphere", 1.0, (0.3, 0, 0), radius=0.1))
    entity = Entity("e", "free", bodies, (Joint("j", "hinge", "a", "b", (0, 0, 1)),))
    with pytest.raises(SceneError, match="Use the backend mujoco"):
        arena.backend("pymunk")(Scene("s", Materials(), (entity,)), 0.01)


def test_weights_spread_as_on_a_beam():
    forces, _ = loads([Support((-1.0, 0, -1), 1e8), Support((3.0, 0, -1), 1e8)], 8.0)
    assert forces == pytest.approx([6.0, 2.0], rel=1e-3)


def test_unknown_backends():
    with pytest.raises(ValueError, match="Did you mean 'mujoco'"):
        arena.backend("mujocco")


@pytest.mark.study
def test_small_robots_stay_sane_for_an_hour():
    match = arena.football(seed=3, rules=arena.FootballRules(half=1800.0))
    result = match.play()
    heights = [result.record[f"left{n}.z"] for n in range(3)]
    assert np.isfinite(heights).all()
    assert np.max(heights) < 0.2


def _wrestler(name):
    """A mini sumo robot at rest on its ring, with what its closed forms are made of."""
    robot, ring = arena.SUMO_ROBOTS["mini"], arena.SUMO_RINGS["mini"]
    entity = robot.entity("r", -0.2, team="left")
    engine = arena.backend(name)(Scene("s", arena.match.MATERIALS, (*ring.entities(), entity)), 0.0025)
    engine.advance(40)
    centre = sum(b.mass * np.asarray(b.position) for b in entity.bodies) / robot.total_mass
    axle = entity.body["left"].position[0]
    span = entity.body["skid0"].position[0] - axle
    return engine, robot, (centre[0] - axle) / span, centre[2] / span


@pytest.mark.parametrize(("name", "within"), [("flat", 0.01), ("pymunk", 0.01), ("mujoco", 0.15)])
def test_speeding_up_brings_weight_to_the_driven_wheels(name, within):
    """Friction times load, the load's share risen by acceleration times height over wheelbase.

    In three dimensions a part is lost where wheels start to slip.
    """
    engine, robot, ahead, high = _wrestler(name)
    engine.targets[:] = robot.top_speed
    engine.advance(24)
    speed = engine.motion().velocity[engine.bodies[("r", "shell")]][0]
    wanted = 0.8 * 9.81 * (1 - ahead) / (1 - 0.8 * high)
    assert 0.8 * high < ahead  # or it would rear up
    assert speed / 0.06 == pytest.approx(wanted, rel=within)
    assert wanted > 1.1 * 0.8 * 9.81 * (1 - ahead)  # more than without


@pytest.mark.parametrize("name", ["flat", "pymunk", "mujoco"])
def test_the_pushing_force_of_a_sumo_robot_is_that_of_its_wheels(name):
    """All engines agree with friction times the load under way, within 8 %."""
    _, robot, ahead, high = _wrestler(name)
    wanted = 0.8 * 9.81 * robot.total_mass * (1 - ahead) / (1 - 0.8 * high)

    def moves(share):
        engine, *_ = _wrestler(name)
        engine.targets[:] = robot.top_speed
        engine.push("r", (-share * wanted, 0.0, 0.0))
        engine.advance(200)
        return engine.motion().velocity[engine.bodies[("r", "shell")]][0] > 0

    assert moves(0.92)
    assert not moves(1.08)


def test_a_step_that_the_solver_fails_is_taken_again():
    def world():
        engine = arena.backend("mujoco")(Scene("s", MATERIALS, (FLOOR, cart(), cart("other", 0.15))), 0.005)
        engine.targets[:] = 9.0
        return engine

    usual, hasty = world(), world()
    hasty.model.opt.iterations = 1  # Newton's method cannot end here
    repeated, again = [], hasty._repeat
    hasty._repeat = lambda: (repeated.append(1), again())
    usual.advance(100)
    hasty.advance(100)
    assert repeated
    assert hasty.motion().position == pytest.approx(usual.motion().position, abs=1e-3)
    assert hasty.model.opt.iterations == 1
