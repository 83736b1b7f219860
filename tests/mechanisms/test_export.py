"""The equations of the five models of source 001, exported: C99, MATLAB and Python say what the kernel says.

The mechanisms are those of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015, appendix A.
"""

import ctypes
import re
from functools import cache

import numpy as np
import pytest
from conformance import Case
from languages import build_c, run_c, run_llvm, run_octave, run_python

from biela.compile.targets import TARGETS
from biela.mechanisms import MECHANISMS

MODELS = ("block_pendulum", "four_bar_general", "crank_rod_disc", "stewart", "locomotive")
FUNCTIONS = ("M|delta", "Phi|Phi_q", "gamma")
STATES = 5
TOLERANCE = 1e-12  # relative to the largest number of an output


@cache
def cases(name):
    """The Functions of a model, each with random inputs: near the start and the default parameters."""
    model = MECHANISMS[name]().model()
    known = [f for f in FUNCTIONS if set(f.split("|")) <= set(model.functions)]
    rng = np.random.default_rng(len(name))
    states = [
        {
            "q": model.start[0] + rng.uniform(-0.1, 0.1, len(model.q)),
            "dq": rng.uniform(-2.0, 2.0, len(model.q)),
            "p": model.p * rng.uniform(0.9, 1.1, len(model.p)),
            "u": rng.uniform(-5.0, 5.0, len(model.inputs)),
        }
        for _ in range(STATES)
    ]
    return [
        Case(f, tuple(tuple(np.concatenate([s[port.name] for port in f.inputs])) for s in states))
        for f in (model.functions[name] for name in known)
    ]


def outputs(case, row):
    """The components of one row, split by output."""
    ends = np.cumsum([port.size for port in case.function.outputs])[:-1]
    return np.split(np.array(row), ends)


def error(case, rows):
    """The largest difference to plain evaluation, relative to the largest number of its output."""
    differences = [
        np.abs(have - want).max() / np.abs(want).max()
        for expected, row in zip(case.expected(), rows, strict=True)
        for want, have in zip(outputs(case, expected), outputs(case, row), strict=True)
    ]
    return max(differences)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("runner", [run_llvm, run_c, run_octave, run_python])
def test_every_language_agrees(name, runner, tmp_path):
    results = runner(tmp_path, cases(name))
    assert len(results) == (1 if name == "block_pendulum" else 3)
    for case, rows in zip(cases(name), results, strict=True):
        assert error(case, rows) < TOLERANCE, case.function.name


def test_a_wrong_operation_would_be_seen():
    """The comparison above fails if one sum in the exported source is a difference."""
    case = cases("four_bar_general")[0]
    (text,) = TARGETS["python"].source(case.function).values()
    before, sum_, after = text.rpartition(" + ")
    assert sum_
    module = {}
    exec(f"{before} - {after}", module)
    results = [module[case.function.name](*(a.tolist() for a in case.arrays(row))) for row in case.rows]
    assert error(case, [[*np.ravel(M), *delta] for M, delta in results]) > 1e-3


@pytest.mark.parametrize("name", MODELS[1:])
def test_matrices_lie_column_after_column(name, tmp_path):
    """Phi_q is not square: entry (i, j) stands at i + j * rows, after all of Phi in an output of its own."""
    case = cases(name)[1]
    library = build_c(tmp_path, [case.function])
    call = getattr(library, f"biela_{case.function.name}")
    inputs = [np.array(value, float) for value in case.arrays(case.rows[0])]
    expected = case.function.evaluate(*inputs)
    Phi, Phi_q = np.zeros(expected.Phi.size), np.zeros(expected.Phi_q.size)
    call(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, Phi, Phi_q)))
    rows, columns = expected.Phi_q.shape
    assert rows != columns
    placed = [[Phi_q[i + j * rows] for j in range(columns)] for i in range(rows)]
    np.testing.assert_allclose(placed, expected.Phi_q, rtol=0, atol=TOLERANCE * np.abs(Phi_q).max())
    np.testing.assert_allclose(Phi, expected.Phi, rtol=0, atol=TOLERANCE * np.abs(Phi).max())


@pytest.mark.parametrize("name", MODELS)
def test_a_joint_function_has_an_argument_for_each_part(name):
    """M first, then delta, with their sizes in the header: whoever calls need not split one long array."""
    case = cases(name)[0]
    n = case.function.outputs[1].size
    header = TARGETS["c99"].source(case.function)[f"{case.function.name}.h"]
    assert re.search(r"double \*M,\s+double \*delta\);", header)
    assert f"BIELA_{case.function.name}_M_SIZE {n * n}" in header
    assert f"BIELA_{case.function.name}_delta_SIZE {n}" in header
    assert len(re.findall(r"_SIZE \d+", header)) == len(case.function.inputs) + 2


def test_one_array_serves_both_parts(tmp_path):
    """[M | delta] column after column, as the listings of the source have it: delta begins where M ends."""
    case = cases("four_bar_general")[0]
    library = build_c(tmp_path, [case.function])
    inputs = [np.array(value, float) for value in case.arrays(case.rows[0])]
    M, delta = case.function.evaluate(*inputs)
    both = np.zeros(M.size + delta.size)
    addresses = [*(array.ctypes.data for array in (*inputs, both)), both.ctypes.data + M.nbytes]
    getattr(library, f"biela_{case.function.name}")(*map(ctypes.c_void_p, addresses))
    expected = np.concatenate([M.ravel(order="F"), delta])
    np.testing.assert_allclose(both, expected, rtol=0, atol=TOLERANCE * np.abs(expected).max())
