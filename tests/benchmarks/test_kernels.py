"""The benchmark of the kernels runs, says what it should, and its contenders agree. No time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEYS = {"bench", "case", "ours", "peer", "ratio", "unit"}


@pytest.fixture(scope="module")
def lines():
    command = [sys.executable, "-m", "benchmarks.kernels", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def test_lines_have_the_keys(lines):
    for line in lines:
        assert set(line) - {"skipped"} == KEYS
        assert isinstance(line["bench"], str)
        assert isinstance(line["case"], str)
        assert isinstance(line["unit"], str)


def test_a_ratio_is_missing_only_with_a_reason(lines):
    for line in lines:
        assert (line["ratio"] is None) == ("skipped" in line), line


def test_a_ratio_is_ours_over_the_peer(lines):
    for line in lines:
        if line["ratio"] is not None:
            assert line["ratio"] == pytest.approx(line["ours"] / line["peer"], rel=1e-2)


def test_every_subject_speaks(lines):
    benches = {line["bench"] for line in lines}
    assert benches >= {"four-bar", "building", "differentiating", "compiling", "cached", "calling"}


@pytest.mark.parametrize("peer", ["plain Python", "C", "CasADi", "JAX", "SymPy"])
def test_peer_follows_the_same_trajectory(lines, peer):
    (line,) = [line for line in lines if line["bench"] == "four-bar agreement" and line["case"] == peer]
    if "skipped" in line:
        pytest.skip(f"{peer}: {line['skipped']}")
    assert line["ours"] < 1e-9


def test_the_trajectory_is_the_reference(lines):
    errors = [line for line in lines if line["bench"] == "four-bar trajectory"]
    assert len(errors) == 2
    assert all(line["ratio"] < 1 for line in errors)
