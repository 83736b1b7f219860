"""The four-bar test bench, driven: positions, rates, accelerations and readings of its sensors.

The tables follow from the closed form of the linkage with the lengths of the bench (Torres-Moreno and others,
Sensors 16, 2016, 333), crank at 1.8190 rad/s. Angles are against x, of crank, coupler and rocker.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.deviation import Deviation, deviations, residual
from biela.mechanisms import four_bar_natural
from biela.simulate import State, assemble

RATE, LENGTHS = 1.8190, {"crank": 0.120, "coupler": 0.540, "rocker": 0.455, "ground": 0.800, "sensor": 0.384}
AT_1, AT_2 = np.deg2rad([18.1381531663, 34.3246226759])  # angles of the coupler's triangle at P1 and P2
PLACES = """
  0 41.8587922056 127.6312299587 .5221875000 .3603404152 .3120177293 .3325435184
 30 35.6979991162 124.4734181791 .5424591571 .3750969398 .3305200573 .3700157989
 60 29.1892496084 126.1761403908 .5314273434 .3672788152 .3202783126 .3862547682
 90 23.7079978252 132.1897396209 .4944274977 .3371208178 .2860565279 .3761789664
120 19.9219313750 140.7432637423 .4476851955 .2879223481 .2423480420 .3406542493
150 18.4961902436 149.4443738152 .4081831174 .2313104635 .2042215725 .2891350967
180 20.4509556664 155.5008951490 .3859646739 .1886789568 .1801493950 .2395127150
210 26.0913306370 157.0395142086 .3810477829 .1774937740 .1712328270 .2078530273
240 33.7024443972 154.5237767646 .3892424431 .1957121086 .1772549424 .1980141839
270 40.7695290451 149.2512708408 .4089649229 .2326296809 .1983047102 .2088331521
300 45.1775309784 142.1644217609 .4406527067 .2790959026 .2324445812 .2391787825
330 45.5511349860 134.3265540488 .4820701595 .3254928824 .2741267429 .2842189745
"""
RATES = """
  0 -.3210000000 -.3210000000 -.5296117524 .7667157765 -.2407180633 -.1359604628
 30 -.4030828719 -.0476414961 -.0558022021 1.0613509036 -.3633734961 -.2615403375
 60 -.3725455895 .2475612313 .2301860038 .9285476195 -.2996385536 -.3231289855
 90 -.2862333238 .4631359987 .3564686616 .5441631683 -.1147562461 -.3160697510
