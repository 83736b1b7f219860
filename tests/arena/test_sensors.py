"""Sensors: closed forms on every engine, the engine's own rays, noise, rates, delays, and exact repeats."""

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest

from biela import arena
from biela.arena import Body, Entity, Kernel, Reading, Request, Scene, SceneError
from biela.arena.physics.conformance import FLOOR, MATERIALS, RADIUS, TRACK, cart
from biela.arena.scene import document, pose
from biela.arena.sensor import ray
from biela.arena.sensor.registry import SENSORS
from biela.arena.wire.forms import FORMS

BOTH = sorted(arena.BACKENDS)
DOWN = (0.0, math.pi / 2, 0.0)
WALL = Entity("wall", "field", (Body("w", "box", position=(0.5, 0, 0.1), size=(0.1, 2.0, 0.2)),))


def kernel(name, *sensors, others=(WALL,), seed=0, **settings):
    robot = replace(cart(), sensors=sensors)
    return Kernel(Scene("s", MATERIALS, (FLOOR, *others, robot)), backend_name=name, seed=seed, **settings)


def drive(k, left, right):
    assert k.ask(Request("control_entity_motors", {"speeds": [left, right]}, "cart")).ok


def told(k, sensor):
    return k.broadcast().readings["cart"][sensor].values


def ball(x, y, radius=0.05, key="ball"):
    return Entity(key, "ball", (Body("b", "sphere", 0.1, (x, y, radius), radius=radius),))


# the registry


def example(kind):
    """One of each, as small as may be."""
    return kind("it", motor="left") if kind is SENSORS["encoder"] else kind("it")


@pytest.mark.parametrize("kind", SENSORS)
@pytest.mark.parametrize("name", BOTH)
def test_every_sensor_on_every_engine(name, kind):
    """It reads finite numbers with units, whatever its noise, and is written and read as it is."""
    made = replace(example(SENSORS[kind]), sigma=0.01, delay=0.01, rate=50.0)
    k = kernel(name, made, others=(WALL, cart("other", -0.3)))
    drive(k, 4.0, 5.0)
    for _ in range(20):
        k.ask(Request("say", {"text": "hello"}, "other"))
        k.iterate()
    reading = k.broadcast().readings["cart"]["it"]
    assert k.time - 0.03 - 1e-9 <= reading.time <= k.time - 0.01 + 1e-9
    for value, quantity in reading.values.items():
        assert value.rsplit(".", 1)[-1] in made.units
        assert isinstance(quantity, str) or math.isfinite(quantity)
    (again,) = document.from_document(document.to_document(k.scene)).entity["cart"].sensors
    assert again == made
    assert arena.read_scene(arena.write_scene(k.scene), "s") == k.scene


@pytest.mark.parametrize("name", BOTH)
def test_readings_repeat_are_saved_and_replayed(name, tmp_path):
    sensors = [
        replace(example(kind), id=n, sigma=0.01, delay=0.013, loss=0.2, rate=70.0)
        for n, kind in SENSORS.items()
    ]
    digests = []
    for _ in range(2):
        k = kernel(name, *sensors, seed=3)
        drive(k, 4.0, 5.0)
        k.run(0.4)
        path = k.save(tmp_path / "s.json")
        k.run(0.4)
        digests.append((k.digest(), repr(k.broadcast().readings)))
    other = Kernel.load(path)
    other.run(0.4)
    assert digests[0] == digests[1] == (other.digest(), repr(other.broadcast().readings))
    fresh = kernel(name, *sensors, seed=4)
    drive(fresh, 4.0, 5.0)
    fresh.run(0.8)
    assert repr(fresh.broadcast().readings) != digests[0][1]


