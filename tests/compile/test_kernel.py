"""Kernels: one state, batches, steps; bit-for-bit agreement; wrong calls; sizes; threads."""

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from biela.compile import engine, iteration, kernel, llvm
from biela.compile.kernel import Kernel, block_lanes
from biela.expr.expression import atan2, cos, exp, normal, sin, spline, sqrt, uniform, where
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.matrix import matrix, vector


def everything():
    """A Function with matrices, scalars, tables, draws and elementary functions."""
    g = Graph()
    a, b, c, k = g.symbols("a b c k")
    m = matrix([[a, b, c], [b, c, a]])
    table = spline(a, [-2, -1, 0, 1, 2], [0, 1, 0, 2, 1])
    out = matrix(
        [[sin(a) * cos(b), exp(-c * c)], [atan2(a, b + 3), sqrt(a * a + 1)], [table, normal(1, k, 2)]]
    )
    symbols = [g.symbol(f"m{i}") for i in range(6)]
    outer = matrix([symbols[:3], symbols[3:]])
    product = outer @ m.T
    inputs = {"v": [a, b], "m": outer, "c": c, "k": k}
    return Function("everything", inputs, {"A": out, "P": product, "s": where(a < b, a, uniform(3, k, 0))})


@pytest.fixture(scope="module")
def f():
    return everything()


@pytest.fixture(scope="module")
def k(f):
    return Kernel(f)


def inputs(rng, n=None):
    tail = () if n is None else (n,)
    return [rng.uniform(-2, 2, (2, *tail)), rng.uniform(-2, 2, (2, 3, *tail)),
            rng.uniform(-1, 1, tail) if tail else 0.3,
            rng.integers(0, 1000, tail).astype(float) if tail else 17.0]  # fmt: skip


def test_one_state_agrees_with_the_reference(f, k):
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = inputs(rng)
        ours, expected = k(*x), f.evaluate(*x)
        assert ours._fields == expected._fields == ("A", "P", "s")
        np.testing.assert_allclose(ours.A, expected.A, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(ours.P, expected.P, rtol=1e-13, atol=1e-13)
        assert ours.s == pytest.approx(expected.s, rel=1e-13)


@pytest.mark.parametrize("n", [1, 2, 7, 16, 33, 1000])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_lane_equals_the_scalar_call_bit_for_bit(k, n, threads):
    x = inputs(np.random.default_rng(n), n)
    batch = k.batch(*x, threads=threads)
    assert batch.A.shape == (3, 2, n)
    assert batch.s.shape == (n,)
    for lane in {0, n // 2, n - 1}:
        one = k(*[array[..., lane] for array in x])
        for name in ("A", "P", "s"):
            assert np.array_equal(getattr(batch, name)[..., lane], getattr(one, name))


def test_every_lane_count_gives_the_same_bits(f, monkeypatch):
    x = inputs(np.random.default_rng(5), 50)
    results = []
    for lanes in (1, 2, 4, 8, 16):
        monkeypatch.setattr(kernel, "block_lanes", lambda program, lanes=lanes: lanes)
        results.append(Kernel(f, cache=False).batch(*x))
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))


def test_an_input_of_its_bare_shape_is_shared(k):
    v, m, _, step = inputs(np.random.default_rng(2), 20)
    shared = k.batch(v, m[..., 0].copy(), 0.25, step)
    spread = k.batch(v, np.repeat(m[..., :1], 20, axis=-1), np.full(20, 0.25), step)
    assert all(np.array_equal(a, b) for a, b in zip(shared, spread, strict=True))
    assert k.batch(v[:, 0].copy(), m[..., 0].copy(), 0.25, 1.0).s.shape == (1,)


def test_results_go_where_they_are_told(f):
    g = Graph()
    x = g.symbol("x")
    one = Kernel(Function("one", [x], {"y": x * 2}))
    out = np.empty(5)
    assert one.batch(np.arange(5.0), out=out) is out
    assert out.tolist() == [0, 2, 4, 6, 8]


def test_a_function_without_inputs_is_a_constant():
    three = Graph().symbol("x") * 0 + 3
    constant = Kernel(Function("constant", [], {"y": three}))
    assert constant() == 3.0
    assert constant.batch().tolist() == [3.0]
    with pytest.raises(ValueError, match="is no map: it has no input"):
        constant.iterate(1.0, 10)


