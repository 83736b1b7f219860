"""The benchmark of simulations runs, and everybody in it follows the same trajectory. No time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEYS = {"bench", "case", "ours", "peer", "ratio", "unit"}
BENCHES = {
    "four-bar accuracy",
    "four-bar scalar",
    "four-bar batch",
    "arm scalar",
    "arm batch",
    "real time",
    "pair",
}


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.simulation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def lines():
    done = run("--quick")
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def select(lines, bench):
    return [line for line in lines if line["bench"] == bench]


def test_every_subject_speaks(lines):
    assert {line["bench"] for line in lines} == BENCHES
    assert all(set(line) >= KEYS for line in lines)


def test_a_ratio_is_missing_only_with_a_reason(lines):
    for line in lines:
        assert (line["ratio"] is None) == ("skipped" in line), line


def test_errors_stand_beside_every_ratio(lines):
    for bench in ("four-bar scalar", "four-bar batch"):
        for line in select(lines, bench):
            assert "skipped" in line or (line["error"] < 0.02 and line["peer_error"] < 0.003), line
    for bench in ("arm scalar", "arm batch"):
        for line in select(lines, bench):
            assert "skipped" in line or line["difference"] < 1e-9, line


def test_a_headline_is_no_less_accurate_than_its_peer(lines):
    headlines = [line for line in lines if line.get("headline") and line["bench"].startswith("four-bar")]
    assert all(line["error"] <= 1.05 * line["peer_error"] for line in headlines)
    peers = {line["case"].split(", vs ")[-1] for line in select(lines, "four-bar scalar")}
    assert len(peers) == 4


def test_our_step_is_as_accurate_as_the_one_by_hand(lines):
    """Both are semi-implicit Euler in the crank's angle."""
    errors = [line["ours"] for line in select(lines, "four-bar accuracy") if "independent" in line["case"]]
    assert errors == [pytest.approx(1.896e-3, rel=1e-3)]


def test_loops_stay_closed(lines):
    assert all(line["gap_at_10_s"] < 1e-7 for line in select(lines, "four-bar accuracy"))
    assert all(line["residual"] < 1e-8 for line in select(lines, "real time"))


def test_every_formulation_that_suits_a_loop_is_paired(lines):
    formulations = {line["case"].split(",")[0] for line in select(lines, "pair")}
    assert formulations >= {"multipliers", "independent", "penalty", "baumgarte"}
    assert "tree" not in formulations


def test_subjects_are_selectable_and_checked():
    refused = run("pair")
    assert refused.returncode == 2
    assert "no subject 'pair'; there are four-bar, arm, real-time, pairs" in refused.stderr


def test_the_page_has_the_measured_table():
    text = (ROOT / "docs" / "formulations.md").read_text(encoding="utf-8")
    table = text.split("<!-- measured: begin -->\n")[1].split("<!-- measured: end -->\n")[0]
    rows = [row for row in table.splitlines() if row.startswith("| `")]
    assert len(rows) >= 24
    assert all(row.count("|") == 9 for row in rows)