@pytest.mark.parametrize("count", [2, 5])
def test_steps_per_iteration_change_no_reading(count):
    found = []
    for steps in (1, count):
        k = kernel("mujoco", *[replace(example(s), id=n, sigma=0.1) for n, s in SENSORS.items()],
                   steps_per_iteration=steps)  # fmt: skip
        drive(k, 3.0, 5.0)
        k.run(0.2)
        found.append({n: r.values for n, r in k.broadcast().readings["cart"].items()})
    assert found[0] == found[1]


# closed forms


@pytest.mark.parametrize("angle", [0.0, 0.3, -0.5])
@pytest.mark.parametrize("name", BOTH)
def test_range_and_proximity_to_a_wall(name, angle):
    at, turn = (0.04, 0.01, 0.0), (0.0, 0.0, angle)
    sensors = (SENSORS["range"]("r", at=at, rotation=turn), SENSORS["proximity"]("p", at=at, angle=0.6))
    k = kernel(name, *sensors)
    k.run(0.05)
    assert told(k, "r")["distance"] == pytest.approx(0.41 / math.cos(angle), rel=1e-3)
    assert told(k, "p")["distance"] == pytest.approx(0.41, rel=1e-3)


def test_proximity_to_a_ball_at_the_edge_of_its_cone():
    """A ball of radius r at distance d, its middle b off the axis, beyond the edge a of the cone."""
    d, b, a, r = 0.3, 0.4, 0.3, 0.05
    k = kernel("flat", SENSORS["proximity"]("p", angle=a), others=(ball(d * math.cos(b), d * math.sin(b)),))
    k.run(0.01)
    height = 0.03 - r  # of the ball's middle beneath the sensor
    flat = math.atan2(math.hypot(d * math.sin(b), height), d * math.cos(b)) - a
    far = math.hypot(d, height)
    along = far * math.cos(flat) - math.sqrt(r**2 - (far * math.sin(flat)) ** 2)
    assert told(k, "p")["distance"] == pytest.approx(along, rel=1e-3)
    past = kernel(
        "flat", SENSORS["proximity"]("p", angle=0.2), others=(ball(0.3 * math.cos(b), 0.3 * math.sin(b)),)
    )
    past.run(0.01)
    assert told(past, "p")["distance"] == 0.5


@pytest.mark.parametrize("name", BOTH)
def test_gyro_and_encoder_of_a_spinning_robot(name):
    k = kernel(name, SENSORS["gyro"]("g", at=(0.03, 0, 0)), SENSORS["encoder"]("e", motor="right"), others=())
    k.run(0.3)
    before = told(k, "e")["angle"]
    drive(k, -10.0, 10.0)
    k.run(1.0)
    rate, heading = told(k, "g")["z"], k.broadcast().entities["cart"].heading
    k.run(0.1)
    turned = k.broadcast().entities["cart"].heading - heading
    assert rate == pytest.approx(turned / 0.1, rel=1e-2)
    assert rate == pytest.approx(2 * RADIUS * 10.0 / TRACK, rel=0.07)
    assert told(k, "e")["angle"] - before == pytest.approx(11.0, rel=0.01)
    assert told(k, "e")["speed"] == pytest.approx(10.0, rel=0.01)


def test_encoders_count_what_the_engine_turns():
    k = kernel(
        "mujoco", SENSORS["encoder"]("e", motor="left"), SENSORS["encoder"]("t", motor="left", ticks=12.0)
    )
    drive(k, 7.0, 3.0)
    start = k.physics.data.joint("cart/left").qpos[0]
    k.run(0.5)
    angle = k.physics.data.joint("cart/left").qpos[0] - start
    assert told(k, "e")["angle"] == pytest.approx(angle, abs=1e-12)
    tick = 2 * math.pi / 12
    assert told(k, "t")["angle"] == pytest.approx(tick * math.floor(angle / tick))


