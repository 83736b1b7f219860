"""Items of the thesis that are about the whole way from a description to code.

A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015; docs/checklist-001.md says which test holds which
item. The five models are those of its appendix A.
"""

from functools import cache

import numpy as np
import pytest
from conformance import Case
from languages import build_c, call_c, run_octave, run_python

import biela as bl
from biela.mechanisms import MECHANISMS

MODELS = ("block_pendulum", "four_bar_general", "crank_rod_disc", "stewart", "locomotive")
STATES = 20


@cache
def model_of(name, formalism="direct", rule="up"):
    return MECHANISMS[name]().model(formalism=formalism, rule=rule)


def operations(function, name, **ways):
    return model_of(name, **ways).functions[function].operations.total


def random_states(model, count):
    """Values of all that M and delta depend on, near the start."""
    rng = np.random.default_rng(11)
    for _ in range(count):
        yield {
            "q": model.start[0] + rng.uniform(-0.1, 0.1, len(model.q)),
            "dq": rng.uniform(-2.0, 2.0, len(model.q)),
            "t": 0.3,
            "p": model.p * rng.uniform(0.9, 1.1, len(model.parameters)),
            "u": rng.uniform(-2.0, 2.0, len(model.inputs)),
        }


def evaluate(function, state):
    return function.evaluate(**{port.name: state[port.name] for port in function.inputs})


def test_a_sum_of_vectors_of_two_bases_takes_eleven_nodes():
    """1a-8: a sine, a cosine, four products, a sum and a difference for the turn; three sums."""
    s = bl.System("pair")
    B1 = s.base("B1", axis="y", angle=s.coordinate("below"))
    B2 = s.base("B2", B1, axis="x", angle=s.coordinate("theta"))
    u, v = (s.vector(s.graph.symbols(names), B) for names, B in (("ux uy uz", B1), ("vx vy vz", B2)))
    before = len(s.graph)
    with s.using("down"):
        total = u + v
    assert total.base is B1
    assert len(s.graph) - before == 11
    assert [str(entry) for entry in total.at(B1)] == [
        "ux + vx", "cos(theta)*vy - sin(theta)*vz + uy", "sin(theta)*vy + cos(theta)*vz + uz",
    ]  # fmt: skip


@pytest.mark.parametrize("rule", ["up", "down", "extended"])
@pytest.mark.parametrize("name", MODELS)
def test_every_rule_gives_the_same_equations(name, rule):
    """1b-2: body by body and directly, which share nothing but the trees."""
    one, other = (model_of(name, *way).functions["M|delta"] for way in (("direct",), ("bodies", rule)))
    for state in random_states(model_of(name), STATES):
        for got, wanted in zip(evaluate(one, state), evaluate(other, state), strict=True):
            assert np.max(np.abs(got - wanted)) < 1e-12 * np.max(np.abs(wanted))


@pytest.mark.parametrize("name", MODELS)
def test_joint_export_saves_operations(name):
    """1b-34, for the locomotive too: one Function for both is smaller than two."""
    together = operations("M|delta", name)
    assert together < operations("M", name) + operations("delta", name)


def test_rules_by_size():
    """1b-33, 1b-51: on the large models up is smaller than down; extended is smaller but on the largest."""
    for name in MODELS[3:]:
        assert operations("M|delta", name, formalism="bodies") < operations(
            "M|delta", name, formalism="bodies", rule="down"
        )
    for name in MODELS[1:4]:
        assert operations("M|delta", name, formalism="bodies", rule="extended") < operations(
            "M|delta", name, formalism="bodies"
        )
    for name in MODELS:
        every = [
            operations("M|delta", name, formalism="bodies", rule=rule) for rule in ("up", "down", "extended")
        ]
        assert operations("M|delta", name) < min(every)


