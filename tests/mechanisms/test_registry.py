"""Every mechanism of the registry: what it must have, and laws that hold whatever it is."""

import inspect
import sys
from functools import cache

import numpy as np
import pytest

from biela.expr import gradient
from biela.mechanics import FORMALISMS
from biela.mechanics.energy import kinetic, potential
from biela.mechanics.kinematics import angular_velocity, velocity
from biela.mechanics.system import System
from biela.mechanisms import MECHANISMS

SIZES = {  # coordinates, equations of position, of velocity only, degrees of freedom in general position
    "andrews_squeezer": (7, 6, 0, 1),
    "arm6": (6, 0, 0, 6),
    "arm7": (7, 0, 0, 7),
    "block_pendulum": (2, 0, 0, 2),
    "bricard": (5, 5, 0, 0),  # it moves all the same, where its equations hold
    "car_axis": (4, 2, 0, 2),
    "cart_pole": (2, 0, 0, 2),
    "crank_rod_disc": (5, 3, 1, 1),
    "double_four_bar": (5, 4, 0, 1),
    "double_pendulum": (2, 0, 0, 2),
    "five_bar": (4, 2, 0, 2),
    "flyball_governor": (4, 0, 0, 4),
    "four_bar": (3, 2, 0, 1),
    "four_bar_general": (3, 2, 0, 1),
    "four_bar_natural": (8, 7, 0, 1),
    "four_bar_rod": (2, 1, 0, 1),
    "hexaglide": (24, 18, 0, 6),
    "locomotive": (76, 40, 0, 36),
    "n_four_bar": (11, 10, 0, 1),
    "n_pendulum": (5, 0, 0, 5),
    "pendulum": (1, 0, 0, 1),
    "rolling_disc": (5, 0, 2, 3),
    "slider_crank": (3, 2, 0, 1),
    "spatial_slider_crank": (4, 3, 0, 1),
    "stewart": (24, 18, 0, 6),
    "two_rssu": (8, 6, 0, 2),
    "wheelset": (14, 10, 0, 4),
    "whipple_bicycle": (8, 1, 4, 3),
}
LARGE = 12  # coordinates, beyond which only two formalisms are compared
STATES = 3

every = pytest.mark.parametrize("name", list(MECHANISMS))


@cache
def model_of(name, formalism="direct"):
    return MECHANISMS[name]().model(formalism=formalism)


def evaluate(model, function, q, dq, ddq=None, t=0.0, u=None):
    """A Function of a model, or one by its name, at a state; inputs in their order."""
    function = model.functions[function] if isinstance(function, str) else function
    given = {"q": q, "dq": dq, "ddq": ddq, "t": t, "p": model.p if len(model.parameters) else None, "u": u}
    return function.evaluate(*[given[port.name] for port in function.inputs])


def states(model, scale=0.2):
    """States near the start, not assembled, with any inputs."""
    rng = np.random.default_rng(5)
    q, dq = model.start
    for _ in range(STATES):
        yield (
            q + scale * rng.uniform(-1.0, 1.0, len(q)),
            dq + rng.uniform(-1.0, 1.0, len(q)),
            rng.uniform(-1.0, 1.0),
            rng.uniform(-2.0, 2.0, len(model.inputs)),
        )


def error(got, expected):
    """The largest difference, relative to the largest value expected if that is above one."""
    return np.max(np.abs(np.subtract(got, expected)), initial=0.0) / max(
        1.0, np.max(np.abs(expected), initial=0.0)
    )


def test_the_table_of_sizes_names_every_mechanism():
    assert sorted(SIZES) == sorted(MECHANISMS) == list(MECHANISMS)


@every
def test_it_is_a_system_without_faults(name):
    system = MECHANISMS[name]()
    assert type(system) is System
    assert system.name == name
    assert system.validate() == []


@every
def test_sizes(name):
    model = model_of(name)
    sizes = model.sizes
    assert (sizes["p"], sizes["g"], sizes["r"], model.freedom) == SIZES[name]


@every
def test_it_is_documented(name):
    function = MECHANISMS[name]
    module = sys.modules[function.__module__]
    assert module.__name__ == f"biela.mechanisms.{name}"
    first, blank, *rest = inspect.getdoc(function).splitlines()
    assert first.endswith(".")
    assert blank == ""
    assert any(line.startswith("Source: ") for line in rest)
    assert len(inspect.getdoc(module).split()) > 30
    assert all(p.default is not p.empty for p in inspect.signature(function).parameters.values())


@every
def test_every_symbol_has_a_value_and_a_unit(name):
    model = model_of(name)
    assert np.isfinite(model.p).all() if len(model.parameters) else True
    for quantity in model.parameters:
        assert quantity.note, f"parameter {quantity.name} has no note"
    for quantity in (*model.parameters, *model.inputs, *model.placements):
        assert quantity.unit, f"{quantity.name} has no unit"


@every
def test_the_start_is_assembled(name):
    model = model_of(name)
    q, dq = model.start
    if len(model.phi):
        step = np.linalg.lstsq(evaluate(model, "Phi_q", q, dq), evaluate(model, "Phi", q, dq), rcond=1e-9)[0]
        assert np.abs(step).max() < 1e-9
    if len(model.phi_dot):
        J, rates = evaluate(model, "Phi_dq", q, dq), evaluate(model, "Phi_dot", q, dq)
        assert np.abs(np.linalg.lstsq(J, rates, rcond=1e-9)[0]).max() < 1e-9


