"""Sweeps: the same results on any executor, in order, with seeds of their own; interrupted and resumed."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest
from swept import Swing, drawn, fragile

from biela.simulate import grid, sweep

CASES = grid(a=range(20), b=[0.5, 1.0])


class Backwards(Executor):
    """Runs everything when the last is submitted, the last first; fails or is interrupted when asked to."""

    def __init__(self, stop_after=None, count=0):
        self.jobs, self.stop_after, self.count, self.ran = [], stop_after, count, 0

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        self.jobs.append((future, function, args, kwargs))
        if len(self.jobs) == self.count:
            for job in reversed(self.jobs):
                self._run(*job)
        return future

    def _run(self, future, function, args, kwargs):
        if not future.set_running_or_notify_cancel():
            return
        if self.ran == self.stop_after:
            future.set_exception(KeyboardInterrupt())
            self.stop_after = -1
            return
        self.ran += 1
        future.set_result(function(*args, **kwargs))


@pytest.fixture(scope="module")
def plain():
    with ThreadPoolExecutor(1) as pool:
        return sweep(drawn, CASES, seed=5, executor=pool)


def test_a_grid_has_all_combinations():
    assert len(CASES) == 40
    assert CASES[1] == {"a": 0, "b": 1.0}
    assert {tuple(case.values()) for case in CASES} == {(a, b) for a in range(20) for b in (0.5, 1.0)}


def test_results_are_columns_in_the_order_of_the_cases(plain):
    assert np.array_equal(plain["a"], np.repeat(np.arange(20), 2))
    assert np.array_equal(plain["twice"], 2 * plain["a"])
    assert plain["draw"].shape == (40, 2)
    assert len(np.unique(plain["draw"])) == 80
    assert plain.done.all()


def test_seeds_are_spawned_from_one(plain):
    seeds = np.random.SeedSequence(5).spawn(40)
    wanted = np.random.default_rng(seeds[7]).normal(size=2)
    assert np.array_equal(plain["draw"][7], wanted)


@pytest.mark.parametrize("chunk", [1, 3, 7, 40])
def test_neither_chunks_nor_order_matter(plain, chunk):
    backwards = Backwards(count=-(-40 // chunk))
    again = sweep(drawn, CASES, seed=5, executor=backwards, chunk=chunk)
    assert np.array_equal(again["draw"], plain["draw"])


def test_processes_are_the_default():
    """A simulation with its kernel goes to other processes; small swings have the same angle anywhere."""
    work = Swing()
    cases = grid(g=[1.62, 9.81])
    table = sweep(work, cases)
    here = [work(case, None)["angle"] for case in cases]
    assert np.array_equal(table["angle"], here)


def test_dask_has_such_an_executor(plain):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        table = sweep(drawn, CASES, seed=5, executor=client.get_executor(), chunk=10)
    assert np.array_equal(table["draw"], plain["draw"])


def test_an_interruption_returns_what_is_done():
    table = sweep(drawn, CASES, executor=Backwards(stop_after=3, count=8), chunk=5)
    assert 0 < table.done.sum() < 40
    assert np.isnan(table["draw"][~table.done]).all()
    assert np.isfinite(table["draw"][table.done]).all()
    assert "without result" in repr(table)


def test_an_interrupted_sweep_is_resumed(plain, tmp_path):
    folder = tmp_path / "sweep"
    first = sweep(drawn, CASES, seed=5, executor=Backwards(stop_after=3, count=8), chunk=5, folder=folder)
    kept = int(first.done.sum())
    assert 0 < kept < 40
    rest = Backwards(count=40 - kept)
    again = sweep(drawn, CASES, seed=5, executor=rest, chunk=1, folder=folder)
    assert rest.ran == 40 - kept
    assert np.array_equal(again["draw"], plain["draw"])
    done = Backwards(count=99)
    assert np.array_equal(sweep(drawn, CASES, seed=5, executor=done, folder=folder)["draw"], plain["draw"])
    assert not done.jobs
    assert all(path.suffix in (".npz", ".json") for path in folder.iterdir())
    assert not list(folder.glob(".*"))


def test_a_folder_of_another_sweep_is_refused(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        sweep(drawn, CASES, seed=5, executor=pool, folder=tmp_path)
        with pytest.raises(ValueError, match="results of another sweep"):
            sweep(drawn, CASES, seed=6, executor=pool, folder=tmp_path)


def test_errors_stop_a_sweep_or_are_kept(tmp_path):
    cases = grid(a=range(6))
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(ArithmeticError, match="odd 1"):
            sweep(fragile, cases, executor=pool, chunk=6)
        table = sweep(fragile, cases, executor=pool, errors="keep", folder=tmp_path)
    assert table.failed == {k: f"ArithmeticError: odd {k}" for k in (1, 3, 5)}
    assert table["half"] == pytest.approx([0, np.nan, 1, np.nan, 2, np.nan], nan_ok=True)


def test_progress_counts_cases():
    seen = []
    with ThreadPoolExecutor(1) as pool:
        sweep(drawn, CASES, executor=pool, chunk=10, progress=lambda *pair: seen.append(pair))
    assert seen == [(10, 40), (20, 40), (30, 40), (40, 40)]


def test_bad_sweeps_are_told():
    with pytest.raises(ValueError, match="at least one case"):
        sweep(drawn, [])
    with pytest.raises(ValueError, match="Case 1 has b; the first one has a"):
        sweep(drawn, [{"a": 1}, {"b": 1}])
    with pytest.raises(ValueError, match="expected 'raise' or 'keep'"):
        sweep(drawn, CASES, errors="ignore")
    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyError, match="no column 'c'"):
        sweep(drawn, CASES, executor=pool)["c"]
