"""Sensors against closed forms, finite differences and each other."""

from dataclasses import dataclass

import bench_linkage as rig
import numpy as np
import pytest

import biela as bl
from biela.observe import (
    SENSORS,
    Accelerometer,
    Distance,
    Encoder,
    Force,
    Gyro,
    Inclinometer,
    Instruments,
    LinearPosition,
    Magnetometer,
    PointPosition,
    Process,
    Reading,
    Sensor,
    Torque,
)
from biela.simulate import Simulation, assemble

DEG, W = np.pi / 180.0, 1.8190
MODEL = rig.model()
ONE = {
    "Gyro": Gyro("coupler", sigma=1.0),
    "Accelerometer": Accelerometer("coupler", at=(0.1, 0.02, 0.0), sigma=1.0),
    "Inclinometer": Inclinometer("coupler", sigma=1.0),
    "Magnetometer": Magnetometer("coupler", field=(0.6, 0.8, 0.0), sigma=1.0),
    "Encoder": Encoder("rocker", sigma=1.0),
    "LinearPosition": LinearPosition("P3", axis="y", sigma=1.0),
    "PointPosition": PointPosition("coupler", at=(0.3, 0.1, 0.0), sigma=1.0),
    "Distance": Distance("P3", "rocker", sigma=1.0),
    "Force": Force("loop", sigma=1.0),
    "Torque": Torque("crank-coupler", sigma=1.0),
    "Reading": Reading(lambda m: m.q[0] * m.dq[2], sigma=1.0),
}


def read(sensors, state, model=MODEL, **options):
    """The ideal readings of a state."""
    process = Process(model, 1e-3, **({"independent": ["crank"]} if model is MODEL else {}) | options)
    function = Instruments(process, sensors).function
    return function.evaluate(**{port.name: getattr(state, port.name) for port in function.inputs})


def at(angle, speed=W):
    state = assemble(MODEL, crank=angle)
    J = state.value("Phi_dq")
    rest = np.linalg.solve(J[:, 1:], -J[:, 0] * speed)
    return state.changed(dq=np.array([speed, *rest]))


def driven(sensors, angle):
    """Readings of a crank that turns at constant speed, whatever forces that takes."""
    state, J = at(angle), at(angle).value("Phi_dq")
    gamma = state.value("gamma")
    ddq = np.array([0.0, *np.linalg.solve(J[:, 1:], gamma)])
    values = [v for sensor in sensors for v in sensor.value(MODEL)]
    function = MODEL.function("driven", {"y": values})
    have = {"q": state.q, "dq": state.dq, "ddq": ddq, "p": state.p, "u": state.u}
    return function.evaluate(**{port.name: have[port.name] for port in function.inputs})


def test_every_sensor_has_an_example_here():
    assert set(ONE) == set(SENSORS)


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0, 150.0, 210.0, 330.0])
def test_gyro_is_the_rate_of_the_angle(angle):
    state = at(angle * DEG)
    found = read([Gyro("coupler", sigma=1.0, name="a"), Gyro("rocker", sigma=1.0, name="b")], state)
    P1 = np.array([0.12 * np.cos(angle * DEG), 0.12 * np.sin(angle * DEG)])
    phi, psi = state.q[0] + state.q[1], state.q[2]
    rate = -0.12 * W * np.sin(angle * DEG - psi) / (0.54 * np.sin(phi - psi))
    assert abs(found[0] - rate) < 1e-13
    assert abs(found[1] - 0.12 * W * np.sin(angle * DEG - phi) / (0.455 * np.sin(psi - phi))) < 1e-13
    P2 = P1 + 0.54 * np.array([np.cos(phi), np.sin(phi)])
    v1 = 0.12 * W * np.array([-np.sin(angle * DEG), np.cos(angle * DEG)])
    v2 = v1 + 0.54 * rate * np.array([-np.sin(phi), np.cos(phi)])
    nine = ((v2[0] - v1[0]) * (P1[1] - P2[1]) + (v2[1] - v1[1]) * (P2[0] - P1[0])) / 0.54**2
    assert abs(found[0] - nine) < 1e-13


@pytest.mark.parametrize(
    ("angle", "x", "y"),
    [(0, 6.2761733845, 7.3657744875), (90, 3.7122060308, 8.7388447151), (210, 4.5930830812, 8.9709932593)],
)
def test_accelerometer_of_the_source(angle, x, y):
    sensor = Accelerometer("coupler", at=MODEL.points["P3"], sigma=1.0)
    found = driven([sensor], angle * DEG)
    assert np.abs(found - [x, y]).max() < 1e-9


