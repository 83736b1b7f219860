"""The parameters of the four-bar test bench, for its descriptions in relative and in natural coordinates."""

from __future__ import annotations

from biela.expr.expression import Expr
from biela.mechanics.system import System


def bench(s: System) -> list[Expr]:
    """Lengths, the place of the sensor, the radius of the disc, masses and gravity, in this order."""
    return [
        s.parameter("l1", 0.120, "m", "from the axis of the disc to its pin"),
        s.parameter("l2", 0.540, "m", "length of the coupler"),
        s.parameter("l3", 0.455, "m", "length of the rocker"),
        s.parameter("l4", 0.800, "m", "between the fixed axes A and B"),
        s.parameter("x3", 0.36491851851851853, "m", "sensor on the coupler, along it"),
        s.parameter("y3", 0.1195427741114019, "m", "sensor on the coupler, across it"),
        s.parameter("r", 0.14, "m", "radius of the disc"),
        s.parameter("m1", 11.10, "kg", "mass of the disc"),
        s.parameter("m2", 0.40, "kg", "mass of the coupler"),
        s.parameter("m3", 1.23, "kg", "mass of the rocker"),
        s.parameter("g", 9.81, "m/s2", "acceleration of free fall"),
    ]
