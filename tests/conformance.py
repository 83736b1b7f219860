"""The Functions that every target must evaluate alike, and the inputs to try.

`CASES` holds one case for every operation of the table, and one for each Function in `SHIPPED`; to have a
Function checked in every language, add it there.
"""

import itertools
import math
import random
from dataclasses import dataclass

import numpy as np

from biela.expr.expression import Expr, cos, maximum, minimum, normal, sin, spline, sqrt, uniform, where
from biela.expr.function import Function
from biela.expr.graph import Graph
from biela.expr.matrix import matrix
from biela.expr.operation import OPERATIONS
from biela.expr.spline import interpolate

HUGE = 1e300  # no angle: native code answers nan, libraries a number
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.5, -3.0, 1e-310, HUGE, -HUGE, math.inf, -math.inf, math.nan)
KNOTS = ([-3.0, -1.0, 0.0, 0.5, 3.0], [1.0, -2.0, 0.3, 4.0, 4.5])
PAYLOADS = {"spline": interpolate(*KNOTS), "uniform": 5}
LARGEST_WHOLE = 2.0**53 - 1.0


@dataclass(frozen=True)
class Case:
    """A Function and rows of inputs: the components of all inputs, in NumPy's order."""

    function: Function
    rows: tuple
    exact: bool = True  # the tolerance is relative for each component, not to the order of one

    def expected(self, rows=None):
        return [self.function.program.evaluate(row) for row in (self.rows if rows is None else rows)]

    def arrays(self, row):
        """The inputs of one row, in their shapes."""
        split = np.split(np.array(row), np.cumsum([port.size for port in self.function.inputs])[:-1])
        return [part.reshape(port.shape) for part, port in zip(split, self.function.inputs, strict=True)]


def disagreements(case, rows, results, tolerance=1e-12):
    """What a target answers otherwise than the program; the sign of zero and nan count."""
    for row, expected, got in zip(rows, case.expected(rows), results, strict=True):
        for want, have in zip(expected, got, strict=True):
            if not _agree(want, have, tolerance, 0.0 if case.exact else 1.0):
                yield f"{case.function.name}{tuple(row)}: expected {expected}, got {list(got)}"
                break


def _agree(want, have, tolerance, scale):
    if math.isnan(want) or math.isnan(have):
        return math.isnan(want) and math.isnan(have)
    if want == have:
        return want != 0.0 or math.copysign(1.0, want) == math.copysign(1.0, have)
    close = abs(want - have) <= tolerance * max(scale, abs(want), 1e-300)
    return close and math.isfinite(want) and math.isfinite(have)


def operation_case(row):
    """An operation on symbols, in its domain and at special values."""
    graph = Graph()
    symbols = graph.symbols("a b c")[: row.arity]
    value = Expr(graph, graph.apply(row.name, *(s.ref for s in symbols), payload=PAYLOADS.get(row.name)))
    function = Function(f"{row.name}_case", symbols, {"y": value})
    draw = random.Random(row.name)
    rows = [[draw.uniform(*limits) for limits in row.domain] for _ in range(20)]
    if row.name == "uniform":
        rows = [[math.floor(value) for value in values] for values in rows]
        rows += [[0.0, 0.0, 0.0], [LARGEST_WHOLE, LARGEST_WHOLE, 2.0**32 - 1.0], [1.0, 2.0**32, 7.0]]
    elif row.name == "spline":
        rows += [[x] for x in (*KNOTS[0], -5.0, 4.0, 1e6, math.nan)]
    elif row.arity == 3:
        rows += list(itertools.product((0.0, -0.0, 2.0, math.nan), (1.0, math.nan), (-0.0, math.inf)))
    else:
        special = [v for v in SPECIAL if row.name not in ("sin", "cos", "tan") or abs(v) != HUGE]
        rows += list(itertools.product(special, repeat=row.arity))
    return Case(function, tuple(tuple(values) for values in rows))