def test_sizes_of_the_block_pendulum():
    """1a-57, 1a-59, 1b-26: one atom in delta as in listing 3.2, three and 16 operations together."""
    for sign, most in ((1, (4, 13, 16)), (-1, (8, 16, 22))):
        functions = MECHANISMS["block_pendulum"]().model(sign=sign).functions
        counts = [functions[name].operations for name in ("M", "delta", "M|delta")]
        assert [count.atoms for count in counts] == [1, 1, 3]
        assert all(count.total <= bound for count, bound in zip(counts, most, strict=True))
    functions = model_of("block_pendulum").functions
    assert (operations("M|delta", "block_pendulum"), counts[0].atoms) == (16, 1)
    assert operations("M", "block_pendulum") + operations("delta", "block_pendulum") == 17
    assert sum(port.size for port in functions["M|delta"].outputs) == 6
    assert "Phi" not in functions


def test_atoms_of_the_four_bar():
    """1b-21, 1b-22: atoms of M, delta and both, against the thesis body by body, and against Robotran."""
    bodies, direct = (model_of("four_bar_general", way).functions for way in ("bodies", "direct"))
    assert bodies["M"].operations.atoms <= 13
    assert bodies["delta"].operations.atoms <= 51
    assert bodies["M|delta"].operations.atoms <= 60
    assert direct["M|delta"].operations.atoms < 35


def test_every_function_of_the_thesis_is_exported(tmp_path):
    """1a-55, 1a-60, 1b-36: all of section 3.5, with the equations of the start, in C, MATLAB and Python."""
    s = MECHANISMS["crank_rod_disc"]()
    crank = next(iter(s.coordinates_by_name.values())).symbols
    s.start(crank.position - 0.3)
    s.start_velocity(crank.velocity - 2.0)
    model = s.model()
    names = ("Phi_init", "Phi_init_dq", "Phi_q|Phi", "Phi_dq|Phi_dot", "beta", "gamma", "M|delta", "energy")
    (state,) = random_states(model, 1)
    functions = [model.functions[name] for name in names]
    row = [np.concatenate([np.atleast_1d(state[p.name]) for p in f.inputs]) for f in functions]
    cases = [Case(f, (tuple(values),)) for f, values in zip(functions, row, strict=True)]
    expected = [case.expected()[0] for case in cases]
    library = build_c(tmp_path, functions)
    in_c = [call_c(library, case, case.rows[0], float) for case in cases]
    in_python = [rows[0] for rows in run_python(tmp_path, cases)]
    for got in (in_c, in_python):
        for have, want in zip(got, expected, strict=True):
            np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-12 * np.abs(want).max())
    assert {port.name for f in functions for port in f.outputs} == {
        "Phi_init", "Phi_init_q", "Phi_init_dq", "beta_init", "Phi", "Phi_q", "Phi_dot", "Phi_dq", "beta",
        "gamma", "M", "delta", "kinetic", "potential",
    }  # fmt: skip
    for have, want in zip(run_octave(tmp_path, cases), expected, strict=True):
        np.testing.assert_allclose(have[0], want, rtol=1e-12, atol=1e-12 * np.abs(want).max())


@pytest.mark.parametrize("name", ["n_pendulum", "arm7", "stewart"])
def test_factors_of_the_mass_matrix(name):
    """1b-48: L D L' is M, symbolically and sparse; D is positive."""
    model = model_of(name)
    places = [k for k, placement in enumerate(model.placements) if placement.inertia]
    M = model.mass_matrix[places][:, places]
    factors = bl.ldl(M)
    n = len(places)
    right = np.random.default_rng(3).uniform(-1.0, 1.0, n)
    x = factors.solve(right)
    outputs = {"x": x, "D": bl.vector(list(factors.pivots)), "M": M}
    function = model.function("solved", outputs, "position")
    (state,) = random_states(model, 1)
    got = evaluate(function, state)
    assert (got.D > 0).all()
    np.testing.assert_allclose(got.M @ got.x, right, atol=1e-12)
    assert np.prod(got.D) == pytest.approx(np.linalg.det(got.M), rel=1e-9)
