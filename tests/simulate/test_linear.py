"""Linear models, modes and root loci against published values, closed forms and differences of motions."""

import numpy as np
import pytest
from scipy.optimize import brentq

import biela as bl
from biela.simulate.assembly import assemble
from biela.simulate.identification import replaced
from biela.simulate.linear import linearise, root_locus
from biela.simulate.static import equilibrium

# Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2: weave (real, imaginary part), capsize, castering
BICYCLE = {
    1: (3.52696170990070, 0.80774027519930, -3.13423125066578, -7.11008014637442),
    2: (2.68234517512745, 1.68066296590675, -3.07158645641514, -8.67387984831735),
    3: (1.70675605663975, 2.31582447384325, -2.63366137253667, -10.35101467245920),
    4: (0.41325331521125, 3.07910818603206, -1.42944427361326, -12.15861426576447),
    5: (-0.77534188219585, 4.46486771378823, -0.32286642900409, -14.07838969279822),
    6: (-1.52644486584142, 5.87673060598709, -0.00406690076970, -16.08537123098026),
    7: (-2.13875644258362, 7.19525913329805, 0.10268170574766, -18.15788466125262),
    8: (-2.69348683581097, 8.46037971396931, 0.14327879765713, -20.27940894394569),
    9: (-3.21675402252485, 9.69377351531791, 0.15790184030917, -22.43788559040858),
    10: (-3.72016840437287, 10.90681139476287, 0.16105338653172, -24.62459635017404),
}
STANDING = (3.13164324790656, 5.53094371765393, -3.13164324790656, -5.53094371765393)


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


@pytest.fixture(scope="module")
def bicycle():
    return bl.mechanisms.whipple_bicycle().model()


def rolling(model, v):
    return assemble(model, velocities={"x": v, "lean": 0.0, "rear": -v / 0.3, "front": -v / 0.35})


def of_motion(values):
    """Without the zeros of heading, place and speed."""
    return np.sort_complex(values[np.abs(values) > 1e-4])


def test_the_four_bar_swings_at_its_published_frequency(four_bar):
    (mode,) = linearise(equilibrium(four_bar, {"crank": 3.8})).modes()
    assert mode.frequency == pytest.approx(0.46130029, abs=5e-9)
    assert mode.natural_frequency == pytest.approx(mode.frequency, abs=1e-12)
    assert mode.damping == pytest.approx(0.0, abs=1e-12)
    assert mode.shape["crank"] == pytest.approx(1.0)
    assert repr(mode) == "<Mode 0.4613 Hz, damping 0>"


def test_shapes_move_along_the_constraints(four_bar):
    state = equilibrium(four_bar, {"crank": 3.8})
    (mode,) = linearise(state).modes()
    J = state.value("Phi_dq")
    assert np.abs(J @ np.array(list(mode.shape.values()))).max() < 1e-14


def lean_and_steer(model, v):
    """The eigenvalues of lean and steer, which neither place, heading nor speed acts on."""
    linear = linearise(rolling(model, v), independent=["lean", "steer"])
    own = [linear.states.index(name) for name in ("lean", "steer", "lean'", "steer'")]
    rest = [k for k in range(len(linear.states)) if k not in own]
    assert np.abs(linear.A[np.ix_(own, rest)]).max() < 1e-10
    return np.sort_complex(np.linalg.eigvals(linear.A[np.ix_(own, own)]).astype(complex))


@pytest.mark.parametrize("v", BICYCLE)
def test_the_bicycle_has_the_published_eigenvalues(bicycle, v):
    real, imaginary, capsize, caster = BICYCLE[v]
    expected = np.sort_complex([real + 1j * imaginary, real - 1j * imaginary, capsize, caster])
    np.testing.assert_allclose(lean_and_steer(bicycle, v), expected, rtol=1e-9, atol=1e-11)
    found = of_motion(linearise(rolling(bicycle, v)).eigenvalues)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-7)  # near zeros that are many


def test_the_bicycle_falls_when_it_stands(bicycle):
    np.testing.assert_allclose(lean_and_steer(bicycle, 0.0), np.sort_complex(STANDING), rtol=1e-9)


def test_the_bicycle_is_stable_between_the_weave_and_the_capsize_speed(bicycle):
    def largest(v):
        return lean_and_steer(bicycle, v).real.max()

    assert brentq(largest, 4.0, 5.0, xtol=1e-12) == pytest.approx(4.29238253634111, abs=1e-9)
    assert brentq(largest, 5.5, 7.0, xtol=1e-12) == pytest.approx(6.02426201538837, abs=1e-9)