def test_specific_force_goes_back_to_the_acceleration():
    sensor = Accelerometer("coupler", at=MODEL.points["P3"], sigma=1.0)
    f, phi = driven([sensor], 0.0), float(at(0.0).q[:2].sum())
    A = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
    g = np.array([0.0, -9.81])
    a = A @ f + g
    assert np.abs(a - [-0.2407180633, -0.1359604628]).max() < 1e-9
    assert np.abs(A.T @ (a - g) - f).max() < 4e-15


@pytest.mark.parametrize("branch", [213, 123])
def test_dead_reckoning_and_the_misprint_of_the_source(branch):
    angles = {213: 18.1381531663, 123: 34.3246226759}
    state = at(0.7)
    phi, psi = state.q[0] + state.q[1], state.q[2]
    point = read([PointPosition("P3", sigma=1.0)], state)
    P2 = np.array([0.8 + 0.455 * np.cos(psi), 0.455 * np.sin(psi)])
    P1 = P2 - 0.54 * np.array([np.cos(phi), np.sin(phi)])
    assert np.abs(P1 - 0.12 * np.array([np.cos(0.7), np.sin(0.7)])).max() < 1e-14
    turned = phi + angles[branch] * DEG
    P3 = P1 + 0.384 * np.array([np.cos(turned), np.sin(turned)])
    off = np.hypot(*(point - P3))
    assert off < 1e-12 if branch == 213 else abs(off - 0.10812237) < 1e-8


def test_accelerometer_at_rest_reads_up_and_upside_down():
    m = bl.mechanisms.pendulum().model()
    state = assemble(m).changed(dq=np.zeros(1))
    body = next(iter(m.bodies))
    up, down = Accelerometer(body, axes=("x", "y", "z"), sigma=1.0), Accelerometer(
        body, axes=("-x", "-y", "z"), sigma=1.0, name="upside down"
    )  # fmt: skip
    found = read([up, down], state, m)
    assert np.abs(found[:2] + found[3:5]).max() < 1e-15
    assert abs(found[2] - found[5]) < 1e-15
    rest = Simulation(m, dt=1e-3).run(state, 1e-3)
    assert rest.ok


def hanging():
    """A body on a slide along x: its axes never turn."""
    s = bl.System("slide")
    x = s.coordinate("x", unit="m")
    cart = s.body("cart", mass=1.0)
    s.prismatic(s.ground, cart, axis="x", coordinates=x)
    s.gravity([0, -9.81, 0])
    return s.model()


def test_accelerometer_convention():
    m = hanging()
    straight = Accelerometer("cart", axes=("x", "y"), sigma=1.0)
    tilted = Accelerometer("cart", axes=([3.0, 4.0, 0.0], [-4.0, 3.0, 0.0]), sigma=1.0, name="tilted")
    found = read([straight, tilted], assemble(m), m)
    assert np.abs(found - [0.0, 9.81, 0.8 * 9.81, 0.6 * 9.81]).max() < 1e-14


def test_mounting_and_lever_arm_may_be_parameters():
    s = bl.System("arm")
    a, turn = s.parameters(a=0.3, turn=0.2)
    q = s.coordinate("q", unit="rad")
    arm = s.body("arm", mass=1.0, com=[0.1, 0, 0], inertia=[0, 0, 0.02])
    s.revolute(s.ground, arm, axis="z", coordinates=q)
    m = s.model()
    axes = ([bl.cos(turn), bl.sin(turn), 0], [-bl.sin(turn), bl.cos(turn), 0])
    sensor = Accelerometer("arm", at=[a, 0, 0], axes=axes, sigma=1.0)
    state = assemble(m, [0.4], velocities=[3.0])
    inward = np.array([-0.3 * 9.0, 0.0])  # no torque: only centripetal acceleration
    A = np.array([[np.cos(0.2), np.sin(0.2)], [-np.sin(0.2), np.cos(0.2)]])
    assert np.abs(read([sensor], state, m) - A @ inward).max() < 1e-14
    changed = state.changed(p=np.array([0.5, 0.2]))
    assert np.abs(read([sensor], changed, m) - A @ inward * 0.5 / 0.3).max() < 1e-14


def test_inclinometer_heading_and_encoder_agree_with_the_angles():
    state = assemble(MODEL, crank=1.0)
    tilt = Inclinometer("coupler", sigma=1.0)
    heading = Magnetometer("coupler", heading="z", sigma=1.0)
    angle = Encoder(MODEL.q[0] + MODEL.q[1], sigma=1.0)
    found = read([tilt, heading, angle], state)
    assert np.abs(found - state.q[:2].sum()).max() < 1e-15
    field = read([Magnetometer("coupler", sigma=1.0)], state)
    assert np.abs(field - [np.cos(found[0]), -np.sin(found[0])]).max() < 1e-15


def test_tilt_is_what_an_accelerometer_at_rest_shows():
    rest = assemble(MODEL, crank=217.3938311492 * DEG)
    x, y = read([Accelerometer("coupler", sigma=1.0)], rest)
    assert abs(read([Inclinometer("coupler", sigma=1.0)], rest)[0] - np.arctan2(x, y)) < 1e-9