@pytest.mark.parametrize("name", BOTH)
def test_accelerometer_at_rest_and_in_a_curve(name):
    """Held up at rest: +g along z. In a circle of radius R at speed v: v^2/R to the inside, here the left.

    A robot on rigid skids rattles, so that the mean of half a second is taken.
    """
    k = kernel(name, SENSORS["accelerometer"]("a"), others=())
    k.run(0.5)
    assert [told(k, "a")[axis] for axis in "xyz"] == pytest.approx([0, 0, 9.81], abs=1e-3)
    drive(k, 8.0, 12.0)
    k.run(1.5)
    rows = []
    for _ in range(100):
        k.iterate()
        seen = k.broadcast().entities["cart"]
        inside = math.hypot(*seen.velocity[:2]) * seen.spin[2]
        rows.append((inside, told(k, "a")["y"], told(k, "a")["z"]))
    inside, y, z = np.mean(rows, axis=0)
    assert inside > 0.15
    assert y == pytest.approx(inside, abs=0.01)
    assert z == pytest.approx(9.81, abs=0.02)


def test_a_falling_accelerometer_reads_nothing():
    k = kernel("mujoco", SENSORS["accelerometer"]("a"), others=())
    k.ask(Request("set_entity_position", {"position": [0, 0, 1.0]}, "cart"))
    k.run(0.1)
    assert [told(k, "a")[axis] for axis in "xyz"] == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize("name", BOTH)
def test_line_sensors_see_the_border_of_the_ring(name):
    ring = arena.SUMO_RINGS["mini"]
    line = SENSORS["line"]("l", at=(0.0, 0.0, 0.0), rotation=DOWN, spot=0.002, range=0.1)
    robot = replace(arena.SUMO_ROBOTS["mini"].entity("cart"), sensors=(line,))
    k = Kernel(Scene("s", arena.preset.material.MATERIALS, (*ring.entities(), robot)), backend_name=name)
    edge = ring.diameter / 2
    z = robot.reference_body.position[2]
    for x, wanted in ((0, 0), (edge - 0.03, 0), (edge - 0.025, 0.5), (edge - 0.01, 1), (edge - 0.003, 1)):
        k.ask(Request("set_entity_position", {"position": [x, 0.0, z]}, "cart"))
        k.sensing.advance(1, k.time)
        assert told(k, "l")["brightness"] == pytest.approx(wanted, abs=0.05)
    field = arena.FOOTBALL_FIELDS["ssl-b"].entity()
    assert min(m.distance(4.5 - 0.005, 1.0) for m in field.marks) == pytest.approx(-0.005)
    assert min(m.distance(0.495 * math.cos(1), 0.495 * math.sin(1)) for m in field.marks) < -0.004
    assert min(m.distance(1.5, 1.5) for m in field.marks) > 0.5


@pytest.mark.parametrize("name", BOTH)
def test_bumpers_feel_what_is_pushed(name):
    bump = SENSORS["bump"]("b", at=(0.04, 0, 0))
    k = kernel(name, bump, others=(replace(cart("other", 0.25), motors=()),))
    k.run(0.2)
    assert told(k, "b") == {"pressed": 0.0}
    drive(k, 10.0, 10.0)
    touched = set()
    for _ in range(300):
        k.iterate()
        touched |= k.broadcast().touching
    assert ("other", "cart") in touched
    assert told(k, "b") == {"pressed": 1.0}


def test_cameras_see_within_their_cone_and_not_through_bodies():
    near, far, aside = ball(0.3, 0.0, key="near"), ball(0.9, 0.0, 0.04, "far"), ball(0.3, 0.4, key="aside")
    behind = ball(-0.15, 0.0, key="behind")
    k = kernel("flat", SENSORS["camera"]("c", angle=0.5, near=0.2), others=(near, far, aside, behind))
    k.run(0.01)
    seen = told(k, "c")
    assert {n.split(".")[0] for n in seen} == {"near", "behind"}
    assert seen["near.distance"] == pytest.approx(math.hypot(0.3, 0.02), rel=1e-3)
    assert seen["near.elevation"] == pytest.approx(math.atan2(0.02, 0.3), rel=1e-2)
    assert seen["behind.near"] == 1.0
    wide = kernel("flat", SENSORS["camera"]("c", angle=1.2), others=(far, aside))
    wide.run(0.01)
    assert told(wide, "c")["aside.bearing"] == pytest.approx(math.atan2(0.4, 0.3), rel=1e-3)
    assert "far.distance" in told(wide, "c")