def test_a_root_locus_is_the_eigenvalues_at_each_state(bicycle):
    speeds = np.linspace(1.0, 10.0, 37)
    states = [rolling(bicycle, v) for v in speeds]
    locus = root_locus(states)
    assert len(locus) == 37
    for state, values in list(zip(states, locus.eigenvalues, strict=True))[::6]:
        np.testing.assert_allclose(of_motion(values), of_motion(linearise(state).eigenvalues), rtol=1e-9)
    caster = np.argmin(locus.eigenvalues[0].real)  # a column is a curve
    for v, (_, _, _, expected) in BICYCLE.items():
        row = int(np.argmin(np.abs(speeds - v)))
        assert locus.eigenvalues[row, caster] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_pendulums_swing_as_the_textbook_says(n):
    """Equal point masses on a string: frequencies of the roots of Laguerre's polynomial, w^2 = g x / l."""
    s = bl.System("string")
    below = s.ground
    for k in range(n):
        bob = s.body(f"bob{k}", mass=2.0, com=[0, -0.5, 0])
        s.revolute(below, bob, at=[0, -0.5 if k else 0.0, 0], axis="z")
        below = bob
    s.gravity([0, -9.81, 0])
    roots = np.polynomial.laguerre.lagroots([0.0] * n + [1.0])
    modes = linearise(equilibrium(s.model())).modes()
    np.testing.assert_allclose(
        [mode.frequency for mode in modes], np.sqrt(9.81 * roots / 0.5) / (2 * np.pi), rtol=1e-10
    )


def test_damping_and_inputs_of_an_oscillator():
    m, k, c = 2.0, 18.0, 3.0
    s = bl.System("oscillator")
    x = s.coordinate("x", unit="m")
    s.prismatic(s.ground, s.body("block", mass=m), axis="x", coordinates=x)
    s.torsion_spring(x, k, damping=c)
    s.motor(x, "push", unit="N")
    linear = linearise(equilibrium(s.model()), outputs=["x", "x'", "x''"])
    np.testing.assert_allclose(linear.A, [[0, 1], [-k / m, -c / m]], atol=1e-14)
    np.testing.assert_allclose(linear.B, [[0], [1 / m]], atol=1e-14)
    np.testing.assert_allclose(linear.C, [[1, 0], [0, 1], [-k / m, -c / m]], atol=1e-14)
    np.testing.assert_allclose(linear.D, [[0], [0], [1 / m]], atol=1e-14)
    assert (linear.states, linear.inputs, linear.outputs) == (["x", "x'"], ["push"], ["x", "x'", "x''"])
    (mode,) = linear.modes()
    assert mode.damping == pytest.approx(c / (2 * np.sqrt(k * m)), rel=1e-12)
    assert mode.natural_frequency == pytest.approx(np.sqrt(k / m) / (2 * np.pi), rel=1e-12)


def differences(model, state, names, columns, h=1e-5):
    """How independent velocities change at states nearby, which are assembled and then solved."""
    base = {name: state[name] for name in names}
    rates = {name: state[f"{name}'"] for name in names}

    def accelerations(k, d):
        q, dq = dict(base), dict(rates)
        (q if k < len(names) else dq)[names[k % len(names)]] += d
        near = assemble(model, state, velocities=dq, weights=dict.fromkeys(names, 1e14), **q)
        ddq = near.value("ddq")
        return (ddq.ddq if hasattr(ddq, "ddq") else ddq)[columns]

    return np.array([(accelerations(k, h) - accelerations(k, -h)) / (2 * h) for k in range(2 * len(names))]).T


