"""`biela platform`: what it answers is what Python gives, its files are read again, wrong calls are told."""

import re
from pathlib import Path

import numpy as np
import pytest

from biela.cli.rig import rig_of, written
from biela.cueing import Channel, ClassicalWashout, Plant, Priority, Ride, Simulator, TwoRSSU, drive
from biela.cueing.signal import damped_sine

SHORT = ("--for", "10s")


def table(path, **columns):
    head = ",".join(columns)
    np.savetxt(path, np.stack(list(columns.values()), axis=1), "%.17g", ",", header=head, comments="")
    return path


def test_a_drive_is_the_ride_of_python(biela):
    from biela.cli.table import record_of

    found = biela("platform", "drive", "slalom", *SHORT, "-o", "ride.csv", "--plot", "ride.png", "--json")
    assert found.code == 0, found.err
    run = Ride.on(Simulator.source_002(), ClassicalWashout.preset("delft")).run(drive.slalom(10.0))
    again = record_of(Path("ride.csv"))
    for name in run:
        np.testing.assert_array_equal(again[name], run[name])
    cranks, valid = TwoRSSU.source_002().positions(np.stack([run["pitch"], run["roll"]], axis=1))
    np.testing.assert_array_equal(again["crank2"], cranks[:, 1])
    assert valid.all()
    assert (again["reachable"] == 1.0).all()
    assert {"fx", "clipped", "scale", "felt.fx.vehicle", "felt.r.platform"} <= set(again.columns)
    assert found.data["clipped"] == run.notes["clipped"] == 0
    assert set(found.data["felt"]["errors"]) == {"fx", "fy", "fz", "p", "q", "r"}
    assert Path("ride.png").read_bytes()[:4] == b"\x89PNG"


def test_a_table_drives_as_the_name_does(biela):
    rows = drive.slalom(10.0, 0.01)
    names = ("fx", "fy", "fz", "p [deg/s]", "q", "r")
    rows[:, 3] = np.degrees(rows[:, 3])
    table("drive.csv", t=0.01 * np.arange(1000), **dict(zip(names, rows.T, strict=True)))
    ranges = biela("platform", "drive", "drive.csv", "--json").data["ranges"]
    wanted = biela("platform", "drive", "slalom", *SHORT, "--json").data["ranges"]
    for dof, one in wanted.items():
        np.testing.assert_allclose(one["pose"], ranges[dof]["pose"], atol=2e-4)


def test_a_demand_out_of_reach_is_clipped_and_told(biela):
    t = 0.02 * np.arange(500)
    table("demand.csv", **{"t": t, "pitch [deg]": 30 * np.sin(t), "roll [deg]": 30 * np.sin(t)})
    data = biela("platform", "drive", "demand.csv", "--json").data
    run = Simulator.source_002().run(
        {"pitch": np.radians(30 * np.sin(t)), "roll": np.radians(30 * np.sin(t))}
    )
    assert data["kind"] == "demand"
    assert data["clipped"] == run.notes["clipped"] > 100
    told = biela("platform", "drive", "demand.csv")
    assert f"clipped {data['clipped']} demands" in told.out
    assert "felt" not in told.out
    first = biela("platform", "drive", "demand.csv", "--combination", "first:pitch", "--json").data
    assert first["ranges"]["pitch"]["achieved"][1] > data["ranges"]["pitch"]["achieved"][1] + 0.1


def test_parquet_is_read_as_csv_is(biela):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    t = 0.02 * np.arange(200)
    columns = {"t": t, "pitch [deg]": 10 * np.sin(t)}
    table("demand.csv", **columns)
    parquet.write_table(pyarrow.table(columns), "demand.parquet")
    found = [biela("platform", "drive", f"demand{suffix}", "--json").data for suffix in (".csv", ".parquet")]
    assert found[0]["ranges"] == found[1]["ranges"]


def test_numbers_of_the_washout_have_units(biela):
    slow, fast = (
        biela("platform", "drive", "slalom", *SHORT, "--set", f"tilt.rate={rate}deg/s", "--json").data
        for rate in (1, 6)
    )
    assert slow["ranges"]["pitch"]["demand"][1] < 0.6 * fast["ranges"]["pitch"]["demand"][1]


RIG = """
platform = "two_rssu"
dt = "10ms"
combination = "first:roll"
[geometry]
rod = "610mm"
[limits]
speed = ["200deg/s", 4.0]
[channel.roll]
delay = "60ms"
frequency = "3Hz"
form = "servo"
rate = "100deg/s"
"""