@every
def test_the_mass_matrix_is_symmetric_and_positive_on_the_motions_left(name):
    model = model_of(name)
    M = model.mass_matrix
    p = len(model.q)
    assert all(M[i, j] == M[j, i] for i in range(p) for j in range(i))
    q, dq = model.start
    free = motions_left(evaluate(model, "Phi_dq", q, dq)) if len(model.phi_dot) else np.eye(p)
    assert free.shape[1] >= model.freedom
    reduced = free.T @ evaluate(model, "M", q, dq) @ free
    assert np.linalg.eigvalsh(reduced).min() > 1e-12 * np.abs(reduced).max() > 0.0


def motions_left(J):
    """A basis of the velocities that constraints allow."""
    _, values, rows = np.linalg.svd(J)
    rank = int((values > 1e-8 * values[0]).sum())
    return rows[rank:].T


@every
def test_formalisms_agree(name):
    model = model_of(name)
    others = [f for f in FORMALISMS if f != "direct"] if len(model.q) <= LARGE else ["newton-euler"]
    for other in others:
        peer = model_of(name, other)
        for q, dq, t, u in states(model):
            one, two = (evaluate(m, "M|delta", q, dq, t=t, u=u) for m in (model, peer))
            assert error(one.M, two.M) < 1e-11, other
            assert error(one.delta, two.delta) < 1e-11, other


@every
def test_energy_changes_by_the_power_of_what_does_not_store_it(name):
    """d(T + V)/dt along the acceleration of all equations; what prescribes a motion does work too."""
    model = model_of(name)
    E = kinetic(model) + potential(model)
    outputs = {"E_dq": gradient(E, model.dq), "power": power(model)}
    slopes = model.function("slopes", outputs, "force")
    of_q = model.function("slope", {"E_q": gradient(E, model.q)}, "velocity")
    for q, dq, t, u in states(model):
        ddq, forces = acceleration(model, q, dq, t, u)
        E_dq, given = evaluate(model, slopes, q, dq, t=t, u=u)
        rise = evaluate(model, of_q, q, dq, t=t) @ dq + E_dq @ ddq
        assert abs(rise - given - forces @ dq) < 1e-8 * max(
            1.0, np.abs(E_dq * ddq).sum(), np.abs(forces * dq).sum()
        )


def acceleration(model, q, dq, t, u):
    """ddq of the whole system of equations, and what the constraints exert on the coordinates."""
    M, delta = evaluate(model, "M|delta", q, dq, t=t, u=u)
    if not len(model.phi_dot):
        return np.linalg.solve(M, delta), np.zeros(len(q))
    J, gamma = evaluate(model, "Phi_dq", q, dq, t=t), evaluate(model, "gamma", q, dq, t=t)
    zero = np.zeros((len(J), len(J)))
    rows = np.block([[M, J.T], [J, zero]])
    scale = np.sqrt(np.abs(rows).max(axis=1))  # symmetric, so that lengths and masses of any size count alike
    scaled = rows / np.outer(scale, scale)
    solved = np.linalg.lstsq(scaled, np.concatenate([delta, gamma]) / scale, rcond=1e-12)[0] / scale
    ddq = solved[: len(q)]
    return ddq, M @ ddq - delta


def power(model):
    """The power, in the motion of the coordinates, of loads and efforts, with that of what they store."""
    space, total = model.space, model.zero()
    at_rest = dict.fromkeys(model.dq, 0.0)
    stored = [load.potential for load in model.loads] + [rise for _, _, rise in model.efforts]
    pairs = []
    for load in model.loads:
        pairs += [(velocity(space, point, space.root, space.origin), f) for point, f in load.forces]
        pairs += [(angular_velocity(space, space.root, base), m) for base, m in load.moments]
    for motion, action in pairs:
        v = motion.at(space.root)
        total = total + (v - v.substitute(at_rest)).dot(action.at(space.root))
    for coordinate, effort, _ in model.efforts:
        total = total + effort * coordinate.dt()
    for V in (V for V in stored if V is not None):
        for slope, speed in zip(gradient(V, model.q), model.dq, strict=True):
            total = total + slope * speed
    return total


@every
def test_the_drawing_can_be_drawn(name):
    model = model_of(name)
    assert model.drawing
    q, dq = model.start
    frames = evaluate(model, "frames", q, dq)
    for output in model.functions["frames"].outputs:
        values = getattr(frames, output.name) if len(model.functions["frames"].outputs) > 1 else frames
        assert np.isfinite(values).all()
        if output.name == "turns":
            for R in np.reshape(values, (-1, 3, 3)):
                assert error(R @ R.T, np.eye(3)) < 1e-9


@pytest.mark.parametrize(
    ("name", "function", "most"),
    [  # Plaza (2015), tables 6.5 to 6.15, prints 8, 21, 63, 264 (Robotran 182), 43 (Robotran 47), 37 and 150
        ("block_pendulum", "M", 4),
        ("block_pendulum", "M|delta", 16),
        ("four_bar_general", "M", 39),
        ("four_bar_general", "M|delta", 109),
        ("four_bar_general", "Phi|Phi_q", 25),
        ("crank_rod_disc", "M", 16),
        ("crank_rod_disc", "M|delta", 60),
    ],
)
def test_operations_of_the_equations(name, function, most):
    assert model_of(name).functions[function].operations.total <= most