def pendulum_step():
    """One step of semi-implicit Euler of a damped pendulum."""
    q, dq, m, l, c, h = Graph().symbols("q dq m l c h")  # noqa: E741
    acceleration = -9.81 / l * sin(q) - c / (m * l**2) * dq
    velocity = dq + h * acceleration
    energy = m * l**2 * dq**2 / 2 - m * 9.81 * l * cos(q)
    inputs = {"x": [q, dq], "p": [m, l, c], "h": h}
    return Function("step", inputs, {"x_next": [q + h * velocity, velocity], "energy": energy})


def four_bar_with_profile():
    """Loop closure of a four-bar, a cam profile with its slope, a stop and noise: the selections together."""
    graph = Graph()
    a, b, c, seed, step = graph.symbols("a b c seed step")
    loop = [1.5 * cos(a) + 3 * cos(b) - 2 * cos(c) - 4, 1.5 * sin(a) + 3 * sin(b) - 2 * sin(c)]
    profile = spline(a, *KNOTS, slopes=(0.0, 1.0))
    stop = where(profile < 0.5, sqrt(abs(a)) * (b - a), minimum(maximum(b, -1), 1))
    noise = 0.01 * normal(seed, step, 3) + uniform(seed, step, 4, 7)
    outputs = {"loop": loop, "slope": profile.diff(a), "curvature": profile.diff(a, a), "stop": stop}
    return Function("four_bar", {"q": [a, b, c], "seed": seed, "step": step}, outputs | {"noise": noise})


def nested_signs():
    """Every nesting of sums, products, quotients and signs in which a parenthesis could be missing."""
    graph = Graph()
    a, b, c, d = graph.symbols("a b c d")
    values = [
        a - (b - c), a - (b + c), a + (b - (c - d)), (a - b) - (c - d),
        a * (b * c), a * (b / c), a / (b * c), a / (b / c), (a / b) / (c / d),
        a * (b + c), (a - b) / (c + d), 1 / (a * b), 1 / (a + b), c / (1 / (a - b)),
        -(a * b), -(a + b), -(a - b) * c, -a / (b - c), -sin(-(a + b)), -abs(a) - abs(-b),
        2 - (3 - a), -2 * (a - 3), where(a < -b, -c, -(c * d)) - (a <= b),
        (a < b) / (1 + (b < c)), minimum(a, -b) - -maximum(-(c - a), d),
    ]  # fmt: skip
    return Function("nested", [a, b, c, d], {"y": values})


def matrix_product():
    """Matrices in and out, a name that is a keyword somewhere, an input that is not used, constants."""
    graph = Graph()
    A = matrix([[graph.symbol(f"a{i}{j}") for j in range(3)] for i in range(2)])
    v = matrix(graph.symbols("v0 v1 v2"))
    unused = graph.symbol("unused")
    table = [[A[0, 0] * v[1], 0.0], [-1.5, -A[1, 2]], [A[1, 0] / v[2], 1e-7]]
    return Function("product", {"A": A, "lambda": v, "unused": unused}, {"end": A @ v, "table": table})


def _rows(low, high, count=12):
    draw = random.Random(count)
    return tuple(tuple(draw.uniform(x, y) for x, y in zip(low, high, strict=True)) for _ in range(count))


SHIPPED = (
    Case(pendulum_step(), _rows([-3, -5, 0.1, 0.2, 0, 1e-3], [3, 5, 2, 2, 1, 0.1]), exact=False),
    Case(
        four_bar_with_profile(),
        tuple((*row[:3], math.floor(row[3]), math.floor(row[4]))
              for row in _rows([-3, -3, -3, 0, 0], [3, 3, 3, 2e6, 1e6])),
        exact=False,
    ),
    Case(matrix_product(), _rows([-2] * 10, [2] * 10), exact=False),
    Case(nested_signs(), _rows([-3] * 4, [3] * 4), exact=False),
)  # fmt: skip

CASES = tuple(operation_case(row) for row in OPERATIONS.values()) + SHIPPED