120 -.1667128596 .5500127961 .4873029276 .0410809016 .0747626399 -.2031009560
150 .0051898222 .4756770152 .7210033949 -.5692411939 .1786410474 .0236414863
180 .2372608696 .2372608696 .8235214344 -1.0063700553 .1829112394 .2336966381
210 .4271908747 -.0432963183 .4259579077 -.8642866811 .1795486567 .2668494347
240 .4692331155 -.2474925402 -.1239322601 -.5701542861 .1837066976 .2479725342
270 .3662871135 -.3830822089 -.5715929002 -.3838983935 .1613528959 .2395834449
300 .1536401454 -.4664666755 -.8736465027 -.1752848870 .0971534496 .1851019047
330 -.1092272989 -.4646686746 -.8898186388 .2273344669 -.0395947031 .0429685005
"""
VELOCITIES = {0: (0.1067464694, 0.1566423089), 90: (-0.1449530430, -0.0818789108),
              180: (-0.0568269950, -0.1470662935), 270: (0.0978326539, 0.0726364599)}  # fmt: skip
READINGS = {0: (6.2761733845, 7.3657744875), 90: (3.7122060308, 8.7388447151),
            210: (4.5930830812, 8.9709932593)}  # fmt: skip


def lines(quick: bool) -> Iterator[Deviation]:
    """All twelve crank angles, each assembled from the one before, and what the sensors read there."""
    places, rates = (
        {int(row.split()[0]): [float(x) for x in row.split()[1:]] for row in table.strip().splitlines()}
        for table in (PLACES, RATES)
    )
    states = _turned(places)
    for angle, state in states.items():
        case, ddq = f"crank at {angle} deg", _accelerations(state)
        phi, psi = (np.rad2deg(value) for value in _angles(state))
        names = ("coupler, deg", "rocker, deg", "P2.x", "P2.y", "P3.x", "P3.y")
        yield from deviations("four-bar positions", case, names, [phi, psi, *state.q[2:6]], places[angle])
        names = ("coupler'", "rocker'", "coupler''", "rocker''", "P3.x''", "P3.y''")
        found = [*_rates(state), *_turning(state, ddq), *ddq[4:6]]
        yield from deviations("four-bar rates", case, names, found, rates[angle])
        if angle in VELOCITIES:
            names = ("P3.x'", "P3.y'")
            yield from deviations("four-bar rates", case, names, state.dq[4:6], VELOCITIES[angle])
        if angle in READINGS:
            reading = _direction(_angles(state)[0]).T @ (ddq[4:6] - np.array([0.0, -9.81]))
            yield from deviations("accelerometer", case, ("along", "across"), reading, READINGS[angle])
        yield from _sensors(case, state)
    yield from _regular(states[0])


def _turned(angles: dict[int, list[float]]) -> dict[int, State]:
    model, states = four_bar_natural().model(), dict[int, State]()
    guess: State | None = None
    for angle in angles:
        guess = assemble(model, guess, velocities={"th1": RATE}, th1=np.deg2rad(angle))
        states[angle] = guess
    return states


def _accelerations(state: State, crank: float = 0.0) -> np.ndarray:
    """All accelerations for one of the crank."""
    J, gamma = state.value("Phi_dq"), state.value("gamma")
    rest = np.linalg.solve(np.delete(J, 6, axis=1), gamma - J[:, 6] * crank)
    return np.insert(rest, 6, crank)


def _angles(state: State) -> tuple[float, float]:
    x1, y1, x2, y2 = state.q[:4]
    return np.arctan2(y2 - y1, x2 - x1), np.arctan2(y2, x2 - LENGTHS["ground"])


def _rates(state: State) -> tuple[float, float]:
    """What gyroscopes on coupler and rocker read, from the velocities of their ends."""
    (x1, y1, x2, y2), (u1, v1, u2, v2) = state.q[:4], state.dq[:4]
    coupler = ((v2 - v1) * (x2 - x1) - (u2 - u1) * (y2 - y1)) / LENGTHS["coupler"] ** 2
    return coupler, (v2 * (x2 - LENGTHS["ground"]) - u2 * y2) / LENGTHS["rocker"] ** 2


def _turning(state: State, ddq: np.ndarray) -> tuple[float, float]:
    (x1, y1, x2, y2), (a1, b1, a2, b2) = state.q[:4], ddq[:4]
    coupler = ((b2 - b1) * (x2 - x1) - (a2 - a1) * (y2 - y1)) / LENGTHS["coupler"] ** 2
    return coupler, (b2 * (x2 - LENGTHS["ground"]) - a2 * y2) / LENGTHS["rocker"] ** 2


def _direction(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _sensors(case: str, state: State) -> Iterator[Deviation]:
    """Gyroscopes against the closed form of the rates, and points found again from two angles."""
    th, (phi, psi) = state["th1"], _angles(state)
    l1, l2, l3 = (LENGTHS[name] for name in ("crank", "coupler", "rocker"))
    exact = (
        -l1 * RATE * np.sin(th - psi) / (l2 * np.sin(phi - psi)),
        l1 * RATE * np.sin(th - phi) / (l3 * np.sin(psi - phi)),
    )
    yield from deviations("gyroscope", case, ("coupler", "rocker"), _rates(state), exact)
    P2 = np.array([LENGTHS["ground"], 0.0]) + l3 * _direction(psi)[:, 0]
    P1 = P2 - l2 * _direction(phi)[:, 0]
    model = state.model
    x3, y3 = (q.value for q in model.parameters if q.name in ("x3", "y3"))
    P3 = P1 + _direction(phi) @ np.array([x3, y3])
    names = ("P1.x", "P1.y", "P2.x", "P2.y", "P3.x", "P3.y")
    yield from deviations("dead reckoning", case, names, [*P1, *P2, *P3], state.q[:6])
    printed = P1 + LENGTHS["sensor"] * _direction(phi + AT_2)[:, 0]
    off = float(np.hypot(*(printed - state.q[4:6])))
    yield Deviation("misprinted dead reckoning", case, "distance", off, 0.10812237)


def _regular(state: State) -> Iterator[Deviation]:
    """The condition number of the dependent columns over a revolution, in half degrees, and rates by R."""
    worst, along = 0.0, 0.0
    for angle in np.deg2rad(np.arange(0.0, 360.0, 0.5)):
        state = assemble(state.model, state, velocities={"th1": 1.0}, th1=angle)
        J = state.value("Phi_dq")
        worst = max(worst, float(np.linalg.cond(np.delete(J, 6, axis=1))))
        along = max(along, float(np.abs(J @ state.dq).max()))
    yield residual("four-bar regularity", "revolution", "condition number beyond 40", max(0.0, worst - 40.0))
    yield residual("four-bar regularity", "revolution", "Phi_q R", along)
