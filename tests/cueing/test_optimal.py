"""The optimal washout against its equation, the Hamiltonian, and the response of its state space."""

import numpy as np
import pytest
from scipy.linalg import expm

from biela.cueing import CANALS, OTOLITHS, OptimalWashout
from biela.cueing.washout.riccati import WEIGHTS, Regulator

DT, G = 0.02, 9.80665
GROUPS = ("surge", "sway", "heave", "yaw")
AXES = {"surge": ("surge", "pitch"), "sway": ("sway", "roll"), "heave": ("heave",), "yaw": ("yaw",)}
INPUTS = ("fx", "fy", "fz", "p", "q", "r")


@pytest.mark.parametrize("group", GROUPS)
def test_it_solves_its_equation(group):
    found = OptimalWashout().solution(group)
    A, B, Q, R, P = found.A, found.B, found.Q, found.R, found.P
    rest = A.T @ P + P @ A - P @ B @ np.linalg.inv(R) @ B.T @ P + Q
    assert np.abs(rest).max() < 1e-9
    assert found.residual < 1e-9
    assert np.abs(P - P.T).max() < 1e-10
    assert np.linalg.eigvalsh(P).min() > -1e-10


@pytest.mark.parametrize("group", GROUPS)
def test_its_poles_are_the_stable_ones_of_the_hamiltonian(group):
    found = OptimalWashout().solution(group)
    A, B, Q, R = found.A, found.B, found.Q, found.R
    hamiltonian = np.block([[A, -B @ np.linalg.inv(R) @ B.T], [-Q, -A.T]])
    poles = np.linalg.eigvals(hamiltonian)
    stable = np.sort_complex(poles[poles.real < 0])
    ours = np.sort_complex(np.linalg.eigvals(A - B @ found.F))
    assert len(stable) == len(A)
    assert np.abs(ours - stable).max() < 1e-7
    subspace = np.linalg.eig(hamiltonian)
    V = subspace.eigenvectors[:, subspace.eigenvalues.real < 0]
    P = (V[len(A) :] @ np.linalg.inv(V[: len(A)])).real
    assert np.abs(P - found.P).max() < 1e-9 * np.abs(P).max()


def test_its_organs_are_those_of_perception():
    """Otolith and canal inside the regulator, as transfer functions of what they sense."""
    regulator = OptimalWashout().solution("surge")
    s = regulator.states
    for organ, by, model in (("otolith", "f", OTOLITHS["young-meiry"]), ("canal", "q", CANALS["q"])):
        rows = [k for k, name in enumerate(s) if name.startswith(organ)]
        A, B = regulator.A[np.ix_(rows, rows)], regulator.A[rows, s.index(by)]
        weight = OptimalWashout().values[{"f": "surge.force", "q": "surge.turning"}[by]]
        Q = regulator.Q[np.ix_(rows, rows)] / weight
        C = Q[np.argmax(np.diag(Q))] / np.sqrt(np.diag(Q).max())
        for omega in (0.1, 1.0, 10.0):
            answer = C @ np.linalg.solve(1j * omega * np.eye(len(A)) - A, B)
            assert answer * np.sign(C[np.argmax(np.abs(C))]) == pytest.approx(model.respond(omega), abs=1e-10)


@pytest.mark.parametrize("group", GROUPS)
def test_the_native_filter_answers_as_the_state_space(group):
    """From the pulse response of the compiled filter, at z = exp(i omega T): W at s = 2/T (z - 1)/(z + 1)."""
    washout = OptimalWashout(axes=AXES[group])
    found = washout.solution(group)
    poses = [name for name in ("x", "theta") if name in found.states]
    driven = [name for name in ("f", "q") if name in found.states]
    count = 60_000
    for place, name in enumerate(driven):
        axis = AXES[group][0] if name == "f" else AXES[group][-1]
        rows = np.zeros((count, 6))
        rows[:, 2] = G
        rows[
            0, dict(zip(("surge", "sway", "heave", "roll", "pitch", "yaw"), range(6), strict=True))[axis]
        ] += 1.0
        pulse = washout.run(rows) / washout.values[f"{axis}.gain"]
        assert np.abs(pulse[-1]).max() < 1e-13
        for omega in (0.05, 0.3, 1.0, 5.0, 40.0):
            z = np.exp(1j * omega * DT)
            s = 2.0 / DT * (z - 1.0) / (z + 1.0)
            ours = (pulse * (z ** -np.arange(float(count)))[:, None]).sum(axis=0)
            A, B = found.filter
            asked = np.linalg.solve(s * np.eye(len(A)) - A, B[:, place])
            assert ours == pytest.approx(asked[[found.states.index(key) for key in poses]], abs=1e-9)


def test_it_costs_least():
    """J of the regulator from a displaced start is z^T P z, and any other gains cost more."""
    found = OptimalWashout().solution("surge")
    z0 = np.zeros(len(found.A))
    z0[found.states.index("f")] = 1.0

    def cost(F):
        closed = found.A - found.B @ F
        weight = found.Q + F.T @ found.R @ F
        total, z, step = 0.0, z0, expm(closed * 0.02)
        for _ in range(20_000):
            after = step @ z
            total += 0.01 * (z @ weight @ z + after @ weight @ after)
            z = after
        return total

    best = z0 @ found.P @ z0
    assert cost(found.F) == pytest.approx(best, rel=1e-3)
    for off in (0.5, 1.5):
        F = found.F.copy()
        F[:, found.states.index("f")] *= off
        assert cost(F) > 1.01 * best


def test_weights_do_what_they_say():
    rows = np.zeros((1500, 6))
    rows[:, 2] = G
    rows[50:, 0] = 1.0
    washout = OptimalWashout(axes=("surge", "pitch"))
    room = [np.ptp(washout.changed({"surge.place": w}).run(rows)[:, 0]) for w in (0.05, 0.5, 5.0)]
    assert room[0] > room[1] > room[2]
    turning = [
        np.abs(np.diff(washout.changed({"surge.turning": w}).run(rows)[:, 1])).max() for w in (10, 100, 1e3)
    ]
    assert turning[0] > turning[1] > turning[2]


def test_a_surge_that_lasts_is_tilted_and_the_platform_comes_back():
    rows = np.zeros((6000, 6))
    rows[:, 2] = G
    rows[:, 0] = 1.0
    pose = OptimalWashout(axes=("surge", "pitch")).run(rows)
    assert pose[:200, 0].max() > 0.05
    assert abs(pose[-1, 0]) < 1e-4
    assert pose[500, 1] < -0.02


def test_wrong_regulators():
    with pytest.raises(ValueError, match=r"Unknown otolith 'telbn'.*Did you mean 'telban'"):
        OptimalWashout(otolith="telbn")
    with pytest.raises(ValueError, match="Unknown channel 'roll'"):
        OptimalWashout().solution("roll")
    with pytest.raises(ValueError, match=r"surge\.place is 0\.0; it must be positive"):
        OptimalWashout().changed({"surge.place": 0.0})
    with pytest.raises(ValueError, match="organ without a lag"):
        assert Regulator(True, True, -1.0, (0.4, 10.0, 5.0, 0.0), (), (1.0,) * len(WEIGHTS)).solution
