"""`biela simulate` and `biela estimate` give what Python gives, and their files can be read again."""

import numpy as np
import pytest

import biela as bl
from biela.observe import ExtendedKalman, Gyro, Process
from biela.observe.bench import Bench

GYROS = ["--sensor", "gyro:coupler:0.5deg/s:rate=100Hz", "--sensor", "gyro:rocker:0.5deg/s:rate=100Hz"]


@pytest.fixture(scope="module")
def truth():
    model = bl.mechanisms.four_bar().model()
    gyros = [Gyro(body, sigma=bl.deg(0.5), rate=100.0) for body in ("coupler", "rocker")]
    bench = Bench(bl.Simulation(model, dt=1e-3), gyros)
    return model, gyros, *bench.run(bl.assemble(model, crank=bl.deg(90)), 1.0, seed=3)


def test_the_motion_is_that_of_python(biela, truth):
    _, _, run, _ = truth
    found = biela("simulate", "four_bar", "--lock", "crank=90deg", "--json")
    assert found.data["end"]["crank"] == run["crank"][-1]
    assert found.data["status"] == "finished"
    assert found.data["trust"]["residual"] < 1e-12
    assert found.data["formulation"] == "multipliers"


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet", ".h5"])
def test_records_are_read_again(biela, truth, suffix):
    from pathlib import Path

    from biela.cli.table import record_of

    _, _, run, _ = truth
    found = biela("simulate", "four_bar", "--lock", "crank=90deg", "-o", f"out/run{suffix}", "--every", "10")
    assert found.code == 0
    assert f"out/run{suffix}" in found.out
    again = record_of(Path(f"out/run{suffix}"))
    np.testing.assert_array_equal(again["rocker'"], run["rocker'"][::10])
    np.testing.assert_array_equal(again.t, run.t[::10])


def test_other_ways_to_move(biela):
    found = biela(
        "simulate", "four_bar", "--formulation", "independent", "--integrator", "dormand-prince",
        "--dt", "10ms", "--plot", "run.png", "--json",
    )  # fmt: skip
    assert found.data["integrator"] == "dormand-prince"
    from pathlib import Path

    assert Path("run.png").read_bytes()[:4] == b"\x89PNG"


def test_a_motion_that_ends_early_is_a_failure(biela, tmp_path):
    rig = "import biela as bl\n\n\ndef rig():\n    s = bl.System('rig')\n"
    rig += "    bob = s.body('bob', mass=1.0)\n    x = s.coordinate('x', 1.0, unit='m')\n"
    rig += "    s.prismatic(s.ground, bob, axis='x', coordinates=x)\n"
    rig += "    s.force(bob, [1e9 * x, 0, 0])\n    return s\n"  # a spring that pushes
    (tmp_path / "rig.py").write_text(rig)
    found = biela("simulate", "rig.py", "--integrator", "euler", "--dt", "10ms", "--for", "100s")
    assert found.code == 1
    assert "ended at t=" in found.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-o", "run.xls"], "--output run.xls: expected .npz, .csv, .parquet, .h5, .mcap; got '.xls'."),
        (["--plot", "run.bmp"], "--plot run.bmp: expected .png"),
        (["--readings", "r.csv"], "--sensor and --readings belong together"),
        (GYROS, "--sensor and --readings belong together"),
        (["--integrator", "rk5"], "There is no integrator 'rk5'"),
        (["--formulation", "penalti"], "Did you mean 'penalty'?"),
        ([*GYROS, "--readings", "r.csv", "--every", "10"], "--readings wants every step"),
    ],
)
def test_wrong_calls(biela, words, told):
    found = biela("simulate", "four_bar", "--for", "100ms", *words)
    assert found.code == 2
    assert told in found.err


# readings, and what a filter makes of them


@pytest.fixture
def recorded(biela):
    words = ["--readings", "readings.csv", "-o", "truth.csv", "--seed", "3"]
    assert biela("simulate", "four_bar", *GYROS, *words).code == 0


START = ["--lock", "crank=95deg", "--spread", "5deg", "--spread-speed", "0.01", "--independent", "crank"]


