"""Elementary functions in LLVM IR, branch-free: what the ``llvm`` column of the operations names.

A routine takes a `Block`, the names of its operands and the payload of the operation, appends
instructions and returns the name of the result. Only IEEE operations occur, in an order that does
not depend on the number of lanes, so scalars and vectors of any width agree bit for bit, on every
platform; where the processor has no fused multiply-add LLVM calls the C library's, which is slow but
the same.

`ACCURACY` has the largest errors, in units in the last place: each is held by a test against
mpmath over the domain of the function.
"""

from __future__ import annotations

from collections.abc import Callable

from biela.compile.elementary import selection
from biela.compile.elementary.exponential import exp, log
from biela.compile.elementary.hyperbolic import cosh, sinh, tanh
from biela.compile.elementary.inverse import acos, asin, atan, atan2
from biela.compile.elementary.power import power
from biela.compile.elementary.random import uniform
from biela.compile.elementary.table import spline
from biela.compile.elementary.trigonometric import cos, sin, sincos, tan

Routine = Callable[..., str]

ROUTINES: dict[str, Routine] = {
    "sqrt": selection.square_root,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "atan2": atan2,
    "exp": exp,
    "log": log,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "pow": power,
    "abs": selection.absolute,
    "sign": selection.sign,
    "floor": selection.floor,
    "min": selection.minimum,
    "max": selection.maximum,
    "lt": selection.less,
    "le": selection.less_or_equal,
    "eq": selection.equal,
    "where": selection.where,
    "inv": selection.inverse,
    "spline": spline,
    "uniform": uniform,
}

# The largest errors in units in the last place; of the trigonometric functions for |x| <= 1e9.
ACCURACY: dict[str, float] = {
    "sqrt": 0.5,
    "inv": 0.5,
    "sin": 1.5,
    "cos": 1.5,
    "tan": 0.9,
    "asin": 0.7,
    "acos": 0.7,
    "atan": 0.9,
    "atan2": 0.9,
    "exp": 0.95,
    "log": 0.9,
    "sinh": 0.8,
    "cosh": 0.8,
    "tanh": 0.8,
    "pow": 0.95,
}

__all__ = ["ACCURACY", "ROUTINES", "Routine", "sincos"]