def test_ears_hear_one_message_within_their_range():
    ear = SENSORS["ear"]("e", range=1.0, rate=10.0, letters=5.0)
    k = kernel("flat", ear, others=(cart("a", 0.5), cart("b", -0.5), cart("far", 3.0)))
    k.run(0.1)
    heard = set()
    for _ in range(20):
        for who in ("a", "b", "far"):
            assert k.ask(Request("say", {"text": f"{who}: here I am"}, who)).ok
        k.run(0.1)
        reading = k.broadcast().readings["cart"]["e"]
        heard.add((reading.values["from"], reading.values["text"]))
        assert reading.values["bearing"] == pytest.approx(
            0 if reading.values["from"] == "a" else math.pi, abs=0.01
        )
    assert heard == {("a", "a: he"), ("b", "b: he")}
    last = k.broadcast().readings["cart"]["e"].time
    k.run(0.5)  # nobody speaks
    assert k.broadcast().readings["cart"]["e"].time == last
    assert "100 at most" in k.ask(Request("say", {"text": "x" * 101}, "a")).error


# rays, against MuJoCo's own


@pytest.mark.parametrize("shape", sorted(ray.RAYS))
def test_rays_meet_shapes_where_the_engine_says(shape):
    mujoco = pytest.importorskip("mujoco")
    random = np.random.default_rng(5)
    corners = tuple(map(tuple, random.uniform(-0.2, 0.2, (9, 3)).tolist()))
    body = Body("b", shape, 1.0, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), "default", 0.12, 0.3, (0.2, 0.3, 0.1),
                points=corners if shape == "mesh" else ())  # fmt: skip
    world = arena.backend("mujoco")(Scene("s", MATERIALS, (Entity("e", "free", (body,)),)), 0.01)
    assert len(world.bodies) == 1
    motion = world.motion()
    at, axes = motion.position[0], pose.matrix(motion.turn[0])
    if shape == "mesh":  # its site is where the points are counted from
        assert at == pytest.approx(body.position)
    origins = at + random.uniform(-0.6, 0.6, (300, 3))
    along = at + random.uniform(-0.15, 0.15, (300, 3)) - origins
    along /= np.linalg.norm(along, axis=1)[:, None]
    geom, met = np.zeros(1, np.int32), 0
    for o, d in zip(origins, along, strict=True):
        ours = float(ray.distances(body, (o - at) @ axes, (d @ axes)[None])[0])
        theirs = mujoco.mj_ray(world.model, world.data, o, d, None, 1, -1, geom)
        inside = ray.distances(body, (o - at) @ axes, (-d @ axes)[None])[0] == 0
        if inside:
            assert ours == 0
        else:
            met += theirs >= 0
            assert ours == pytest.approx(theirs if theirs >= 0 else math.inf, abs=1e-6)
    assert met > 100


# noise, loss, delay


def test_noise_has_its_size_and_readings_their_losses():
    noisy = SENSORS["range"]("n", at=(0.04, 0, 0), sigma=0.01)
    lossy = SENSORS["gyro"]("l", sigma=0.1, loss=0.3)
    k = kernel("flat", noisy, lossy)
    distances, times = [], set()
    for _ in range(600):
        k.iterate()
        distances.append(told(k, "n")["distance"])
        times.add(k.broadcast().readings["cart"].get("l", Reading(0, {})).time)
    assert np.mean(distances) == pytest.approx(0.41, abs=4 * 0.01 / math.sqrt(600))
    assert np.std(distances) == pytest.approx(0.01, rel=0.12)
    assert len(times) / 600 == pytest.approx(0.7, abs=4 * math.sqrt(0.21 / 600))


