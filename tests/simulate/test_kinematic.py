"""Prescribed motion against the tables of specification 3 and closed forms."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import AssemblyError, assemble
from biela.simulate.kinematic import kinematics

W = 1.8190  # rad/s, of the crank
START = {"crank": 0.0, "coupler": 0.73, "rocker": 2.23}
# crank angle, deg: angles of coupler and rocker, deg; their rates; their accelerations
TABLE = """
0   41.8587922056 127.6312299587 -.3210000000 -.3210000000 -.5296117524 .7667157765
30  35.6979991162 124.4734181791 -.4030828719 -.0476414961 -.0558022021 1.0613509036
60  29.1892496084 126.1761403908 -.3725455895 .2475612313 .2301860038 .9285476195
90  23.7079978252 132.1897396209 -.2862333238 .4631359987 .3564686616 .5441631683
120 19.9219313750 140.7432637423 -.1667128596 .5500127961 .4873029276 .0410809016
150 18.4961902436 149.4443738152 .0051898222 .4756770152 .7210033949 -.5692411939
180 20.4509556664 155.5008951490 .2372608696 .2372608696 .8235214344 -1.0063700553
210 26.0913306370 157.0395142086 .4271908747 -.0432963183 .4259579077 -.8642866811
240 33.7024443972 154.5237767646 .4692331155 -.2474925402 -.1239322601 -.5701542861
270 40.7695290451 149.2512708408 .3662871135 -.3830822089 -.5715929002 -.3838983935
300 45.1775309784 142.1644217609 .1536401454 -.4664666755 -.8736465027 -.1752848870
330 45.5511349860 134.3265540488 -.1092272989 -.4646686746 -.8898186388 .2273344669
"""
ROWS = np.array([[float(x) for x in line.split()] for line in TABLE.split("\n") if line])


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


def turning(w=W):
    return lambda t: w * t, lambda t: w, lambda t: 0.0


def published(record, every):
    """The columns of the table; the coupler's angle is relative to the crank in the model."""
    found = [record["crank"] + record["coupler"], record["rocker"]]
    degrees = np.degrees(np.array(found)) % 360.0
    rates = [record["crank'"] + record["coupler'"], record["rocker'"]]
    accelerations = [record["crank''"] + record["coupler''"], record["rocker''"]]
    return np.vstack([degrees, rates, accelerations]).T[::every][:12]


@pytest.mark.parametrize("steps", [1, 30])
def test_the_four_bar_goes_through_its_table(four_bar, steps):
    dt = 2.0 * np.pi / W / 12 / steps
    record = kinematics(four_bar, 12 * steps * dt, dt, drives={"crank": turning()}, start=START)
    assert record.ok
    found = published(record, steps)
    np.testing.assert_allclose(found[:, :2], ROWS[:, 1:3], atol=1e-9)
    np.testing.assert_allclose(found[:, 2:], ROWS[:, 3:], atol=1e-9)
    assert record.residual.max() < 1e-12


def test_rates_follow_from_positions_alone(four_bar):
    dt = 2.0 * np.pi / W / 3600
    record = kinematics(four_bar, 3600 * dt, dt, drives={"crank": lambda t: W * t}, start=START)
    np.testing.assert_allclose(published(record, 300)[:, 2:], ROWS[:, 3:], atol=1e-7)


def test_a_drive_in_the_model_is_the_same_as_one_beside_it(four_bar):
    s = bl.mechanisms.four_bar()
    crank = s.coordinates_by_name["crank"].symbols.position
    s.drive(crank, 0.3 + 0.5 * bl.sin(2.0 * s.time))
    one = kinematics(s.model(), 2.0, 0.01, start=START)
    given = (
        lambda t: 0.3 + 0.5 * np.sin(2 * t),
        lambda t: np.cos(2 * t),
        lambda t: -2 * np.sin(2 * t),
    )
    other = kinematics(four_bar, 2.0, 0.01, drives={"crank": given}, start=START)
    assert set(one.columns) == set(other.columns)
    for name in one:
        np.testing.assert_allclose(one[name], other[name], atol=1e-12)


def test_every_so_many_moments(four_bar):
    all_ = kinematics(four_bar, 1.0, 0.01, drives={"crank": turning()}, start=START)
    some = kinematics(four_bar, 1.0, 0.01, drives={"crank": turning()}, start=START, every=10)
    np.testing.assert_array_equal(some.t, all_.t[::10])
    np.testing.assert_array_equal(some["rocker''"], all_["rocker''"][::10])


