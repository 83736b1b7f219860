"""The experiments of source 003 from the command line."""

import pytest


def test_the_kinematic_experiment_draws_figures_5_and_6(biela):
    pytest.importorskip("matplotlib")
    found = biela("imu", "kinematic", "--turns", "0.5", "--folder", "figures", "--json")
    assert found.code == 0
    assert [path.split("/")[-1] for path in found.data["files"]] == ["figure-5.png", "figure-6.png"]
    assert 0.2 < 57.3 * found.data["rmse"]["coupler"] < 0.4
    wrong = biela("imu", "kinematic", "--turns", "0.5", "--misprint", "--json")
    assert abs(wrong.data["rmse"]["P3"] * 2**0.5 - 0.108) < 0.002  # that of a component
    assert wrong.data["files"] == []
    assert "P3''" in biela("imu", "kinematic", "--turns", "0.5").out


def test_the_dynamic_experiment_draws_figure_7(biela):
    pytest.importorskip("matplotlib")
    found = biela("imu", "dynamic", "--for", "2s", "--folder", "figures", "--json")
    assert found.data["files"] == ["figures/figure-7.png"]
    for name in ("DEKF", "UKF"):
        assert found.data["filters"][name]["rmse_deg"] < 1.15
    told = biela("imu", "dynamic", "--for", "1s", "--friction", "0", "--angle", "60deg").out
    assert "RMSE of the crank" in told
    assert "calls below 1 ms" in told
    assert biela("imu", "dynamic", "--angle", "1m").code == 2
