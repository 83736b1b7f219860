"""RATTLE: order, energy, residuals, and which models it refuses."""

import numpy as np
import pytest

import biela as bl
from biela import mechanisms
from biela.simulate import Simulation, assemble


def points(angles=False):
    """Two rods of a double pendulum by their end points, or the test bench with its angles."""
    if angles:
        return mechanisms.MECHANISMS["four_bar_natural"]().model()
    s = bl.System("double")
    n = bl.Natural(s, plane="xy")
    A = n.fixed("A", [0, 0])
    B, C = n.point("B", [1, 0]), n.point("C", [1, -1])
    n.bar("upper", A, B, mass=1.0)
    n.bar("lower", B, C, mass=2.0)
    s.gravity([0, -9.81, 0])
    return s.model()


@pytest.mark.parametrize("angles", [False, True])
def test_second_order(angles):
    model = points(angles)
    start = assemble(model)
    exact = Simulation(model, "multipliers", "rk4", dt=2e-4).run(start, 0.4).q[-1]
    errors = [
        np.abs(
            Simulation(model, "multipliers", "rattle", dt=dt, iterations=4).run(start, 0.4).q[-1] - exact
        ).max()
        for dt in (4e-3, 2e-3, 1e-3)
    ]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(rates - 2.0) < 0.1)


def test_energy_does_not_drift():
    model = points()
    run = Simulation(model, "multipliers", "rattle", dt=1e-3).run(assemble(model), 60.0, every=10)
    energy = run.energy - run.energy[0]
    halves = energy[: len(energy) // 2], energy[len(energy) // 2 :]
    assert np.ptp(energy) < 5e-3  # J, of about 60
    assert abs(halves[0].mean() - halves[1].mean()) < 0.1 * np.ptp(energy)
    assert run.residual.max() < 1e-9


def test_without_constraints_it_is_velocity_verlet():
    s = bl.System("spring")
    x = s.coordinate("x", 1.0, unit="m")
    cart = s.body("cart", mass=2.0)
    s.prismatic(s.ground, cart, axis="x", coordinates=x)
    s.torsion_spring(x, 8.0)
    model = s.model()
    run = Simulation(model, "tree", "rattle", dt=0.01).run(assemble(model), 1.0)
    position, velocity = 1.0, 0.0
    for row in range(1, 101):
        velocity -= 0.01 / 2 * 4.0 * position
        position += 0.01 * velocity
        velocity -= 0.01 / 2 * 4.0 * position
        assert run["x"][row] == pytest.approx(position, abs=1e-12)
        assert run["x'"][row] == pytest.approx(velocity, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "formulation", "told"),
    [
        ("four_bar", "multipliers", "its mass matrix changes with the position: describe it in natural"),
        (
            "four_bar_natural",
            "independent",
            "goes with formulation 'tree' or 'multipliers', not with 'independent'",
        ),
        ("car_axis", "multipliers", "its constraints hold for velocities only or depend on time"),
    ],
)
def test_refused(name, formulation, told):
    with pytest.raises(ValueError, match=r"does not suit|goes with") as caught:
        Simulation(mechanisms.MECHANISMS[name]().model(), formulation, "rattle")
    assert told in str(caught.value)
