"""Columns for a screen: nothing of a peak is lost, and several records meet on one axis of times."""

import numpy as np
import pytest

from biela.simulate import Record
from biela.view.curve import curves, thinned


def record(t, **columns):
    return Record(np.asarray(t, float), {n: np.asarray(v, float) for n, v in columns.items()}, {"a": "rad"})


def test_a_spike_of_one_sample_is_kept():
    values = np.zeros((1, 100_001))
    values[0, 54_321] = 7.0
    values[0, 3] = -2.0
    thin = thinned(values, 100)
    assert thin.shape == (1, 202)
    assert (thin.max(), thin.min()) == (7.0, -2.0)


def test_extremes_come_in_their_order():
    t = np.linspace(0, 1, 10_001)
    found = curves({"": record(t, a=t)})
    assert (np.diff(found.values["a"][0][0]) >= 0).all()
    assert (np.diff(found.t) > 0).all()
    assert (found.t[0], found.t[-1]) == (0.0, 1.0)
    assert np.abs(found.values["a"][0][0] - found.t).max() < 1e-3


def test_short_records_stay_as_they_are():
    t = np.linspace(0, 1, 50)
    found = curves({"": record(t, a=np.sin(t))})
    assert np.array_equal(found.values["a"][0][0], np.sin(t))


def test_missing_values_stay_missing_only_where_nothing_else_is():
    t = np.arange(10_001)
    sparse = np.where(t % 5 == 0, 1.0, np.nan)
    assert not np.isnan(curves({"": record(t, a=sparse)}).values["a"][0]).any()
    late = np.where(t > 5000, 1.0, np.nan)
    assert np.isnan(curves({"": record(t, a=late)}).values["a"][0]).mean() == pytest.approx(0.5, abs=0.01)


def test_records_of_other_times_share_an_axis():
    one, other = record([0, 1, 2], a=[0, 1, 2]), record([0.5, 1.5], a=[5, 15], b=[1, 1])
    found = curves({"one": one, "other": other})
    assert found.t.tolist() == [0, 0.5, 1, 1.5, 2]
    assert found.values["a"][0].tolist() == [[0, 0.5, 1, 1.5, 2]]
    assert found.values["a"][1][0, 1:4].tolist() == [5, 10, 15]
    assert np.isnan(found.values["a"][1][0, [0, 4]]).all()
    assert found.values["b"][0] is None


def test_covariances_are_left_out_unless_they_are_asked_for():
    t = np.arange(3)
    both = Record(t, {"a": t, "cov(a,b)": t, "sd(a)": t}, {"a": "rad"})
    assert list(curves({"": both}).values) == ["a", "sd(a)"]
    assert curves({"": both}).units == {"a": "rad", "sd(a)": "rad"}
    assert list(curves({"": both}, ["cov(a,b)"]).values) == ["cov(a,b)"]
    with pytest.raises(KeyError, match=r"no column 'c'"):
        curves({"": both}, ["c"])
