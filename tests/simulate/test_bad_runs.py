"""Bad input of runs: told before anything is computed; what goes wrong on the way keeps what was good."""

import numpy as np
import pytest

import biela as bl
from biela.simulate import Simulation, assemble


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


@pytest.fixture(scope="module")
def simulation(four_bar):
    return Simulation(four_bar)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"integrator": "rk5"}, r"Unknown integrator 'rk5'\. Known: .*Did you mean 'rk4'\?"),
    ({"integrator": "RK4"}, "Did you mean 'rk4'"),
    ({"dt": "1e-3"}, "step size dt is a positive number of seconds; got '1e-3'"),
    ({"formulation": "multiplier"}, "Unknown formulation 'multiplier'.*Did you mean 'multipliers'"),
    ({"formulation": "tree"}, "'tree' does not suit model 'four_bar': it has constraints"),
    ({"metrik": "mass"}, "Unknown option 'metrik'.*Did you mean 'metric'"),
    ({"dt": 0.0}, "step size dt is a positive number of seconds; got 0.0"),
    ({"dt": np.nan}, "step size dt is a positive number"),
])  # fmt: skip
def test_bad_simulations_are_told(four_bar, arguments, message):
    with pytest.raises(ValueError, match=message):
        Simulation(four_bar, **arguments)


@pytest.mark.parametrize(("change", "message"), [
    (lambda s: s.changed(p=s.p * [1, 1, 1, 1, 1, 1, 1, np.nan, 1, 1, 1]), "parameter 'm1' is not finite"),
    (lambda s: s.changed(p=s.p[:3]), r"has 11 parameters; got shape \(3,\)"),
    (lambda s: s.changed(q=s.q * np.nan), "the start is not finite"),
    (lambda s: s.changed(dq=s.dq + np.inf), "the start is not finite"),
    (lambda s: s.changed(q=s.q[:2]), r"positions of shape \(2,\) and velocities of shape \(3,\); expected"),
    (lambda s: assemble(bl.mechanisms.pendulum().model()), "'four_bar': the start is of 'pendulum'"),
    (lambda s: s.changed(dq=s.dq + 1.0), "velocities that contradict the constraints, '.*' by .*assemble"),
    (lambda s: s.changed(q=s.q + 0.1), r"the start is off the constraints, '.*' by 0.*Assemble it first"),
])  # fmt: skip
def test_bad_starts_are_told(four_bar, simulation, change, message):
    with pytest.raises(ValueError, match=message):
        simulation.run(change(assemble(four_bar, crank=1.0)), 1.0)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"duration": 0.0}, "duration is a positive number of seconds; got 0.0"),
    ({"duration": np.inf}, "duration is a positive number"),
    ({"duration": "1"}, "duration is a positive number of seconds; got '1'"),
    ({"duration": 0.1, "every": 7}, "A run of 100 steps has no whole number of records every 7 steps"),
    ({"duration": 0.1, "every": 0}, "no whole number of records every 0"),
    ({"duration": 0.1, "threads": -1}, "threads"),
])  # fmt: skip
def test_bad_durations_are_told(four_bar, simulation, arguments, message):
    with pytest.raises(ValueError, match=message):
        simulation.run(assemble(four_bar, crank=1.0), **arguments)


def too_fast(model):
    """Hundreds of turns in a step of 0.2 s."""
    return assemble(model, crank=1.0, velocities={"crank": 4e4})


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_too_large_a_step_ends_the_record_where_it_was_good(four_bar, integrator):
    run = Simulation(four_bar, integrator=integrator, dt=0.2).run(too_fast(four_bar), 100.0)
    assert not run.ok
    assert run.status.startswith("diverged between t=")
    assert "try a smaller dt" in run.status
    assert 0 < len(run) < 501
    assert np.isfinite(run.q).all()
    assert run.residual.max() < 1e-6
    assert run.state().t == run.t[-1]
    assert f"t={run.t[-1]:g} and {run.t[-1] + 0.2:g} s" in run.status


def test_a_run_from_the_last_good_state_goes_on_with_a_smaller_step(four_bar):
    lost = Simulation(four_bar, dt=0.2).run(too_fast(four_bar), 100.0)
    assert Simulation(four_bar, dt=1e-6).run(lost.state(), 1e-3).ok


def test_an_event_run_that_diverges_is_marked_too(four_bar):
    from biela.simulate import periodic

    run = Simulation(four_bar, dt=0.2).run(too_fast(four_bar), 100.0, events=[periodic(5.0, lambda s: None)])
    assert run.status.startswith("diverged")
    assert np.isfinite(run.q).all()