def test_rates_and_delays():
    k = kernel("flat", SENSORS["gyro"]("g", rate=20.0, delay=0.03))
    moments = []
    for _ in range(100):
        k.iterate()
        reading = k.broadcast().readings.get("cart", {}).get("g")
        if reading and (not moments or moments[-1][0] != reading.time):
            moments.append((reading.time, k.time))
    assert [t for t, _ in moments] == pytest.approx(np.arange(0.05, 0.46, 0.05))
    assert [heard - t for t, heard in moments] == pytest.approx([0.03] * len(moments))


# to whom they are told


def test_readings_go_over_every_wire():
    k = kernel("flat", SENSORS["camera"]("c"), SENSORS["ear"]("e"), others=(cart("o", 0.4),))
    k.ask(Request("say", {"text": 'é "<&>'}, "o"))
    k.run(0.2)
    told_ = k.broadcast()
    assert told_.readings["cart"]["e"].values["text"] == 'é "<&>'
    for form in FORMS.values():
        (heard,) = form.told(form.tell(told_))
        assert heard.readings == told_.readings
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    validator(arena.told_schema()).validate(json.loads(FORMS["json"].tell(told_)))
    validator(arena.schema()).validate(document.to_document(k.scene))


def test_strategies_feel_their_own_sensors_only():
    seen = []

    def look(view):
        seen.append(view.readings)
        return 0.0, 0.0

    robot = replace(arena.SUMO_ROBOTS["mini"], sensors=(SENSORS["gyro"]("g"),))
    rules = arena.SumoRules(hold=0.1)
    match = arena.sumo("mini", left=look, right="still", rules=rules, robots=(robot, robot), seed=1)
    result = match.play(seconds=0.5)
    assert set(seen[-1]) == {"left"}
    assert abs(seen[-1]["left"]["g"].values["z"]) < 0.1
    assert result.replay.differences() == []


# bad input


@pytest.mark.parametrize(
    ("sensor", "wrong"),
    [
        (SENSORS["gyro"]("g", body="shel"), "there is no body 'shel'. Did you mean 'shell'?"),
        (SENSORS["encoder"]("e", motor="lft"), "motor 'lft'. Did you mean 'left'?"),
        (SENSORS["encoder"]("e"), "motor ''"),
        (SENSORS["range"]("r", range=math.nan), "range is nan"),
        (SENSORS["range"]("r", sigma=-1.0), "sigma is -1.0"),
        (SENSORS["gyro"]("g", loss=1.5), "loss is 1.5; a probability is wanted"),
        (SENSORS["gyro"]("g", at=(math.inf, 0, 0)), "at must be finite"),
        (SENSORS["gyro"]("a/b"), "id 'a/b'"),
    ],
)
def test_sensors_that_cannot_be(sensor, wrong):
    with pytest.raises(SceneError) as caught:
        Scene("s", MATERIALS, (FLOOR, replace(cart(), sensors=(sensor,)))).checked()
    assert wrong in str(caught.value)


def test_sensors_in_documents_tell_where_they_are_wrong():
    given = document.to_document(Scene("s", MATERIALS, (replace(cart(), sensors=(SENSORS["gyro"]("g"),)),)))
    rows = given["entities"][0]["sensors"]
    rows += [{"kind": "gyr", "id": "x"}, {"id": "y"}, {"kind": "range", "id": "z", "rang": 1.0}]
    with pytest.raises(SceneError) as caught:
        document.from_document(given)
    text = str(caught.value)
    assert "sensors[1]: kind is 'gyr'. Did you mean 'gyro'?" in text
    assert "sensors[2]: kind is None" in text
    assert "sensors[3]: 'rang' means nothing here. Did you mean 'range'?" in text


def test_every_field_of_a_sensor_is_a_number_a_text_or_a_place():
    for kind in SENSORS.values():
        assert {f.type for f in fields(kind)} <= {"str", "float", "Three"}
