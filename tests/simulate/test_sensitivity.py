"""Sensitivities against differences of runs and closed forms."""

import numpy as np
import pytest

import biela as bl
from biela.simulate.assembly import assemble
from biela.simulate.identification import replaced
from biela.simulate.sensitivity import Sensitivity
from biela.simulate.simulation import Simulation

H = 1e-6


def shifted(simulation, start, by, d, held, duration, **options):
    """A run whose start has one parameter or independent initial value moved by ``d``."""
    p, moved = start.p.copy(), {}
    names = [q.name for q in simulation.model.parameters]
    if by in names:
        p[names.index(by)] += d
    else:
        moved = {by: start[by] + d}
    return simulation.run(replaced(start, p, moved, held), duration, **options)


def checked(simulation, start, parameters, initial, held=(), duration=0.5, rtol=1e-6, **options):
    """Every sensitivity against central differences of two runs."""
    found = Sensitivity(simulation, parameters, initial, held).run(start, duration, **options)
    kept = [*(name.rstrip("'") for name in initial), *held]
    for by in found.by:
        ahead, behind = (shifted(simulation, start, by, d, kept, duration, **options) for d in (H, -H))
        expected = np.array([(ahead[c] - behind[c]) / (2 * H) for c in found.columns]).T
        scale = np.abs(expected).max()
        np.testing.assert_allclose(
            found.values[:, :, found.by.index(by)], expected, rtol=0, atol=rtol * max(scale, 1e-3)
        )
    return found


@pytest.mark.parametrize("formulation", ["multipliers", "independent"])
def test_of_the_four_bar(formulation):
    model = bl.mechanisms.four_bar().model()
    simulation = Simulation(model, formulation, "rk4", dt=2e-3)
    start = assemble(model, velocities={"crank": 1.0}, crank=1.2)
    found = checked(simulation, start, ["m2", "l2", "g"], ["crank", "crank'"])
    assert found.record.ok
    assert found["rocker'", "l2"].shape == (251,)
    assert found["crank", "crank"][0] == pytest.approx(1.0, abs=1e-14)
    assert found["crank", "l2"][0] == pytest.approx(0.0, abs=1e-14)  # the crank stays when the coupler grows
    assert abs(found["rocker", "l2"][0]) > 0.1  # and the rocker follows


@pytest.mark.parametrize("integrator", ["euler", "semi-implicit-euler", "rk4"])
def test_of_every_kind_of_explicit_step(integrator):
    model = bl.mechanisms.double_pendulum().model()
    simulation = Simulation(model, integrator=integrator, dt=5e-3)
    names = [c.name for c in model.placements]
    start = assemble(model, velocities={names[0]: 0.5})
    checked(simulation, start, [model.parameters[0].name], [names[1], f"{names[0]}'"])


def test_of_what_rolls():
    model = bl.mechanisms.rolling_disc().model()
    start = assemble(model)
    checked(Simulation(model, dt=2e-3), start, [model.parameters[0].name], [], duration=0.2, rtol=1e-5)


def test_of_a_swing_that_is_known():
    """x = cos(w t): its derivative by the stiffness is -t sin(w t) / (2 m w)."""
    m, k = 2.0, 18.0
    s = bl.System("oscillator")
    x = s.coordinate("x", 1.0, unit="m")
    stiffness = s.parameter("k", k)
    s.prismatic(s.ground, s.body("block", mass=m), axis="x", coordinates=x)
    s.torsion_spring(x, stiffness)
    model = s.model()
    found = Sensitivity(Simulation(model, dt=1e-3), ["k"], ["x", "x'"]).run(assemble(model), 2.0)
    t, w = found.record.t, np.sqrt(k / m)
    np.testing.assert_allclose(found["x", "k"], -t * np.sin(w * t) / (2 * m * w), atol=1e-9)
    np.testing.assert_allclose(found["x", "x"], np.cos(w * t), atol=1e-9)
    np.testing.assert_allclose(found["x'", "x'"], np.cos(w * t), atol=1e-9)
    np.testing.assert_allclose(found["x", "x'"], np.sin(w * t) / w, atol=1e-9)


def test_with_inputs_that_change():
    model = bl.mechanisms.four_bar().model()
    simulation = Simulation(model, dt=2e-3)
    start = assemble(model)
    torque = 0.5 * np.sin(np.linspace(0.0, 10.0, 100))[:, None]
    found = checked(simulation, start, ["m3"], [], ["crank"], duration=0.2, u=torque, every=5)
    assert len(found.record) == 21
    np.testing.assert_allclose(found.record["crank"], simulation.run(start, 0.2, u=torque, every=5)["crank"])


def test_wrong_calls():
    model = bl.mechanisms.four_bar().model()
    simulation = Simulation(model, dt=1e-3)
    with pytest.raises(KeyError, match="no parameter 'm4'"):
        Sensitivity(simulation, ["m4"])
    with pytest.raises(KeyError, match="no coordinate 'wheel'"):
        Sensitivity(simulation, [], ["wheel"])
    with pytest.raises(ValueError, match="Name a parameter or an initial value"):
        Sensitivity(simulation)
    with pytest.raises(ValueError, match="'dormand-prince' is none"):
        Sensitivity(Simulation(model, integrator="dormand-prince"), ["m2"])
    start = assemble(model)
    with pytest.raises(ValueError, match="cannot be independent together"):
        Sensitivity(simulation, [], ["crank", "rocker"]).run(start, 0.1)
    found = Sensitivity(simulation, ["m2"], [], ["crank"]).run(start, 0.1)
    with pytest.raises(KeyError, match=r"no sensitivity with 'm3'\. Known: m2"):
        found["crank", "m3"]
    with pytest.raises(ValueError, match="cannot be recorded every 7 steps"):
        Sensitivity(simulation, ["m2"]).run(start, 0.1, every=7)