def test_a_rig_is_what_its_file_says(biela, tmp_path):
    Path("rig.toml").write_text(RIG)
    found = rig_of("rig.toml")
    assert (found.dt, found.platform.rod) == (0.01, 0.61)
    assert found.platform.limits.speed == pytest.approx((np.radians(200), 4.0))
    assert found.channels[1] == Channel(0.06, 1.0, 1.5, 3.0, np.radians(100), form="servo")
    assert isinstance(found.combination, Priority)
    again = rig_of(str(written(found, tmp_path / "again.toml")))
    assert again.channels == found.channels
    assert again.platform.limits == found.platform.limits
    assert again.combination == found.combination
    assert again.platform.rod == 0.61
    assert biela("platform", "drive", "slalom", "rig.toml", *SHORT, "--json").data["samples"] == 1000


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("platform = 'two_rsu'", "Did you mean 'two_rssu'"),
        ("platfrom = 'two_rssu'", "Did you mean 'platform'"),
        ("[geometry]\nrod = '600kg'", "rod: '600kg' is in kg, where m is wanted"),
        ("[channel.yaw]\ndelay = 1", "no degree of freedom of two_rssu 'yaw'"),
        ("[channel.pitch]\nfrequency = '30Hz'", "not below half the sample rate, 25 Hz"),
        ("[limits]\nspeed = [1, 2, 3]", "has 2 actuators; got 3 values"),
        ("dt = 'soon'", "dt: 'soon' is no number"),
        ("dt = [", "is no TOML"),
        ("channel = 3", "'channel' is a table"),
    ],
)
def test_wrong_rigs(biela, text, told):
    Path("rig.toml").write_text(text)
    found = biela("platform", "drive", "slalom", "rig.toml", *SHORT)
    assert found.code == 1
    assert told in found.err
    assert "rig.toml" in found.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("drive", "slalon"), "Did you mean 'slalom'"),
        (("drive", "slalom", "hexapood"), "Did you mean 'hexapod'"),
        (("drive", "slalom", "--preset", "deflt"), "Did you mean 'delft'"),
        (("drive", "slalom", "--set", "tilt.rat=1"), "Did you mean 'tilt.rate'"),
        (("drive", "slalom", "--set", "tilt.rate=1m"), "is in m, where rad/s is wanted"),
        (("drive", "slalom", "-o", "ride.xls"), "expected .npz, .csv, .parquet, .h5"),
        (("drive", "slalom", "--combination", "exakt"), "Did you mean 'exact'"),
        (("fit", "-o", "rig.json"), "a rig is written as .toml"),
        (("fit", "--plot", "fit.png"), "give --recorded"),
        (("fit", "hexapod"), "tables of source 002 are for pitch and roll"),
        (("characterise", "--chirp", "1Hz,0.9"), "a growth above 1"),
        (("validate", "--table", "3"), "Try: biela platform validate --help"),
    ],
)
def test_wrong_calls(biela, words, told):
    found = biela("platform", *words)
    assert found.code == 2
    assert told in found.err


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"x": 1.0}, "is no drive: expected the columns fx, fy"),
        ({"fx": 1.0}, "has no column 'fy'"),
        ({"pitch": np.nan}, "not finite at t = 0"),
        ({"pitch [kg]": 1.0}, "pitch is in kg, where rad is wanted"),
    ],
)
def test_wrong_tables(biela, columns, told):
    t = 0.02 * np.arange(100)
    table("drive.csv", t=t, **{name: value * np.ones(100) for name, value in columns.items()})
    found = biela("platform", "drive", "drive.csv", "-o", "ride.csv")
    assert found.code == 1
    assert told in found.err
    assert not Path("ride.csv").exists()


def test_gaps_and_other_rates_are_told(biela):
    t = 0.02 * np.arange(100)
    table("gap.csv", t=t + (t > 1.0), pitch=np.sin(t))
    assert "a gap of 1.02 s" in biela("platform", "drive", "gap.csv").err
    table("rate.csv", t=1.5 * t, pitch=np.sin(t))
    assert "0.02 s is no multiple of that" in biela("platform", "drive", "rate.csv").err
    assert biela("platform", "drive", "rate.csv", "--interpolate", "--json").data["samples"] == 149