def test_places():
    state = assemble(MODEL, crank=60 * DEG)
    P3 = np.array([0.3202783126, 0.3862547682])
    found = read(
        [
            PointPosition("P3", sigma=1.0, name="camera"),
            LinearPosition("P3", axis="y", zero=0.1, sigma=1.0, name="wire"),
            Distance("P3", "rocker", sigma=1.0, name="laser"),
            PointPosition("coupler", at=(0.54, 0, 0), axes=("x", "y", "z"), sigma=1.0, name="end"),
        ],
        state,
    )
    assert np.abs(found[:2] - P3).max() < 1e-9
    assert abs(found[2] - (P3[1] - 0.1)) < 1e-9
    assert abs(found[3] - np.hypot(*(P3 - [0.8, 0.0]))) < 1e-9
    assert np.abs(found[4:] - [0.5314273434, 0.3672788152, 0.0]).max() < 1e-9


def test_force_in_the_loop_turns_the_rocker():
    state = at(0.8, 2.0)
    force = read([Force("loop", sigma=1.0)], state)
    ddq = state.value("ddq").ddq
    J = 1.23 * 0.455**2 / 3.0
    moment = -1.23 * 9.81 * 0.2275 * np.cos(state.q[2])
    assert abs(0.455 * force[1] - (J * ddq[2] - moment)) < 1e-12  # in the rocker's axes, at its end


def test_torque_of_a_motor_and_of_a_joint():
    state = assemble(MODEL, crank=0.3, u={"torque": 0.7})
    assert read([Torque("crank", sigma=1.0)], state)[0] == 0.7
    assert abs(read([Torque("ground-crank", sigma=1.0)], state)[0] - 0.7) < 1e-12
    assert abs(read([Torque("crank-coupler", sigma=1.0)], state)[0]) < 1e-12


@dataclass(frozen=True)
class Rope(Sensor):
    end: str

    def value(self, model):
        return Distance("P3", self.end).value(model)


def test_a_sensor_of_ones_own_needs_one_method():
    state = assemble(MODEL, crank=0.3)
    own, ours = Rope("rocker", sigma=0.01), Distance("P3", "rocker", sigma=0.01)
    assert own.label == "rope.rocker"
    assert read([own], state)[0] == read([ours], state)[0]


@pytest.mark.parametrize("key", list(ONE))
def test_slopes_are_those_of_differences_along_the_manifold(key):
    process = rig.process()
    instruments = Instruments(process, [ONE[key]])
    state = at(1.1, 1.7)
    H = MODEL.function("H", {"H": instruments.slopes}, "force")
    exact = H.evaluate(**{port.name: getattr(state, port.name) for port in H.inputs})
    h = 1e-5
    for k, (da, dw) in enumerate([(h, 0.0), (0.0, h)]):
        more, less = (read([ONE[key]], at(1.1 + s * da, 1.7 + s * dw)) for s in (1, -1))
        assert np.abs((more - less) / (2 * h) - exact[:, k]).max() < 1e-6 * max(1.0, np.abs(exact).max())


@pytest.mark.parametrize("key", list(ONE))
def test_sensors_of_another_model_are_refused(key):
    wrong = Reading(MODEL.q[0], sigma=1.0) if key == "Reading" else ONE[key]
    process = Process(hanging(), 1e-3)
    with pytest.raises((ValueError, KeyError), match=r"has no|no joint|another system"):
        Instruments(process, [wrong])


def test_wrong_noise():
    process = rig.process()
    for sensor, told in [
        (Gyro("coupler"), "has no noise"),
        (Gyro("coupler", sigma=-1.0), "does not fit"),
        (Gyro("coupler", sigma=(1.0, 2.0)), "does not fit"),
        (PointPosition("P3", covariance=((1.0, 2.0), (2.0, 1.0))), "not symmetric and positive definite"),
        (PointPosition("P3", covariance=((1.0,),)), "has 2 channels"),
    ]:
        with pytest.raises(ValueError, match=told):
            Instruments(process, [sensor]).covariance  # noqa: B018
    with pytest.raises(ValueError, match="Two channels"):
        Instruments(process, [Gyro("coupler", sigma=1.0), Gyro("coupler", sigma=1.0)])
    with pytest.raises(ValueError, match="at least one"):
        Instruments(process, [])


def test_covariance_of_several_sensors():
    pair = PointPosition("P3", covariance=((4.0, 1.0), (1.0, 9.0)))
    R = Instruments(rig.process(), [pair, Gyro("coupler", sigma=2.0)]).covariance
    assert np.array_equal(R, [[4.0, 1.0, 0.0], [1.0, 9.0, 0.0], [0.0, 0.0, 4.0]])
