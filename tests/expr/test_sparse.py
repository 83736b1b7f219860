"""Sparse factorisations of expressions against NumPy and SciPy, and their operation counts."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from biela.expr.expression import Expr, cos, sin
from biela.expr.graph import Graph
from biela.expr.linear import METHODS, Sparse, cholesky, ldl, lu, solve, sparse
from biela.expr.matrix import Matrix, matrix
from biela.expr.pattern import block, diagonal, identity, matrix_symbols, zeros
from biela.expr.program import Program

SEEDS = st.integers(0, 2**32 - 1)


class System:
    """A matrix of symbols on a pattern, with numbers for them and for a right-hand side."""

    def __init__(self, numbers, symmetric):
        n = len(numbers)
        self.numbers = numbers
        self.graph = graph = Graph()
        entries = {}
        for i, j in zip(*map(list, np.nonzero(numbers)), strict=True):
            place = (max(i, j), min(i, j)) if symmetric else (i, j)
            entries[int(i), int(j)] = graph.symbol_ref("a_{}_{}".format(*place))
        self.A = Sparse(graph, (n, n), entries)
        self.b = matrix_symbols(graph, "b", n)
        self.right = np.linspace(1.0, 2.0, n)
        self.values = {Expr(graph, ref): numbers[place] for place, ref in entries.items()}
        self.values |= dict(zip(self.b.expressions, self.right, strict=True))

    def check(self, factorisation):
        """The solution equals NumPy's; every pivot is a number."""
        result = factorisation.solve(self.b).value(self.values)
        expected = np.linalg.solve(self.numbers, self.right)
        scale = np.linalg.cond(self.numbers) * np.abs(expected).max()
        np.testing.assert_allclose(result, expected, rtol=0.0, atol=1e-13 * scale)
        assert len(factorisation.pivots) == len(self.numbers)

    def operations(self, factorisation):
        """How many operations the solution takes."""
        result = factorisation.solve(self.b)
        inputs = [symbol.ref for symbol in self.values]
        return len(Program.lower(self.graph, inputs, result.refs).instructions)


def pattern(n, density, seed):
    """A random matrix with a full diagonal."""
    rng = np.random.default_rng(seed)
    return scipy.sparse.random(n, n, density, rng=rng, data_rvs=rng.standard_normal).toarray(), rng


def positive(n, density, seed):
    """A random sparse symmetric positive definite matrix."""
    values, _ = pattern(n, density, seed)
    values = values + values.T
    return values + np.diag(np.abs(values).sum(axis=0) + 1.0)


def kkt(n, m, seed):
    """A random KKT matrix: M positive definite, J of full rank, zeros below."""
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.3)
    J[np.arange(m), np.arange(m)] += 3.0
    return np.block([[positive(n, 0.1, seed), J.T], [J, np.zeros((m, m))]])


def arrow(n):
    """Entries on the diagonal and in the first row and column."""
    values = np.diag(np.full(n, float(n)))
    values[0] = values[:, 0] = 1.0
    values[0, 0] = n
    return values


def band(n, width):
    """A banded positive definite matrix."""
    return sum(np.diag(np.full(n - abs(k), 1.0 if k else 4.0 * width), k) for k in range(-width, width + 1))


# the record


def test_sparse_and_dense_are_each_other():
    x, y = Graph().symbols("x y")
    A = matrix([[x, 0, 0], [0, x - x, y]])
    assert sorted(sparse(A).entries) == [(0, 0), (1, 2)]
    assert sparse(A).dense() == A
    assert sparse(A).T.dense() == A.T
    assert sparse(sparse(A)) == sparse(A)
    assert sparse(A)[1, 2] == y
    assert sparse(A)[0, 1] == 0


@given(SEEDS)
def test_sparse_products_equal_dense_products(seed):
    graph = Graph()
    left, rng = pattern(4, 0.4, seed)
    right = rng.standard_normal((4, 3)) * (rng.random((4, 3)) < 0.5)
    A = matrix(left, graph) * graph.symbol("x")
    B = matrix(right, graph) * graph.symbol("y")
    assert (sparse(A) @ sparse(B)).dense() == A @ B
    assert sparse(A) @ B == A @ B
    assert sparse(A) @ B[:, 0] == A @ B[:, 0]
    assert sparse(A) @ right == A @ right


