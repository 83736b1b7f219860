"""Matrices of expressions against NumPy and SymPy."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from biela.expr.expression import coordinate, cos, sin
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix, matrix, vector
from biela.expr.pattern import block, diagonal, identity, matrix_symbols, zeros
from biela.expr.program import Program

SIZES = st.integers(1, 4)


def symbols(shape, graph=None, name="a"):
    """A matrix of symbols and random numbers for them."""
    made = matrix_symbols(graph or Graph(), name, shape)
    numbers = np.random.default_rng(len(name) + made.refs[0]).normal(size=shape)
    return made, numbers, dict(zip(made.expressions, numbers.ravel(), strict=True))


def operations(result):
    """How many operations a matrix or an expression takes."""
    refs = result.refs if isinstance(result, Matrix) else [result.ref]
    graph = result.graph
    inputs = [i for i in graph.reachable(refs) if graph.nodes[i][0] == "symbol"]
    return len(Program.lower(graph, inputs, refs).instructions)


# what it holds


def test_matrix_from_rows_of_expressions_and_numbers():
    x, y = Graph().symbols("x y")
    A = matrix([[x, 1], [np.float64(2.5), np.int64(3)], (y, x)])
    assert A.shape == (3, 2)
    assert A.expressions == [x, 1, 2.5, 3, y, x]


def test_matrix_from_rows_that_are_vectors():
    x, y = Graph().symbols("x y")
    assert matrix([vector([x, y]), vector([y, x])]) == matrix([[x, y], [y, x]])


def test_flat_rows_make_a_vector():
    x = Graph().symbol("x")
    assert matrix([x, 1]).shape == (2,)
    assert vector([x, 1]) == matrix([x, 1])


def test_numbers_alone_need_a_graph():
    g = Graph()
    assert matrix(np.eye(2), g) == identity(g, 2)
    with pytest.raises(TypeError, match="pass the graph"):
        matrix([[1, 2]])


def test_equality_is_of_graph_shape_and_values():
    g = Graph()
    A, x = matrix_symbols(g, "A", (2, 2)), g.symbol("x")
    assert matrix_symbols(g, "A", (2, 2)) == A
    assert hash(matrix_symbols(g, "A", (2, 2))) == hash(A)
    assert matrix_symbols(Graph(), "A", (2, 2)) != A
    assert A.reshape(4) != A
    assert A + x != A
    assert A != "A"


def test_matrices_cannot_be_changed():
    A = matrix_symbols(Graph(), "A", 2)
    with pytest.raises(AttributeError):
        A.refs = ()
    with pytest.raises(TypeError):
        A[0] = 1


def test_symbols_are_named_by_row_and_column():
    g = Graph()
    names = [e.name for e in matrix_symbols(g, "leg.A", (2, 2)).expressions]
    assert names == ["leg.A_0_0", "leg.A_0_1", "leg.A_1_0", "leg.A_1_1"]
    assert [e.name for e in matrix_symbols(g, "x", 2).expressions] == ["x_0", "x_1"]


def test_zeros_identity_and_diagonal():
    g = Graph()
    x = g.symbol("x")
    np.testing.assert_array_equal(zeros(g, (2, 3)).value(), np.zeros((2, 3)))
    np.testing.assert_array_equal(zeros(g, 2).value(), np.zeros(2))
    np.testing.assert_array_equal(identity(g, 3).value(), np.eye(3))
    np.testing.assert_array_equal(diagonal([x, 2, x]).value({x: 5}), np.diag([5.0, 2.0, 5.0]))
    assert zeros(g, (0, 3)).shape == (0, 3)


# indices, as NumPy's

INDEX = st.one_of(
    st.integers(-5, 5),
    st.slices(4),
    st.lists(st.integers(-4, 3), min_size=1, max_size=3),
)


@given(SIZES, SIZES, INDEX, st.one_of(st.none(), INDEX))
def test_indices_select_what_numpy_selects(rows, columns, first, second):
    A, numbers, values = symbols((rows, columns))
    key = first if second is None else (first, second)
    if isinstance(first, list) and isinstance(second, list):
        return
    try:
        expected = numbers[key]
    except IndexError:
        with pytest.raises(IndexError, match="out of range"):
            A[key]
        return
    selected = A[key]
    if np.ndim(expected) == 0:
        assert selected.value(values) == expected
    else:
        assert selected.shape == expected.shape
        np.testing.assert_array_equal(selected.value(values), expected)


def test_iteration_and_length():
    A = matrix_symbols(Graph(), "A", (2, 3))
    assert len(A) == 2
    assert list(A) == [A[0], A[1]]
    assert [entry.name for entry in A[1]] == ["A_1_0", "A_1_1", "A_1_2"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (2, r"Index 2 is out of range for axis 0 of a \(2, 3\) matrix"),
        ((0, -4), r"Index -4 is out of range for axis 1"),
        ((0, 0, 0), "Too many indices for a .* expected 2, got 3"),
        (([0, 1], [0, 1]), "Only one index can be a list"),
        (1.5, "an index is an integer, a slice or a list of integers; got float 1.5"),
        (True, "got bool True"),
        ("x", "got str 'x'"),
    ],
)
def test_bad_indices_say_so(key, message):
    with pytest.raises(IndexError, match=message):
        matrix_symbols(Graph(), "A", (2, 3))[key]


def test_reshape():
    A, numbers, values = symbols((2, 6))
    np.testing.assert_array_equal(A.reshape(-1, 4).value(values), numbers.reshape(-1, 4))
    np.testing.assert_array_equal(A.reshape(12).value(values), numbers.reshape(12))
    with pytest.raises(ValueError, match=r"shape \(5, -1\) cannot hold 12 entries"):
        A.reshape(5, -1)


# algebra, as NumPy's


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
@pytest.mark.parametrize(
    "law",
    [
        lambda a, b, s: a + b,
        lambda a, b, s: a - b,
        lambda a, b, s: a * b,
        lambda a, b, s: a / b,
        lambda a, b, s: a + s,
        lambda a, b, s: s - a,
        lambda a, b, s: a * s,
        lambda a, b, s: s * a,
        lambda a, b, s: a / s,
        lambda a, b, s: s / a,
        lambda a, b, s: 2 * a - 3,
        lambda a, b, s: 1 - a,
        lambda a, b, s: 1 / a,
        lambda a, b, s: a**2,
        lambda a, b, s: np.float64(2.0) * a,
        lambda a, b, s: -a + (+b),
        lambda a, b, s: a.T,
    ],
)
def test_elementwise_operators_agree_with_numpy(shape, law):
    g = Graph()
    a, first, values = symbols(shape, g)
    b, second, more = symbols(shape, g, "bb")
    s = g.symbol("s")
    result = law(a, b, s)
    np.testing.assert_allclose(result.value(values | more | {s: 0.7}), law(first, second, 0.7), rtol=1e-14)


@pytest.mark.parametrize(
    ("left", "right"), [((3,), (3,)), ((2, 3), (3,)), ((2,), (2, 3)), ((2, 3), (3, 4)), ((1, 1), (1,))]
)
def test_products_agree_with_numpy_on_either_side(left, right):
    g = Graph()
    a, first, values = symbols(left, g)
    b, second, more = symbols(right, g, "bb")
    expected = first @ second
    for result in (a @ b, a @ second, first @ b, a @ second.tolist(), first.tolist() @ b):
        np.testing.assert_allclose(result.value(values | more), expected, rtol=1e-13)
    assert np.shape(expected) == getattr(a @ b, "shape", ())


def test_arrays_and_lists_stand_on_either_side_of_elementwise_operators():
    v, numbers, values = symbols((3,))
    other = np.array([1.0, 2.0, 4.0])
    for result in (v - other, v - list(other), -(other - v), -(list(other) - v)):
        np.testing.assert_allclose(result.value(values), numbers - other)
    for result in (v * other, other * v, list(other) * v):
        np.testing.assert_allclose(result.value(values), numbers * other)


def test_an_array_is_never_equal_to_a_matrix():
    g = Graph()
    assert not identity(g, 2) == np.eye(2)  # noqa: SIM201 - it is __eq__ that is tested


def test_products_do_nothing_for_zeros_and_ones():
    g = Graph()
    a, c, s = g.symbols("a c s")
    R = matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    assert operations(R @ vector([a, 0, 0])) == 2
    assert operations(R @ matrix_symbols(g, "v", 3)) == 6  # four products, one sum, one difference
    assert R @ np.eye(3) == R
    assert np.zeros((3, 3)) @ R == zeros(g, (3, 3))


def test_a_dot_product_of_n_takes_n_products_and_n_minus_1_sums():
    g = Graph()
    assert operations(matrix_symbols(g, "a", 5) @ matrix_symbols(g, "b", 5)) == 9


def test_division_by_a_scalar_divides_once():
    g = Graph()
    names = [node[0] for node in _nodes(matrix_symbols(g, "a", 5) / g.symbol("s"))]
    assert names.count("inv") == 1


def _nodes(result):
    return [result.graph.nodes[i] for i in result.graph.reachable(result.refs)]


# vectors


def test_vector_products_agree_with_numpy():
    g = Graph()
    a, first, values = symbols((3,), g)
    b, second, more = symbols((3,), g, "bb")
    values = values | more
    np.testing.assert_allclose(a.cross(b).value(values), np.cross(first, second), rtol=1e-13)
    np.testing.assert_allclose(a.cross(second).value(values), np.cross(first, second), rtol=1e-13)
    np.testing.assert_allclose((a.skew() @ b).value(values), np.cross(first, second), rtol=1e-13)
    np.testing.assert_allclose(a.dot(b).value(values), first @ second, rtol=1e-13)
    np.testing.assert_allclose(a.outer(b[:2]).value(values), np.outer(first, second[:2]))
    np.testing.assert_allclose(a.norm().value(values), np.linalg.norm(first), rtol=1e-15)
    np.testing.assert_allclose(a.outer(b).norm().value(values), np.linalg.norm(np.outer(first, second)))


def test_cross_product_of_a_vector_with_itself_vanishes():
    a = matrix_symbols(Graph(), "a", 3)
    assert a.cross(a) == zeros(a.graph, 3)
    assert a.skew() + a.skew().T == zeros(a.graph, (3, 3))


# square matrices


@pytest.mark.parametrize("n", [1, 2, 3])
def test_determinant_trace_and_inverse_agree_with_numpy(n):
    A, numbers, values = symbols((n, n))
    np.testing.assert_allclose(A.det().value(values), np.linalg.det(numbers), rtol=1e-12)
    np.testing.assert_allclose(A.inverse().value(values), np.linalg.inv(numbers), rtol=1e-11)
    np.testing.assert_allclose(A.trace().value(values), np.trace(numbers), rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_inverse_agrees_with_sympy_identically(n):
    A = matrix_symbols(Graph(), "A", (n, n))
    theirs = sympy.Matrix(n, n, lambda i, j: sympy.Symbol(f"A_{i}_{j}"))
    ours = sympy.Matrix(n, n, [sympy.sympify(repr(entry)) for entry in A.inverse().expressions])
    assert (ours - theirs.inv()).applyfunc(sympy.simplify) == sympy.zeros(n, n)


def test_inverse_divides_once_and_keeps_symmetry():
    a, b, c, d, e, f = Graph().symbols("a b c d e f")
    A = matrix([[a, b, c], [b, d, e], [c, e, f]])
    assert A.inverse() == A.inverse().T
    assert [node[0] for node in _nodes(A.inverse())].count("inv") == 1


def test_a_rotation_about_an_axis_has_a_determinant_without_the_axis():
    c, s = Graph().symbols("c s")
    assert matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]).det() == c * c + s * s


# blocks


def test_blocks_agree_with_numpy():
    g = Graph()
    A, a, first = symbols((2, 2), g)
    B, b, second = symbols((2, 3), g, "bb")
    values = first | second
    np.testing.assert_array_equal(block([[A, B]]).value(values), np.hstack([a, b]))
    np.testing.assert_array_equal(block([[A], [B.T]]).value(values), np.vstack([a, b.T]))
    kkt = block([[A, B], [B.T, 0]])
    np.testing.assert_array_equal(kkt.value(values), np.block([[a, b], [b.T, np.zeros((3, 3))]]))
    mixed = block([[A, np.ones((2, 1))], [[[1, 2]], [[3]]]])
    expected = np.vstack([np.hstack([a, np.ones((2, 1))]), [[1, 2, 3]]])
    np.testing.assert_array_equal(mixed.value(values), expected)


def test_a_flat_row_of_vectors_is_joined():
    g = Graph()
    a, b = matrix_symbols(g, "a", 2), matrix_symbols(g, "b", 3)
    assert block([a, b, [1, 2]]) == vector([*a, *b, 1, 2])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda A, v: [A, A], r"joins vectors; got a \(2, 2\) matrix. Write block\(\[\[A, B\]\]\)"),
        (lambda A, v: [[A, v]], r"has two axes; got a vector of 2. Write v.reshape\(-1, 1\)"),
        (lambda A, v: [[A], [A, A]], r"rows of one length; got rows of \[1, 2\] blocks"),
        (lambda A, v: [[A, A[:1]]], r"row 0 has blocks of different heights: \[2, 1\]"),
        (lambda A, v: [[A], [A[:, :1]]], r"column 0 has blocks of different widths: \[2, 1\]"),
        (lambda A, v: [[A, A], [0, 0]], "row 1 has only zeros"),
        (lambda A, v: [[A, matrix_symbols(Graph(), "B", (2, 2))]], "different graphs"),
        (lambda A, v: [v, matrix_symbols(Graph(), "w", 2)], "different graphs"),
    ],
)
def test_blocks_that_do_not_fit_say_so(rows, message):
    g = Graph()
    with pytest.raises(ValueError, match=message):
        block(rows(matrix_symbols(g, "A", (2, 2)), matrix_symbols(g, "v", 2)))


def test_blocks_need_a_matrix():
    with pytest.raises(TypeError, match="at least one Matrix"):
        block([[1, 2]])
    with pytest.raises(TypeError, match="a matrix or the number 0; got int 5"):
        block([[identity(Graph(), 2), 5]])


# calculus and evaluation


def test_derivatives_are_taken_entry_by_entry():
    g = Graph()
    q = coordinate(g, "q")
    A = matrix([[cos(q.position), 1], [sin(q.position), q.velocity]])
    assert A.diff(q.position) == matrix([[-sin(q.position), 0], [cos(q.position), 0]])
    assert A.diff(q.position, q.position)[:, 0] == -A[:, 0]
    assert A.dt()[:, 1] == vector([0, q.acceleration])
    assert A.dt()[0, 0] == -sin(q.position) * q.velocity


def test_substitute_replaces_all_at_once():
    x, y = Graph().symbols("x y")
    assert vector([x, y]).substitute({x: y, y: x}) == vector([y, x])
    assert vector([x * y, y]).substitute({x: 0}) == vector([0, y])


def test_map_applies_a_function_to_every_entry():
    x, y = Graph().symbols("x y")
    assert matrix([[x, y]]).map(sin) == matrix([[sin(x), sin(y)]])
    assert vector([x, y]).map(lambda entry: 1.0) == vector([1, 1], x.graph)
    with pytest.raises(TypeError, match=r"Entry \(1, 0\) of the matrix is str 'x'"):
        matrix([[x], [y]]).map(lambda entry: "x" if entry == y else x)


def test_value_of_constants_needs_no_values():
    np.testing.assert_array_equal(identity(Graph(), 2).value(), np.eye(2))


def test_a_missing_value_is_named():
    v = matrix_symbols(Graph(), "v", 2)
    with pytest.raises(ValueError, match="No value for 'v_1'"):
        v.value({v[0]: 1.0})


def test_matrices_pass_through_functions():
    g = Graph()
    A, v = matrix_symbols(g, "A", (2, 2)), matrix_symbols(g, "v", 2)
    f = Function("f", {"A": A, "v": v}, {"product": A @ v})
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(f.evaluate(numbers, [5.0, 6.0]), numbers @ [5.0, 6.0])


# printing


def test_repr_shows_rows():
    x, y = Graph().symbols("x y")
    assert repr(matrix([[x, 0], [1, -y]])) == "[[x, 0],\n [1, -y]]"
    assert repr(vector([x, 2 * y])) == "[x, 2*y]"


def test_latex_is_a_bmatrix_and_vectors_are_columns():
    x, y = Graph().symbols("x y")
    A = matrix([[x, 0], [1, y]])
    assert A.latex() == r"\begin{bmatrix}x & 0 \\ 1 & y\end{bmatrix}"
    assert vector([x, y]).latex() == r"\begin{bmatrix}x \\ y\end{bmatrix}"
    assert A._repr_latex_() == f"${A.latex()}$"


# bad input

GRAPH = Graph()
A32 = matrix_symbols(GRAPH, "A", (3, 2))
V3 = matrix_symbols(GRAPH, "v", 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: A32 @ V3, r"A \(3, 2\) matrix cannot multiply a vector of 3: inner sizes 2 and 3 differ"),
        (lambda: [1, 2] @ V3, r"A vector of 2 cannot multiply a vector of 3"),
        (lambda: A32 + V3, r"'\+' works entry by entry, .* got a \(3, 2\) matrix and a vector of 3"),
        (lambda: A32 * A32.T, "For the matrix product write '@'"),
        (lambda: A32.dot(V3), r"dot\(\) takes vectors of 6; got a \(3, 2\) matrix"),
        (lambda: V3.dot([1, 2]), r"dot\(\) takes vectors of 3; got a vector of 2"),
        (lambda: V3.cross([1, 2]), r"cross\(\) takes vectors of 3; got a vector of 2"),
        (lambda: V3[:2].skew(), r"skew\(\) takes vectors of 3; got a vector of 2"),
        (lambda: V3.outer(A32), r"outer\(\) takes vectors; got a \(3, 2\) matrix"),
        (lambda: A32.det(), r"det\(\) takes a square matrix; got a \(3, 2\) matrix"),
        (lambda: V3.trace(), r"trace\(\) takes a square matrix; got a vector of 3"),
        (lambda: identity(GRAPH, 4).det(), r"up to 3x3; got a \(4, 4\) matrix. Use biela.expr.linear.solve"),
        (lambda: identity(GRAPH, 4).inverse(), r"inverse\(\) is written out up to 3x3"),
        (lambda: zeros(GRAPH, (2, 2)).inverse(), "singular: its determinant is identically 0"),
        (lambda: matrix([[V3[0], 1], [2]]), "Row 1 of the matrix has 1 entries where row 0 has 2"),
        (lambda: matrix([[V3[0]], 2]), "Row 1 of the matrix is the scalar 2 among rows"),
        (lambda: vector([[V3[0]]]), r"vector\(\) takes a flat row; got a \(1, 1\) matrix"),
        (lambda: Matrix(GRAPH, (2, 2), (1, 2)), r"shape \(2, 2\) cannot hold 2 entries"),
        (lambda: zeros(GRAPH, (1, 1, 1)), r"shape \(1, 1, 1\) cannot hold"),
        (lambda: zeros(GRAPH, -1), r"shape \(-1,\) cannot hold"),
        (lambda: V3 + matrix_symbols(Graph(), "w", 3), "different graphs"),
        (lambda: matrix([V3[0], Graph().symbol("x")]), "belongs to another graph"),
    ],
)
def test_wrong_values_say_what_where_and_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: A32 @ 2, "'@' multiplies matrices and vectors; got the scalar 2. Use"),
        (lambda: V3[0] @ A32, "unsupported operand|multiplies matrices"),
        (lambda: V3 + "x", "unsupported operand"),
        (lambda: V3.dot(2), r"dot\(\) takes vectors of 3; got int 2"),
        (lambda: matrix([[V3[0], None]]), r"Entry \(0, 1\) of the matrix is NoneType None; expected an"),
        (lambda: vector([V3[0], 1j]), "Entry 1 of the matrix is complex 1j"),
        (lambda: matrix([[V3, V3[0]]]), r"Entry \(0, 0\) of the matrix is Matrix"),
    ],
)
def test_wrong_types_say_what_where_and_what_to_do(call, message):
    with pytest.raises(TypeError, match=message):
        call()
