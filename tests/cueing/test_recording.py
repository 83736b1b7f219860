"""Recordings: what is read comes back, and what cannot be used is refused with a reason."""

import numpy as np
import pytest

from biela.cueing import Channel, ClassicalWashout, Recording, Simulator, drive
from biela.cueing.signal import damped_sine

T = 0.01 * np.arange(1000)
PITCH = damped_sine(T, 0.5, 0.3, 0.05)


def recording(t=T, **columns):
    return Recording(np.asarray(t), {"pitch": PITCH} | columns)


def test_a_csv_comes_back(tmp_path):
    path = tmp_path / "tracker.csv"
    np.savetxt(path, np.c_[T, np.degrees(PITCH)], delimiter=",", header="t,pitch", comments="", fmt="%.17g")
    found = Recording.read(path, degrees=["pitch"])
    assert found["pitch"] == pytest.approx(PITCH, abs=1e-15)
    assert found.dt == pytest.approx(0.01)


def test_a_parquet_file_comes_back(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "tracker.parquet"
    parquet.write_table(pyarrow.table({"t": T, "pitch": PITCH}), path)
    assert np.array_equal(Recording.read(path)["pitch"], PITCH)


def test_a_tracker_at_100_hz_meets_a_demand_at_50_hz():
    found = recording().check().sampled(0.02)
    assert np.array_equal(found["pitch"], PITCH[::2])


def test_rates_that_do_not_match_are_refused_unless_told():
    with pytest.raises(ValueError, match=r"come every 0\.01 s; 0\.015 s is no multiple"):
        recording().sampled(0.015)
    found = recording().sampled(0.015, interpolate=True)
    assert found["pitch"] == pytest.approx(damped_sine(found.t, 0.5, 0.3, 0.05), abs=1e-4)


def test_clocks_are_aligned():
    demand = Recording(T, {"pitch": PITCH})
    started_late = Recording(T + 1.7, {"pitch": PITCH})
    found, shift = started_late.aligned(demand, "pitch")
    assert shift == pytest.approx(1.7)
    assert found.t == pytest.approx(T)
    answer = Recording(T, {"pitch": Channel(delay=0.3, frequency=9.0).run(PITCH, 0.01)})
    assert answer.aligned(demand, "pitch")[1] == pytest.approx(0.36, abs=0.05)


CLIPPED = np.clip(PITCH, -0.3, 0.3)
HOLED = np.where(np.arange(1000) == 400, np.nan, PITCH)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: recording(T + (T > 5.0)), r"a gap of 1\.01 s after t = 5 s"),
        (lambda: recording(pitch=CLIPPED), "at the largest value, 0.3. The signal is cut off"),
        (lambda: recording(pitch=0 * T), "constant at 0. Was the platform on"),
        (lambda: recording(pitch=HOLED), "column 'pitch': not finite at t = 4 s"),
        (lambda: recording(T[::-1]), "times increase; row 1"),
        (lambda: recording(roll=PITCH[:-1]), "columns have one length"),
    ],
)
def test_bad_recordings(made, told):
    with pytest.raises(ValueError, match=told):
        made().check()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("time,pitch\n0,1\n1,2\n", "no column 't'"),
        ("t,pitch\n0,1\n1,abc\n", "line 3: could not convert"),
        ("t,pitch\n0,1\n1\n", "line 3: 1 fields, but 2 columns"),
        ("t,pitch\n0,1\n", "of two rows or more"),
    ],
)
def test_bad_files(tmp_path, text, told):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=told):
        Recording.read(path)


def test_other_files_and_columns(tmp_path):
    with pytest.raises(ValueError, match=r"expected a file \.csv or \.parquet"):
        Recording.read(tmp_path / "a.xls")
    with pytest.raises(KeyError, match=r"no column 'yaw'\. It has pitch"):
        recording()["yaw"]


def test_recordings_drive_simulators_and_washouts():
    simulator = Simulator.source_002()
    found = simulator.run(Recording(T, {"pitch": PITCH, "roll": 0 * T}))
    assert found["pitch"] == pytest.approx(simulator.run({"pitch": PITCH[::2]})["pitch"])
    rows = drive.town(5.0, 0.01)
    recorded = Recording(
        0.01 * np.arange(500), dict(zip(("fx", "fy", "fz", "p", "q", "r"), rows.T, strict=True))
    )
    assert np.array_equal(ClassicalWashout().motion(recorded), rows[::2])
    with pytest.raises(ValueError, match=r"come every 0\.01 s; 0\.015 s is no multiple"):
        ClassicalWashout(dt=0.015).run(recorded)
    with pytest.raises(ValueError, match=r"a gap of 1\.01 s after t = 5 s"):
        simulator.run(Recording(T + (T > 5.0), {"pitch": PITCH, "roll": 0 * T}))
    with pytest.raises(KeyError, match="no column 'roll'"):
        simulator.run(recording())
