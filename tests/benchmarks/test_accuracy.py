"""The benchmark of accuracy runs, says what it should, and its figures hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEYS = {"bench", "case", "quantity", "ours", "reference", "error"}
BOUNDS = {  # of the errors; tables are printed to ten digits, so half a unit of the last is 5e-11
    "four-bar positions": 1e-9,
    "four-bar rates": 1e-9,
    "accelerometer": 1e-9,
    "gyroscope": 1e-13,
    "dead reckoning": 1e-14,
    "misprinted dead reckoning": 5e-9,
    "four-bar regularity": 1e-13,
    "first acceleration": 1e-11,
    "four-bar release": 1e-8,
    "energy of the release": 1e-9,
    "formulations of the four-bar": 1e-8,
    "smaller disc": 1e-8,
    "equilibria": 2e-8,
    "explicit Euler": 1e-9,
    "andrews_squeezer": 1e-9,
    "car_axis": 1e-9,
    "pendulum": 1e-10,
    "double four-bar": 1e-9,
    "singular start": 1e-9,
    "bicycle": 1e-8,
    "two ways": 1e-8,
    "redundant equations": 0.0,
    "residuals": 1e-10,
    "energy": 1e-6,
}


@pytest.fixture(scope="module")
def lines():
    command = [sys.executable, "-m", "benchmarks.accuracy", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def test_lines_have_the_keys(lines):
    assert all(set(line) == KEYS for line in lines)


def test_every_bench_speaks(lines):
    assert {line["bench"] for line in lines} == set(BOUNDS)


@pytest.mark.parametrize("bench", BOUNDS)
def test_errors_are_small(lines, bench):
    wrong = [line for line in lines if line["bench"] == bench and not line["error"] <= BOUNDS[bench]]
    assert not wrong


def test_the_redundant_equation_is_named(lines):
    (line,) = [line for line in lines if line["quantity"] == "last hinge[4]"]
    assert line["case"] == "bricard"


def test_an_unknown_subject_is_refused():
    command = [sys.executable, "-m", "benchmarks.accuracy", "motions"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no subject 'motions'" in done.stderr
