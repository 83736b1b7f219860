"""Functions in CasADi: the values stay, and so do the derivatives."""

import random

import numpy as np
import pytest

import biela as bl
from biela.expr.casadi import to_casadi
from biela.expr.expression import Expr
from biela.expr.operation import OPERATIONS

pytest.importorskip("casadi")
ROWS = [row for row in OPERATIONS.values() if row.name not in ("spline", "uniform", "const", "symbol")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_operation(row):
    graph = bl.Graph()
    symbols = graph.symbols("a b c")[: row.arity]
    value = Expr(graph, graph.apply(row.name, *(symbol.ref for symbol in symbols)))
    there = to_casadi(bl.Function("f", symbols, {"y": value}))
    draw = random.Random(row.name)
    for numbers in [[draw.uniform(*limits) for limits in row.domain] for _ in range(20)]:
        assert float(there(*numbers)) == pytest.approx(row.value(*numbers), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["four_bar", "stewart"])
def test_the_equations_of_a_mechanism(name):
    model = bl.mechanisms.MECHANISMS[name]().model()
    function = model.functions["all"]
    there = to_casadi(function)
    start = bl.assemble(model)
    have = {"q": start.q, "dq": start.dq + 0.3, "t": 0.2, "p": model.p, "u": model.u}
    given = {port.name: have[port.name] for port in function.inputs}
    wanted, got = function.evaluate(**given), there(**given)
    for port in function.outputs:
        values = np.asarray(getattr(wanted, port.name))
        found = np.asarray(got[port.name]).reshape(values.shape)
        assert np.abs(found - values).max() <= 1e-12 * max(1.0, np.abs(values).max())


def test_casadi_differentiates_them():
    import casadi

    x, y = bl.Graph().symbols("x y")
    there = to_casadi(bl.Function("f", {"z": [x, y]}, {"v": x * bl.sin(y)}))
    z = casadi.SX.sym("z", 2)
    slope = casadi.Function("slope", [z], [casadi.jacobian(there(z), z)])
    assert np.abs(np.asarray(slope([2.0, 0.5])) - [[np.sin(0.5), 2 * np.cos(0.5)]]).max() < 1e-15


def test_what_casadi_has_not_is_told():
    x = bl.Graph().symbol("x")
    with pytest.raises(ValueError, match="no 'spline'"):
        to_casadi(bl.Function("f", [x], {"y": bl.spline(x, [0, 1, 2], [0, 1, 0])}))
