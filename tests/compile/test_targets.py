"""Every source target: the same values as the program, clean builds, golden files and messages."""

import math
import re
import sys
from functools import partial

import numpy as np
import pytest
from conformance import (
    CASES,
    SHIPPED,
    Case,
    disagreements,
    four_bar_with_profile,
    matrix_product,
    pendulum_step,
)
from languages import (
    STRICT,
    build_c,
    call_c,
    run,
    run_c,
    run_chromium,
    run_llvm,
    run_llvm_batch,
    run_node,
    run_octave,
    run_python,
    tool,
)

from biela.compile.segment import cut
from biela.compile.statement import MAX_LENGTH
from biela.compile.targets import TARGETS, export
from biela.expr.counting import count_source
from biela.expr.expression import Expr, sin, spline
from biela.expr.function import Function
from biela.expr.graph import Graph

FUNCTIONS = [case.function for case in CASES]


def found(results, tolerance=1e-12, rows=None):
    """All disagreements of a target, the first twenty in words."""
    wrong = [
        line
        for case, result in zip(CASES, results, strict=True)
        for line in disagreements(case, rows(case) if rows else case.rows, result, tolerance)
    ]
    return "\n".join(wrong[:20])


# values


@pytest.mark.parametrize(
    "runner", [run_llvm, run_llvm_batch, run_c, run_python, run_octave, run_node, run_chromium]
)
def test_every_language_agrees(tmp_path, runner):
    assert not found(runner(tmp_path, CASES))


@pytest.mark.parametrize("length", [1, 2, 5])
def test_c99_in_segments_agrees(tmp_path, monkeypatch, length):
    monkeypatch.setattr("biela.compile.c99.cut", partial(cut, length=length))
    library = build_c(tmp_path, [case.function for case in SHIPPED])
    for case in SHIPPED:
        results = [call_c(library, case, row, np.float64) for row in case.rows]
        assert not list(disagreements(case, case.rows, results))


def test_c99_in_single_precision_agrees(tmp_path):
    library = build_c(tmp_path, FUNCTIONS, "float")

    def rows(case):
        kept = [row for row in case.rows if max(map(abs, row)) < 2**20 and min(map(abs, row)) > 1e-30]
        return [tuple(map(float, np.float32(row))) for row in kept]

    def call(case, row):
        return call_c(library, case, row, np.float32)

    assert sum(len(rows(case)) > 5 for case in CASES) >= len(CASES) - 1  # uniform has too large seeds
    results = [[call(case, row) for row in rows(case)] for case in CASES]
    assert not found(results, 1e-5, rows)


def test_single_precision_has_every_constant(tmp_path):
    """What a float cannot hold is infinity or zero, without a warning of the compiler."""
    graph = Graph()
    x = graph.symbol("x")
    constants = [1e300, -1e300, 1e-300, 0.1, math.nan, math.inf, -math.inf, -0.0]
    values = [x * 1e300, *(Expr(graph, graph.constant(value)) for value in constants)]
    case = Case(Function("constants", [x], {"y": values}), ((2.0,),))
    library = build_c(tmp_path, [case.function], "float")
    expected = [math.inf, math.inf, -math.inf, 0.0, np.float32(0.1), math.nan, math.inf, -math.inf, -0.0]
    np.testing.assert_array_equal(call_c(library, case, case.rows[0], np.float32), expected)


def test_draws_in_single_precision_stay_inside_the_interval(tmp_path):
    uniform = next(case for case in CASES if case.function.name == "uniform_case")
    library = build_c(tmp_path, [uniform.function], "float")
    rows = [(float(seed), float(step), 1.0) for seed in range(40) for step in range(40)]
    draws = [call_c(library, uniform, row, np.float32)[0] for row in rows]
    assert 0.0 < min(draws) < 0.01
    assert 0.99 < max(draws) < 1.0
    assert np.abs(np.array(draws) - np.ravel(uniform.expected(rows))).max() < 2e-7


# shape of the sources


@pytest.mark.parametrize("name", TARGETS)
def test_golden(name, golden):
    for case in SHIPPED:
        for file_name, text in TARGETS[name].source(case.function).items():
            golden(file_name, text)


def test_c99_needs_only_libm(tmp_path):
    gcc, nm = tool("gcc", "cc", package="gcc"), tool("nm", package="binutils")
    libm = {"sin", "cos", "sqrt", "log", "fabs", "sincos", "pow"}
    for path in export([case.function for case in SHIPPED], "c99", tmp_path):
        if path.suffix == ".c":
            made = str(tmp_path / "one.o")
            run(gcc, "-std=c99", "-O2", "-fno-stack-protector", "-c", str(path), "-o", made)
            missing = re.findall(r"U (\w+)", run(nm, "-u", made))
            assert set(missing) <= libm | {"_GLOBAL_OFFSET_TABLE_"}


def test_header_serves_c_plus_plus(tmp_path):
    compiler = tool("g++", "c++", package="g++")
    export([case.function for case in SHIPPED], "c99", tmp_path)
    includes = "".join(f'#include "{case.function.name}.h"\n' for case in SHIPPED)
    (tmp_path / "user.cpp").write_text(includes + "int size = BIELA_step_x_SIZE;\n")
    run(compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(tmp_path / "user.cpp"))


@pytest.mark.parametrize("case", SHIPPED, ids=lambda case: case.function.name)
def test_counts_agree_with_the_listing(case):
    function = case.function
    text = TARGETS["c99"].source(function)[f"{function.name}.c"]
    body = text.split(f"void biela_{function.name}")[1].split("{", 1)[1]
    listed, counted = count_source(body), function.operations
    # In a listing the sign of a negative factor is one more operation.
    signs = len(re.findall(r"(?<=[*/(=,] )-\d|(?<=\()-\d", body))
    assert listed.total - signs == counted.total
    assert listed.calls == counted.calls
    assert listed.atoms == counted.atoms


