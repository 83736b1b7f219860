"""Expressions: one hash-consed graph, its algebra, calculus and Functions.

The room of tier 0: it imports no other. A `Graph` owns the nodes, an `Expr` is a handle on one value, a
`Matrix` holds several, and a `Function` names inputs and outputs and is what the other rooms are given.

Some functions bear the name of their module (`matrix`, `spline`, `ldl` ...): as an attribute of this
package the name is the function; the module is still imported from, as in
``from biela.expr.matrix import Matrix``.
"""

from biela.expr.casadi import to_casadi
from biela.expr.counting import Count, count_source
from biela.expr.derivative import directional_derivative, gradient, jacobian
from biela.expr.exchange import from_sympy, to_sympy
from biela.expr.expression import (
    Coordinate,
    Expr,
    acos,
    asin,
    atan,
    atan2,
    constant,
    coordinate,
    cos,
    cosh,
    equal,
    exp,
    floor,
    log,
    maximum,
    minimum,
    normal,
    sign,
    sin,
    sinh,
    spline,
    sqrt,
    tan,
    tanh,
    time,
    uniform,
    where,
)
from biela.expr.function import Function, Port
from biela.expr.graph import Graph
from biela.expr.hoist import hoist
from biela.expr.linear import LDL, LU, Cholesky, cholesky, ldl, lu, solve
from biela.expr.matrix import Matrix, matrix, vector
from biela.expr.operation import OPERATIONS, Operation
from biela.expr.pattern import block, diagonal, identity, matrix_symbols, zeros
from biela.expr.printing import graphviz, latex, text
from biela.expr.sparse import Sparse, sparse
from biela.expr.substitution import substitute

__all__ = [
    "LDL",
    "LU",
    "OPERATIONS",
    "Cholesky",
    "Coordinate",
    "Count",
    "Expr",
    "Function",
    "Graph",
    "Matrix",
    "Operation",
    "Port",
    "Sparse",
    "acos",
    "asin",
    "atan",
    "atan2",
    "block",
    "cholesky",
    "constant",
    "coordinate",
    "cos",
    "cosh",
    "count_source",
    "diagonal",
    "directional_derivative",
    "equal",
    "exp",
    "floor",
    "from_sympy",
    "gradient",
    "graphviz",
    "hoist",
    "identity",
    "jacobian",
    "latex",
    "ldl",
    "log",
    "lu",
    "matrix",
    "matrix_symbols",
    "maximum",
    "minimum",
    "normal",
    "sign",
    "sin",
    "sinh",
    "solve",
    "sparse",
    "spline",
    "sqrt",
    "substitute",
    "tan",
    "tanh",
    "text",
    "time",
    "to_casadi",
    "to_sympy",
    "uniform",
    "vector",
    "where",
    "zeros",
]
