"""What the equations of published mechanisms have to be: first moments, moving bases, symmetry, no waste."""

import numpy as np
import planar_chain
import pytest
import sympy
from planar_chain import Chain
from random_tree import evaluate
from swarm import error

import biela as bl
from biela.mechanics import FORMALISMS
from biela.mechanics.formalism.bodies import Twist
from biela.mechanics.space import RULES
from biela.mechanisms import four_bar_general

ALL = [(formalism, rule) for formalism in FORMALISMS for rule in RULES]


def chain_of(model, u):
    """The four-bar's parameters and inputs as a planar chain."""
    p = dict(zip((quantity.name for quantity in model.parameters), model.p, strict=True))

    def each(name):
        return np.array([p[name.format(b)] for b in (1, 2, 3)])

    forces = np.array([[0, 0], [u["Fx2"], u["Fz2"]], [u["Fx3"], u["Fz3"]]], float)
    return Chain(
        lengths=each("l{}"),
        masses=each("m{}"),
        centres=np.transpose([each("cg{}x"), each("cg{}z")]),
        inertias=each("I{}"),
        forces=forces,
        moments=np.array([0, u["My2"], u["My3"]], float),
        gravity=p["g"],
        ground=p["l4"],
    )


@pytest.mark.parametrize(("formalism", "rule"), ALL)
def test_the_four_bar_with_general_mass_centres(formalism, rule):
    """1b-2, 1b-15: first moments enter by their rotations; listing B.6, which lowers them, errs by O(1)."""
    model = four_bar_general().model(formalism=formalism, rule=rule)
    rng = np.random.default_rng(5)
    for _ in range(20):
        q, dq = rng.uniform(-3.0, 3.0, (2, 3))
        u = {quantity.name: rng.uniform(-5.0, 5.0) for quantity in model.inputs}
        function = model.functions["M|delta"]
        got = function.evaluate(q=q, dq=dq, p=model.p, u=list(u.values()))
        M, delta = planar_chain.mass_matrix_and_delta(chain_of(model, u), q, dq)
        assert error(got.M, M) < 1e-13
        assert error(got.delta, delta) < 1e-13


@pytest.mark.parametrize("formalism", ["direct", "bodies", "lagrange"])
@pytest.mark.parametrize("name", ["cg1x", "cg1z", "cg2x", "cg2z", "cg3x", "cg3z"])
def test_each_first_moment_alone(formalism, name):
    """1b-15: its terms carry the sine and cosine of what turns the bar, gravity's too."""
    model = four_bar_general().model(formalism=formalism, rule="extended")
    M, delta = (model.functions[f].value(model.functions[f].outputs[0]) for f in ("M", "delta"))
    offset = model.graph.symbol(name)
    angle = model.graph.symbol(f"theta{name[2]}")
    weight = delta.substitute(dict.fromkeys(model.dq, 0.0)).diff(offset)
    for term in (*weight, *((M[0, 1].diff(offset),) if name[2] != "1" else ())):
        entry = sympy.expand(bl.to_sympy(term), trig=True)
        angle_terms = [part for part in sympy.Add.make_args(entry) if part != 0]
        own = {sympy.sin(sympy.Symbol(angle.name, real=True)), sympy.cos(sympy.Symbol(angle.name, real=True))}
        assert all(part.atoms(sympy.sin, sympy.cos) & own for part in angle_terms)


def listed(entry):
    """An entry as a sum of products of sines and cosines of single angles."""
    return sympy.expand(bl.to_sympy(entry))


@pytest.mark.parametrize(
    ("formalism", "rule"), [("direct", "up"), ("bodies", "extended"), ("lagrange", "extended")]
)
def test_no_square_of_a_sine_in_the_mass_matrix_of_the_four_bar(formalism, rule):
    """1b-19: no identity R R^T is left to be found out; M(1,1) is that of the thesis's section 5.8."""
    model = four_bar_general().model(formalism=formalism, rule=rule)
    M = model.mass_matrix
    for entry in M.expressions:
        powers = [p for p in listed(entry).atoms(sympy.Pow) if p.base.atoms(sympy.sin, sympy.cos)]
        assert not powers
    names = "theta2 theta3 l1 l2 m2 m3 I1 I2 I3 cg2x cg2z cg3x cg3z"
    t2, t3, l1, l2, m2, m3, I1, I2, I3, x2, z2, x3, z3 = sympy.symbols(names, real=True)
    s2, c2, s3, c3 = sympy.sin(t2), sympy.cos(t2), sympy.sin(t3), sympy.cos(t3)
    printed = 2 * l1 * m2 * (s2 * z2 + c2 * x2) - 2 * l1 * m3 * (
        x3 * (s2 * s3 - c3 * c2) - z3 * (c2 * s3 + s2 * c3)
    )
    printed += l1**2 * m2 + I1 + I2 + I3 + 2 * l2 * m3 * (x3 * c3 + z3 * s3)
    printed += m3 * (l2**2 + 2 * l1 * l2 * c2 + l1**2)
    assert sympy.expand(listed(M[0, 0]) - printed) == 0