def test_characterising_a_rig_finds_its_channel(biela):
    answers = biela("platform", "characterise", "two_rssu", "--plot", "a.png", "--json").data["answers"]
    assert answers["pitch"]["delay"] == pytest.approx(0.08)
    assert answers["pitch"]["t50"] == pytest.approx(0.08 + 0.126467 - 0.01, abs=0.005)
    assert answers["pitch"]["hz3"] == pytest.approx(1.04635944, rel=0.03)
    assert answers["roll"]["hz6"] == pytest.approx(1.71190159, rel=0.03)
    told = biela("platform", "characterise", "two_rssu").out
    assert told.splitlines()[1].startswith("pitch  0.08 s")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A demand at 50 Hz and a tracker at 100 Hz, begun 1.5 s apart by its own clock in a second file."""
    folder = tmp_path_factory.mktemp("recorded")
    plant, t = Plant(), 0.02 * np.arange(1000)
    demand = np.stack([damped_sine(t, 0.4, 0.5, 0.05), 0.0 * t], axis=1)
    times, poses = plant.measure(demand)
    table(folder / "demand.csv", t=t, pitch=demand[:, 0])
    table(folder / "tracker.csv", **{"t": times, "pitch [deg]": np.degrees(poses[:, 0])})
    table(folder / "late.csv", **{"t": times + 1.5, "pitch [deg]": np.degrees(poses[:, 0])})
    return folder


def test_recordings_are_fitted_and_validated(biela, recorded):
    pair = ("--recorded", recorded / "demand.csv", recorded / "tracker.csv")
    quick = ("--delay", "80ms", "--size", "16", "--rounds", "12")
    found = biela("platform", "fit", *pair, *quick, "-o", "rig.toml", "--plot", "fit.png", "--json").data
    assert found["fits"]["pitch"]["mean"] > 0.93
    assert set(found["channels"]) == {"pitch"}
    assert rig_of("rig.toml").channels[1] == Channel(frequency=2.7)  # what was not recorded stays
    score = biela("platform", "validate", "rig.toml", *pair, "--json").data["fits"][0]["pitch"]
    assert score == pytest.approx(found["fits"]["pitch"]["mean"], abs=1e-9)
    grid = biela("platform", "fit", *pair, "--way", "grid", "--json").data
    assert grid["evaluations"] == 533
    assert grid["fits"]["pitch"]["mean"] < found["fits"]["pitch"]["mean"]


def test_clocks_that_differ_are_aligned(biela, recorded):
    pair = ("--recorded", recorded / "demand.csv", recorded / "late.csv")
    apart = biela("platform", "validate", "two_rssu", *pair, "--json").data["fits"][0]["pitch"]
    aligned = biela("platform", "fit", *pair, "--align", "--way", "grid", "--json")
    assert apart < 0.2
    assert aligned.data["fits"]["pitch"]["mean"] > 0.85
    far = table("far.csv", t=100.0 + 0.02 * np.arange(1000), pitch=np.sin(np.arange(1000)))
    told = biela("platform", "validate", "--recorded", recorded / "demand.csv", far).err
    assert "too little in common. Align them" in told


def test_recordings_that_cannot_be_used_are_refused(biela, recorded):
    t = 0.02 * np.arange(1000)
    for columns, told in (
        ({"pitch": 0.0 * t}, "constant at 0"),
        ({"pitch": np.clip(np.sin(t), -0.4, 0.4)}, "The signal is cut off"),
        ({"roll": np.sin(t)}, "share no degree of freedom of two_rssu (pitch, roll) that moves"),
    ):
        table("bad.csv", t=t, **columns)
        found = biela("platform", "fit", "--recorded", recorded / "demand.csv", "bad.csv", "-o", "rig.toml")
        assert found.code == 1
        assert told in found.err
        assert not Path("rig.toml").exists()


def test_the_tables_of_the_source_are_side_by_side(biela):
    found = biela("platform", "validate", "two_rssu", "--table", "4", "--table", "7", "--json").data["tables"]
    assert [row["ours"] for row in found["4"]] == [row["source"] for row in found["4"]]
    assert [row["source"] for row in found["7"]] == pytest.approx([0.462, 3.345, 7.2403], abs=1e-4)
    assert found["7"][2]["ours"] == pytest.approx(found["7"][1]["ours"] / found["7"][0]["ours"])


@pytest.mark.study
def test_all_tables_of_the_source(biela):
    found = biela("platform", "validate", "--json").data["tables"]
    assert {number: len(rows) for number, rows in found.items()} == {"2": 21, "4": 8, "5": 13, "7": 3}
    assert found["5"][-1]["ours"] > 0.95


def test_what_is_measured_of_the_plant_is_written(biela):
    found = biela("platform", "characterise", "--folder", "recorded", "--json")
    assert found.code == 0, found.err
    assert len(found.data["files"]) == 16
    text = Path("recorded/S1-pitch-tracker.csv").read_text().splitlines()
    assert text[0] == "t [s],pitch [rad]"
    assert len(text) == 6004


def test_tuning_improves_a_shipped_drive_and_writes_a_page(biela):
    words = (
        "platform",
        "tune",
        "town",
        "--for",
        "20s",
        "--budget",
        "256",
        "--size",
        "32",
        "-o",
        "tuning.html",
    )
    found = biela(*words, "--front", "room")
    assert found.code == 0, found.err
    head = re.match(r"felt: ([\d.]+) before, ([\d.]+) now, ([\d.]+) % less", found.out)
    assert float(head[2]) < 0.9 * float(head[1])
    assert float(head[3]) == pytest.approx(100 * (1 - float(head[2]) / float(head[1])), abs=0.1)
    assert "wrote tuning.html" in found.out
    text = Path("tuning.html").read_text()
    assert "town on two_rssu" in text
    assert text.count("<svg") == 5
    line = next(line for line in found.out.splitlines() if line.startswith("biela platform drive"))
    again = biela(*line.split()[1:], "--for", "20s", "--json")
    errors = again.data["felt"]["errors"].values()
    assert np.sqrt(np.mean(np.square(list(errors)))) == pytest.approx(float(head[2]), rel=2e-3)


def test_a_search_of_a_table_with_bounds_goes_on_from_its_file(biela):
    rows = drive.town(10.0)
    names = ("fx", "fy", "fz", "p", "q", "r")
    table("drive.csv", t=0.02 * np.arange(500), **dict(zip(names, rows.T, strict=True)))
    words = ("platform", "tune", "drive.csv", "--over", "tilt.rate=1deg/s..9deg/s", "--over", "sway.gain",
             "--method", "cma-es", "--size", "8", "--log", "search.jsonl", "--json")  # fmt: skip
    first = biela(*words, "--budget", "24").data
    lines = Path("search.jsonl").read_text().splitlines()
    second = biela(*words, "--budget", "48").data
    assert Path("search.jsonl").read_text().splitlines()[: len(lines)] == lines
    assert second["now"] <= first["now"] <= first["before"]
    assert np.radians(1) <= second["values"]["tilt.rate"] <= np.radians(9)


def test_an_interrupted_search_says_so_and_ends_as_interruptions_do(biela, monkeypatch):
    from biela.cueing.trial import Trial

    judge, calls = Trial.judge, []

    def stop(*given):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return judge(*given)

    monkeypatch.setattr(Trial, "judge", stop)
    found = biela("platform", "tune", "town", *SHORT, "--size", "8", "--log", "search.jsonl")
    assert found.code == 130
    assert "16 candidates" in found.out
    assert "the same command goes on with it" in found.err


def test_the_objective_test_is_told_and_written(biela):
    found = biela("platform", "omct", "-o", "omct.csv", "--plot", "omct.png", "--json")
    assert found.code == 0, found.err
    assert [test["name"] for test in found.data["tests"].values()][2] == "roll"
    lines = Path("omct.csv").read_text().splitlines()
    assert len(lines) == 1 + 10 * 12
    modulus = float(lines[1 + 24 + 5].split(",")[3])
    assert modulus == pytest.approx(found.data["tests"]["3"]["modulus"][5], rel=1e-6)
    assert Path("omct.png").read_bytes()[:4] == b"\x89PNG"
    assert "not those of ICAO 9625" in found.data["borders"]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("tune", "town", "--over", "tilt.rat"), 2, "tilt.rate"),
        (("tune", "town", "--over", "tilt.rate=1deg/s"), 2, "expected two numbers, as tilt.rate=LOW..HIGH"),
        (("tune", "town", "--over", "tilt.rate=1m..2m"), 2, "tilt.rate"),
        (("tune", "town", "--over", "tilt.rate=9deg/s..1deg/s"), 1, "low < high"),
        (("tune", "town", "--method", "annealing"), 2, "annealing"),
        (("tune", "town", "--cost", "comfort"), 2, "comfort"),
        (("tune", "town", "--front", "felt"), 2, "a front is of two costs"),
        (("tune", "town", "-o", "page.pdf"), 2, "expected .html"),
        (("tune", "town", "--budget", "0"), 2, "0"),
        (("tune", "town", *SHORT, "--budget", "3"), 1, "needs 4 candidates at least"),
        (("omct", "-o", "omct.png"), 2, "expected .csv"),
        (("omct", "--force", "0m/s2"), 2, "0m/s2"),
        (("omct", "--borders", "nowhere.csv"), 1, "nowhere.csv"),
    ],
)
def test_wrong_tunings_and_tests(biela, words, code, told):
    found = biela("platform", *words)
    assert found.code == code
    assert told in found.err
    assert "Traceback" not in found.err
