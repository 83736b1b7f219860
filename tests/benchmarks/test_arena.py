"""The benchmark of the arena runs: agents in their own processes answer. No time is tested."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lines():
    command = [sys.executable, "-m", "benchmarks.arena", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def test_every_line_has_the_keys(lines):
    for line in lines:
        assert list(line)[:5] == ["bench", "case", "ours", "reference", "unit"]
        assert line["bench"] == "arena"
        assert line["ours"] > 0


def test_all_load_cases_are_measured_beside_the_source(lines):
    loads = [line for line in lines if line["case"].startswith("load") and "in C" not in line["case"]]
    assert [line["reference"] for line in loads] == [13.1, 13.2, 15.1, 26.0, 48.2, 124.1]
    assert all(line["must"] == pytest.approx(line["reference"] / 25, rel=1e-3) for line in loads)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_agents_in_c_are_measured_beside_those_in_python(lines):
    cases = [line["case"] for line in lines if line["case"].endswith(", agents in C")]
    wanted = ["load 3: 1 agents", "load 5: 10 agents", "ten agents against one"]
    assert [case.split(",")[0] for case in cases] == wanted


def test_what_agents_length_and_the_fast_mode_cost_is_measured(lines):
    cases = " ".join(line["case"] for line in lines)
    cost = ("ten agents against one", "3,000 to 4,000", "headless, 20 robots", "fast mode, 20 robots")
    for part in (*cost, "vsss-3v3", "sumo-mini"):
        assert part in cases