def test_products_drop_what_cancels():
    x, y = Graph().symbols("x y")
    product = sparse(matrix([[x, -y]])) @ sparse(matrix([[y], [x]]))
    assert product.entries == {}


# solutions


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [None, "natural"])
@given(seed=SEEDS, n=st.integers(1, 9))
@settings(max_examples=20, deadline=None)
def test_positive_definite_systems_are_solved_in_any_order(method, order, seed, n):
    system = System(positive(n, 0.3, seed), symmetric=True)
    system.check(METHODS[method](system.A, order=order))


@given(seed=SEEDS, n=st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_lu_solves_unsymmetric_systems_with_safe_pivots(seed, n):
    values, rng = pattern(n, 0.4, seed)
    values += np.eye(n)[rng.permutation(n)]
    if np.linalg.cond(values) > 1e8:
        return
    system = System(values, symmetric=False)
    system.check(lu(system.A, weights=values))


@given(seed=SEEDS, n=st.integers(2, 9), data=st.data())
@settings(max_examples=30, deadline=None)
def test_kkt_systems_are_solved_by_ldl_and_lu(seed, n, data):
    values = kkt(n, data.draw(st.integers(1, n)), seed)
    system = System(values, symmetric=True)
    system.check(ldl(system.A, weights=values))
    system.check(lu(system.A, weights=[values, -values]))


@pytest.mark.parametrize("method", ["ldl", "lu"])
def test_a_large_sparse_system(method):
    values = positive(76, 0.025, 1)
    system = System(values, symmetric=True)
    system.check(METHODS[method](system.A, weights=values))


def test_a_matrix_on_the_right_is_solved_column_by_column():
    values = positive(5, 0.4, 3)
    system = System(values, symmetric=True)
    result = solve(system.A, np.eye(5)[:, :2]).value(system.values)
    np.testing.assert_allclose(result, np.linalg.inv(values)[:, :2], rtol=1e-12, atol=1e-14)


def test_a_dense_matrix_is_taken_too():
    a, b, c = Graph().symbols("a b c")
    A = matrix([[a, b], [b, c]])
    values = {a: 2.0, b: 1.0, c: 3.0}
    np.testing.assert_allclose(solve(A, [1, 2]).value(values), np.linalg.solve(A.value(values), [1, 2]))


def test_the_symbols_of_a_diagonal_system_are_divided_by():
    g = Graph()
    d, b = matrix_symbols(g, "d", 3), matrix_symbols(g, "b", 3)
    for method in ("ldl", "lu"):
        assert solve(diagonal(d), b, method) == b / d


# the factors


@given(seed=SEEDS, n=st.integers(1, 8))
@settings(max_examples=20, deadline=None)
def test_ldl_factors_multiply_to_the_matrix(seed, n):
    system = System(positive(n, 0.3, seed), symmetric=True)
    made = ldl(system.A)
    F = made.factor.value(system.values)
    D = np.array([pivot.value(system.values) for pivot in made.pivots])
    np.testing.assert_allclose(F @ np.diag(D) @ F.T, system.numbers, rtol=1e-12, atol=1e-12)
    in_order = F[list(made.order)]
    np.testing.assert_array_equal(in_order, np.tril(in_order))


def test_cholesky_in_natural_order_is_scipys():
    system = System(positive(6, 0.4, 5), symmetric=True)
    made = cholesky(system.A, order="natural")
    expected = scipy.linalg.cholesky(system.numbers, lower=True)
    np.testing.assert_allclose(made.factor.value(system.values), expected, rtol=1e-13, atol=1e-15)
    squares = [pivot.value(system.values) for pivot in made.pivots]
    np.testing.assert_allclose(squares, np.diag(expected) ** 2)


def test_cholesky_factor_in_its_own_order_is_a_square_root():
    system = System(positive(8, 0.2, 6), symmetric=True)
    F = cholesky(system.A).factor.value(system.values)
    np.testing.assert_allclose(F @ F.T, system.numbers, rtol=1e-13, atol=1e-13)


def test_ldl_pivots_of_a_kkt_matrix_have_its_inertia():
    values = kkt(6, 3, 1)
    system = System(values, symmetric=True)
    pivots = np.array([pivot.value(system.values) for pivot in ldl(system.A).pivots])
    assert (pivots < 0).sum() == (np.linalg.eigvalsh(values) < 0).sum() == 3


@given(seed=SEEDS, n=st.integers(2, 7), m=st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_the_last_two_pivots_are_watched_by_their_product(seed, n, m):
    values = kkt(n, min(m, n - 1), seed)
    system = System(values, symmetric=True)
    made = ldl(system.A, weights=values)
    system.check(made)
    pivots, watched = ([e.value(system.values) for e in found] for found in (made.pivots, made.watched))
    np.testing.assert_allclose(np.prod(watched), np.linalg.det(values), rtol=1e-9)
    assert watched[: n - 2] == pivots[: n - 2]


@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_solution_takes_a_division_less_than_there_are_rows(n):
    system = System(positive(n, 1.0, 7), symmetric=True)
    inputs = [symbol.ref for symbol in system.values]
    program = Program.lower(system.graph, inputs, ldl(system.A).solve(system.b).refs)
    names = [instruction.name for instruction in program.instructions]
    assert names.count("inv") + names.count("div") == n - 1


def test_the_product_of_the_pivots_is_the_determinant():
    values, _ = pattern(6, 0.6, 2)
    values += np.eye(6)
    system = System(values, symmetric=False)
    made = lu(system.A, weights=values)
    pivots = [pivot.value(system.values) for pivot in made.pivots]
    np.testing.assert_allclose(abs(np.prod(pivots)), abs(np.linalg.det(values)), rtol=1e-12)


# the order


@pytest.mark.parametrize("n", [5, 60])
def test_an_arrow_fills_up_in_natural_order_and_not_at_all_in_ours(n):
    system = System(arrow(n), symmetric=True)
    ours, natural = ldl(system.A), ldl(system.A, order="natural")
    assert natural.fill == (n - 1) * (n - 2) // 2
    assert lu(system.A, order="natural").fill == (n - 1) * (n - 2)
    assert ours.fill == lu(system.A).fill == 0
    # per entry of the shaft but one: reciprocal and multiplier, 2 operations on the tip, 2 forward, 3 back;
    # for the last entry and the tip: a determinant of 3, its reciprocal, 3 of the inverse, 6 of the product
    m = n - 1
    assert system.operations(ours) == 9 * (m - 1) + 13
    assert system.operations(natural) > m**3 / 3


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_band_does_not_fill(width, shuffled):
    n = 200
    values = band(n, width)
    if shuffled:
        order = np.random.default_rng(0).permutation(n)
        values = values[np.ix_(order, order)]
    system = System(values, symmetric=True)
    made = ldl(system.A)
    assert made.fill == 0
    assert lu(system.A).fill == 0
    system.check(made)


def test_fill_counts_new_entries_of_one_triangle():
    # a ring of four: eliminating any corner joins its two neighbours
    values = np.diag([4.0] * 4) + sum(np.roll(np.eye(4), k, axis=1) for k in (1, -1))
    system = System(values, symmetric=True)
    assert ldl(system.A).fill == 1
    assert lu(system.A).fill == 2


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_fill_is_the_difference_of_entry_counts(seed):
    system = System(positive(10, 0.15, seed), symmetric=True)
    made = ldl(system.A)
    entries = sum(len(column) for column in made.columns)
    before = (len(system.A.entries) - 10) // 2
    assert made.fill == entries - before


def test_equal_matrices_get_equal_orders():
    first, second = (System(positive(30, 0.1, 4), symmetric=True) for _ in range(2))
    assert ldl(first.A).order == ldl(second.A).order
    assert lu(first.A).order == lu(second.A).order


def test_an_order_can_be_imposed_and_handed_on():
    system = System(positive(6, 0.4, 8), symmetric=True)
    assert ldl(system.A, order=[5, 4, 3, 2, 1, 0]).order == (5, 4, 3, 2, 1, 0)
    system.check(ldl(system.A, order=[5, 4, 3, 2, 1, 0]))
    places = lu(system.A).order
    assert lu(system.A, order=places).order == places


def test_the_order_waits_for_a_zero_diagonal_to_fill():
    m, j = Graph().symbols("m j")
    made = ldl(matrix([[0, j], [j, m]]))
    assert made.order == (1, 0)
    assert made.pivots[1] == -j * (j / m)


def test_a_pivot_whose_reciprocal_is_a_number_is_preferred():
    g = Graph()
    a, b, c = g.symbols("a b c")
    assert lu(matrix([[a, b], [c, 1]])).order[0] == (1, 1)
    assert ldl(matrix([[a, b], [b, 1]])).order[0] == 1


def test_among_equals_the_diagonal_is_preferred():
    A = matrix_symbols(Graph(), "a", (2, 2))
    assert lu(A, weights=[[0.0, 1.0], [1.0, 1.0]]).order[0] == (1, 1)


def test_exact_cancellation_is_seen():
    a, b = Graph().symbols("a b")
    for singular in ([[a, b], [a, b]], [[a, b], [a * (a + b), a * b + b * b]]):
        with pytest.raises(ValueError, match=r"After 1 pivots .* only zeros are left: it is singular"):
            lu(matrix(singular))


def test_entries_that_vanish_by_algebra_are_no_pivots():
    x, a, b = Graph().symbols("x a b")
    hidden_zero = sin(x) ** 2 + cos(x) ** 2 - 1
    assert lu(matrix([[hidden_zero, a], [b, a]])).order[0] == (0, 1)


def test_two_constraints_on_one_body_wait_for_another():
    # both multipliers fill in when the first mass is gone, but with a block of rank one
    g = Graph()
    M, J = diagonal(matrix_symbols(g, "m", 2)), matrix_symbols(g, "J", (2, 2))
    A = block([[M, J.T], [J, 0]])
    assert ldl(A, order=[0, 2, 1, 3]).order == (0, 2, 1, 3)
    with pytest.raises(ValueError, match=r"No pivot is left on the diagonal after 2 of 4: .* row 3"):
        ldl(A, order=[0, 2, 3, 1])


def test_triangles_written_differently_are_one():
    x, y, z = Graph().symbols("x y z")
    A = matrix([[x, x * (y + z)], [x * y + x * z, y]])
    values = {x: 2.0, y: 3.0, z: -1.5}
    np.testing.assert_allclose(solve(A, [1, 2]).value(values), np.linalg.solve(A.value(values), [1, 2]))


# weights


def test_small_pivots_are_refused_in_every_sample():
    g = Graph()
    A = matrix_symbols(g, "a", (2, 2))
    good, bad = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1e-9, 1.0], [1.0, 1e-9]])
    assert lu(A).order[0] == (0, 0)
    assert lu(A, weights=good).order[0] == (0, 0)
    assert lu(A, weights=[good, bad]).order[0] == (0, 1)