def test_values_used_once_are_written_where_they_are_used():
    text = TARGETS["c99"].source(pendulum_step())["step.c"]
    assert re.findall(r"const double (\w+) =", text) == ["a1", "a2"]


@pytest.mark.parametrize("name", TARGETS)
def test_long_chains_make_short_statements(name):
    graph = Graph()
    symbols = graph.symbols(" ".join(f"x{i}" for i in range(100)))
    total, nested = symbols[0], symbols[1]
    for i in range(100_000):
        total = total + symbols[i % 100] * float(i + 2)
    for i in range(5_000):
        nested = sin(nested + symbols[i % 100])
    texts = TARGETS[name].source(Function("chain", {"x": symbols}, {"y": total, "z": nested}))
    code = "".join(texts.values()).replace("...\n", "\n")
    assert max(map(len, re.split(r"[;{}]|\n    (?=\w+ =)", code)), default=0) < MAX_LENGTH + 300
    assert max(text.count("(") for text in code.splitlines()) < 30
    if name == "python":
        module = {}
        exec(compile(code, "chain.py", "exec"), module)
        values = [0.1 * i for i in range(100)]
        y, z = module["chain"](values)
        reference = dict(zip(symbols, values, strict=True))
        assert (y, z) == (total.value(reference), nested.value(reference))


@pytest.mark.parametrize("name", TARGETS)
def test_awkward_names(name, tmp_path):
    """Names that mean something in the language, or that generated names would collide with."""
    graph = Graph()
    symbols = graph.symbols("a1 sin double math int end class op_min biela_min curve1 x_ class_")
    shared = sin(symbols[0] + symbols[2])
    value = shared * shared + sum(symbols) + spline(symbols[1], [0, 1], [0, 1]) * sin(symbols[1])
    function = Function("min", symbols, {"default": value})
    export(function, name, tmp_path)
    if name == "c99":
        gcc = tool("gcc", "cc", package="gcc")
        run(gcc, *STRICT, "-c", "-o", str(tmp_path / "min.o"), str(tmp_path / "min.c"))
    elif name == "python":
        (path,) = tmp_path.glob("*.py")
        module = {}
        exec(path.read_text(), module)
        inputs = [0.1 * i for i in range(len(symbols))]
        assert module[path.stem](*inputs) == pytest.approx(function.evaluate(*inputs))
    elif name == "javascript":
        run(tool("node", package="nodejs"), "--check", str(next(tmp_path.glob("*.mjs"))))


def test_generated_python_checks_its_input():
    module = {}
    exec(TARGETS["python"].source(matrix_product())["product.py"], module)
    with pytest.raises(ValueError, match="A: expected 2 rows of 3 numbers"):
        module["product"]([[1, 2], [3, 4]], [1, 2, 3], 0)
    with pytest.raises(ValueError, match="lambda_: expected 3 numbers, got 2"):
        module["product"]([[1, 2, 3], [3, 4, 5]], [1, 2], 0)


# export


def test_export_writes_several_functions_and_replaces(tmp_path):
    folder = tmp_path / "new" / "folder"
    functions = [pendulum_step(), four_bar_with_profile()]
    written = export(functions, "c99", folder)
    assert [path.name for path in written] == ["step.h", "step.c", "four_bar.h", "four_bar.c"]
    written[1].write_text("old")
    export(functions, "c99", str(folder))
    assert "biela_step" in written[1].read_text()
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in written)


def test_a_failed_export_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*paths):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        export(pendulum_step(), "python", tmp_path)
    assert not list(tmp_path.iterdir())


def test_bad_calls(tmp_path):
    function = pendulum_step()
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"no target 'c98'.*c99, matlab, python, javascript.*mean 'c99'"):
        export(function, "c98", tmp_path)
    with pytest.raises(ValueError, match="Did you mean 'matlab'"):
        export(function, "octave", tmp_path)
    with pytest.raises(NotADirectoryError, match="it is a file"):
        export(function, "c99", tmp_path / "file")
    with pytest.raises(ValueError, match=r"'step' and 'Step' would both be written to 'Step.h'"):
        export([function, function.renamed("Step")], "c99", tmp_path)
    with pytest.raises(ValueError, match="would both be written"):
        export([function, function], "python", tmp_path)
    with pytest.raises(ValueError, match="real must be double, got 'float'"):
        export(function, "python", tmp_path, real="float")
    with pytest.raises(ValueError, match="real must be double or float, got 'half'"):
        export(function, "c99", tmp_path, real="half")
    with pytest.raises(TypeError, match="Expected a Function or several, got int 3"):
        export([3], "c99", tmp_path)
    with pytest.raises(ValueError, match="no Function to write"):
        export([], "c99", tmp_path)
    with pytest.raises(ValueError, match="no name begins with '_', but '_step' does"):
        export(function.renamed("_step"), "matlab", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_numbers_are_exact():
    x = Graph().symbol("x")
    value = x * 0.1 + 1e-300 + Expr(x.graph, x.graph.constant(math.inf)) * sin(x)
    function = Function("f", [x], {"y": value})
    text = TARGETS["c99"].source(function)["f.c"]
    assert "0.1" in text
    assert "1e-300" in text
    assert "INFINITY" in text
    single = TARGETS["c99"].source(function, real="float")["f.c"]
    assert "0.1f" in single
    assert "1e-300" not in single


if sys.platform == "win32":  # pragma: no cover
    pytestmark = pytest.mark.skip(reason="the runners build shared libraries the Unix way")