def test_body_by_body_under_up_leaves_such_squares():
    """1b-19: the rule `extended` is what removes them, not the expansion."""
    M = four_bar_general().model(formalism="bodies", rule="up").mass_matrix
    assert any(
        p.base.atoms(sympy.sin, sympy.cos) for entry in M.expressions for p in listed(entry).atoms(sympy.Pow)
    )


def test_the_loop_is_closed_by_sums_of_angles():
    """1b-20, 1b-23: [Phi|Phi_q] takes 25 operations and 7 atoms."""
    model = four_bar_general().model()
    assert len(model.phi) == 2
    count = model.functions["Phi|Phi_q"].operations
    assert count.total <= 25
    angles = {e.args[0] for entry in model.phi for e in bl.to_sympy(entry).atoms(sympy.sin, sympy.cos)}
    t1, t2, t3 = (sympy.Symbol(q.name, real=True) for q in model.q)
    assert angles == {t1, t1 + t2, t1 + t2 + t3}


@pytest.mark.parametrize("formalism", sorted(set(FORMALISMS) - {"classic"}))
def test_the_mass_matrix_is_symmetric_node_by_node(formalism):
    """1a-51, 1b-4: M[i, j] and M[j, i] are one node, in the plane and in space; I3 stays itself."""
    for system in (four_bar_general(), arm()):
        M = system.model(formalism=formalism).mass_matrix
        n = len(M)
        assert all(M[i, j].ref == M[j, i].ref for i in range(n) for j in range(n))
    M = four_bar_general().model(formalism=formalism, rule="extended").mass_matrix
    assert M[2, 2].name == "I3"


def arm():
    """Three general bodies on skew hinges."""
    s = bl.System("arm")
    below = s.ground
    for i in range(3):
        m = s.parameter(f"m{i}", 1.0)
        place = [s.parameter(f"m{axis}{i}", 0.1) / m for axis in "xyz"]
        tensor = [
            s.parameter(f"I{axes}{i}", v) for axes, v in zip(("xx", "yy", "zz"), (2, 3, 4), strict=True)
        ]
        body = s.body(f"b{i}", m, place, tensor, about="origin")
        s.revolute(below, body, at=[s.parameter(f"l{i}", 1.0), 0, 0], axis=[0.6, 0.0, 0.8] if i else "z")
        below = body
    s.gravity([0, 0, -9.81])
    return s


@pytest.mark.parametrize(("formalism", "rule"), ALL)
def test_no_division_by_a_mass(formalism, rule):
    """1b-5: where r = (mx/m, my/m, mz/m), the mass cancels before anything is made of it."""
    model = arm().model(formalism=formalism, rule=rule)
    assert model.functions["M|delta"].operations.divisions == 0
    assert "m0" not in {e.name for entry in model.mass_matrix.reshape(9) for e in entry.symbols}


def test_the_rate_of_a_velocity_in_a_moving_base_needs_its_turning():
    """1a-49, 1b-3: left out, delta of the double pendulum misses l1 l2 sin q2 (q1' + q2') {-q2', q1'}."""
    s = bl.System("double_pendulum")
    q1, q2 = s.coordinates("q1 q2")
    l1, l2 = s.parameters(l1=0.7, l2=1.3)
    B1 = s.base("B1", axis="z", angle=q1)
    B2 = s.base("B2", B1, "z", q2)
    tip = s.point("tip", s.point("elbow", r=[l1, 0, 0], base=B1), [l2, 0, 0], B2)
    v, speeds = s.velocity(tip), [q1.dt(), q2.dt()]
    assert v.base is B2
    slopes = bl.Jacobian.of(v, speeds).columns
    whole = v.dt(accelerations=False)
    alone = s.vector(s.space.rate(v.components, accelerations=False), B2)
    values = {q1: 0.4, q2: 1.1, speeds[0]: 0.8, speeds[1]: -1.7, l1: 0.7, l2: 1.3}
    missing = [(slope.dot(whole) - slope.dot(alone)).value(values) for slope in slopes]
    size = 0.7 * 1.3 * np.sin(1.1) * (0.8 - 1.7)
    assert missing == pytest.approx([size * 1.7, size * 0.8], abs=1e-14)


@pytest.mark.parametrize(("formalism", "rule"), [row for row in ALL if row[0] != "classic"])
def test_coordinates_without_inertia_change_nothing(formalism, rule):
    """1a-53, 1b-9: the same instructions whether or not they are declared so; their rows are zero."""
    made = []
    for inertia in (True, False):
        s = four_bar_general()
        s.coordinate("slide", inertia=inertia)
        model = s.model(formalism=formalism, rule=rule)
        assert all(entry.number == 0.0 for entry in (*model.mass_matrix[3], model.delta[3]))
        program = model.functions["M|delta"].program
        made.append((program.constants, program.instructions, program.outputs))
    assert made[0] == made[1]


