"""Assembly: convergence, smallest changes, locked coordinates, equations of the start, branches, messages."""

import numpy as np
import pytest
from scipy.optimize import minimize

import biela as bl
from biela.simulate.assembly import AssemblyError, assemble, branches
from biela.simulate.grashof import grashof


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


def nearest(model, guess, weights=None):
    """The positions on the constraints at the least (weighted) distance, by a general optimiser."""
    phi, weight = model.functions["Phi"], np.ones(len(guess)) if weights is None else np.array(weights)
    found = minimize(
        lambda q: float(weight @ (q - guess) ** 2),
        guess,
        constraints={"type": "eq", "fun": lambda q: phi.evaluate(q=q, p=model.p)},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    return found.x


def test_converges_with_the_smallest_steps(four_bar):
    """From nearby they end where the smallest change would, to second order."""
    on = assemble(four_bar).q
    rng = np.random.default_rng(1)
    for size in (1e-2, 1e-3):
        guess = on + size * rng.normal(size=3)
        found = assemble(four_bar, guess)
        assert np.abs(found.value("Phi")).max() < 1e-12
        assert np.abs(found.q - nearest(four_bar, guess)).max() < 3 * size * size


def test_a_dear_coordinate_changes_less(four_bar):
    guess = assemble(four_bar).q + np.array([0.02, -0.03, 0.01])
    plain = assemble(four_bar, guess)
    dear = assemble(four_bar, guess, weights={"crank": 1e6})
    assert abs(dear["crank"] - guess[0]) < 1e-5 < abs(plain["crank"] - guess[0])
    assert np.abs(dear.q - nearest(four_bar, guess, [1e6, 1.0, 1.0])).max() < 5e-3


def test_velocities_change_as_little_as_they_can(four_bar):
    """dq = dq0 + J^+ (beta - J dq0) (Plaza, 2015, eq. 2.45)."""
    given = np.array([1.0, -0.5, 2.0])
    state = assemble(four_bar, velocities=given)
    J = state.value("Phi_dq")
    np.testing.assert_allclose(J @ state.dq, 0.0, atol=1e-13)
    np.testing.assert_allclose(state.dq, given - np.linalg.pinv(J) @ J @ given, atol=1e-12)


def test_redundant_equations_do_no_harm():
    model = bl.mechanisms.bricard().model()
    rng = np.random.default_rng(1)
    start = assemble(model)
    found = assemble(model, start.q + 0.01 * rng.normal(size=len(start.q)))
    assert np.abs(found.value("Phi")).max() < 1e-10


def test_locked_coordinates_stay_however_far(four_bar):
    """The start of the model is at 90 degrees; the crank turns fully."""
    for angle in np.linspace(-3.0, 6.0, 19):
        state = assemble(four_bar, crank=angle)
        assert state["crank"] == angle
        assert np.abs(state.value("Phi")).max() < 1e-12
        assert np.sin(state["rocker"]) > 0.0  # and it stays open
    crossed = assemble(four_bar, {"coupler": 0.5, "rocker": -2.2}, crank=-3.0)
    assert np.sin(crossed["rocker"]) < 0.0  # unless the guess says otherwise


def test_equations_of_the_start_take_part():
    s = bl.mechanisms.four_bar()
    crank, rocker = (s.coordinates_by_name[name].symbols.position for name in ("crank", "rocker"))
    s.start(crank + rocker - 3.5)
    s.start_velocity(rocker.dt() - 0.7)
    state = assemble(s.model())
    assert state["crank"] + state["rocker"] == pytest.approx(3.5, abs=1e-10)
    assert state["rocker'"] == pytest.approx(0.7, abs=1e-12)
    assert np.abs(state.value("Phi_dq") @ state.dq).max() < 1e-12


@pytest.mark.parametrize("angle", np.linspace(0.1, 6.1, 7))
def test_both_ways_of_the_double_crank(angle):
    """Specification 0, item 5: lengths 2, 4, 3, 4 m, in closed form."""
    model = bl.mechanisms.four_bar_rod().model()
    crank, bar = [c.name for c in model.placements]
    found = branches(model, tries=40, **{crank: angle})
    ends = []
    for state in found:
        assert np.cos(state[crank] - angle) == pytest.approx(1.0)
        ends.append(angle + state[bar])
    pin = np.array([-2.0 + 4.0 * np.cos(angle), 4.0 * np.sin(angle)])
    r = np.hypot(*pin)
    beta = np.arccos((r * r + 9.0 - 16.0) / (2.0 * r * 3.0))
    towards = np.arctan2(-pin[1], -pin[0])
    expected = np.sort(np.mod([towards + beta, towards - beta], 2 * np.pi))
    np.testing.assert_allclose(np.sort(np.mod(ends, 2 * np.pi)), expected, atol=1e-8)


def test_every_drawn_angle_assembles(four_bar):
    """Specification 0, items 14 and 15: rockers too, and what is locked does not move."""
    p = {"l1": 0.5, "l4": 0.6}
    linkage = grashof(0.6, 0.5, 0.54, 0.455)
    assert not linkage.crank
    start = assemble(four_bar, p=p, crank=0.5 * sum(linkage.ranges[-1]))
    for angle in linkage.draw(40):
        q = start.q * np.sign(angle if abs(angle) < np.pi else np.pi - angle)
        assert assemble(four_bar, q, p=p, crank=angle)["crank"] == angle


def test_says_which_loop_gapes_and_how_far(four_bar):
    with pytest.raises(AssemblyError, match=r"'loop\[0\]' stays 0\.\d+ apart"):
        assemble(four_bar, p={"l4": 2.0})
    with pytest.raises(AssemblyError, match=r"'loop\[\d\]' stays"):
        branches(four_bar, tries=3, rocker=0.3)


def test_says_which_velocities_contradict(four_bar):
    with pytest.raises(AssemblyError, match=r"velocities contradict the constraints: 'loop\[\d\]' is off by"):
        assemble(
            four_bar,
            velocities={"crank": 1.0, "rocker": 5.0},
            crank=1.2,
            rocker=assemble(four_bar, crank=1.2)["rocker"],
        )


@pytest.mark.parametrize(
    ("error", "told", "given"),
    [
        (KeyError, "no coordinate 'crnk'.*Did you mean 'crank'", {"crnk": 1.0}),
        (ValueError, "'crank' is locked at nan", {"crank": np.nan}),
        (ValueError, "guess is not finite", {"guess": [np.nan, 0.0, 0.0]}),
        (ValueError, r"guess has shape \(2,\); expected \(3,\)", {"guess": [0.0, 0.0]}),
        (ValueError, "velocities is not finite", {"velocities": [np.inf, 0.0, 0.0]}),
        (ValueError, "parameter 'l2' is not finite", {"p": {"l2": np.nan}}),
        (KeyError, "no parameter 'l9'", {"p": {"l9": 1.0}}),
        (KeyError, "no input 'force'", {"u": {"force": 1.0}}),
    ],
)
def test_wrong_calls(four_bar, error, told, given):
    with pytest.raises(error, match=told):
        assemble(four_bar, **given)


def flat(width=1.3):
    """A four-bar described with all bars along x, as one writes it down."""
    s = bl.System("flat")
    crank, coupler, rocker = (
        s.body(name, mass=1, inertia=bl.rod(1, 1)) for name in ("crank", "coupler", "rocker")
    )
    s.revolute(s.ground, crank)
    s.revolute(crank, coupler, at=[0.4, 0, 0])
    s.revolute(s.ground, rocker, at=[width, 0, 0])
    s.close(coupler.point([1, 0, 0]), rocker.point([0.8, 0, 0]))
    return s.model()


def test_a_start_with_all_bars_on_one_line_is_shaken():
    """There no step of Newton's leads off the line, on which these bars do not close."""
    model = flat()
    state = assemble(model)
    assert np.abs(state.value("Phi")).max() < 1e-12
    assert np.abs(np.sin(state.q)).max() > 0.01
    with pytest.raises(AssemblyError):  # of somebody's own choice nothing is changed
        assemble(model, np.zeros(3))
    with pytest.raises(AssemblyError, match=r"'.*\[0\]' stays"):
        assemble(flat(width=9.0))


def test_a_body_s_name_stands_for_its_only_coordinate():
    model = flat()
    assert assemble(model, crank=1.0)["crank.angle"] == assemble(model, crank_angle=1.0)["crank.angle"] == 1.0
    with pytest.raises(KeyError, match=r"no coordinate 'crnk'"):
        assemble(model, crnk=1.0)
