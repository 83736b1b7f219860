"""Things that roll: no slip over long runs, steady circles, energy, and wet rails against dry ones."""

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

import biela as bl
from biela.simulate import Simulation, assemble


def slip(run):
    """What is left of the equations of velocity, at worst."""
    J, beta = run.value("Phi_dq|beta")
    return np.abs(np.einsum("tij,tj->ti", J, run.dq) - beta).max()


@pytest.mark.parametrize("name", ["wheelset", "rolling_disc", "crank_rod_disc"])
def test_residuals_stay_small_while_it_rolls(name):
    model = bl.mechanisms.MECHANISMS[name]().model()
    locked = {"y": 0.002} if name == "wheelset" else {}
    run = Simulation(model, dt=1e-3).run(assemble(model, **locked), 5.0, every=5)
    assert run.ok
    assert run.residual.max() < 1e-8
    assert slip(run) < 1e-8


def test_a_disc_on_a_steady_circle_stays_on_it():
    """Lean and turning rate of the start are those of a steady motion: the path is a circle."""
    model = bl.mechanisms.rolling_disc().model()
    run = Simulation(model, dt=1e-3).run(assemble(model), 6.28, every=10)
    assert run["lean"] == pytest.approx(0.3, abs=1e-9)
    assert run["yaw'"] == pytest.approx(2.0, abs=1e-9)
    radius = abs(run["x'"][0]) / 2.0
    assert run["x"] == pytest.approx(np.sign(run["x'"][0]) * radius * np.sin(2.0 * run.t), abs=1e-8)
    assert run.report().drift < 1e-10


def test_a_disc_that_wobbles_keeps_its_energy():
    model = bl.mechanisms.rolling_disc().model()
    start = assemble(model, velocities={"yaw": 1.0, "roll": -12.0}, lean=0.1)
    run = Simulation(model, dt=1e-3).run(start, 5.0, every=5)
    assert np.ptp(run["lean"]) > 0.05
    assert np.ptp(run.energy) < 1e-8
    assert slip(run) < 1e-10


def test_a_disc_pushed_by_a_crank_loses_what_the_damper_takes():
    model = bl.mechanisms.crank_rod_disc().model()
    names = [q.name for q in model.parameters]
    c = model.p[names.index("c_vis")]
    run = Simulation(model, dt=5e-4).run(assemble(model), 3.0, u=lambda t: 2.0 * np.sin(5.0 * t))
    power = run.u[:, 0] * run["theta1'"] - c * run["theta1'"] ** 2
    work = simpson(power, x=run.t)
    assert abs(work) > 0.1
    assert run.energy[-1] - run.energy[0] == pytest.approx(work, abs=1e-7)


def hunting(film, speed, duration=3.0):
    """The sway of a wheelset that starts 2 mm beside the middle of the track."""
    model = bl.mechanisms.wheelset(film).model()
    factor = speed / model.start[1][0]
    start = assemble(model, y=0.002)
    return Simulation(model, dt=1e-3).run(start.changed(dq=start.dq * factor), duration, every=2)


def test_wet_rails_calm_a_wheelset():
    """Creep feeds the hunting motion; a wet film weakens creep, so the springs bring it to rest sooner."""
    late = {}
    for film in ("dry", "wet", "contaminated"):
        run = hunting(film, 15.0)
        assert run.residual.max() < 1e-8
        late[film] = np.abs(run["y"][(run.t > 0.5) & (run.t < 1.0)]).max()
    assert late["contaminated"] < late["wet"] < 0.1 * late["dry"]


def ball(film, load):
    s = bl.System("bowl")
    body = s.body("ball", mass=2.0, inertia=bl.ball(2.0, 0.1))
    s.free(s.ground, body)
    s.gravity([0, 0, -9.81])
    normal = s.input("load", load)
    contact = s.contact(bl.Surface.sphere(body, 0.1), bl.Surface.plane(s.ground), "c")
    s.rub(contact, lambda u, v: bl.sliding((u, v), normal, film))
    return s.model()


@pytest.mark.parametrize("film", ["dry", "wet", "contaminated"])
def test_a_sliding_ball_slows_by_the_falling_friction(film):
    """The slip w of a ball obeys w' = -7/2 mu(w) g, whatever mu is: 1 from slowing, 5/2 from spinning up."""
    model = ball(film, 2.0 * 9.81)
    names = [c.name for c in model.placements]
    held = {name: 0.1 if k == 2 else 0.0 for k, name in enumerate(names[:6])}
    start = assemble(model, velocities={names[0]: 5.0}, **held)
    assert start.dq[:6] == pytest.approx([5.0, 0, 0, 0, 0, 0])
    run = Simulation(model, dt=1e-3).run(start, 0.2)
    f = bl.FILMS[film]

    def rate(t, w):
        return -3.5 * 9.81 * f.friction * ((1 - f.part) * np.exp(-f.fall * w) + f.part)

    exact = solve_ivp(rate, (0.0, 0.2), [5.0], t_eval=run.t, rtol=1e-10, atol=1e-12).y[0]
    lost = 5.0 - run.dq[:, 0]  # the friction's impulse slows the ball and spins it up
    assert 5.0 - 3.5 * lost == pytest.approx(exact, abs=1e-6)
    assert run.residual.max() < 1e-8