def test_integers_and_lists_are_numbers_too():
    g = Graph()
    x, y = g.symbols("x y")
    two = Kernel(Function("two", {"x": [x, y]}, {"s": x - y}))
    assert (
        two([3, 1]) == two(np.array([3, 1])) == two(np.array([3, 1], np.float32)) == two(x=[3.0, 1.0]) == 2.0
    )
    assert two.batch([[1, 2, 3], [1, 1, 1]]).tolist() == [0, 1, 2]
    assert isinstance(two([3, 1]), float)


def test_nan_and_infinity_pass_through():
    x = Graph().symbol("x")
    root = Kernel(Function("root", [x], {"y": sqrt(x)}))
    assert np.isnan(root(-1.0))
    assert np.isnan(root(float("nan")))
    assert root(float("inf")) == float("inf")


# steps


@pytest.fixture(scope="module")
def oscillator():
    g = Graph()
    x, v, w, push = g.symbols("x v w push")
    new = v - 0.01 * w * w * x + push
    return Kernel(
        Function("oscillator", {"s": [x, v], "w": w, "push": push}, {"next": [x + 0.01 * new, new]})
    )


def stepped(one, x, n, *rest):
    rows = [np.array(x)]
    for _ in range(n):
        rows.append(one(rows[-1], *rest))
    return np.array(rows)


def test_iterating_equals_calling_again_and_again(oscillator):
    run = oscillator.iterate([1.0, 0.0], 200, 2.0, 0.0)
    assert run.shape == (201, 2)
    assert np.array_equal(run, stepped(oscillator, [1.0, 0.0], 200, 2.0, 0.0))


@pytest.mark.parametrize("every", [1, 3, 100, 300])
def test_every_kth_state_is_recorded(oscillator, every):
    full = oscillator.iterate([1.0, 0.0], 300, 2.0, 0.0)
    assert np.array_equal(oscillator.iterate([1.0, 0.0], 300, 2.0, 0.0, every=every), full[::every])


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_of_runs_equals_run_after_run(oscillator, threads):
    rng = np.random.default_rng(3)
    starts, w = rng.normal(size=(2, 45)), rng.uniform(1, 3, 45)
    runs = oscillator.iterate(starts, 60, w, 0.0, every=20, threads=threads)
    assert runs.shape == (4, 2, 45)
    for lane in (0, 15, 31, 44):
        assert np.array_equal(
            runs[:, :, lane], oscillator.iterate(starts[:, lane], 60, w[lane], 0.0, every=20)
        )


def test_a_series_gives_one_row_a_step(oscillator):
    rng = np.random.default_rng(4)
    push = rng.normal(size=50)
    run = oscillator.iterate([1.0, 0.0], 50, 2.0, push, series=["push"])
    x = np.array([1.0, 0.0])
    for k, force in enumerate(push, 1):
        x = oscillator(x, 2.0, force)
        assert np.array_equal(run[k], x)
    each = rng.normal(size=(50, 21))
    runs = oscillator.iterate(np.ones((2, 21)), 50, 2.0, each, series=["push"], every=25)
    alone = oscillator.iterate(np.ones(2), 50, 2.0, each[:, 20].copy(), series=["push"], every=25)
    assert np.array_equal(runs[:, :, 20], alone)
    same = oscillator.iterate(np.ones((2, 21)), 50, 2.0, push, series=["push"], every=25)
    assert np.array_equal(
        same[:, :, 3], oscillator.iterate(np.ones(2), 50, 2.0, push, series=["push"], every=25)
    )


def test_long_runs_come_in_chunks_and_tell_their_progress(oscillator, monkeypatch):
    whole = oscillator.iterate([1.0, 0.0], 6000, 2.0, 0.0, every=2000)
    for chunk in (2e3, 2e4, 1e7):
        monkeypatch.setattr(iteration, "CHUNK", chunk)
        told = []
        run = oscillator.iterate(
            [1.0, 0.0], 6000, 2.0, 0.0, every=2000, progress=lambda done, n, told=told: told.append(done)
        )
        assert np.array_equal(run, whole)
        assert told == sorted(told)
        assert told[-1] == 6000
    assert len(told) < 10


def test_the_start_is_not_changed(oscillator):
    x = np.array([[1.0, 2.0], [0.0, 0.0]])
    oscillator.iterate(x, 10, 2.0, 0.0)
    assert x.tolist() == [[1.0, 2.0], [0.0, 0.0]]


