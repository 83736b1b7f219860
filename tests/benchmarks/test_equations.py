"""The benchmark of equations runs and says what it should; sizes are what they must be. No time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from biela.mechanisms import MECHANISMS

ROOT = Path(__file__).parents[2]
KEYS = {"bench", "model", "function", "ops", "atoms", "seconds", "source_ops"}
SUBJECTS = {"table", "rules", "joint", "classic", "inertialess", "atoms", "evaluation", "sympy", "pinocchio"}
MODELS = ("block_pendulum", "four_bar_general", "crank_rod_disc", "stewart", "locomotive")


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.equations", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def lines():
    done = run("--quick")
    assert done.returncode == 0, done.stderr
    return [json.loads(text) for text in done.stdout.splitlines()]


def select(lines, **wanted):
    return [line for line in lines if all(line.get(key) == value for key, value in wanted.items())]


# what it says


def test_lines_have_the_keys(lines):
    for line in lines:
        assert list(line)[: len(KEYS)] == [k for k in line if k in KEYS]
        assert set(line) >= KEYS


def test_every_subject_speaks(lines):
    assert {line["bench"] for line in lines} == SUBJECTS


def test_a_size_is_missing_only_with_a_reason(lines):
    for line in lines:
        assert line["ops"] is not None or "skipped" in line or "without atoms" in line["way"], line


def test_subjects_are_selectable_and_checked():
    done = run("--quick", "joint")
    assert {json.loads(text)["bench"] for text in done.stdout.splitlines()} == {"joint"}
    refused = run("tables")
    assert refused.returncode == 2
    assert "no subject 'tables'; there are table, rules, joint" in refused.stderr


# what must hold, by the source's tables and ours


@pytest.mark.parametrize(
    ("model", "function", "must"),
    [
        ("block_pendulum", "M|delta", 16),
        ("four_bar_general", "M", 39),
        ("four_bar_general", "M|delta", 135),
        ("four_bar_general", "Phi|Phi_q", 25),
        ("crank_rod_disc", "M|delta", 130),
        ("stewart", "M|delta", 2400),
        ("locomotive", "M|delta", 30000),
    ],
)
def test_no_more_operations_than(lines, model, function, must):
    (line,) = select(lines, bench="table", model=model, function=function)
    assert line["ops"] == MECHANISMS[model]().model().functions[function].operations.total
    assert line["ops"] <= must
    assert (line["must"], line["holds"]) == (must, True)


@pytest.mark.parametrize(
    ("model", "function", "aim"),
    [("four_bar_general", "M|delta", 109), ("crank_rod_disc", "M|delta", 100), ("stewart", "M|delta", 1500),
     ("locomotive", "M|delta", 18000)],
)  # fmt: skip
def test_aims_that_are_reached_stay_reached(lines, model, function, aim):
    (line,) = select(lines, bench="table", model=model, function=function)
    assert line["ops"] <= aim == line["aim"]


def test_smaller_than_the_source_everywhere(lines):
    compared = [line for line in select(lines, bench="table") if line["source_ops"] is not None]
    assert {line["model"] for line in compared} == set(MODELS)
    assert len(compared) == 24
    assert [line for line in compared if line["ops"] > line["source_ops"]] == []


def test_position_of_the_four_bars_tip(lines):
    up, down, _ = select(lines, bench="rules", function="r_O^C")
    assert up["ops"] <= up["must"] == up["source_ops"] == 21
    assert up["ops"] < down["ops"] <= down["source_ops"] == 54


def test_rules_make_no_difference_to_the_direct_formalism(lines):
    for model in MODELS[:-1]:
        ways = select(lines, bench="rules", model=model, function="M|delta")
        assert len({line["ops"] for line in ways if line["way"].startswith("direct")}) == 1
        assert len(ways) == 6


def test_joint_export_saves_operations(lines):
    for model in MODELS[:-1]:
        one, two = select(lines, bench="joint", model=model)
        assert one["ops"] < two["ops"]


def test_direct_is_the_smallest_formalism(lines):
    for model in MODELS[:-1]:
        ways = {line["way"]: line["ops"] for line in select(lines, bench="classic", model=model)}
        assert set(ways) == {"direct", "bodies", "classic", "newton-euler", "lagrange"}
        assert min(ways, key=ways.get) == "direct"
        assert ways["bodies"] < ways["classic"]


@pytest.mark.parametrize("model", ["crank_rod_disc", "locomotive"])
def test_coordinates_without_inertia_change_no_operation(lines, model):
    ignoring, exploiting = select(lines, bench="inertialess", model=model)
    assert (ignoring["ops"], ignoring["atoms"]) == (exploiting["ops"], exploiting["atoms"])


@pytest.mark.parametrize("model", ["block_pendulum", "four_bar_general", "crank_rod_disc"])
def test_sharing_afterwards_is_never_smaller(lines, model):
    pytest.importorskip("sympy")
    for function in ("M", "delta", "M|delta"):
        ours, *others = select(lines, bench="atoms", model=model, function=function)
        assert all(ours["ops"] <= other["ops"] for other in others)
        assert len(others) == 2


# peers


def test_sympy_gives_the_same_numbers_and_larger_equations(lines):
    pytest.importorskip("sympy")
    four_bar, pendulums = select(lines, bench="sympy")
    assert max(four_bar["difference"], pendulums["difference"]) < 1e-9
    assert four_bar["peer_ops"] >= 1.5 * four_bar["ops"]
    assert pendulums["peer_ops"] > pendulums["ops"]


def test_pinocchio_is_compared(lines):
    pytest.importorskip("pinocchio")
    one, many = select(lines, bench="pinocchio")
    assert "skipped" not in one
    assert one["ops"] == many["ops"] == MECHANISMS["arm7"]().model().functions["M|delta"].operations.total


def test_operations_of_sympy_are_counted_by_the_same_metric(monkeypatch):
    sympy = pytest.importorskip("sympy")
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.sympy_count import count

    a, b, c = sympy.symbols("a b c")
    cases = {
        a + b: 1, a - b: 1, -a - b: 2, -a: 1, a * b * c: 2, -a * b: 2, 2 * a: 1, a / 2: 1, a / b: 1,
        1 / a: 1, a**2: 1, a**3: 2, a**4: 2, a**-2: 2, a * b / c: 2, 1 / (a * b): 2, sympy.sin(a): 1,
        sympy.sqrt(a): 1, a - 2 * b: 2, a - sympy.cos(a + b) * b: 4, a / (b + c): 2, a: 0,
    }  # fmt: skip
    counted = {expression: count([], [expression]).total for expression in cases}
    assert counted == cases
    assert count([a + b], [c, a * c]).atoms == 1
