"""A wrong call of each public function says what it expected and what it got.

One row a name; the rooms' own tests have the other wrong calls.
"""

from importlib import import_module

import numpy as np
import pytest

import biela as bl

NOT_CALLED = {
    "LDL", "LU", "Cholesky", "Coordinate", "Count", "OPERATIONS", "Operation", "Port", "Signal", "TARGETS",
}  # fmt: skip
NO_EXPRESSION = r"takes expressions and real numbers; got str 'a'"
NO_MATRIX = r"Expected a Matrix or Sparse; got int"
ELEMENTARY = ("acos", "asin", "atan", "cos", "cosh", "exp", "floor", "log", "sign", "sin", "sinh", "sqrt",
              "tan", "tanh")  # fmt: skip


def function():
    x, y = bl.Graph().symbols("x y")
    return bl.Function("f", {"x": [x, y]}, {"y": [y, x]})


WRONG = {
    **{name: (lambda g, x, name=name: getattr(bl, name)("a"), TypeError, NO_EXPRESSION)
       for name in ELEMENTARY},
    "Block": (
        lambda g, x: bl.Block("b", function(), 0.1, (), 0, {}), ValueError, "'x' of .* has 2 numbers, and 0",
    ),
    "Expr": (lambda g, x: x.value({"x": 1.0}), TypeError, r"value\(\) takes expressions; got str 'x'"),
    "Function": (lambda g, x: bl.Function("f", x, {"y": x}), TypeError, r"list of symbols, got 'x' alone"),
    "Graph": (lambda g, x: g.symbols(["x", "y"]), TypeError, r"as in symbols\('x y'\); got list"),
    "Kernel": (lambda g, x: bl.Kernel(x), TypeError, "made of a Function; got Expr"),
    "Matrix": (lambda g, x: bl.vector([x]).reshape(2), ValueError, r"shape \(2,\) cannot hold 1 entries"),
    "Sparse": (lambda g, x: bl.sparse(bl.matrix([[x]]))[0, 1], IndexError, "Index 1 is out of range"),
    "Target": (lambda g, x: bl.TARGETS["c99"].source(3), TypeError, "Expected a Function .*got int 3"),
    "atan2": (lambda g, x: bl.atan2(x, "a"), TypeError, NO_EXPRESSION),
    "block": (lambda g, x: bl.block([]), TypeError, "needs at least one Matrix"),
    "cholesky": (lambda g, x: bl.cholesky(3), TypeError, NO_MATRIX),
    "constant": (lambda g, x: bl.constant(g, "1"), TypeError, "Expected a real number; got str '1'"),
    "coordinate": (lambda g, x: bl.coordinate(g, 1), TypeError, "name of a symbol is a str; got int 1"),
    "count_source": (lambda g, x: bl.count_source(3), TypeError, "expected string"),
    "diagonal": (lambda g, x: bl.diagonal([1, 2]), TypeError, "pass the graph"),
    "directional_derivative": (
        lambda g, x: bl.directional_derivative([x], {"x": 1}), TypeError, "taken by symbols; got str 'x'",
    ),
    "equal": (lambda g, x: bl.equal(x, "a"), TypeError, NO_EXPRESSION),
    "export": (lambda g, x: bl.export(function(), "octave", "there"), ValueError, "Did you mean 'matlab'"),
    "export_fmu": (lambda g, x: bl.export_fmu(x, "a.fmu", "1.0"), ValueError, "no FMI version '1.0'"),
    "export_package": (lambda g, x: bl.export_package(x, "a"), TypeError, "made of a Block; got Expr"),
    "from_sympy": (lambda g, x: bl.from_sympy("x", g), TypeError, "Expected a SymPy expression, got str 'x'"),
    "gradient": (lambda g, x: bl.gradient(x, x), TypeError, r"list of symbols, got 'x' alone: write \[x\]"),
    "graphviz": (lambda g, x: bl.graphviz(x), TypeError, r"list of expressions, got 'x' alone: write \[x\]"),
    "hoist": (lambda g, x: bl.hoist(x, "x"), TypeError, r"hoist\(\) takes a Function; got Expr"),
    "identity": (lambda g, x: bl.identity(g, -1), ValueError, r"takes the number of rows; got -1"),
    "jacobian": (lambda g, x: bl.jacobian(x, [x]), TypeError, "list of expressions, got 'x' alone"),
    "latex": (lambda g, x: bl.latex(3), TypeError, r"latex\(\) takes expressions; got int 3"),
    "ldl": (lambda g, x: bl.ldl(3), TypeError, NO_MATRIX),
    "lu": (lambda g, x: bl.lu(3), TypeError, NO_MATRIX),
    "matrix": (lambda g, x: bl.matrix(x), TypeError, "list of entries, got 'x' alone"),
    "matrix_symbols": (lambda g, x: bl.matrix_symbols(g, "A", (2, 2, 2)), ValueError, r"a shape is \(n,\)"),
    "maximum": (lambda g, x: bl.maximum(x, "a"), TypeError, NO_EXPRESSION),
    "minimum": (lambda g, x: bl.minimum("a", x), TypeError, NO_EXPRESSION),
    "normal": (lambda g, x: bl.normal(x, 0, -1), ValueError, "The particle of a draw must be"),
    "solve": (lambda g, x: bl.solve(bl.matrix([[x]]), [1], "qr"), ValueError, "Unknown method 'qr'"),
    "sparse": (lambda g, x: bl.sparse([[x]]), TypeError, "Expected a Matrix or Sparse; got list"),
    "spline": (lambda g, x: bl.spline(x, [0, 1], [0, 1], 1.0), ValueError, "two finite numbers; got 1.0"),
    "substitute": (lambda g, x: bl.substitute(x, {x: 1}), TypeError, "list of expressions, got 'x' alone"),
    "text": (lambda g, x: bl.text("x"), TypeError, r"text\(\) takes expressions; got str 'x'"),
    "time": (lambda g, x: bl.time(g, "my time"), ValueError, "Symbol name 'my time': expected letters"),
    "to_casadi": (lambda g, x: bl.to_casadi(x), TypeError, r"to_casadi\(\) takes a Function; got Expr"),
    "to_sympy": (lambda g, x: bl.to_sympy(3), TypeError, r"to_sympy\(\) takes expressions; got int 3"),
    "uniform": (lambda g, x: bl.uniform(x, 0, 0, 0.5), ValueError, "index of a draw must be a whole number"),
    "vector": (lambda g, x: bl.vector([[x]]), ValueError, "takes a flat row; got a"),
    "where": (lambda g, x: bl.where(x, "a", 0), TypeError, NO_EXPRESSION),
    "zeros": (lambda g, x: bl.zeros(g, (2, 2, 2)), ValueError, r"a shape is \(n,\)"),
}  # fmt: skip