@pytest.mark.parametrize(
    ("name", "independent"),
    [("four_bar", ["crank"]), ("slider_crank", ["crank"]), ("five_bar", None), ("double_pendulum", None)],
)
def test_derivatives_about_any_motion_are_those_of_differences(name, independent):
    model = bl.mechanisms.MECHANISMS[name]().model()
    rng = np.random.default_rng(3)
    state = assemble(model, velocities=rng.normal(0.0, 2.0, len(model.q)))
    linear = linearise(state, independent=independent or [])
    names = [n for n in linear.states if not n.endswith("'")]
    places = [state.names.index(n) for n in names]
    expected = differences(model, state, names, places)
    np.testing.assert_allclose(linear.A[len(names) :], expected, rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(linear.A[: len(names)], np.eye(2 * len(names))[len(names) :], atol=1e-12)


HEAVY = ("locomotive",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.study) if n in HEAVY else n for n in bl.mechanisms.MECHANISMS],
)
def test_every_mechanism_has_exact_derivatives(name):
    """Along each state that is independent, by placing the mechanism a little beside."""
    model = bl.mechanisms.MECHANISMS[name]().model()
    state = assemble(model)
    linear = linearise(state)
    rates = [n.rstrip("'") for n in linear.states if n.endswith("'")]
    held = [n for n in linear.states if not n.endswith("'")]
    places = [state.names.index(n) for n in rates]

    def accelerations(moved, d):
        ddq = replaced(state, state.p, {moved: state[moved] + d}, [*rates, *held]).value("ddq")
        return (ddq.ddq if hasattr(ddq, "ddq") else ddq)[places]

    h, scale = 1e-5, max(1.0, np.abs(linear.A).max())
    for k in {0, len(held) - 1, len(held), len(linear.states) - 1}:
        moved = linear.states[k]
        expected = (accelerations(moved, h) - accelerations(moved, -h)) / (2 * h)
        np.testing.assert_allclose(linear.A[len(held) :, k], expected, atol=1e-7 * scale)


def test_redundant_equations_do_no_harm():
    model = bl.mechanisms.bricard().model()
    linear = linearise(assemble(model))
    assert len(linear.states) == 2
    names = [linear.states[0]]
    place = [linear.about.names.index(names[0])]
    expected = differences(model, linear.about, names, place)
    np.testing.assert_allclose(linear.A[1:], expected, rtol=1e-5, atol=1e-5)


def test_outputs_may_be_a_function(four_bar):
    state = equilibrium(four_bar, {"crank": 3.8}).changed()
    moving = assemble(four_bar, state, velocities={"crank": 1.0}, crank=3.8)
    linear = linearise(moving, outputs=four_bar.functions["energy"], independent=["crank"])
    assert linear.outputs == ["kinetic", "potential"]

    def energies(d):
        near = assemble(four_bar, moving, velocities=moving.dq, crank=3.8 + d, weights={"crank": 1e12})
        return np.array(near.value("energy"))

    slope = (energies(1e-5) - energies(-1e-5)) / 2e-5
    np.testing.assert_allclose(linear.C[:, 0], slope, rtol=1e-6)
    assert not linear.D.any()


def test_multipliers_follow_too(four_bar):
    """The forces of the closing point, which the torque changes at once."""
    state = equilibrium(four_bar, {"crank": 3.8})
    linear = linearise(state, outputs=four_bar.functions["reactions"], independent=["crank"])
    h = 1e-4
    pair = [state.changed(u=np.array([d])).value("reactions") for d in (-h, h)]
    slope = (np.concatenate(pair[1]) - np.concatenate(pair[0])) / (2 * h)
    np.testing.assert_allclose(linear.D[:, 0], slope, atol=1e-8)


def test_the_sign_of_the_equations_changes_nothing():
    s = bl.mechanisms.four_bar()
    one, other = (linearise(equilibrium(s.model(sign=k), {"crank": 3.8})) for k in (1, -1))
    np.testing.assert_allclose(one.A, other.A, rtol=1e-10)
    np.testing.assert_allclose(one.B, other.B, rtol=1e-10)


def test_wrong_calls(four_bar):
    state = equilibrium(four_bar, {"crank": 3.8})
    with pytest.raises(KeyError, match="Did you mean 'crank'"):
        linearise(state, independent=["cranck"])
    with pytest.raises(ValueError, match="crank, rocker cannot be independent together"):
        linearise(state, independent=["crank", "rocker"])
    with pytest.raises(KeyError, match="no coordinate 'wheel'"):
        linearise(state, outputs=["wheel'"])
    with pytest.raises(KeyError, match="acceleration"):
        linearise(state, outputs=["crank'''"])
    with pytest.raises(ValueError, match="at least one state"):
        root_locus([])
    with pytest.raises(ValueError, match="has no modes about this state"):
        linearise(assemble(four_bar)).modes()
    assert not linearise(assemble(four_bar)).steady
