"""Every formulation with every integrator that goes with it: one motion, whatever the way."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from biela.mechanics.sample import null_space
from biela.mechanisms import MECHANISMS
from biela.simulate import FORMULATIONS, INTEGRATORS, Simulation, State, assemble, step

DT, UNTIL = 1e-3, 0.1
TOLERANCES = {1: 3e-2, 2: 3e-5, 4: 1e-8, 5: 1e-8}  # by the order of the integrator
RESTORED = ("penalty", "baumgarte")  # residuals that are small, not zero
EXACT = ("multipliers", "independent", "augmented-lagrangian")
LOOPS = ("slider_crank", "car_axis", "rolling_disc", "double_four_bar", "bricard")
FEW = 4  # steps of the walk over all mechanisms
# seconds, where 1 ms is long
FINE = {"andrews_squeezer": 1e-5, "flyball_governor": 2e-6, "wheelset": 1e-4, "locomotive": 1e-5}
LARGE = 8000  # operations of a step that is not worth compiling for a few
RATES = {"four_bar": {"crank": 6.0}, "slider_crank": {"crank": 5.0}, "bricard": {"angle1": 1.0}}


@cache
def start(name):
    return assemble(MECHANISMS[name]().model(), velocities=RATES.get(name))


def accelerations(state):
    """By the whole system of equations, redundant ones and all, in NumPy."""
    M, delta = state.value("M|delta")
    if not len(state.model.phi_dot):
        return np.linalg.solve(M, delta)
    J, gamma = state.value("Phi_dq"), state.value("gamma")
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(whole, np.concatenate([delta, gamma]), rcond=1e-10)[0][: len(M)]


@cache
def reference(name):
    """Positions and velocities after a while, by SciPy."""
    return integrated(start(name), UNTIL)


def integrated(begin, duration):
    n = len(begin.q)

    def rates(t, x):
        return np.concatenate([x[n:], accelerations(begin.changed(q=x[:n], dq=x[n:], t=t))])

    x = np.concatenate([begin.q, begin.dq])
    return solve_ivp(rates, (0.0, duration), x, "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]


def suits(model, formulation, integrator):
    try:
        return bool(step(model, formulation, integrator))
    except ValueError:
        return False


def off(name, formulation, integrator, **options):
    """How far the end of a run is from the reference, relative to the largest velocity."""
    run = Simulation(start(name).model, formulation, integrator, DT, **options).run(start(name), UNTIL)
    assert run.ok, run.status
    assert "numeric steps" not in run.notes
    loose = 1e-3 if INTEGRATORS[integrator].order == 1 else 1e-6
    assert run.residual.max() < (loose if formulation in RESTORED else 1e-12)
    expected = reference(name)
    end = np.concatenate([run.q[-1], run.dq[-1]])
    return np.abs(end - expected).max() / max(1.0, np.abs(expected).max())


def allowed(formulation, integrator):
    order = INTEGRATORS[integrator].order
    return max(TOLERANCES[order], 1e-6 if formulation in RESTORED else 0.0)


def pairs(names, formulations, integrators):
    """Mechanism, formulation and integrator, where each says that it suits the others."""
    return [
        (name, formulation, integrator)
        for name in names
        for formulation in formulations
        for integrator in integrators
        if not FORMULATIONS[formulation].refuses(start(name).model)
        and not INTEGRATORS[integrator].refuses(start(name).model)
        and formulation in (INTEGRATORS[integrator].formulations or FORMULATIONS)
        and not (formulation == "independent" and INTEGRATORS[integrator].implicit)
    ]


@pytest.mark.parametrize(
    ("name", "formulation", "integrator"),
    pairs(["cart_pole", "four_bar", "four_bar_natural"], FORMULATIONS, INTEGRATORS),
)
def test_every_pair_gives_the_same_motion(name, formulation, integrator):
    assert off(name, formulation, integrator) < allowed(formulation, integrator)


@pytest.mark.parametrize(
    ("name", "formulation", "integrator"), pairs(LOOPS, EXACT, ["rk4", "trapezoidal", "generalised-alpha"])
)
def test_every_mechanism_moves_the_same_way(name, formulation, integrator):
    assert off(name, formulation, integrator) < allowed(formulation, integrator) * (
        30.0 if name == "car_axis" else 1.0  # its springs are a hundred times faster than the road
    )


@cache
def moving(name):
    """The start of a mechanism with random velocities, and where it is a few steps later, by SciPy."""
    begin = assemble(MECHANISMS[name]().model())
    n = len(begin.q)
    free = null_space(begin.value("Phi_dq")) if len(begin.model.phi_dot) else np.eye(n)
    velocities = begin.dq + free @ np.random.default_rng(2).uniform(-0.5, 0.5, free.shape[1])
    begin = begin.changed(dq=velocities)
    return begin, integrated(begin, FEW * FINE.get(name, DT))


def walked(begin, simulation):
    """The end of a run of a few steps; that of a large one is walked in Python."""
    step, n, h = simulation.step, len(begin.q), simulation.dt
    if step.function.operations.total < LARGE or step.formulation == "independent":  # whose choice is watched
        run = simulation.run(begin, FEW * h)
        return np.concatenate([run.q[-1], run.dq[-1]])
    x = step.pack(begin.q, begin.dq, begin.t)
    have = {"h": h, "p": begin.p, "u": begin.u}
    given = {port.name: have[port.name] for port in step.function.inputs[1:]}
    for _ in range(FEW):
        x = np.array(step.function.evaluate(x=x, **given))
    return x[: 2 * n]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.study if n == "locomotive" else ()) for n in MECHANISMS],
)
def test_every_formulation_moves_every_mechanism_the_same_way(name):
    """Whatever suits it gives the motion of the whole system of equations, redundant ones and all."""
    begin, expected = moving(name)
    suiting = [formulation for formulation, row in FORMULATIONS.items() if not row.refuses(begin.model)]
    if name == "bricard":
        suiting.remove("driven")  # its freedom does not show in the count of its equations
    assert len(suiting) == (5 if len(begin.model.phi_dot) else 1)
    for formulation in suiting:
        simulation = Simulation(begin.model, formulation, "rk4", FINE.get(name, DT))
        error = np.abs(walked(begin, simulation) - expected).max() / max(1.0, np.abs(expected).max())
        assert error < (1e-6 if formulation == "penalty" else 2e-9), formulation


def test_all_other_pairs_are_refused():
    loops, tree = start("four_bar").model, start("cart_pole").model
    general = [name for name, row in INTEGRATORS.items() if not row.formulations]
    refused = {
        (formulation, integrator)
        for formulation in FORMULATIONS
        for integrator in general
        if not suits(loops, formulation, integrator) and not suits(tree, formulation, integrator)
    }
    implicit = {name for name, row in INTEGRATORS.items() if row.implicit}
    assert implicit == {"trapezoidal", "hht", "generalised-alpha"}
    assert len(general) >= 9
    driven = {("driven", name) for name in general}  # for mechanisms whose every freedom is driven
    assert refused == driven | {("independent", name) for name in implicit}


def test_a_pair_that_does_not_go_together_says_so():
    model = start("four_bar").model
    with pytest.raises(ValueError, match=r"'hht' does not suit formulation 'independent'.*or one of .*rk4"):
        Simulation(model, "independent", "hht")
    with pytest.raises(ValueError, match=r"Formulation 'tree' does not suit model 'four_bar'"):
        Simulation(model, "tree")
    with pytest.raises(ValueError, match=r"'bricard': 4 independent equations do not give 5 accelerations"):
        Simulation(start("bricard").model, "driven")


@pytest.mark.parametrize("name", ["four_bar", "bricard", "double_four_bar", "spatial_slider_crank"])
@pytest.mark.parametrize("formulation", ["multipliers", "augmented-lagrangian"])
def test_energy_is_conserved(name, formulation):
    run = Simulation(start(name).model, formulation, dt=DT).run(start(name), 1.0)
    energy = run.energy
    assert np.ptp(energy) < 1e-7 * max(1.0, np.abs(energy).max())


@pytest.mark.parametrize("metric", ["identity", "mass"])
def test_the_metric_makes_no_difference_to_the_motion(metric):
    assert off("four_bar", "multipliers", "rk4", metric=metric) < 1e-9


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [("multipliers", "rk4"), ("independent", "rk4"), ("augmented-lagrangian", "generalised-alpha")],
)
def test_a_lane_of_a_batch_is_the_single_run(formulation, integrator):
    """To the last bit, with one thread or several."""
    begin = start("four_bar")
    simulation = Simulation(begin.model, formulation, integrator, dt=DT)
    states = [assemble(begin.model, begin, crank=angle) for angle in np.linspace(0.0, 3.0, 11)]
    q, dq = (np.stack([getattr(s, name) for s in states], axis=1) for name in ("q", "dq"))
    batches = [simulation.batch(q, dq, UNTIL, threads=threads) for threads in (1, 2)]
    for lane, state in enumerate(states):
        run = simulation.run(state, UNTIL)
        for batch in batches:
            assert np.array_equal(batch.q[:, :, lane], run.q)
            assert np.array_equal(batch.dq[:, :, lane], run.dq)


def test_redundant_equations_share_the_forces():
    """The multipliers of Bricard's linkage are not unique; the forces on the coordinates are."""
    begin = start("bricard")
    model = begin.model
    forces = []
    for formulation in ("multipliers", "augmented-lagrangian"):
        simulation = Simulation(model, formulation, "generalised-alpha", dt=1e-4)
        run = simulation.run(begin, 0.02)
        columns = [name for name in simulation.step.memory if name.startswith("multiplier")]
        given = {name: run[name][-1] for name in columns}
        multipliers = np.array([given.get(symbol.name, 0.0) for symbol in model.multipliers])
        forces.append(run.state().value("Phi_dq").T @ multipliers)
        exact = run.state()
        M, delta = exact.value("M|delta")
        assert forces[-1] == pytest.approx(delta - M @ accelerations(exact), abs=1e-3 * np.abs(delta).max())
    assert forces[0] == pytest.approx(forces[1], abs=1e-6 * np.abs(forces[0]).max())


def test_a_state_knows_nothing_of_the_way():
    """A run can be continued from its end by another formulation and integrator."""
    begin = start("four_bar")
    half = Simulation(begin.model, "augmented-lagrangian", "rk4", dt=DT).run(begin, UNTIL / 2)
    rest = Simulation(begin.model, "independent", "merson", dt=DT).run(half.state(), UNTIL / 2)
    end: State = rest.state()
    assert end.t == pytest.approx(UNTIL)
    assert np.concatenate([end.q, end.dq]) == pytest.approx(reference("four_bar"), abs=1e-7)
