"""The chart of Sinacori and Schroeder: the points of the Delft set, classes and borders."""

import numpy as np
import pytest

from biela.cueing import WASHOUTS, ClassicalWashout, fidelity
from biela.cueing.chart import CHARTS, Chart

DELFT = {
    "surge": (0.36585366, 77.32), "sway": (0.3, 90.0), "heave": (0.24514517, 101.31),
    "roll": (0.3, 90.0), "pitch": (0.36585366, 77.32), "yaw": (0.3, 90.0),
}  # fmt: skip


@pytest.mark.parametrize("way", ["linearised", "swept"])
def test_the_points_of_the_delft_set(way):
    found = fidelity(ClassicalWashout.preset("delft"), way=way)
    for axis, (gain, phase) in DELFT.items():
        assert found[axis].gain == pytest.approx(gain, abs=2e-5)
        assert found[axis].phase_deg == pytest.approx(phase, abs=0.01)
        assert found[axis].level == "low"


def test_a_washout_that_hardly_washes_out_is_like_the_vehicle():
    """k s^2 / (s + w)^2 at 1 rad/s: k / (1 + w^2), 2 atan(w)."""
    quick = ClassicalWashout.preset("delft").changed(
        {"surge.omega": 0.1, "surge.gain": 0.9, "roll.omega": 0.3}
    )
    found = fidelity(quick)
    assert found["surge"].gain == pytest.approx(0.9 / 1.01, abs=1e-4)
    assert found["surge"].phase_deg == pytest.approx(2 * np.degrees(np.arctan(0.1)), abs=0.01)
    assert found["surge"].level == "high"
    assert found["roll"].level == "medium"
    assert "surge force       0.8910    11.42 deg  high" in str(found)


@pytest.mark.parametrize("kind", WASHOUTS)
def test_a_sweep_of_any_washout_stands_where_its_small_answer_does(kind):
    one = WASHOUTS[kind].preset(next(iter(WASHOUTS[kind].presets)))
    washout = one.changed(axes=("sway", "roll"))
    small = fidelity(washout, way="swept")
    if washout.step.inputs[1].size > 6:
        return  # looks ahead: it has no answer of a sample alone
    exact = fidelity(washout)
    for axis in washout.axes:
        assert small[axis].gain == pytest.approx(exact[axis].gain, rel=1e-2)
        assert small[axis].phase_deg == pytest.approx(exact[axis].phase_deg, abs=1.0)


def test_classes_end_at_their_borders():
    chart = Chart((("high", 0.8, 20.0), ("medium", 0.4, 40.0)), "here")
    points = [(0.8, -20.0), (0.79, 0.0), (1.0, 20.1), (0.4, 40.0), (0.39, 0.0), (1.0, 41.0)]
    assert [chart.level(*point) for point in points] == ["high", "medium", "medium", "medium", "low", "low"]
    assert all(chart.recalled for chart in CHARTS.values())


def test_the_chart_is_drawn_with_every_axis():
    panels = fidelity(ClassicalWashout.preset("delft")).plot().axes
    names = [text.get_text() for panel in panels for text in panel.texts]
    assert {"surge", "sway", "heave", "pitch", "roll, yaw", "high", "medium", "low"} == set(names)


def test_wrong_ways():
    with pytest.raises(ValueError, match="Unknown way 'felt'"):
        fidelity(ClassicalWashout(), way="felt")
    with pytest.raises(ValueError, match="between 0 and"):
        fidelity(ClassicalWashout(), omega=-1.0)
