"""The four-bar test bench, released from rest: three formulations against tables.

The tables were computed with the equation of one degree of freedom, in natural coordinates, and with
reference points, to 1e-11 (released with the crank at 90 and 60 degrees; disc of 0.14 m, and of 0.12 m).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.deviation import Deviation, deviations, residual
from biela.mechanics.model import Model
from biela.mechanisms import four_bar, four_bar_natural
from biela.simulate import Simulation, State, assemble, equilibria, linearise, stability

DT = 1e-3
RELEASED = {
    90: {0.1: (1.5969786786, 0.5261705034), 0.25: (1.7385549415, 1.3810834331),
         0.5: (2.2988106213, 3.2052143114), 1.0: (4.6885231287, 4.7679570923),
         1.5: (6.1947751768, 1.3618425967), 2.0: (6.2138743656, -1.2790352212),
         3.0: (2.3460799624, -3.3307280968), 5.0: (6.1744705975, 1.4457016952),
         10.0: (2.4461396626, -3.5878091183)},
    60: {0.1: (1.0549542812, 0.1560800752), 0.25: (1.0972448134, 0.4154652076),
         0.5: (1.2708324737, 1.0238143213), 1.0: (2.3700175283, 3.8648530371),
         1.5: (4.9659121257, 4.7484391633), 2.0: (6.4838323682, 1.6103372907),
         3.0: (6.8233073683, -0.5936458391), 5.0: (1.1338535054, -0.5673021446),
         10.0: (1.4631001896, -1.5796569513)},
}  # fmt: skip
SMALLER = {0.5: 2.5554598767, 1.0: 5.3276738460, 2.0: 5.5407225407, 5.0: 5.7264472872}
STARTS = {90: (0.119365252514, 0.622037728619, 5.211212773559),
          60: (0.113183684291, 0.174519116494, 1.541910546448)}  # fmt: skip
EULER = {1.0: 4.6870368200, 2.0: 6.2394310394, 5.0: 6.1345152339}
POTENTIAL = (1.29344185, 3.15817912)
WAYS = ("multipliers", "independent", "augmented-lagrangian")


def lines(quick: bool) -> Iterator[Deviation]:
    """Releases, their first accelerations, equilibria, and the explicit Euler method."""
    relative, natural = four_bar().model(), four_bar_natural().model()
    for angle, table in RELEASED.items():
        yield from _first(relative, angle)
        for model, crank in ((relative, "crank"), (natural, "th1")):
            for formulation in WAYS:
                yield from _released(model, crank, angle, table, formulation)
        yield from _agreement(relative, natural, angle)
    yield from _smaller(relative)
    yield from _equilibria(relative)
    start = assemble(relative, crank=np.pi / 2)
    run = Simulation(relative, "independent", "euler", dt=DT, independent=("crank",)).run(start, 5.0)
    for t, angle in EULER.items():
        yield Deviation("explicit Euler", f"t = {t:g} s", "crank", run["crank"][round(t / DT)], angle)


def _start(model: Model, crank: str, angle: float, **more: float) -> State:
    return assemble(model, velocities=np.zeros(len(model.q)), p=more, **{crank: np.deg2rad(angle)})


def _released(
    model: Model, crank: str, angle: int, table: dict[float, tuple[float, float]], formulation: str
) -> Iterator[Deviation]:  # fmt: skip
    run = Simulation(model, formulation, dt=DT).run(_start(model, crank, angle), 10.0)
    case = f"{model.name}, {formulation}, {angle} deg"
    for t, expected in table.items():
        k = round(t / DT)
        found = run[crank][k], run[f"{crank}'"][k]
        names = (f"crank at {t:g} s", f"crank' at {t:g} s")
        yield from deviations("four-bar release", case, names, found, expected)
    energy = run.energy
    yield residual("energy of the release", case, "largest change, J", np.abs(energy - energy[0]).max())


def _agreement(relative: Model, natural: Model, angle: int) -> Iterator[Deviation]:
    """Multipliers and independent coordinates, in relative and natural coordinates."""
    runs = {
        f"{model.name}, {way}": Simulation(model, way, dt=DT).run(_start(model, crank, angle), 10.0)[crank]
        for model, crank in ((relative, "crank"), (natural, "th1"))
        for way in ("multipliers", "independent")
    }
    first, *others = runs
    for other in others:
        gap = np.abs(runs[other] - runs[first]).max()
        yield residual("formulations of the four-bar", f"{angle} deg, {other}", "largest difference", gap)


def _first(model: Model, angle: int) -> Iterator[Deviation]:
    """Mass, force and acceleration of the one degree of freedom at the start."""
    state = assemble(model, velocities={"crank": 1.0}, crank=np.deg2rad(angle))
    R, rest = state.dq, state.changed(dq=np.zeros(3))
    mass, force = R @ rest.value("M") @ R, R @ rest.value("delta")
    found = mass, force, rest.value("ddq").ddq[0]
    names = ("mass", "force", "crank''")
    yield from deviations("first acceleration", f"{angle} deg", names, found, STARTS[angle])
    along = np.abs(state.value("Phi_dq") @ R).max()
    yield residual("first acceleration", f"{angle} deg", "Phi_q R", along)


def _smaller(model: Model) -> Iterator[Deviation]:
    start = _start(model, "crank", 90.0, r=0.12)
    yield Deviation("smaller disc", "90 deg", "crank'' at 0 s", start.value("ddq").ddq[0], 6.872946169882)
    run = Simulation(model, dt=DT).run(start, 5.0)
    for t, angle in SMALLER.items():
        yield Deviation("smaller disc", "90 deg", f"crank at {t:g} s", run["crank"][round(t / DT)], angle)


def _equilibria(model: Model) -> Iterator[Deviation]:
    found = {stability(state): state for state in equilibria(model) if state["rocker"] > 0.0}
    for kind, angle in (("stable", 217.3938311492), ("unstable", 48.2345771850)):
        crank = np.rad2deg(found[kind]["crank"]) % 360.0
        yield Deviation("equilibria", kind, "crank, deg", crank, angle)
    slow = linearise(found["stable"]).modes()[0]
    yield Deviation("equilibria", "stable", "frequency, Hz", slow.frequency, 0.46130029)
    heights = [found[kind].value("energy").potential for kind in ("stable", "unstable")]
    yield from deviations("equilibria", "potential energy", ("least, J", "most, J"), heights, POTENTIAL)
