"""The operation counter against counts printed in Plaza's thesis (2015), and against our own programs."""

import pytest

from biela.expr.counting import Count, count_source
from biela.expr.expression import cos, sin
from biela.expr.graph import Graph
from biela.expr.program import Program

# Listing B.8: loop closure and its Jacobian of a four-bar, 43 operations and 18 atoms (table 6.9 there)
FOUR_BAR_CLOSURE = """
atom26 = cos(theta2); atom64 = l3*cos(theta3); atom66 = l2+atom64; atom65 = -sin(theta3)*l3;
atom27 = sin(theta2); atom68 = atom65*atom27; atom69 = atom26*atom66+atom68; atom73 = atom69+l1;
atom14 = cos(theta1); atom74 = atom73*atom14; atom15 = sin(theta1); atom71 = atom26*atom65;
atom72 = -atom27*atom66+atom71; atom75 = atom15*atom72; atom78 = atom14*atom72;
atom79 = atom78-atom73*atom15; atom308 = atom71-atom27*atom64; atom311 = -atom26*atom64-atom68;
_PhiPhiq[0] = atom74+atom75-l4; _PhiPhiq[1] = atom79; _PhiPhiq[2] = atom79;
_PhiPhiq[3] = -atom74-atom75; _PhiPhiq[4] = atom78-atom15*atom69; _PhiPhiq[5] = -atom14*atom69-atom75;
_PhiPhiq[6] = atom15*atom311+atom14*atom308; _PhiPhiq[7] = atom14*atom311-atom15*atom308;
"""
# Listings B.1 and B.3: a position vector, projected DOWN (54 operations) and UP (21)
DOWN = """
r[0] = -sin(theta1)*(sin(theta2)*(l3*cos(theta3)+l2)+l3*sin(theta3)*cos(theta2))
-cos(theta1)*(l3*sin(theta2)*sin(theta3)-l1-cos(theta2)*(l3*cos(theta3)+l2)); r[1] = 0;
r[2] = -cos(theta1)*(sin(theta2)*(l3*cos(theta3)+l2)+l3*sin(theta3)*cos(theta2))
+(l3*sin(theta2)*sin(theta3)-l1-cos(theta2)*(l3*cos(theta3)+l2))*sin(theta1);
"""
UP = """
r[0] = l3+(cos(theta2)*l1+l2)*cos(theta3)-sin(theta3)*l1*sin(theta2); r[1] = 0;
r[2] = sin(theta3)*(cos(theta2)*l1+l2)+l1*cos(theta3)*sin(theta2);
"""


@pytest.mark.parametrize(
    ("listing", "operations", "atoms"), [(FOUR_BAR_CLOSURE, 43, 18), (DOWN, 54, 0), (UP, 21, 0)]
)
def test_printed_listings(listing, operations, atoms):
    count = count_source(listing)
    assert (count.total, count.atoms) == (operations, atoms)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("y[0] = a+-2.0*x;", Count(subtractions=1, products=1)),
        ("y[0] = -a;", Count(negations=1)),
        ("y[0] = a*(-b);", Count(products=1, negations=1)),
        ("y[0] = 1.5e-3*x + .5E+2;", Count(additions=1, products=1)),
        ("t = sin(x[2*i-1])/y; z[0] = t; /* a - b; */", Count(divisions=1, calls=1, atoms=1)),
        ("y[0] = +x; // a+b\ny[1] = atan2(x, y);", Count(calls=1)),
    ],
)
def test_the_metric(source, count):
    assert count_source(source) == count


def test_a_program_counts_what_it_does():
    g = Graph()
    a, b, c = g.symbols("a b c")
    shared = sin(a * b)
    outputs = [shared + c, shared * c - a / b, -cos(c), shared]
    program = Program.lower(g, [a.ref, b.ref, c.ref], [e.ref for e in outputs])
    assert program.count == Count(1, 1, 2, 1, 1, 2, atoms=1)
    assert str(program.count) == "8 operations, 1 atoms"
