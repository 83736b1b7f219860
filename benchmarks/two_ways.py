"""Mechanisms without a reference that can be trusted: two independent ways must agree.

Problems of the IFToMM Library of Computational Benchmark Problems: Bricard's linkage (A04), the stiff flyball
governor (A05) and the spatial slider-crank. The second way has another formulation, another integrator with
its own step sizes, and another formalism for the equations.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.deviation import Deviation, deviations
from biela.mechanisms import MECHANISMS
from biela.simulate import Record, Simulation, assemble, diagnose

TOLERANCES = {"relative": 1e-12, "absolute": 1e-13}


def lines(quick: bool) -> Iterator[Deviation]:
    """The three mechanisms; the governor, which is stiff, for a second only where it must be quick."""
    yield from _both("bricard", "augmented-lagrangian", 10.0, 1e-3)
    yield from _both("spatial_slider_crank", "independent", 5.0, 5e-5)
    yield from _both("flyball_governor", "tree", 1.0 if quick else 10.0, 2e-5)
    found = diagnose(MECHANISMS["bricard"]().model())
    yield Deviation("redundant equations", "bricard", ", ".join(found.redundant), len(found.redundant), 1.0)
    yield Deviation("redundant equations", "bricard", "degrees of freedom", found.freedom, 1.0)


def _both(name: str, other: str, duration: float, dt: float) -> Iterator[Deviation]:
    first = _run(name, "direct", "auto", "rk4", duration, dt)
    second = _run(name, "lagrange", other, "dormand-prince", duration, min(100 * dt, 1e-2))
    assert first.model is not None
    names = [placement.name for placement in first.model.placements]
    labels = [*names, *(f"{label}'" for label in names)]
    ours, reference = ([*run.q[-1], *run.dq[-1]] for run in (first, second))
    case = f"{name}, {duration:g} s"
    yield from deviations("two ways", case, labels, ours, reference)
    if name == "bricard":
        ours, reference = (run.value("frames")[-1][3] for run in (first, second))
        yield from deviations("two ways", case, ("P3.x", "P3.y", "P3.z"), ours, reference)
    yield Deviation("two ways", case, "energy, J", first.energy[-1], second.energy[-1])


def _run(name: str, formalism: str, formulation: str, integrator: str, duration: float, dt: float) -> Record:
    model = MECHANISMS[name]().model(formalism=formalism)
    simulation = Simulation(model, formulation, integrator, dt=dt, **TOLERANCES)
    return simulation.run(assemble(model), duration, every=round(duration / dt / 10))
