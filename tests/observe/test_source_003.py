"""What source 003 needs of kinematics and dynamics, against values computed independently of this library."""

import bench_linkage as rig
import numpy as np
import pytest

from biela.mechanisms import four_bar_natural
from biela.simulate import Simulation, assemble, kinematics, linearise

DEG, W = rig.DEG, 1.8190
PLACES = {  # crank, coupler, rocker in degrees; P2 and P3 in metres
    0: (41.8587922056, 127.6312299587, 0.5221875000, 0.3603404152, 0.3120177293, 0.3325435184),
    30: (35.6979991162, 124.4734181791, 0.5424591571, 0.3750969398, 0.3305200573, 0.3700157989),
    90: (23.7079978252, 132.1897396209, 0.4944274977, 0.3371208178, 0.2860565279, 0.3761789664),
    150: (18.4961902436, 149.4443738152, 0.4081831174, 0.2313104635, 0.2042215725, 0.2891350967),
    180: (20.4509556664, 155.5008951490, 0.3859646739, 0.1886789568, 0.1801493950, 0.2395127150),
    270: (40.7695290451, 149.2512708408, 0.4089649229, 0.2326296809, 0.1983047102, 0.2088331521),
    330: (45.5511349860, 134.3265540488, 0.4820701595, 0.3254928824, 0.2741267429, 0.2842189745),
}
RATES = {  # coupler, rocker: rad/s, rad/s2
    0: (-0.3210000000, -0.3210000000, -0.5296117524, 0.7667157765),
    90: (-0.2862333238, 0.4631359987, 0.3564686616, 0.5441631683),
    180: (0.2372608696, 0.2372608696, 0.8235214344, -1.0063700553),
    300: (0.1536401454, -0.4664666755, -0.8736465027, -0.1752848870),
}


def turn(steps=360):
    times = np.arange(steps + 1) * (2 * np.pi / W / steps)
    return kinematics(rig.model(), times[-1], times[1], drives={"crank": lambda t: W * t})


def test_positions_and_rates_over_a_whole_turn():
    run = turn()
    phi, psi = run["crank"] + run["coupler"], run["rocker"]
    for angle, (a, b, x2, y2, x3, y3) in PLACES.items():
        assert abs(phi[angle] - a * DEG) < 1e-9
        assert abs(psi[angle] - b * DEG) < 1e-9
        P2 = [0.8 + 0.455 * np.cos(psi[angle]), 0.455 * np.sin(psi[angle])]
        c, s = np.cos(phi[angle]), np.sin(phi[angle])
        arm = np.array([0.36491851851851853, 0.1195427741114019])
        P1 = 0.12 * np.array([np.cos(angle * DEG), np.sin(angle * DEG)])
        assert np.abs(np.subtract(P2, [x2, y2])).max() < 1e-9
        P3 = P1 + np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
        assert np.abs(P3 - [x3, y3]).max() < 1e-9
    for angle, (v, w, a, b) in RATES.items():
        assert abs(run["crank'"][angle] + run["coupler'"][angle] - v) < 1e-9
        assert abs(run["rocker'"][angle] - w) < 1e-9
        assert abs(run["coupler''"][angle] - a) < 1e-9
        assert abs(run["rocker''"][angle] - b) < 1e-9
    assert run.ok
    J = run.value("Phi_dq")[:, :, 1:]
    assert np.linalg.cond(J).max() < 40.0


RELEASED = {
    90: {0.1: (1.5969786786, 0.5261705034), 1.0: (4.6885231287, 4.7679570923),
         2.0: (6.2138743656, -1.2790352212), 5.0: (6.1744705975, 1.4457016952)},
    60: {0.1: (1.0549542812, 0.1560800752), 1.0: (2.3700175283, 3.8648530371),
         2.0: (6.4838323682, 1.6103372907), 5.0: (1.1338535054, -0.5673021446)},
}  # fmt: skip
OTHER_DISC = {0.5: 2.5554598767, 1.0: 5.3276738460, 2.0: 5.5407225407, 5.0: 5.7264472872}


@pytest.mark.parametrize("angle", [90, 60])
@pytest.mark.parametrize("formulation", ["multipliers", "independent"])
def test_trajectories_and_energy(formulation, angle):
    run = Simulation(rig.model(), formulation, "rk4", dt=2.5e-4).run(rig.guess(angle), 5.0)
    for t, (q, dq) in RELEASED[angle].items():
        assert abs(run["crank"][round(t / 2.5e-4)] - q) < 1e-8
        assert abs(run["crank'"][round(t / 2.5e-4)] - dq) < 1e-7
    assert np.ptp(run.energy) < 1e-9


def test_natural_coordinates_take_the_same_way():
    m = four_bar_natural().model()
    name = next(c.name for c in m.placements if c.unit == "rad")
    run = Simulation(m, dt=5e-4).run(assemble(m, **{name: np.pi / 2}), 1.0)
    assert abs(run[name][-1] - 4.6885231287) < 1e-7


def test_a_smaller_disc():
    start = assemble(rig.model(), crank=np.pi / 2, p={"r": 0.12})
    assert abs(start.value("ddq").ddq[0] - 6.872946169882) < 1e-10
    run = Simulation(rig.model(), dt=2.5e-4).run(start, 5.0)
    assert all(abs(run["crank"][round(t / 2.5e-4)] - q) < 1e-8 for t, q in OTHER_DISC.items())


@pytest.mark.parametrize(
    ("angle", "mass", "force", "acceleration"),
    [
        (90, 0.119365252514, 0.622037728619, 5.211212773559),
        (60, 0.113183684291, 0.174519116494, 1.541910546448),
    ],
)
def test_reduced_mass_and_force_at_release(angle, mass, force, acceleration):
    state = rig.guess(angle)
    M, delta, J = state.value("M"), state.value("delta"), state.value("Phi_dq")
    R = np.concatenate([[1.0], np.linalg.solve(J[:, 1:], -J[:, 0])])
    assert np.abs(J @ R).max() < 1e-13
    assert abs(R @ M @ R - mass) < 1e-11
    assert abs(R @ delta - force) < 1e-11
    assert abs(state.value("ddq").ddq[0] - acceleration) < 1e-10


def test_natural_frequency():
    found = linearise(assemble(rig.model(), crank=217.3938311492 * DEG))
    frequency = np.abs(np.linalg.eigvals(found.A)).max() / (2 * np.pi)
    assert abs(frequency - 0.46130029) < 1e-8