def test_the_estimate_is_that_of_python(biela, recorded, truth):
    model, gyros, _, y = truth
    process = Process(model, 1e-3, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)
    wanted = ExtendedKalman(process, gyros).run(y, bl.assemble(model, crank=bl.deg(95)), [bl.deg(5), 0.01])
    data = biela(
        "estimate", "four_bar", "readings.csv", *GYROS, *START, "--truth", "truth.csv", "--json"
    ).data
    assert data["steps"] == 1000
    assert data["end"]["crank"]["value"] == pytest.approx(wanted["crank"][-1], abs=1e-12)
    assert data["end"]["crank"]["sd"] == pytest.approx(wanted["sd(crank)"][-1], rel=1e-9)
    assert data["rmse"]["crank"] < bl.deg(0.5)
    assert data["nis"]["mean"] > 0


def test_readings_are_taken_exactly_when_they_were_made(biela, recorded):
    from pathlib import Path

    words = [*GYROS, *START, "--json"]
    near, exact = (
        biela("estimate", "four_bar", "readings.csv", *words, *more).data for more in ([], ["--exact"])
    )
    assert near["steps"] == exact["steps"]
    assert near["end"]["crank"]["value"] == pytest.approx(exact["end"]["crank"]["value"], abs=1e-12)
    head, *rows = Path("readings.csv").read_text().splitlines()
    late = [f"{float(t) + 3e-4},{a},{b}" for t, a, b in (row.split(",") for row in rows)]
    Path("late.csv").write_text("\n".join([head, *late, ""]))
    near, exact = (
        biela("estimate", "four_bar", "late.csv", *words, *more).data for more in ([], ["--exact"])
    )
    assert exact["steps"] > near["steps"]
    assert near["end"]["crank"]["value"] != exact["end"]["crank"]["value"]
    swarm = [*words, "--filter", "bootstrap", "--exact", "--dt", "10ms"]
    assert biela("estimate", "four_bar", "late.csv", *swarm).data["steps"] > 100


def test_units_of_columns_are_heeded(biela, recorded):
    from pathlib import Path

    text = Path("readings.csv").read_text()
    head, *rows = text.splitlines()
    scaled = [f"{1e3 * float(t)},{np.rad2deg(float(a))},{b}" for t, a, b in (row.split(",") for row in rows)]
    head = "t [ms],gyro.coupler [deg/s],gyro.rocker"
    Path("scaled.csv").write_text("\n".join([head, *scaled, ""]))
    one, two = (
        biela("estimate", "four_bar", name, *GYROS, *START, "--json").data["end"]["crank"]["value"]
        for name in ("readings.csv", "scaled.csv")
    )
    assert one == pytest.approx(two, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["bootstrap", "sir", "auxiliary", "regularised", "adaptive", "rao-blackwellised"]
)
def test_particles_begin_anywhere(biela, recorded, name):
    biased = ["--bias", "gyro.coupler=0.1deg/s"] if name == "rao-blackwellised" else []
    found = biela(
        "estimate", "four_bar", "readings.csv", *GYROS, *biased, "--filter", name, "--anywhere",
        "--dt", "10ms", "--independent", "crank", "--particles", "2000", "--seed", "2",
        "--truth", "truth.csv", "--json",
    )  # fmt: skip
    assert found.data["steps"] == 100
    # the noise of one is made for bars of metres, the kernel of the other as wide as two ways to close
    if name not in ("sir", "regularised"):
        assert found.data["rmse"]["crank"] < bl.deg(5)


def test_replays_are_pages(biela, recorded):
    one = biela("simulate", "four_bar", "--for", "100ms", "--replay", "pages/run.html", "--json")
    words = ["--truth", "truth.csv", "--replay", "pages/estimate.html", "--json"]
    two = biela("estimate", "four_bar", "readings.csv", *GYROS, *START, *words)
    assert [*one.data["files"], *two.data["files"]] == ["pages/run.html", "pages/estimate.html"]
    from pathlib import Path

    assert all("<html" in path.read_text("utf-8")[:200] for path in Path("pages").iterdir())
    wrong = biela("simulate", "four_bar", "--replay", "run.htm")
    assert (wrong.code, wrong.err.splitlines()[0][-36:]) == (2, "run.htm: expected .html; got '.htm'.")