def test_matrices_iterate():
    g = Graph()
    A = matrix([g.symbols("a b"), g.symbols("c d")])
    turn = Kernel(Function("turn", {"A": A}, {"B": A @ matrix([[0, -1], [1, 0]], graph=g)}))
    run = turn.iterate(np.array([[1.0, 2.0], [3.0, 4.0]]), 4)
    np.testing.assert_array_equal(run[1], [[2, -1], [4, -3]])
    np.testing.assert_array_equal(run[4], run[0])


# sizes and structure


def long_function(n, lanes=3):
    g = Graph()
    xs = g.symbols("x0 x1 x2 x3")
    w = list(xs)
    for i in range(n):
        a, b, c = w[-1], w[-3], w[len(w) // 2]
        w.append(sin(a) * b + c if i % 7 == 0 else a * 0.5 - b * c)
    return Function("long", {"x": xs}, {"y": vector([w[-1], w[-2], w[len(w) // 2], w[7]])})


def test_long_programs_are_cut_into_segments():
    f = long_function(6000)
    assert len(f.program.instructions) > 3 * llvm.SEGMENT
    ir, _ = llvm.scalar_module(f.program)
    assert "@body.3" in ir
    k = Kernel(f)
    X = np.random.default_rng(6).uniform(-1, 1, (4, 19))
    Y = k.batch(X)
    for lane in (0, 18):
        np.testing.assert_allclose(Y[:, lane], f.evaluate(X[:, lane]), rtol=1e-9, atol=1e-12)
        assert np.array_equal(Y[:, lane], k(X[:, lane]))
    assert np.array_equal(k.iterate(X, 3)[:, :, 18], k.iterate(X[:, 18].copy(), 3))


def test_ports_of_many_components():
    g = Graph()
    xs = g.symbols(" ".join(f"x{i}" for i in range(200)))
    f = Function("wide", {"x": xs}, {"y": [xs[(i + 1) % 200] * 2 for i in range(200)]})
    k = Kernel(f)
    X = np.random.default_rng(7).normal(size=(200, 33))
    assert np.array_equal(k.batch(X), np.roll(X, -1, axis=0) * 2)
    assert np.array_equal(k.iterate(X, 5, every=5)[1], np.roll(X, -5, axis=0) * 32)


def test_native_code_calls_nothing(f):
    if not engine.processor().fused:
        pytest.skip("this processor has no fused multiply-add: the C library's fma is called")
    ir, _ = llvm.batch_module(f.program, block_lanes(f.program), [2, 6, 1, 1], [6, 4, 1])
    called = {line.split()[1] for line in engine.assembly(ir).splitlines() if line.strip().startswith("call")}
    assert all(name.strip('"').startswith(("biela.", ".Lbiela", "body", "first", "*")) for name in called), (
        called
    )


def test_threads_may_share_a_kernel(k, f):
    rng = np.random.default_rng(8)
    sets = [inputs(rng) for _ in range(8)]
    expected = [k(*x).A for x in sets]
    wrong = []

    def work(i):
        for _ in range(300):
            if not np.array_equal(k(*sets[i]).A, expected[i]):
                wrong.append(i)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_a_kernel_survives_pickling(k):
    x = inputs(np.random.default_rng(9))
    result = pickle.loads(pickle.dumps(k))(*x)
    assert np.array_equal(result.A, k(*x).A)
    assert np.array_equal(pickle.loads(pickle.dumps(result)).P, result.P)


def test_a_kernel_runs_in_a_spawned_process(tmp_path, oscillator):
    (tmp_path / "k").write_bytes(pickle.dumps(oscillator))
    code = (
        "import pickle, sys; k = pickle.load(open(sys.argv[1], 'rb')); "
        "print(repr(k.iterate([1.0, 0.0], 10, 2.0, 0.0)[-1].tolist()))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "k")], capture_output=True, text=True, check=True
    )
    assert eval(out.stdout) == oscillator.iterate([1.0, 0.0], 10, 2.0, 0.0)[-1].tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_threads_of_its_own(oscillator, tmp_path):
    code = """if True:
        import os, pickle, sys, numpy as np
        k = pickle.load(open(sys.argv[1], "rb"))
        def run(): return k.batch(np.ones((2, 1000)), 2.0, 0.0, threads=2)[0, 0]
        expected = run()
        child = os.fork()
        if child == 0: os._exit(0 if run() == expected else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    (tmp_path / "k").write_bytes(pickle.dumps(oscillator))
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "k")],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert out.stdout.split() == ["0"]


# wrong calls

V, M = np.zeros((2, 4)), np.zeros((2, 3, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda k, o: Kernel(lambda x: x), TypeError, "A Kernel is made of a Function; got function"),
        (
            lambda k, o: k([1.0], np.zeros((2, 3)), 0, 0),
            ValueError,
            r"input 'v': expected shape \(2,\), got \(1,\)",
        ),
        (
            lambda k, o: k([1.0, 2.0], np.zeros((3, 2)), 0, 0),
            ValueError,
            r"input 'm': expected shape \(2, 3\)",
        ),
        (lambda k, o: k([1.0, 2.0], np.zeros((2, 3)), 1j, 0), TypeError, "input 'c': expected real numbers"),
        (lambda k, o: k(["a", "b"], np.zeros((2, 3)), 0, 0), TypeError, "input 'v': expected real numbers"),
        (lambda k, o: k([1.0, [2.0]], np.zeros((2, 3)), 0, 0), ValueError, "input 'v'"),
        (lambda k, o: k([1.0, 2.0]), TypeError, "no value for input 'm', 'c', 'k'"),
        (lambda k, o: k.batch(V, M, 0, np.zeros(5)), ValueError, "'v' has 4, 'k' has 5"),
        (
            lambda k, o: k.batch(np.zeros((3, 4)), M, 0, 0),
            ValueError,
            r"'v': expected shape \(2,\) for all, or \(2, N\)",
        ),
        (lambda k, o: k.batch(V.astype(np.float32), M, 0, 0), TypeError, "array of float64, got float32"),
        (
            lambda k, o: k.batch(np.zeros((4, 2)).T, M, 0, 0),
            ValueError,
            "not contiguous; pass np.ascontiguousarray",
        ),
        (lambda k, o: k.batch(V, M, 0, 0, out=[np.zeros(4)]), ValueError, "out has 1 arrays for 3 outputs"),
        (lambda k, o: o.iterate([1.0, 0.0], 10, 1.0), TypeError, "no value for input 'push'"),
        (
            lambda k, o: k.iterate([1.0, 0.0], 10, np.zeros((2, 3)), 0, 0),
            ValueError,
            "is no map: its first output 'A'",
        ),
        (
            lambda k, o: o.iterate([1.0, 0.0], 0, 1.0, 0.0),
            ValueError,
            "n must be a whole number of at least 1; got 0",
        ),
        (lambda k, o: o.iterate([1.0, 0.0], 10, 1.0, 0.0, every=3), ValueError, "use n=12 or n=9"),
        (
            lambda k, o: o.iterate([1.0, 0.0], 10.0, 1.0, 0.0),
            ValueError,
            "whole number of at least 1; got 10.0",
        ),
        (
            lambda k, o: o.iterate([1.0], 10, 1.0, 0.0),
            ValueError,
            r"input 's': expected shape \(2,\) or \(2, N\); got \(1,\)",
        ),
        (
            lambda k, o: o.iterate([1.0, 0.0], 10, np.ones(3), 0.0),
            ValueError,
            r"input 'w': expected shape \(\); got \(3,\)",
        ),
        (lambda k, o: o.iterate(V, 10, np.ones(3), 0.0), ValueError, "'s' has 4, 'w' has 3"),
        (
            lambda k, o: o.iterate(V, 10, 1.0, np.ones(9), series=["push"]),
            ValueError,
            "needs 10 rows; got shape",
        ),
        (lambda k, o: o.iterate(V, 10, 1.0, 0.0, series=["pushed"]), KeyError, "Did you mean 'push'"),
        (
            lambda k, o: o.iterate(V, 10, 1.0, 0.0, series=["s"]),
            ValueError,
            "the state 's' cannot be a series",
        ),
    ],
)
def test_wrong_calls(k, oscillator, call, error, message):
    with pytest.raises(error, match=message):
        call(k, oscillator)


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros(4, np.float32), TypeError, "out must be an array of float64, got float32"),
        ([[0.0] * 4], TypeError, "out must be an array of float64, got list"),
        (np.zeros(5), ValueError, r"out must have shape \(4,\), got \(5,\)"),
        (np.zeros(8)[::2], ValueError, "out must be contiguous"),
    ],
)
def test_wrong_places_for_results(out, error, message):
    x = Graph().symbol("x")
    one = Kernel(Function("one", [x], {"y": x * 2}))
    with pytest.raises(error, match=message):
        one.batch(np.zeros(4), out=out)


def test_results_must_not_overwrite_inputs():
    x = Graph().symbol("x")
    one = Kernel(Function("one", [x], {"y": x * 2}))
    both = np.zeros(8)
    with pytest.raises(ValueError, match="shares memory with another array"):
        one.batch(both[:4], out=both[2:6])
