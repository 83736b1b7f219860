"""Linear systems of expressions: A x = b in one call.

* `ldl` for symmetric matrices (mass matrices, KKT matrices): half the work of `lu`;
* `cholesky` where A is positive definite and its factor is wanted too;
* `lu` for everything else, and where the diagonal offers no safe pivot (coordinates without inertia).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biela.expr.cholesky import Cholesky, cholesky
from biela.expr.factorisation import Factorisation
from biela.expr.ldl import LDL, ldl
from biela.expr.lu import LU, lu
from biela.expr.matrix import Matrix
from biela.expr.sparse import Sparse, sparse

METHODS: dict[str, Callable[..., Factorisation]] = {"ldl": ldl, "cholesky": cholesky, "lu": lu}

__all__ = ["LDL", "LU", "METHODS", "Cholesky", "Sparse", "cholesky", "ldl", "lu", "solve", "sparse"]


def solve(values: Matrix | Sparse, b: Any, method: str = "ldl", **options: Any) -> Matrix:
    """The solution of A x = b, for b a vector or a matrix.

    ``options`` are those of the method: ``order``, ``weights``, ``threshold``. Factor first, with `ldl` or
    `lu`, when the pivots are to be watched or several right-hand sides come one after another.

    >>> from biela.expr.graph import Graph
    >>> from biela.expr.matrix import matrix
    >>> a, b = Graph().symbols("a b")
    >>> solve(matrix([[a, 0], [0, b]]), [1, a])
    [1/a, a/b]

    Raises ValueError for an unknown method, and where the method does.
    """
    factor = METHODS.get(method)
    if factor is None:
        raise ValueError(f"Unknown method {method!r} to solve with. Known: {', '.join(METHODS)}.")
    return factor(values, **options).solve(b)