def test_spatial_loops_with_redundant_equations():
    model = bl.mechanisms.bricard().model()
    state = assemble(model)
    name = state.names[0]
    given = (state[name] + 0.2 * np.sin(np.linspace(0, 3, 301)), None, None)
    record = kinematics(model, 3.0, 0.01, drives={name: given[0]}, start=state)
    assert record.ok
    assert record.residual.max() < 1e-10
    assert np.abs(np.gradient(record.q, 0.01, axis=0) - record.dq)[2:-2].max() < 1e-3


def test_a_tree_just_follows():
    model = bl.mechanisms.double_pendulum().model()
    names = [c.name for c in model.placements]
    drives = {name: (lambda t: np.sin(t), lambda t: np.cos(t), lambda t: -np.sin(t)) for name in names}
    record = kinematics(model, 1.0, 0.1, drives=drives)
    for name in names:
        np.testing.assert_allclose(record[f"{name}''"], -np.sin(record.t), atol=1e-15)


def skate():
    """A blade that does not slip sideways, at 2 m/s, turning at 0.8 rad/s: it goes in a circle."""
    s = bl.System("skate")
    x, y, angle = [*s.coordinates("x y", unit="m"), s.coordinate("angle", unit="rad")]
    body = s.body("blade", mass=1.0, inertia=[0.1, 0.1, 0.1])
    s.planar(s.ground, body, coordinates=[x, y, angle])
    s.constrain_velocity("edge", bl.cos(angle) * y.dt() - bl.sin(angle) * x.dt())
    s.constrain_velocity("speed", bl.cos(angle) * x.dt() + bl.sin(angle) * y.dt() - 2.0)
    s.drive(angle, 0.8 * s.time)
    return s.model()


def test_what_rolls_is_integrated():
    record = kinematics(skate(), 5.0, 0.01)
    assert record.ok
    np.testing.assert_allclose(record["x"], 2.0 / 0.8 * np.sin(0.8 * record.t), atol=1e-8)
    np.testing.assert_allclose(record["y"], 2.0 / 0.8 * (1 - np.cos(0.8 * record.t)), atol=1e-8)
    np.testing.assert_allclose(record["x''"], -1.6 * np.sin(0.8 * record.t), atol=1e-8)


def test_what_rolls_is_driven_in_the_model():
    with pytest.raises(ValueError, match="rolls, so its motion is integrated: drive x in the system"):
        kinematics(skate(), 1.0, drives={"x": lambda t: t})
    with pytest.raises(ValueError, match=r"3 degrees of freedom are not driven: use system\.drive"):
        kinematics(bl.mechanisms.rolling_disc().model(), 1.0)


def test_ends_where_the_position_cannot_be_reached(four_bar):
    """The rocker's largest angle is 157.1004095227 degrees."""
    start = assemble(four_bar, crank=1.8)
    record = kinematics(
        four_bar, 3.0, 1e-3, drives={"rocker": lambda t: start["rocker"] + 0.5 * t}, start=start
    )
    assert not record.ok
    assert np.degrees(record["rocker"][-1]) == pytest.approx(157.1004, abs=0.1)
    assert record.status.startswith("ended between t=")
    assert "loop[" in record.status
    assert np.isfinite(record["crank''"]).all()


@pytest.mark.parametrize(
    ("drives", "told"),
    [
        ({}, "has 1 free coordinates to drive; 0 are driven"),
        (
            {"crank": turning(), "rocker": turning()},
            "cannot|contradict|free coordinates to drive; 2 are driven",
        ),
        ({"crank": np.zeros(3)}, r"'crank' has shape \(3,\); expected one value for each of the 101 moments"),
        ({"crank": lambda t: np.where(t > 0.5, np.nan, t)}, r"'crank' is not finite at t=0\.51 s"),
        ({"crank": (lambda t: t, lambda t: 1.0)}, "has 2 parts; expected its positions, or three"),
    ],
)
def test_drives_that_do_not_fit(four_bar, drives, told):
    with pytest.raises(ValueError, match=told):
        kinematics(four_bar, 1.0, 0.01, drives=drives, start=START)


def test_unknown_names_times_and_singular_starts(four_bar):
    with pytest.raises(KeyError, match="Did you mean 'crank'"):
        kinematics(four_bar, 1.0, drives={"cranc": turning()})
    with pytest.raises(ValueError, match="positive numbers of seconds"):
        kinematics(four_bar, 1.0, 0.0, drives={"crank": turning()})
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        kinematics(four_bar, 1.0, drives={"rocker": lambda t: 3.1 + t})
    s = bl.mechanisms.slider_crank()
    crank = s.model()
    dead = assemble(crank, {"crank": 0.0, "rod": 0.0, "piston": 0.25}, velocities=np.zeros(3), crank=0.0)
    with pytest.raises(ValueError, match="starts in a singular position: piston do not determine"):
        kinematics(crank, 1.0, drives={"piston": lambda t: 0.25 - 0.1 * t}, start=dead)