def test_coordinates_without_inertia_may_not_move_a_body_or_a_load():
    """1a-53: its equation would lose them."""
    s = bl.System("slider")
    slide, q = s.coordinate("slide", inertia=False), s.coordinate("q")
    point, base = s.point("p", r=[slide, 0, 0]), s.base("B", axis="z", angle=q)
    lost = (
        "Coordinate 'slide' was declared with inertia=False, but {} moves with it, which its equation would"
    )
    s.body("bob", 1.0, inertia=[1, 1, 1], base=base, origin=s.point("fixed"))
    assert not s.validate()
    s.spring(point, s.point("end", r=[0, 1, 0]), 3.0)
    (fault,) = s.validate()
    assert fault.startswith(lost.format("load 'spring p-end'"))
    s.body("slider", 1.0, inertia=[1, 1, 1], base=base, origin=point)
    assert s.validate()[0].startswith(lost.format("body 'slider'"))


def test_symbols_on_the_way_to_a_body_have_to_be_declared():
    """A point may be given in a base that is not on the way to the body's own."""
    s = bl.System("arm")
    elsewhere = s.base("elsewhere", axis="z", angle=s.graph.symbol("forgotten"))
    origin = s.point("p", r=[1, 0, 0], base=elsewhere)
    s.body("bob", 1.0, base=s.base("B", axis="z", angle=s.coordinate("q")), origin=origin)
    (fault,) = s.validate()
    assert fault.startswith("Symbol 'forgotten', used in base 'elsewhere', is not declared.")


@pytest.mark.parametrize(
    ("formalism", "rule"), [("direct", "up"), ("bodies", "extended"), ("classic", "extended")]
)
def test_a_spherical_rotor_is_a_number(formalism, rule):
    """1b-16, equation 5.61: I (Jw^T Jw), one product for the skew axes; no gyroscopic moment."""
    s = bl.System("rotor")
    moment = s.parameter("I", 1.0)
    s.spherical(s.ground, s.body("ball", 1.0, inertia=[moment, moment, moment]))
    model = s.model(formalism=formalism, rule=rule)
    _, b, _ = model.q
    bend = bl.sin(b) * moment
    assert model.mass_matrix == bl.matrix([[moment, 0, bend], [0, moment, 0], [bend, 0, moment]], s.graph)
    delta = (
        -moment
        * bl.cos(b)
        * bl.vector(
            [model.dq[1] * model.dq[2], -model.dq[0] * model.dq[2], model.dq[0] * model.dq[1]], s.graph
        )
    )
    q, dq = np.array([0.3, 0.7, -0.4]), np.array([1.0, -2.0, 0.5])
    values = {**dict(zip([*model.q, *model.dq], [*q, *dq], strict=True)), moment: 1.5}
    assert model.delta.value(values) == pytest.approx(delta.value(values), abs=1e-14)
    assert model.functions["M|delta"].operations.total < 35


def test_the_sign_of_the_source():
    """1a-52: with sign=-1, M and delta are those of the thesis's listings; what they say is the same."""
    q, dq = [0.2, -0.4, 1.0], [0.5, 1.0, -2.0]
    plus, minus = (evaluate(four_bar_general().model(sign=sign), "M|delta", q, dq) for sign in (1, -1))
    assert (np.linalg.eigvalsh(plus.M) > 0).all()
    assert (minus.M == -plus.M).all()
    assert (minus.delta == -plus.delta).all()


def test_operations_of_the_four_bar():
    """1b-21, 1b-22: M and [M|delta], body by body and along the trees, against the thesis and Robotran."""
    functions = four_bar_general().model(formalism="bodies").functions
    assert functions["M"].operations.total <= 63
    assert functions["delta"].operations.total <= 212
    assert functions["M|delta"].operations.total <= 264
    functions = four_bar_general().model().functions
    assert functions["M"].operations.total <= 39
    assert functions["M|delta"].operations.total <= 109


@pytest.mark.parametrize(("rule", "most"), [("up", 21), ("down", 54)])
def test_operations_of_the_tip(rule, most):
    """1b-24: r_O^C by the position operator, in the base of the last bar (up) or in the ground (down)."""
    s = four_bar_general()
    with s.using(rule):
        r = s.position("C")
    components = r.at(s.bases["B3"] if rule == "up" else s.space.root)
    symbols = sorted({e for entry in components for e in entry.symbols}, key=lambda e: e.name)
    assert bl.Function("tip", {"s": symbols}, {"r": components}).operations.total <= most


def test_under_up_an_inertia_meets_its_angular_velocity_at_home():
    """1a-48, 1b-8: the partial angular velocities are given in the body's base."""
    model = arm().model()
    body = model.bodies["b2"]
    twist = Twist(model.problem, body)
    assert all(w.base is body.base for w in twist.w_speeds)
    before = model.space.base_changes
    momentum = twist.inertia @ twist.w
    assert momentum.base is body.base
    assert model.space.base_changes == before


def test_classic_virtual_power_is_there_to_compare_with_and_takes_more():
    """1b-25, 1b-10: also joint export shares what M and delta have in common."""
    counts = {
        f: four_bar_general().model(formalism=f).functions["M|delta"].operations.total
        for f in ("direct", "bodies", "classic")
    }
    assert counts["direct"] < counts["bodies"] < counts["classic"]
    functions = four_bar_general().model().functions
    apart = functions["M"].operations.total + functions["delta"].operations.total
    assert functions["M|delta"].operations.total < apart