@pytest.mark.parametrize("name", ["ukf", "error-state", "ensemble"])
def test_other_filters_find_it_too(biela, recorded, name):
    found = biela(
        "estimate", "four_bar", "readings.csv", *GYROS, *START, "--filter", name, "--truth", "truth.csv",
        "-o", "estimate.parquet", "--plot", "estimate.svg", "--json",
    )  # fmt: skip
    assert found.data["rmse"]["crank"] < bl.deg(0.5)
    assert found.data["files"] == ["estimate.parquet", "estimate.svg"]


@pytest.mark.parametrize(
    ("text", "words", "code", "told"),
    [
        (
            "t,gyro.coupler\n0.01,1\n",
            GYROS,
            1,
            "no column 'gyro.rocker'. It has t, gyro.coupler. Did you mean",
        ),
        ("t,gyro.coupler\n0.01,1\n0.02\n", GYROS[:2], 1, "line 3: expected 2 fields, got 1. Is it whole?"),
        ("t,gyro.coupler\n0.02,1\n0.01,1\n", GYROS[:2], 1, "row 2: time runs backwards"),
        ("t,gyro.coupler\n-1,1\n", GYROS[:2], 1, "before the start at 0 s: give --begin."),
        ("t,gyro.coupler\n,1\n", GYROS[:2], 1, "row 1: the time is not finite."),
        ("t,gyro.coupler\n0.1,\n", GYROS[:2], 1, "has no readings after t=0 s."),
        ("t,gyro.coupler\n1e9,1\n", GYROS[:2], 1, "Is t in seconds?"),
        ("t,gyro.coupler\n", GYROS[:2], 1, "has no rows."),
        (
            "t,gyro.coupler [m]\n0.1,1\n",
            GYROS[:2],
            1,
            "readings.csv: gyro.coupler is in m, where rad/s is wanted",
        ),
        (None, GYROS[:2], 1, "There is no file"),
        ("t\n", [], 2, "Give at least one sensor"),
        ("t\n", ["--filter", "ekv", *GYROS], 2, "Did you mean 'ekf'?"),
        ("t\n", ["--anywhere", *GYROS], 2, "A 'ekf' needs a first guess"),
        ("t\n", ["--bias", "gyro.coupler=1", *GYROS], 2, "A 'ekf' estimates no bias"),
        ("t\n", ["--sensor", "gyro:copler:1"], 1, "has no body 'copler'"),
        ("t\n", ["--independent", "krank", *GYROS], 2, "Did you mean 'crank'?"),
    ],
)
def test_readings_that_are_none(biela, tmp_path, text, words, code, told):
    if text is not None:
        (tmp_path / "readings.csv").write_text(text)
    found = biela("estimate", "four_bar", "readings.csv", *words)
    assert found.code == code, found
    assert told in found.err


def test_a_bare_number_of_many_turns_is_told(biela):
    found = biela("simulate", "pendulum", "--lock", "angle=90", "--for", "10ms")
    assert found.code == 0
    assert "angle=90 is in radians; for degrees write angle=90deg" in found.err
    assert not biela("simulate", "pendulum", "--lock", "angle=90deg", "--for", "10ms").err
    assert not biela("simulate", "pendulum", "--lock", "angle=3", "--for", "10ms").err


def test_what_is_locked_is_what_is_estimated(biela):
    rig = ("simulate", "four_bar", "--for", "0.1s", "--lock", "coupler=-66deg", "--readings", "y.csv")
    assert biela(*rig, "--sensor", "gyro:coupler:0.5deg/s:rate=100Hz", "--quiet").code == 0
    given = ("estimate", "four_bar", "y.csv", "--sensor", "gyro:coupler:0.5deg/s", "--json")
    for name, start in (("coupler", "-66deg"), ("rocker", "2.3")):
        assert set(biela(*given, "--lock", f"{name}={start}").data["end"]) == {name, f"{name}'"}
    both = biela(*given, "--lock", "rocker=2.3", "--independent", "crank").data["end"]
    assert set(both) == {"crank", "crank'"}
