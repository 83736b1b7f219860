"""The experiments of source 003 on the simulated bench."""

import bench_linkage as rig
import numpy as np
import pytest

import biela as bl
from biela.observe.study import imu
from biela.simulate import kinematics

DEG = rig.DEG


def test_kinematic_experiment():
    result = imu.kinematic_experiment(rig.model())
    assert abs(np.ptp(result.predicted["coupler"]) / DEG - (45.9271111 - 18.4951169)) < 1e-3
    assert abs(np.abs(result.predicted["coupler'"]).max() / DEG - 27.1305) < 1e-2
    assert abs(np.abs(result.predicted["rocker'"]).max() / DEG - 31.5381) < 1e-2
    assert 0.2 < result.rmse("coupler") / DEG < 0.4
    assert 0.4 < result.rmse("coupler'") / DEG < 0.6
    assert np.abs(result.predicted["P3''"][0] - [-0.2407180633, -0.1359604628]).max() < 1e-9
    assert result.rmse("P3''") < 0.1
    assert result.rmse("P3") < 5e-3


def test_dead_reckoning_is_exact_and_the_misprint_is_not():
    m = rig.model()
    motion = kinematics(m, 2.0, 0.01, drives={"crank": lambda t: 1.819 * t})
    found = imu.reckoned(m, motion["crank"] + motion["coupler"], motion["rocker"])
    P1 = 0.12 * np.stack([np.cos(motion["crank"]), np.sin(motion["crank"])], axis=1)
    assert np.abs(found["P1"] - P1).max() < 1e-14
    wrong = imu.reckoned(m, motion["crank"] + motion["coupler"], motion["rocker"], misprint=True)
    off = np.hypot(*(wrong["P3"] - found["P3"]).T)
    assert np.abs(off - 0.10812237).max() < 1e-8


def test_a_wrong_mounting_shows():
    result = imu.kinematic_experiment(rig.model(), 0.5, mounting=1.0 * DEG)
    assert abs(np.mean(result.measured["coupler"] - result.predicted["coupler"]) / DEG - 1.0) < 0.1


def test_dynamic_experiment_with_friction_that_stops_the_crank():
    s = bl.mechanisms.four_bar()
    s.torsion_spring("crank", 0.0, damping=0.12)
    result = imu.dynamic_experiment(rig.model(), s.model(), 8.0)
    assert abs(result.truth["crank'"][-1]) < 0.2 * np.abs(result.truth["crank'"]).max()
    assert result.rmse("DEKF", 0.0, 2.0) < 1.15  # what the source reports while it moves
    assert result.rmse("UKF", 0.0, 2.0) < 1.16
    assert all(np.isfinite(times.calls).all() for times in result.times.values())


def test_figures():
    pytest.importorskip("matplotlib")
    kinematic = imu.kinematic_experiment(rig.model(), 0.2)
    assert len(imu.plot_angles(kinematic).axes) == 8
    assert [a.get_title() for a in imu.plot_places(kinematic).axes][2] == "paths"
    assert len(imu.plot_dynamic(imu.dynamic_experiment(rig.model(), None, 0.5)).axes) == 4
