"""Searches on functions whose least values are known, and fronts on the known front of a test problem."""

import numpy as np
import pytest

from biela.cueing.search import SEARCHES, Space, front, lattice, minimise, nsga
from biela.cueing.search.nsga import ranked


def valley(x):
    """Rosenbrock's, for columns."""
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def bowl(x):
    return ((x - np.array([[0.3], [-0.7], [1.1]])) ** 2).sum(axis=0)


def space(budget=4000, size=64, start=(-1.2, 1.0), **more):
    return Space([-2, -2], [2, 2], start, size, budget, **more)


@pytest.mark.parametrize(
    ("name", "near"), [("cma-es", 1e-6), ("differential-evolution", 1e-3), ("nelder-mead", 1e-5)]
)
def test_searches_find_the_end_of_a_curved_valley(name, near):
    found = minimise(SEARCHES[name](space(6000)), valley, 6000)
    assert found.values == pytest.approx([1, 1], abs=near)
    assert found.cost == valley(found.values)
    assert (np.diff(found.history) <= 0).all()


def test_a_grid_tries_all_combinations_once():
    found = minimise(SEARCHES["grid"](space(81 * 81 + 5)), valley, 81 * 81 + 5)
    assert found.evaluations == 81 * 81 == len(np.unique(found.points, axis=1).T)
    assert found.values == pytest.approx([1, 1])
    assert minimise(lattice([[0, 1], [0.5]], 9), valley, 9).points.tolist() == [[0, 1], [0.5, 0.5]]


@pytest.mark.parametrize("name", SEARCHES)
def test_candidates_stay_inside_and_within_the_budget(name):
    wide = Space([-1, -1, -1], [1, 1, 1], [0, 0, 0], 10, 137)  # the least value is on the bound
    found = minimise(SEARCHES[name](wide), bowl, 137)
    assert found.evaluations <= 137
    assert (np.abs(found.points) <= 1).all()
    assert found.values == pytest.approx([0.3, -0.7, 1.0], abs=0.35)


@pytest.mark.parametrize("name", SEARCHES)
def test_the_same_seed_tries_the_same_candidates(name):
    one, two = (minimise(SEARCHES[name](space(300, seed=3)), valley, 300) for _ in range(2))
    assert np.array_equal(one.points, two.points)


def test_searching_leaves_the_random_numbers_of_others_alone():
    np.random.seed(7)
    before = np.random.get_state()[1].copy()
    minimise(SEARCHES["cma-es"](space(100)), valley, 100)
    assert np.array_equal(before, np.random.get_state()[1])


def test_costs_that_are_no_numbers_are_the_worst():
    found = minimise(
        SEARCHES["differential-evolution"](space()), lambda x: np.where(x[0] < 0, np.nan, valley(x)), 4000
    )
    assert found.values == pytest.approx([1, 1], abs=1e-3)
    assert np.isinf(found.costs[found.points[0] < 0]).all()


def test_an_interruption_returns_what_is_done():
    calls = []

    def objective(x):
        calls.append(x)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return valley(x)

    found = minimise(SEARCHES["cma-es"](space()), objective, 4000)
    assert (found.complete, found.evaluations) == (False, 128)
    with pytest.raises(KeyboardInterrupt):
        minimise(
            SEARCHES["cma-es"](space()),
            objective=lambda x: (_ for _ in ()).throw(KeyboardInterrupt),
            budget=99,
        )


def test_progress_ends_at_the_budget():
    seen = []
    minimise(SEARCHES["grid"](space(64, 16)), valley, 64, lambda *pair: seen.append(pair))
    assert seen == [(16, 64), (32, 64), (48, 64), (64, 64)]


def dominated(costs, k):
    return any(
        (costs[:, j] <= costs[:, k]).all() and (costs[:, j] < costs[:, k]).any()
        for j in range(costs.shape[1])
    )


def test_fronts_are_those_of_the_definition():
    costs = np.random.default_rng(1).integers(0, 6, (2, 60)).astype(float)
    assert front(costs).tolist() == [not dominated(costs, k) for k in range(60)]
    assert (front(costs) == (ranked(costs) < 1.0)).all()


def zdt1(x):
    """Zitzler, Deb and Thiele (2000): the front is f2 = 1 - sqrt(f1)."""
    g = 1 + 9 * x[1:].mean(axis=0)
    return np.stack([x[0], g * (1 - np.sqrt(x[0] / g))])


def test_the_front_of_a_test_problem_is_found_whole():
    wide = Space(np.zeros(6), np.ones(6), None, 80, 12_000, seed=2)
    found = minimise(nsga(wide), zdt1, 12_000)
    first, second = found.costs[:, front(found.costs)]
    gap = second - (1 - np.sqrt(first))
    assert gap.min() > -1e-12
    assert np.median(gap) < 0.01
    reached = np.sort(first[gap < 0.02])
    assert np.diff([0.0, *reached, 1.0]).max() < 0.05


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Space([0, 0], [1, 0]), "finite bounds, low < high"),
        (lambda: Space([0], [np.inf]), "finite bounds"),
        (lambda: Space([], []), "finite bounds"),
        (lambda: space(budget=0), "a budget of 1 or more; got 0"),
        (lambda: space(size=0), "a size of 1 or more; got 0"),
        (lambda: next(SEARCHES["differential-evolution"](space(3))), "needs 4 candidates at least"),
        (lambda: next(nsga(space(size=2))), "generations of 2"),
        (lambda: SEARCHES["cma-es"](Space([0], [1])), "two numbers or more"),
        (lambda: minimise(SEARCHES["nelder-mead"](space(2)), valley, 2), "less than one generation"),
    ],
)  # fmt: skip
def test_wrong_searches(make, told):
    with pytest.raises(ValueError, match=told):
        make()
