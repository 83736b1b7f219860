"""The benchmark of the observers runs and says what it should. No time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEYS = {"bench", "case", "ours", "reference", "unit"}


@pytest.fixture(scope="module")
def lines():
    command = [sys.executable, "-m", "benchmarks.observers", "--quick", "particles"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def test_lines_have_the_keys(lines):
    assert lines
    for line in lines:
        assert set(line) >= KEYS
        assert line["ours"] is not None or line["skipped"]


def test_every_figure_of_the_particle_filters_is_there(lines):
    told = " ".join(line["case"] for line in lines)
    for part in ("in real time", "against NumPy", "`particles`", "convergence", "unknown branch"):
        assert part in told


def test_what_follows_from_seeds_alone_is_right(lines):
    found = {line["case"]: line["ours"] for line in lines if line["unit"] == "%"}
    assert (
        found.pop("unknown branch found within 2 s, two gyros and an accelerometer, 2000 particles") == 100.0
    )
    assert min(found.values()) >= 75.0  # of four tries


def test_an_unknown_subject_is_refused():
    command = [sys.executable, "-m", "benchmarks.observers", "smoothers"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no subject 'smoothers'; there are kalman, particles" in done.stderr


def test_the_numpy_filters_go_where_ours_goes():
    sys.path.insert(0, str(ROOT))
    from benchmarks import swarms
    from benchmarks.peers import numpy_particles

    ours = swarms.ours(300, "rk4")
    ours.options["MOTION_STDDEV"], ours.threshold = 0.0, 0.0
    kinds = numpy_particles.General, numpy_particles.ClosedForm
    peers = [swarms.started(ours.swarm.x, kind, "rk4") for kind in kinds]
    for peer in peers:
        peer.motion = 0.0
    for _ in range(20):
        ours.step([0.5])
        for peer in peers:
            peer.move()
    for peer in peers:
        assert abs(peer.theta - ours.swarm.x[0]).max() < 1e-6
        assert abs(peer.omega - ours.swarm.x[2]).max() < 1e-6
