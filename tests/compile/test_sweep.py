import numpy as np
import pytest

import biela as bl
from biela.compile.sweep import Sweep
from biela.compile.walk import gather, rake, walk
from biela.expr import philox
from biela.expr.expression import uniform

SIZES = (1, 3, 8, 16, 17, 1000, 4096, 40_003)


@pytest.fixture(scope="module")
def sweep():
    x, scale, lane = bl.Graph().symbols("x scale lane")
    outputs = {"y": x * scale, "sums": [x, x * x], "top": x, "number": lane, "draw": uniform(3, 1, lane)}
    return Sweep(bl.Function("f", {"x": x, "lane": lane, "scale": scale}, outputs), ["sums"], ["top"], "lane")


@pytest.mark.parametrize("size", SIZES)
def test_sums_tops_and_kept_outputs_are_those_of_numpy(sweep, size):
    x = np.random.default_rng(size).normal(size=size)
    out = {name: np.empty(size) for name in ("y", "number", "draw")}
    found = sweep(size, {"x": x, "scale": 2.0}, out, threads=1)
    assert np.array_equal(out["y"], 2.0 * x)
    assert np.array_equal(out["number"], np.arange(size))
    assert out["draw"][-1] == philox.uniform(3, 1, size - 1, 0)
    np.testing.assert_allclose(found["sums"], [x.sum(), (x * x).sum()], rtol=1e-12, atol=1e-12)
    assert found["top"] == x.max()


@pytest.mark.parametrize("size", SIZES)
def test_the_number_of_threads_changes_no_bit(sweep, size):
    x = np.random.default_rng(size).normal(size=size)
    out = {name: np.empty(size) for name in ("y", "number", "draw")}
    one, *others = (sweep(size, {"x": x, "scale": 2.0}, out, threads=n) for n in (1, 2, 5))
    for other in others:
        assert np.array_equal(one["sums"], other["sums"])


def test_an_output_may_replace_its_input(sweep):
    x = np.random.default_rng(0).normal(size=5003)
    place, spare = x.copy(), {name: np.empty(5003) for name in ("number", "draw")}
    sweep(5003, {"x": place, "scale": -1.0}, {"y": place, **spare}, threads=2)
    assert np.array_equal(place, -x)


def test_a_top_passes_over_nan_and_is_minus_infinity_of_nothing(sweep):
    spare = {name: np.empty(3) for name in ("y", "number", "draw")}
    assert sweep(3, {"x": np.array([1.0, np.nan, 0.5]), "scale": 1.0}, spare)["top"] == 1.0
    assert sweep(3, {"x": np.full(3, np.nan), "scale": 1.0}, spare)["top"] == -np.inf


def test_wrong_calls_name_the_array(sweep):
    with pytest.raises(ValueError, match=r"input 'x'.*\(\) or \(4,\); got \(5,\)"):
        sweep(4, {"x": np.zeros(5), "scale": 1.0}, {})
    with pytest.raises(ValueError, match="input 'scale': nothing"):
        sweep(4, {"x": np.zeros(4)}, {})
    with pytest.raises(ValueError, match="output 'y': there is no array"):
        sweep(4, {"x": np.zeros(4), "scale": 1.0}, {})


@pytest.mark.parametrize("size", SIZES)
def test_walk_is_a_sorted_search(size):
    rng = np.random.default_rng(size)
    levels = np.cumsum(rng.exponential(size=size))
    teeth = np.sort(rng.uniform(0, 1.1 * levels[-1], 2 * size))
    expected = np.minimum(np.searchsorted(levels, teeth, side="left"), size - 1)
    for threads in (1, 2, 3):
        assert np.array_equal(walk(levels, teeth, threads), expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("empty", [0.0, 0.5, 0.999])
def test_rake_is_a_sorted_search_of_equal_teeth(size, empty):
    rng = np.random.default_rng(size)
    w = rng.exponential(size=size) * (rng.random(size) > empty)
    w[rng.integers(size)] = 1.0
    for count, offset in ((size, 0.3), (2 * size + 1, 1e-3), (7, 0.999)):
        found = [rake(w, count, offset, threads) for threads in (1, 2, 3)]
        assert np.array_equal(found[0], found[1])
        assert np.array_equal(found[0], found[2])
        copies = np.bincount(found[0], minlength=size)
        due = count * w / w.sum()
        assert (np.diff(found[0]) >= 0).all()
        assert (w[found[0]] > 0.0).all()
        assert (np.abs(copies - due) < 1.0 + 1e-9).all()
        teeth = (np.arange(count) + offset) * (w.sum() / count)
        expected = np.minimum(np.searchsorted(np.cumsum(w), teeth), size - 1)
        assert np.mean(found[0] != expected) < 1e-3


def test_there_is_nothing_to_rake_without_weight():
    for w in (np.zeros(3), np.zeros(0), np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="positive sum"):
            rake(w, 3, 0.5)


@pytest.mark.parametrize("threads", [1, 2])
def test_gather_is_indexing(threads):
    rng = np.random.default_rng(1)
    values, places = rng.normal(size=(3, 501)), rng.integers(0, 501, 20_000)
    assert np.array_equal(gather(values, places, threads), values[:, places])
    assert np.array_equal(gather(values[0], places, threads), values[0, places])


def test_walks_and_places_outside_are_refused():
    with pytest.raises(ValueError, match="no levels"):
        walk(np.zeros(0), np.ones(2))
    with pytest.raises(ValueError, match=r"outside 0\.\.2"):
        gather(np.zeros(3), np.array([0, 3]))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("terms", [1, 2000])
def test_lanes_that_are_far_are_computed_again(size, terms):
    x, scale = bl.Graph().symbols("x scale")
    true = x
    for k in range(terms):  # long ones are cut into segments
        true = true + scale * (x + k)
    quick = {"y": x * scale, "total": -x, "top": -x, "far": x > 1.0}
    careful = bl.Function("careful", {"x": x, "scale": scale}, {"y": true, "total": x, "top": x})
    sweep = Sweep(
        bl.Function("quick", {"x": x, "scale": scale}, quick), ["total", "far"], ["top"], "", careful
    )
    given = np.random.default_rng(size).normal(size=size)
    y, far = np.empty(size), given > 1.0
    found = sweep(size, {"x": given, "scale": 0.5}, {"y": y}, threads=2)
    expected = bl.Kernel(careful).batch(x=given, scale=np.full(size, 0.5)).y
    np.testing.assert_allclose(y, np.where(far, expected, 0.5 * given), rtol=1e-12)
    weights = np.where(far, given, -given)
    np.testing.assert_allclose([found["total"], found["top"]], [weights.sum(), weights.max()], atol=1e-9)


def test_a_careful_function_has_the_same_ports():
    x, y = bl.Graph().symbols("x y")
    quick = bl.Function("quick", {"x": x}, {"y": x, "far": x > 1.0})
    for other in (bl.Function("f", {"x": y}, {"y": y}), bl.Function("f", {"x": x}, {"z": x})):
        with pytest.raises(ValueError, match="has to have the ports of quick"):
            Sweep(quick, ["far"], careful=other)
