from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest

import biela as bl
from biela.compile import crew as room
from biela.compile.crew import Crew, crew
from biela.compile.sweep import Sweep


@pytest.fixture(scope="module")
def sweep():
    x = bl.Graph().symbol("x")
    return Sweep(bl.Function("f", {"x": x}, {"y": 3.0 * x, "total": x}), ["total"])


def passed(sweep, x, threads):
    y = np.empty(len(x))
    return sweep(len(x), {"x": x}, {"y": y}, threads)["total"], y


@pytest.mark.parametrize("pause", [0.0, 0.002])
def test_every_part_is_done_once_whether_helpers_are_awake_or_asleep(sweep, pause):
    x = np.random.default_rng(1).normal(size=50_001)
    total, y = passed(sweep, x, 1)
    for _ in range(30):
        again, z = passed(sweep, x, 4)
        assert again == total
        assert np.array_equal(y, z)
        sleep(pause)


def test_several_threads_may_have_jobs_at_a_time(sweep):
    x = np.random.default_rng(1).normal(size=20_000)
    total, _ = passed(sweep, x, 1)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: passed(sweep, x, 3)[0], range(200)))
    assert found == [total] * 200


def test_a_crew_with_a_job_says_no_to_another():
    one = Crew(2)
    one._busy.acquire()
    assert not one.run(None, (), (), 1, 0)


def test_a_helper_that_lost_patience_is_woken_for_the_next_job(sweep, monkeypatch):
    monkeypatch.setattr(room, "PATIENCE", 0)
    crew.cache_clear()
    x = np.arange(30_000.0)
    assert [passed(sweep, x, 3)[0] for _ in range(50)] == [x.sum()] * 50
    crew.cache_clear()
