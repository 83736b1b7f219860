"""The predictive washout: its programme, its solution against OSQP, its limits, its foresight."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.signal import cont2discrete

import biela as bl
from biela.cueing import CANALS, OTOLITHS, PredictiveWashout, drive
from biela.cueing.washout.exact import Solver, exactly
from biela.cueing.washout.horizon import Horizon, Mover
from biela.cueing.washout.predictive import RHO, SOFT
from biela.cueing.washout.splitting import Rows, Splitting
from biela.cueing.washout.stopping import stopping

DT, G = 0.02, 9.80665
SMALL = {"stages": 5, "length": 0.4}
TILTED = Horizon(
    (
        Mover((1.0, 0.0, 0.0), (0.5, 0.8, 6.0), (0.2, 0.1, 0.01, 0.02)),
        Mover((0.0, 0.0, -G), (0.3, 0.05, 0.3), (0.1, 1.0, 0.5, 1.0)),
    ),
    (0.4, 13.2, 5.33, 0.66), 2.0, 6, 0.25,
)  # fmt: skip
TURNING = Horizon(
    (Mover((0.0, 1.0, 0.0), (0.3, 0.6, 4.0), (5.0, 0.5, 0.02, 0.02)),), (5.3, 0.1, 30.0), 50.0, 8, 0.2
)


def cost(horizon, z, r, U):
    """The cost of accelerations, and what is bounded, stage by stage, with organs sampled by SciPy."""
    numbers, n = horizon.organ, len(horizon.movers)
    if len(numbers) == 4:
        gain, lead, long, short = numbers
        over, under = gain * np.array([lead, 1]), np.polymul([long, 1], [short, 1])
    else:
        long, short, slow = numbers
        over, under = [long * slow, 0, 0], np.polymul(np.polymul([long, 1], [short, 1]), [slow, 1])
    over, under = np.array(over) / under[0], under / under[0]
    size = len(under) - 1
    A = np.eye(size, k=1)
    A[-1] = -under[:0:-1]
    C = np.zeros((1, size))
    C[0, : len(over)] = over[::-1]
    A, B, C, _, _ = cont2discrete((A, np.eye(size)[:, -1:], C, [[0.0]]), horizon.length)
    place, speed, before = z[: 3 * n].reshape(n, 3).T.copy()
    sensed, other, h = z[3 * n : -1], z[-1], horizon.length
    total, bounded = 0.0, np.zeros((n, 3, horizon.stages))
    for k in range(horizon.stages):
        shown = other
        for j, mover in enumerate(horizon.movers):
            u = U[j * horizon.stages + k] * mover.most[2]
            was = speed[j]
            place[j] += h * was + h * h * u / 2
            speed[j] += h * u
            shown += np.dot(mover.shows, [u, (was + speed[j]) / 2, place[j]])
            parts = np.array([place[j], speed[j], u, u - before[j]])
            total += np.dot(mover.weights, parts**2) / 2
            bounded[j, :, k] = u / mover.most[2], speed[j] / mover.most[1], place[j] / mover.most[0]
            before[j] = u
        sensed = A @ sensed + B[:, 0] * (r[k] - shown)
        total += horizon.weight / 2 * (C[0] @ sensed) ** 2
    return total, bounded.ravel()


@pytest.mark.parametrize("horizon", [TILTED, TURNING])
def test_the_programme_is_the_cost_stage_by_stage(horizon):
    rng = np.random.default_rng(1)
    found = horizon.programme
    for _ in range(5):
        z, r, U = (rng.normal(size=size) for size in (horizon.known, horizon.stages, len(found.H)))
        (none, _), (some, rows) = cost(horizon, z, r, 0 * U), cost(horizon, z, r, U)
        assert U @ found.H @ U / 2 + found.G @ np.concatenate([z, r]) @ U == pytest.approx(
            some - none, rel=1e-9
        )
        assert found.A @ U + found.B @ z == pytest.approx(rows, abs=1e-10)


def split(horizon, steps):
    """The native splitting of a horizon's programme, iterated: U for g and the start of the movers."""
    graph, found, N = bl.Graph(), horizon.programme, horizon.stages
    m, n = found.A.shape
    mean = np.trace(found.H) / n
    rho, soft = RHO * mean, SOFT * mean
    v, g = [graph.symbol(f"v{k}") for k in range(m)], [graph.symbol(f"g{k}") for k in range(n)]
    s = [graph.symbol(f"s{k}") for k in range(2 * n // N)]
    zero = 0.0 * g[0]
    K = np.linalg.inv(found.H + rho * found.A.T @ found.A)
    rows = []
    for j, mover in enumerate(horizon.movers):
        place, speed, most = mover.most
        h = horizon.length
        numbers = (h * most / speed, h * speed / place, h * h * most / place / 2)
        rows.append(Rows(*(zero + x for x in numbers), s[2 * j + 1], s[2 * j]))
    programme = Splitting([zero + x for x in K.ravel()], g, zero + rho, zero + rho / (rho + soft), rows)
    U, after = programme.solve(v, 1)
    kernel = bl.Kernel(bl.Function("split", {"v": v, "g": g, "s": s}, {"v_next": after, "U": U}))
    return lambda g, s: kernel(kernel.iterate(np.zeros(m), steps, g, s, every=steps)[-1], g, s).U


@pytest.mark.parametrize("horizon", [TILTED, TURNING])
def test_splitting_finds_what_osqp_finds(horizon):
    """With limits that bind, and from states that leave no feasible way."""
    rng = np.random.default_rng(2)
    solve, exact = split(horizon, 40_000), Solver(horizon)
    found, n = horizon.programme, len(horizon.movers)
    for size in (0.2, 1.0, 3.0):
        shares = size * rng.uniform(-0.6, 0.6, (n, 2)) if size < 3.0 else np.full((n, 2), 1.8)
        z = np.zeros(horizon.known)
        for j, mover in enumerate(horizon.movers):
            z[3 * j : 3 * j + 2] = shares[j] * mover.most[:2]
        g = found.G @ np.concatenate([z, size * rng.normal(size=horizon.stages)])
        ours, theirs = solve(g, shares.ravel()), exact.solve(g, found.B @ z)
        assert ours == pytest.approx(theirs, abs=2e-5)
        if size == 3.0:
            rows = found.A @ ours + found.B @ z
            assert np.abs(rows).max() > 1.01  # nothing could be feasible


@pytest.mark.parametrize(
    ("axes", "options"), [(("surge", "pitch"), SMALL), (("roll",), {}), (("yaw",), {"ahead": "oracle"})]
)
def test_a_ride_is_near_the_exact_one(axes, options):
    """A few iterations a sample, from where those before ended: within half a per cent of the range."""
    rows = drive.town(12.0)
    washout = PredictiveWashout(axes=axes, **options)
    exact = exactly(washout, rows)
    ours = washout.run(rows)
    assert (np.abs(ours - exact).max(axis=0) < 0.005 * np.ptp(exact, axis=0)).all()
    coarse = washout.changed(iterations=1).run(rows)
    assert np.abs(coarse - exact).max() > np.abs(ours - exact).max()


@pytest.mark.parametrize("size", [1.0, 30.0])
def test_limits_hold_at_every_sample(size):
    """However hard the vehicle moves, and with a single iteration; without turning all of pitch is tilt."""
    rows = size * drive.town(60.0, seed=3)
    rows[1000:1400, :2] = 100.0 * size
    rows[1400:1500, :2] = -100.0 * size
    values = {"pitch.gain": 0.0, "roll.gain": 0.0}
    washout = PredictiveWashout(axes=("surge", "sway", "roll", "pitch"), iterations=1, **SMALL).changed(
        values
    )
    pose = washout.run(rows)
    for axis, column in (("surge", 0), ("sway", 1), ("tilt", 2), ("tilt", 3)):
        place = np.concatenate([np.zeros(1), pose[:, column]])
        accelerations = second_differences(place)
        most = {key: washout.values[f"{axis}.most_{key}"] for key in ("place", "speed", "acceleration")}
        assert np.abs(place).max() <= most["place"]
        assert np.abs(accelerations).max() <= most["acceleration"] * (1 + 1e-6)
        speeds = np.concatenate([np.zeros(1), np.cumsum(DT * accelerations)])
        assert np.abs(speeds).max() <= most["speed"] * (1 + 1e-6)
        assert np.abs(place).max() > 0.9 * most["place"] or size == 1.0


def second_differences(place):
    """The accelerations, held for a sample each, that lead along places from rest."""
    speed, found = 0.0, np.empty(len(place) - 1)
    for k, (now, after) in enumerate(pairwise(place)):
        found[k] = 2.0 * (after - now - DT * speed) / DT**2
        speed += DT * found[k]
    return found


def test_one_can_always_stop_in_time():
    """From 4,096 states, each pushed at random: who is inside stays inside, who is not comes back."""
    graph = bl.Graph()
    x, v, asked = graph.symbols("x v asked")
    most = (0.5 + 0.0 * x, 0.8 + 0.0 * x, 3.0 + 0.0 * x)
    u = stopping(asked, x, v, most, DT)
    after = [x + DT * v + DT * DT / 2 * u, v + DT * u]
    kernel = bl.Kernel(bl.Function("pushed", {"x": [x, v], "asked": asked}, {"x_next": after}))
    rng = np.random.default_rng(4)
    state = np.ascontiguousarray(rng.uniform([[-1.5], [-2.0]], [[1.5], [2.0]], (2, 4096)))
    inside = np.zeros(4096, bool)
    push = rng.choice([-1e3, -1.0, 0.0, 2.0, 1e3], 4096)
    for k in range(400):
        if k % 40 == 0:
            push = rng.choice([-1e3, -1.0, 0.0, 2.0, 1e3], 4096)
        now = kernel.batch(state, push)
        assert np.abs(now[1] - state[1]).max() <= 3.0 * DT + 1e-12
        state = now
        held = (np.abs(state[0]) <= 0.5) & (np.abs(state[1]) <= 0.8)
        if k >= 300:
            assert held.all()
        inside |= held
    assert inside.all()


def test_an_oracle_begins_before_the_vehicle_does():
    rows = np.zeros((1500, 6))
    rows[:, 2] = G
    rows[250:, 0] = 1.0
    blind, seeing = (
        PredictiveWashout(axes=("surge", "pitch"), ahead=ahead, **SMALL).run(rows)
        for ahead in ("constant", "oracle")
    )
    assert not blind[:250].any()
    assert seeing[249, 1] < -0.01  # it leans already
    assert blind[-1, 1] == pytest.approx(seeing[-1, 1], abs=2e-3)


def test_what_is_foreseen_are_means_over_the_stages():
    washout = PredictiveWashout(ahead="oracle", stages=3, length=0.1)
    rows = drive.town(4.0)
    ahead = washout.foreseen(rows)[:, 6:].reshape(len(rows), 3, 6)
    assert ahead[17, 1] == pytest.approx(rows[22:27].mean(axis=0))
    assert ahead[-1, 2] == pytest.approx(rows[-1])


def test_sensing_is_that_of_perception():
    """The organs' states in a washout that cannot move are those of the vehicle's own motion."""
    rows = drive.town(20.0)
    still = {f"{axis}.most_{key}": 1e-9 for axis in ("surge", "tilt", "pitch")
             for key in ("place", "speed", "acceleration")}  # fmt: skip
    washout = PredictiveWashout(axes=("surge", "pitch"), **SMALL).changed(still | {"surge.gain": 1.0})
    names = [str(symbol) for symbol in washout.step.value(washout.step.inputs[0])]
    found = washout.recursion.run(washout.rest, rows, washout.p)[1:]
    for name, model, column, gain in (
        ("surge", OTOLITHS["young-meiry"], 0, 1.0), ("pitch", CANALS["q"], 4, 0.6),
    ):  # fmt: skip
        states = found[:, [k for k, key in enumerate(names) if key.startswith(f"{name}.sensed")]]
        sensed = states @ washout.horizon(name).sense.C
        ours = model.run(gain * rows[:, column])
        assert sensed == pytest.approx(ours, abs=0.06 * np.abs(ours).max())  # held against Tustin's rule


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: PredictiveWashout(ahead="orakel"), r"Unknown motion ahead 'orakel'.*Did you mean 'oracle'"),
        (lambda: PredictiveWashout(otolith="young"), "Unknown otolith 'young'"),
        (lambda: PredictiveWashout(stages=0), "stages is a count, 1 or more; got 0"),
        (lambda: PredictiveWashout(iterations=2.5), r"iterations is a count, 1 or more; got 2\.5"),
        (lambda: PredictiveWashout(length=0.01), r"a stage of 0\.01 s is shorter than a sample, 0\.02 s"),
        (lambda: PredictiveWashout().changed({"tilt.most_speed": 0.0}), "must be positive"),
        (lambda: PredictiveWashout().changed({"tilt.most_speed": np.inf}), "must be a finite number"),
        (lambda: PredictiveWashout(axes=("yaw",)).horizon("surge"), "Unknown programme 'surge'"),
    ],
)
def test_wrong_predictions(make, told):
    with pytest.raises(ValueError, match=told):
        make()