@pytest.mark.parametrize("room", ["biela.expr", "biela.compile"])
def test_every_public_name_has_a_row(room):
    assert set(import_module(room).__all__) <= set(WRONG) | NOT_CALLED


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_is_told(name):
    call, error, message = WRONG[name]
    graph = bl.Graph()
    with pytest.raises(error, match=message):
        call(graph, graph.symbol("x"))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x, f: x.value({x: "1"}), TypeError, "The value of 'x' is a real number; got str '1'"),
        (lambda x, f: x.value({x: [1]}), TypeError, "The value of 'x' is a real number; got list"),
        (lambda x, f: x.substitute({x: "1"}), TypeError, "Expected a real number; got str '1'"),
        (lambda x, f: bl.gradient(3, [x]), TypeError, r"gradient\(\) takes expressions; got int 3"),
        (lambda x, f: bl.jacobian([x, 1.0], [x]), TypeError, r"diff\(\) takes expressions; got float 1.0"),
        (lambda x, f: bl.jacobian([x], x), TypeError, "list of symbols, got 'x' alone"),
        (lambda x, f: bl.sparse(bl.matrix([[x]]))[0], IndexError, r"one entry at a time, A\[i, j\]; got 0"),
        (lambda x, f: f.evaluate([1j, 0]), TypeError, "Function 'f', input 'x': .*complex"),
        (lambda x, f: f.evaluate([1, [2]]), ValueError, "Function 'f', input 'x': setting an array"),
        (lambda x, f: bl.Kernel(f).batch(np.zeros((2, 3)), out=5), TypeError, "out must be .* got int 5"),
        (lambda x, f: bl.Kernel(f).batch(np.zeros((2, 3)), threads=-1), ValueError, "every core; got -1"),
        (lambda x, f: bl.Kernel(f).iterate([1, 2], 3, threads=1.5), ValueError, "every core; got 1.5"),
        (lambda x, f: bl.Kernel(f).iterate([1, 2], 3, series="push"), KeyError, "has no input 'push'"),
    ],
)  # fmt: skip
def test_more_wrong_calls(call, error, message):
    with pytest.raises(error, match=message):
        call(bl.Graph().symbol("x"), function())