def test_weights_rescue_the_solution():
    values = np.array([[1e-18, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 3.0]])
    system = System(values, symmetric=True)
    careless = lu(system.A, order="natural").solve(system.b).value(system.values)
    assert abs(careless - np.linalg.solve(values, system.right)).max() > 0.1
    system.check(lu(system.A, weights=values))


def test_a_large_coefficient_elsewhere_in_its_row_makes_a_pivot_small():
    # column by column both pivots of the first column look alike: only scaling tells them apart
    A = matrix_symbols(Graph(), "a", (2, 2))
    assert lu(A, weights=[[1.0, 1.0], [1.0, 2.0]]).order[0] == (0, 0)
    assert lu(A, weights=[[1.0, 1e6], [1.0, 1.0]]).order[0] == (0, 1)


def test_a_coordinate_without_inertia_is_eliminated_late():
    # M is singular: the first coordinate moves nothing, but the constraint ties it to the second
    values = np.array([[1e-12, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    system = System(values, symmetric=True)
    assert ldl(system.A).order[0] == 0
    made = ldl(system.A, weights=values)
    assert made.order == (1, 2, 0)
    system.check(made)


def test_an_entry_that_cancels_in_numbers_only_is_no_pivot():
    g = Graph()
    x, a, b = g.symbols("x a b")
    hidden_zero = sin(2 * x) - 2 * sin(x) * cos(x)
    A = matrix([[hidden_zero, a], [b, 1 + hidden_zero]])
    weights = A.value({x: 0.3, a: 2.0, b: 3.0})
    assert lu(A, weights=weights).order[0] != (0, 0)
    assert lu(A, order=[(0, 0), (1, 1)]).order[0] == (0, 0)
    with pytest.raises(ValueError, match="No safe pivot is left after 0 of 2"):
        lu(A, order=[(0, 0), (1, 1)], weights=weights)


# bad input

G = Graph()
A2 = matrix_symbols(G, "a", (2, 2))
S2 = diagonal(A2[0])
RING = matrix([[0, A2[0, 0]], [A2[0, 0], 0]])
NEARLY = np.array([[1e-6, 1.0], [1.0, 1e-6]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: solve(S2, [1, 2], "qr"), "Unknown method 'qr' to solve with. Known: ldl, cholesky, lu"),
        (lambda: solve(S2, [1, 2, 3]), "has 2 equations; got a right-hand side that is a vector of 3"),
        (lambda: solve(S2, matrix_symbols(Graph(), "b", 2)), "belongs to another graph"),
        (lambda: ldl(A2), r"not symmetric: entry \(0, 1\) is 'a_0_1' but \(1, 0\) is 'a_1_0'. Use lu"),
        (lambda: lu(A2[:1]), r"takes a square matrix; got a \(1, 2\) matrix"),
        (lambda: sparse(A2[0]), "has two axes; got a vector of 2"),
        (lambda: Sparse(G, (1, 1), {(0, 1): 1}), r"Entry \(0, 1\) lies outside a \(1, 1\) matrix"),
        (lambda: sparse(A2) @ [1, 2, 3], "inner sizes 2 and 3 differ"),
        (lambda: sparse(A2) @ sparse(matrix_symbols(Graph(), "b", (2, 2))), "different graphs"),
        (lambda: ldl(RING), "No pivot is left on the diagonal after 0 of 2: it is zero in row 0, 1. Use lu"),
        (lambda: cholesky(RING), "No pivot is left on the diagonal"),
        (lambda: ldl(zeros(G, (20, 20))), r"row 0, 1, .* \(20 rows\)"),
        (lambda: lu(zeros(G, (2, 2))), "After 0 pivots of the matrix only zeros are left"),
        (lambda: ldl(S2, order="best"), "Unknown order 'best': expected 'natural', a sequence"),
        (lambda: ldl(S2, order=[0, 0]), r"must name each of 0 to 1 once; got \[0, 0\]"),
        (lambda: lu(S2, order=[(0, 0), (1, 0)]), r"must name each of 0 to 1 once; got \[0, 0\]"),
        (lambda: lu(RING, order="natural"), r"After 0 pivots .* entry \(0, 0\), next in the order, is 0"),
        (lambda: lu(A2, weights=np.eye(3)), r"samples of the \(2, 2\) matrix, .* got shape \(3, 3\)"),
        (lambda: lu(A2, weights=[]), r"weights are samples of the \(2, 2\) matrix"),
        (lambda: lu(A2, weights=[np.eye(2), np.full((2, 2), np.nan)]), "sample 1 has entries that are not"),
        (lambda: lu(A2, weights=np.eye(2), threshold=2.0), r"threshold must be in \(0, 1\]; got 2.0"),
        (lambda: lu(A2, weights=np.ones((2, 2))), "No safe pivot is left after 1 of 2: the best, .* is 0 of"),
        (
            lambda: ldl(matrix([[A2[0, 0], A2[0, 1]], [A2[0, 1], A2[0, 0]]]), weights=NEARLY),
            r"the best, \(0, 0\), is 1e-06 of its column in the worst of 1 samples, threshold 0.1. Lower",
        ),
    ],
)
def test_wrong_values_say_what_where_and_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_list_is_not_a_matrix_to_factor():
    with pytest.raises(TypeError, match="Expected a Matrix or Sparse; got list"):
        lu([[1, 2], [3, 4]])


def test_lu_takes_the_diagonal_free_matrix_that_ldl_refuses():
    assert solve(RING, [1, 2], "lu") == matrix([2, 1], G) / A2[0, 0]


def test_solving_with_the_identity_gives_the_inverse():
    system = System(positive(4, 0.5, 9), symmetric=True)
    inverse = solve(system.A, identity(system.graph, 4))
    assert isinstance(inverse, Matrix)
    np.testing.assert_allclose(inverse.value(system.values) @ system.numbers, np.eye(4), atol=1e-13)


def test_blocks_make_a_kkt_system():
    g = Graph()
    m, J = matrix_symbols(g, "m", 3), matrix_symbols(g, "J", (1, 3))
    A = block([[diagonal(m), J.T], [J, 0]])
    values = dict(zip([*m, *J[0]], [1.0, 2.0, 3.0, 0.5, -1.0, 2.0], strict=True))
    result = solve(A, [1, 2, 3, 4]).value(values)
    np.testing.assert_allclose(A.value(values) @ result, [1, 2, 3, 4], rtol=1e-13)
