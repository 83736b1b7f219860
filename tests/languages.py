"""One runner a language: the results of every row of every case, components in NumPy's order.

A runner takes a folder to work in and the cases; the test skips when the program it needs is missing.
"""

import ctypes
import json
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

from biela.compile.kernel import Kernel
from biela.compile.targets import TARGETS, export

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror"]
STRICT = ["-std=c99", "-O1", *WARNINGS]
CHROMIUM = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--dump-dom",
]  # fmt: skip


def tool(*names, package):
    """The path of a program; the test skips when none of the names is there."""
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.skip(f"needs the package {package}")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_c(folder, functions, real="double"):
    gcc = tool("gcc", "cc", package="gcc")
    sources = [str(path) for path in export(functions, "c99", folder, real=real) if path.suffix == ".c"]
    library = folder / "all.so"
    run(gcc, *STRICT, "-shared", "-fPIC", *sources, "-o", str(library), "-lm")
    return ctypes.CDLL(str(library))


def call_c(library, case, row, dtype):
    function = case.function
    inputs = [np.array(a.ravel(order="F"), dtype) for a in case.arrays(row)]
    outputs = [np.zeros(port.size, dtype) for port in function.outputs]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *outputs)]
    getattr(library, f"biela_{function.name}")(*pointers)
    shaped = zip(function.outputs, outputs, strict=True)
    return [float(v) for port, y in shaped for v in y.reshape(port.shape, order="F").ravel()]


def run_c(folder, cases):
    library = build_c(folder, [case.function for case in cases])
    return [[call_c(library, case, row, np.float64) for row in case.rows] for case in cases]


def run_llvm(folder, cases):
    results = []
    for case in cases:
        kernel = Kernel(case.function)
        results.append([flat(case, kernel(*case.arrays(row))) for row in case.rows])
    return results


def run_llvm_batch(folder, cases):
    results = []
    for case in cases:
        stacked = [np.stack(arrays, axis=-1) for arrays in zip(*map(case.arrays, case.rows), strict=True)]
        outputs = Kernel(case.function).batch(*map(np.ascontiguousarray, stacked))
        outputs = [outputs] if len(case.function.outputs) == 1 else outputs
        results.append(
            [[float(v) for y in outputs for v in np.ravel(y[..., k])] for k in range(len(case.rows))]
        )
    return results


def run_python(folder, cases):
    results = []
    for case in cases:
        (path,) = export(case.function, "python", folder)
        module = {}
        exec(compile(path.read_text(), path.name, "exec"), module)
        function = module[path.stem]
        results.append([flat(case, function(*(a.tolist() for a in case.arrays(row)))) for row in case.rows])
    return results


def flat(case, outputs):
    outputs = [outputs] if len(case.function.outputs) == 1 else outputs
    return [float(v) for y in outputs for v in np.ravel(y)]


def run_octave(folder, cases):
    octave = tool("octave-cli", "octave", package="octave")
    export([case.function for case in cases], "matlab", folder)
    lines = [line for case in cases for line in octave_lines(case)]
    (folder / "driver.m").write_text("1;\n" + "\n".join(lines) + "\n")
    options = ["--no-init-file", "--no-history", "--quiet"]
    done = subprocess.run(
        [octave, *options, "driver.m"], capture_output=True, text=True, timeout=120, cwd=folder
    )
    numbers = iter([float(word) for word in done.stdout.split()])
    try:
        raw = [[[next(numbers) for _ in case.expected([row])[0]] for row in case.rows] for case in cases]
    except StopIteration:
        pytest.fail(f"Octave stopped: {done.stderr}")
    return [[rows_first(case, values) for values in rows] for case, rows in zip(cases, raw, strict=True)]


def octave_lines(case):
    function = case.function
    yield "data = [" + ";\n".join(" ".join(map(repr, columns_first(case, row))) for row in case.rows) + "];"
    arguments, start = [], 1
    for port in function.inputs:
        rows, columns = (*port.shape, 1, 1)[:2]
        arguments.append(f"reshape(data(k, {start}:{start + port.size - 1}), {rows}, {columns})")
        start += port.size
    results = ", ".join(f"o{i}" for i in range(len(function.outputs)))
    flattened = ", ".join(f"o{i}(:)'" for i in range(len(function.outputs)))
    yield f"for k = 1:{len(case.rows)}"
    yield f"  [{results}] = {function.name}({', '.join(arguments)});"
    yield f"  printf('%.17g ', [{flattened}]);\nend"


def columns_first(case, row):
    return [float(v) for array in case.arrays(row) for v in array.ravel(order="F")]


def rows_first(case, values):
    shaped, start = [], 0
    for port in case.function.outputs:
        part = np.array(values[start : start + port.size]).reshape(port.shape, order="F")
        shaped += part.ravel().tolist()
        start += port.size
    return shaped


EVALUATE = """
const shown = (v) => Array.isArray(v) ? v.map(shown).join(" ") : Object.is(v, -0) ? "-0" : String(v);
const evaluate = (f, names, rows) => rows.map((row) => {
    const y = f(...row);
    return names.length === 1 ? shown(y) : names.map((name) => shown(y[name])).join(" ");
}).join("\\n");
"""


def javascript_call(case):
    rows = [[array.tolist() for array in case.arrays(row)] for row in case.rows]
    names = [port.name for port in case.function.outputs]
    return f"evaluate({case.function.name}, {json.dumps(names)}, {json.dumps(rows)})"


def read_javascript(output, cases):
    lines = iter(output.split("\n"))
    number = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    return [
        [[number[w] if w in number else float(w) for w in next(lines).split()] for _ in case.rows]
        for case in cases
    ]


def run_node(folder, cases):
    node = tool("node", package="nodejs")
    export([case.function for case in cases], "javascript", folder)
    imports = "".join(
        f'import {{{f.name}}} from "./{f.name}.mjs";\n' for f in (case.function for case in cases)
    )
    calls = "".join(f"console.log({javascript_call(case)});\n" for case in cases)
    (folder / "driver.mjs").write_text(imports + EVALUATE + calls)
    return read_javascript(run(node, str(folder / "driver.mjs")), cases)


def run_chromium(folder, cases):
    chromium = tool("chromium", "chromium-browser", "google-chrome", package="chromium")
    scripts = [f"<pre></pre><script>{EVALUATE}\nconst out = [];</script>"]
    for case in cases:
        (text,) = TARGETS["javascript"].source(case.function).values()
        scripts.append(f'<script type="module">{text}\nout.push({javascript_call(case)});</script>')
    show = 'document.querySelector("pre").textContent = out.join("\\n");'
    scripts.append(f'<script type="module">{show}</script>')
    (folder / "page.html").write_text("<!DOCTYPE html><meta charset=utf-8>" + "\n".join(scripts))
    profile = f"--user-data-dir={folder / 'profile'}"
    page = run(chromium, *CHROMIUM, profile, str(folder / "page.html"))
    return read_javascript(re.search("<pre>(.*?)</pre>", page, re.DOTALL)[1], cases)
