"""The program of source 000 and its studies: flags, defaults, console, files, interruption."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from biela.cli.fourbar import Fourbar, Settings
from biela.cli.program import program
from biela.observe.study import Trial, replayed

SHORT = ["--for", "120ms", "--particles", "20", "--nopause"]  # 20 iterations


def test_defaults_are_those_of_the_source():
    args = program().parse_args(["pf", "fourbar"])
    assert (args.duration, args.dt, args.particles) == (60.0, 0.006, 200)
    assert (args.sensor_stddev, args.sensor_stddev_mod) == (0.01, 10.0)
    assert (args.motion_stddev, args.resample_stddev) == (0.02, 0.02)
    assert args.lengths == (2.0, 4.0, 3.0, 4.0)
    assert args.nopause is args.txtwrite is False
    assert Settings().iterations == 10_000


def test_the_console_shows_every_iteration(biela):
    found = biela("pf", "fourbar", *SHORT)
    assert found.code == 0
    assert found.out.count("NEXT ITERATION") == 20
    assert found.out.count("Particle ") == 400
    assert "Crank-Crank; the input bar is a crank" in found.out
    assert "Simulated time: 0.120 s" in found.out
    for told in (
        "CPU time: ",
        "Omega: ",
        "Log(w): ",
        "Angle: ",
        "Gyroscope: ",
        "Advancing reference: ",
        "ESS: ",
    ):
        assert told in found.out
    assert found.out.rstrip().splitlines()[-2] == "SIMULATION ENDED"
    number = r"\s+-?\d+\.\d{%d}\b"
    import re

    assert re.search(
        "Omega:" + number % 5 + ".*Log\\(w\\):" + number % 5 + ".*Angle:" + number % 3, found.out
    )


def test_resampling_is_told(biela):
    found = biela("pf", "fourbar", "--for", "600ms", "--nopause")
    assert found.out.count("Resample done!") >= 1
    ess = [float(line.split()[1]) for line in found.out.splitlines() if line.startswith("ESS:")]
    assert found.out.count("Resample done!") == sum(value < 50.0 for value in ess)


def test_quiet_prints_nothing_and_pauses_all_the_same(biela, monkeypatch):
    asked = []

    class Keys:
        def readline(self):
            asked.append(1)
            return "\n"

    monkeypatch.setattr(sys, "stdin", Keys())
    words = [word for word in SHORT if word != "--nopause"]
    assert biela("pf", "fourbar", "--quiet", *words) == (0, "", "")
    assert len(asked) == 20


def test_q_ends_it_and_so_does_nobody_at_the_keyboard_end_the_pauses(biela, monkeypatch):
    import io

    words = ["pf", "fourbar", *(word for word in SHORT if word != "--nopause")]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n\nq\n"))
    found = biela(*words)
    assert found.out.count("NEXT ITERATION") == 3
    assert "SIMULATION ENDED" in found.out
    assert found.err.count("Press Enter to keep iterating") == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert biela(*words).out.count("NEXT ITERATION") == 20


def test_files_have_a_line_for_every_iteration(biela):
    found = biela("pf", "fourbar", *SHORT, "--txtwrite", "--folder", "run", "--json")
    assert [os.path.basename(path) for path in found.data["files"]] == [
        "Angles.txt",
        "Weights.txt",
        "Omegas.txt",
    ]
    angles, weights, omegas = (np.loadtxt(path, delimiter="\t") for path in found.data["files"])
    assert angles.shape == omegas.shape == (20, 21)
    assert weights.shape == (20, 20)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-5)
    assert sorted(os.listdir("run")) == ["Angles.txt", "Omegas.txt", "Weights.txt"]


def test_writing_and_drawing_change_nothing(biela):
    kept = ("reference", "estimate", "resamplings", "iterations")
    plain = biela("pf", "fourbar", *SHORT, "--json").data
    other = biela("pf", "fourbar", *SHORT, "--txtwrite", "--plot", "--json").data
    assert [plain[name] for name in kept] == [other[name] for name in kept]
    assert {"angles.png", "weighted.png", "omegas.png", "particles.gif"} <= set(other["files"])
    assert biela("pf", "fourbar", *SHORT, "--seed", "2", "--json").data["estimate"] != plain["estimate"]


def test_the_filter_is_that_of_the_studies():
    """Another way to the same filter, with readings of its own: it must find the bar as often."""
    from biela.cli.command.study import mechanism

    program = Fourbar(Settings(duration=1.02))
    first = next(iter(program))
    _, wanted = replayed(mechanism(), Trial(seed=1, steps=1))
    np.testing.assert_array_equal(first.before.angles, wanted.angles[0])
    assert first.before.angle == wanted.reference[0]
    near = 0
    for seed in range(10):
        *_, last = Fourbar(Settings(duration=1.02, seed=seed))
        mean = np.angle(np.sum(last.after.weights * np.exp(1j * last.after.angles)))
        near += abs(np.angle(np.exp(1j * (mean - last.after.angle)))) < np.deg2rad(5)
    assert near >= 8


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--fast"], 2, "unrecognized arguments: --fast"),
        (["--particles", "0"], 2, "Expected 1 or more; got 0."),
        (["--lengths", "1,2,3"], 2, "expected four lengths above zero"),
        (["--lengths", "1,1,9,1"], 1, "No four-bar linkage"),
        (["--for", "1ms"], 2, "is less than a step"),
        (["--plot", "--particles", "1000000"], 2, "no more than 20,000,000"),
        (["--motion-stddev", "-1"], 1, "MOTION_STDDEV is not negative"),
    ],
)
def test_errors_are_told_with_their_code(biela, words, code, told):
    found = biela("pf", "fourbar", "--nopause", *words)
    assert found.code == code
    assert told in found.err


def interrupted(words, folder, begun):
    """Start a command, interrupt it once a file is there, and return its code and what it said."""
    command = [sys.executable, "-m", "biela", *words]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while not any(folder.glob(begun)) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_ctrl_c_leaves_whole_files(tmp_path):
    words = ["pf", "fourbar", "--quiet", "--nopause", "--txtwrite", "--folder", "run", "--for", "3600s"]
    code, err = interrupted(words, tmp_path, "run/*.part")
    assert (code, err) == (130, "")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "Angles.txt",
        "Omegas.txt",
        "Weights.txt",
    ]
    rows = [np.loadtxt(path, delimiter="\t", ndmin=2).shape for path in sorted((tmp_path / "run").iterdir())]
    assert rows[0] == rows[1] == (rows[2][0], 201)


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_an_interrupted_study_goes_on(biela, tmp_path):
    words = ["pf", "study", "number", "--values", "10,2000", "--folder", "study", "--workers", "1"]
    code, err = interrupted([*words, "--tries", "60"], tmp_path, "study/*-2000-*")
    assert code == 130
    assert "Traceback" not in err
    assert "the same command goes on from there" in err
    begun = sorted(path.name for path in (tmp_path / "study").iterdir())
    assert begun == ["particles-10-savestate.json", "particles-2000-savestate.json"]
    data = biela(*words, "--tries", "3", "--json").data  # fewer, which are there already
    assert [row["tries"] for row in data["results"]] == [3, 3]
    assert sorted(os.listdir("study")) == ["particles.json", "particles.txt"]


def test_studies_print_a_line_for_every_value(biela):
    found = biela(
        "pf", "study", "noise", "--values", "1mrad,1rad", "--tries", "2", "--workers", "1", "--plot", "n.png"
    )
    lines = found.out.splitlines()
    assert lines[0].startswith("motion: 0.001\tTest time: ")
    assert lines[1].startswith("motion: 1\t")
    assert lines[2] == "wrote n.png"
    assert biela("pf", "study", "number", "--values", "1.5").code == 2


def test_the_timing_study(biela):
    found = biela(
        "pf", "study", "timing", "--steps", "6ms,100ms", "--for", "600ms", "--particles", "20", "--json"
    )
    assert [row["iterations"] for row in found.data["results"]] == [100, 6]
    assert biela("pf", "study", "timing", "--steps", "20s").code == 2


def test_a_failure_of_a_study_is_looked_at_by_its_seed(biela):
    pytest.importorskip("matplotlib")
    study = biela("pf", "study", "noise", "--values", "1rad", "--tries", "4", "--workers", "1", "--json").data
    seed = study["results"][0]["failed_seeds"][0]
    words = ["pf", "study", "trajectories", "--seed", seed, "--motion-stddev", "1rad"]
    again = biela(*words, "--folder", "try", "--txtwrite", "--json").data
    assert again["converged"] is False
    texts = ["Angles.txt", "Omegas.txt", "Weights.txt"]
    assert sorted(os.listdir("try")) == [*texts, "angles.png", "omegas.png"]
    assert "it did not converge" in biela(*words).out
    assert biela(*words, "--txtwrite").code == 2


def test_particles_without_noise_collapse_and_with_it_they_do_not(biela):
    ends = [
        biela("pf", "study", "trajectories", "--seed", "3", "--motion-stddev", f"{s}rad", "--json").data
        for s in (0.0, 0.02)
    ]
    assert ends[0]["spread"]["end"] < 0.3 * ends[1]["spread"]["end"]
