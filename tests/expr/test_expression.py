"""Handles: operators with numbers, comparisons, draws, wrong calls."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.stats import kstest

from biela.expr import expression as ex
from biela.expr.graph import Graph


@pytest.fixture
def g():
    return Graph()


def test_numbers_stand_on_either_side(g):
    x = g.symbol("x")
    at = {x: 4.0}
    for e, value in [
        (1 - x, -3),
        (2 / x, 0.5),
        (2**x, 16),
        (x**2, 16),
        (3 * x, 12),
        (1 + x, 5),
        (x - 1, 3),
        (x / 8, 0.5),
    ]:
        assert e.value(at) == value
    assert (np.float64(2) * x).value(at) == 8
    assert (x + Fraction(1, 2)).value(at) == 4.5


def test_comparisons_are_expressions(g):
    x, y = g.symbols("x y")
    values = {x: 1.0, y: 2.0}
    assert [
        (x < y).value(values),
        (x > y).value(values),
        (x <= x + 0).value(values),
        (x >= y).value(values),
    ] == [1, 0, 1, 0]
    assert ex.equal(x, y).value(values) == 0
    assert ex.where(x < y, x, y).value(values) == 1.0


def test_plain_numbers_stay_plain():
    assert ex.sin(0.5) == math.sin(0.5)
    assert ex.maximum(1, 2) == 2
    with pytest.raises(ValueError, match=r"sqrt\(-1\) is not a real number"):
        ex.sqrt(-1)


def test_equality_is_identity_of_value(g):
    x, y = g.symbols("x y")
    assert x + y == y + x
    assert x != y
    assert ex.constant(g, 2.0) == 2
    assert len({x, y, x + 0}) == 2
    assert Graph().symbol("x") != x


def test_every_curve_of_a_spline_agrees_with_scipy(g):
    knots, heights = [0.0, 0.4, 1.0, 1.5, 3.0], [1.0, -1.0, 0.5, 2.0, 0.0]
    x = g.symbol("x")
    for slopes, ends in [(None, "natural"), ((0.3, -0.2), ((1, 0.3), (1, -0.2)))]:
        ours, oracle = ex.spline(x, knots, heights, slopes), CubicSpline(knots, heights, bc_type=ends)
        for order in range(4):
            for at in (-0.5, 0.0, 0.2, 0.4, 0.9, 1.2, 2.9, 3.4):
                assert ours.diff(*[x] * order).value({x: at}) == pytest.approx(
                    float(oracle(at, order)), rel=1e-11, abs=1e-11
                )
        assert ours.diff(x, x, x, x).number == 0.0


def test_philox_gives_the_published_numbers():
    from biela.expr.philox import block

    # Random123 1.14, kat_vectors: philox4x32 with 10 rounds
    assert block((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    ones = 0xFFFFFFFF
    assert block((ones,) * 4, (ones,) * 2) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
    assert block(*pi) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


def test_draws_are_distributed_as_they_say(g):
    step = g.symbol("step")
    uniform, normal = ex.uniform(7, step, 3, 0), ex.normal(7, step, 3, 1)
    us = [uniform.value({step: k}) for k in range(4000)]
    zs = [normal.value({step: k}) for k in range(4000)]
    assert min(us) > 0.0
    assert max(us) < 1.0
    assert kstest(us, "uniform").pvalue > 1e-3
    assert kstest(zs, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(zs[:-1], zs[1:])[0, 1]) < 0.06


def test_draws_differ_by_every_part_of_the_key(g):
    keys = [(1, 2, 3, 0), (2, 2, 3, 0), (1, 3, 3, 0), (1, 2, 4, 0), (1, 2, 3, 1), (1, 2, 3, 2)]
    values = [ex.uniform(ex.constant(g, a), b, c, i).number for a, b, c, i in keys]
    assert len(set(values)) == 6


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: bool(x < 1), TypeError, "use where"),
        (lambda x: x + "a", TypeError, "unsupported operand"),
        (lambda x: x + True, TypeError, "unsupported operand"),
        (lambda x: ex.sin("a"), TypeError, r"sin\(\) takes expressions and real numbers; got str 'a'"),
        (lambda x: ex.atan2(x, 1j), TypeError, r"atan2\(\) takes expressions and real numbers; got complex"),
        (lambda x: x + Graph().symbol("y"), ValueError, "belongs to another graph"),
        (lambda x: (x + 1).name, TypeError, "is not a symbol"),
        (lambda x: x.diff(x * x), TypeError, "taken by symbols; got the expression"),
        (lambda x: x.diff(Graph().symbol("x")), ValueError, "another graph"),
        (lambda x: x.substitute({x + 1: 2}), TypeError, "Only symbols can be replaced"),
        (lambda x: x.value({}), ValueError, "No value for 'x'"),
        (lambda x: ex.spline(x, [0, 1], [0]), ValueError, "2 knots and 1 values"),
        (lambda x: ex.spline(x, [0], [0]), ValueError, "at least 2 knots: got 1"),
        (lambda x: ex.spline(x, [0, 0], [0, 1]), ValueError, "must increase: knot 1 is 0.0 after 0.0"),
        (lambda x: ex.spline(x, [0, 1], [0, math.nan]), ValueError, "knot 1 is not finite"),
        (lambda x: ex.uniform(x, 0, 0, -1), ValueError, r"whole number in \[0, 2\*\*32\): got -1"),
        (lambda x: ex.uniform(x, 0, 0, 1.5), ValueError, r"whole number in \[0, 2\*\*32\): got 1.5"),
        (lambda x: ex.normal(x, 0, 0, -1), ValueError, r"whole number in \[0, 2\*\*32\): got -1"),
        (lambda x: ex.uniform(-1, x, 0), ValueError, "The seed of a draw .*: got -1"),
        (lambda x: ex.uniform(0, ex.constant(x.graph, math.nan), x), ValueError, "The step .*: got nan"),
        (lambda x: ex.normal(x, 0, 2**32), ValueError, r"The particle .* \[0, 4294967296\): got 4294967296"),
    ],
)
def test_wrong_calls(g, call, error, message):
    with pytest.raises(error, match=message):
        call(g.symbol("x"))
