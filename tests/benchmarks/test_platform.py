"""The benchmark of the platform runs, and the simulator it times fits the plant. No time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.platform", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def lines():
    done = run("--quick")
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def test_every_line_has_the_keys(lines):
    assert len(lines) > 60
    for line in lines:
        assert list(line)[:5] == ["bench", "case", "ours", "reference", "unit"]
        assert line["bench"] == "platform"
        assert line["ours"] > 0


def test_the_bounds_are_stated(lines):
    bounded = [line["case"] for line in lines if "must" in line]
    words = ("one run", "week", "settings", "multibody", "NRMSE with limits, mean")
    assert all(any(word in case for case in bounded) for word in words)


def test_the_simulator_fits_the_plant(lines):
    found = {line["case"]: line["ours"] for line in lines}
    assert found["NRMSE with limits, mean"] >= 0.95


def test_unknown_subjects_are_told():
    done = run("speed")
    assert done.returncode == 2
    assert "no subject 'speed'; there are loop, batch, machine, accuracy" in done.stderr
