"""Long runs: what the loops gape, and what becomes of the energy.

* One hour of the four-bar test bench at 1 ms, released with the crank upright: RK4, projected.
* Ten seconds of the Stewart platform, on springs in its legs, thrown from its middle position.
* Ten seconds of the locomotive on its rails at 10 m/s, pushed aside at the start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.deviation import Deviation, residual
from biela.mechanisms import four_bar, locomotive, stewart
from biela.simulate import Record, Simulation, assemble

DT = 1e-3
STIFFNESS, DAMPING = 5000.0, 20.0  # of the platform's legs, N/m and N s/m


def lines(quick: bool) -> Iterator[Deviation]:
    """The hour is ten minutes, and the locomotive stays in its shed, where it must be quick."""
    yield from _four_bar(600.0 if quick else 3600.0)
    yield from _stewart()
    if not quick:
        yield from _locomotive()


def _four_bar(duration: float) -> Iterator[Deviation]:
    model = four_bar().model()
    for metric in ("identity", "mass"):
        simulation = Simulation(model, "multipliers", "rk4", dt=DT, metric=metric)
        run = simulation.run(assemble(model, crank=np.pi / 2), duration, every=100)
        case = f"four-bar, {duration:g} s, {metric}"
        yield from _gaped(case, run)
        energy = run.energy
        drift = np.abs(energy - energy[0]).max() / abs(energy[0])
        yield residual("energy", case, "largest relative change", drift)


def _stewart() -> Iterator[Deviation]:
    model = stewart().model()
    start = assemble(model, velocities={"z": -0.5, "x": 0.5, "yaw": 1.0})
    force = {
        c.name.replace("length", "force"): STIFFNESS * (start[c.name] - c.symbols.position)
        - DAMPING * c.symbols.velocity
        for c in model.placements
        if c.name.endswith("length")
    }
    yield from _gaped("Stewart platform, 10 s", Simulation(model, dt=DT).run(start, 10.0, every=10, u=force))


def _locomotive() -> Iterator[Deviation]:
    model = locomotive().model()
    names = [placement.name for placement in model.placements]
    rates = dict(zip(names, model.start[1], strict=True)) | {"WAG.y": 0.05}
    start = assemble(model, velocities=rates)
    yield from _gaped("locomotive, 10 s", Simulation(model, dt=DT).run(start, 10.0, every=10))


def _gaped(case: str, run: Record) -> Iterator[Deviation]:
    """The largest residual of all steps, and of the velocities at the moments of the record."""
    yield residual("residuals", case, "positions", float(run["gap"][-1]))
    yield residual("residuals", case, "velocities", float(np.abs(run.value("Phi_dot")).max()))
    yield Deviation("residuals", case, "end, s", run.t[-1], round(run.t[-1]) if run.ok else np.nan)
