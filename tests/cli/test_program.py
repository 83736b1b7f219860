"""The program as a whole: help, exit codes, errors, JSON, speed of starting."""

import json
import subprocess
import sys

import pytest

import biela.cli.page as page
from biela.cli.command import COMMANDS
from biela.cli.command.command import Command
from biela.cli.command.list import arguments
from biela.cli.completion import parsers
from biela.cli.program import program

PATHS = [path for path, _ in parsers(program())]


def fresh(*words, **more):
    command = [sys.executable, "-m", "biela", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


@pytest.mark.parametrize("path", PATHS)
def test_every_command_has_help(biela, path):
    found = biela(*path.split(), "--help")
    assert (found.code, found.err) == (0, "")
    assert f"usage: biela {path}".strip() in found.out
    assert "--json" in found.out


def leaves(rows, path=""):
    for row in rows:
        yield f"{path} {row.name}".strip(), row
        yield from leaves(row.below, f"{path} {row.name}".strip())


@pytest.mark.parametrize(("path", "row"), list(leaves(COMMANDS.values())))
def test_every_command_is_whole(path, row):
    assert isinstance(row, Command)
    assert row.summary[0].islower()
    assert not row.summary.endswith(".")
    assert row.below or row.examples
    for line in row.examples:
        assert line.startswith(f"biela {path}"), line


def examples():
    import shlex

    for _, row in leaves(COMMANDS.values()):
        yield from (shlex.split(line)[1:] for line in row.examples)


@pytest.mark.parametrize("words", list(examples()), ids=" ".join)
def test_every_example_is_understood(words):
    args = program().parse_args(words)
    assert args.run


def test_help_imports_nothing_heavy():
    code = "import sys, biela.cli; biela.cli.main(['simulate', '--help']); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "scipy", "llvmlite", "matplotlib", "biela.expr", "biela.observe"} & set(loaded)


def test_without_a_command_there_is_help(biela):
    assert biela().out == biela("--help").out


def test_version(biela):
    import biela as package

    assert biela("--version").out == f"biela {package.__version__}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lst"], "there is no 'lst'"),
        (["lst"], "Did you mean 'list'?"),
        (["list", "fliters"], "Did you mean 'filters'?"),
        (["simulate"], "required: MECHANISM"),
        (
            ["simulate", "four_bar", "--intergrator", "rk4"],
            "unrecognized arguments: --intergrator rk4. Did you",
        ),
        (["simulate", "four_bar", "--intergrator", "rk4"], "mean '--integrator'?"),
        (["pf", "fourbar", "--quie"], "unrecognized arguments: --quie. Did you mean '--quiet'?"),
        (["simulate", "four-bar"], "Did you mean 'four_bar'?"),
        (["simulate", "four_bar", "--for", "10m"], "argument --for: '10m' is in m, where s is wanted"),
        (["simulate", "four_bar", "--dt", "0s"], "argument --dt: '0s': expected more than zero"),
        (["export", "four_bar", "--target", "c98"], "Did you mean 'c99'?"),
        (["completion", "fish"], "there is no 'fish': bash, zsh."),
    ],
)
def test_wrong_calls_end_with_2(biela, words, told):
    found = biela(*words)
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert "Try: biela" in found.err
    assert "Traceback" not in found.err


def test_failures_end_with_1_and_debug_shows_where(biela):
    words = ["simulate", "four_bar", "--set", "l1=2m"]
    found = biela(*words)
    assert (found.code, found.out) == (1, "")
    assert found.err.startswith("biela simulate: Model 'four_bar' cannot be assembled")
    assert "Traceback" not in found.err
    assert "Traceback" in biela(*words, "--debug").err


def failing(error):
    def run(args, page):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (KeyError("no such thing"), 1, "biela list: no such thing\n"),
        (ZeroDivisionError("by zero"), 1, "ZeroDivisionError: by zero\nThat is not expected"),
        (ValueError(), 1, "biela list: ValueError\n"),
    ],
)
def test_errors_are_told(biela, monkeypatch, error, code, told):
    row = Command("list", "fail", failing(error), arguments)
    monkeypatch.setitem(COMMANDS, "list", row)
    found = biela("list")
    assert found.code == code
    assert told in found.err


def test_json_is_all_there_is_on_the_standard_output(biela):
    data = biela("list", "filters", "--json").data
    assert "ekf" in data["filters"]
    assert biela("--json", "list", "filters").data == data


def test_quiet_prints_nothing(biela):
    assert biela("list", "--quiet") == (0, "", "")


def test_a_reader_that_has_seen_enough_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "biela", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.wait(60) == 1
    assert process.stderr.read() == b""


def test_the_console_script_is_the_module():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="biela")
    assert script.value == "biela.cli:main"
    assert fresh("--version").stdout.startswith("biela ")
    assert fresh("lst").returncode == 2


def test_what_is_not_finite_is_null():
    import numpy as np

    found = page.plain({"a": np.array([1.0, np.nan]), 2: (np.float64(np.inf), np.int64(3), True, None)})
    assert json.dumps(found) == '{"a": [1.0, null], "2": [null, 3, true, null]}'
