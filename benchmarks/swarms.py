"""Particle filters of the four-bar of source 000: particles in real time, and against NumPy and `particles`.

A step is the complete filter: the model's step, noise at the angle, assembly, the gyroscope, log weights,
effective sample size, and resampling with noise at the speed when due. The same readings, thresholds and
deviations for everybody. Run by `python -m benchmarks.observers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.peers import numpy_particles
from biela.mechanics.model import Model
from biela.mechanisms import four_bar_rod
from biela.observe import Accelerometer, Bootstrap, Gyro, Options, Prior, Process, Sir
from biela.observe.study import Mechanism, Study, Trial
from biela.simulate import Simulation, State, assemble

DT, STEPS, MANY = 0.006, 100, 10_000
MUST, AIM = 300_000, 1_000_000
MECHANISM = Mechanism(four_bar_rod, "input_bar", (("as_simulated", True),))
INTEGRATORS = ("semi-implicit-euler", "rk4")


@cache
def mechanism() -> Model:
    """The mechanism of source 000, with its moments of inertia."""
    return MECHANISM.model()


@cache
def readings() -> np.ndarray:
    """The gyroscope of the reference."""
    run = Simulation(mechanism(), "multipliers", "rk4", dt=DT).run(
        assemble(mechanism(), input=2.0), STEPS * DT
    )
    return run["input'"][1:] + 0.01 * np.random.default_rng(1).standard_normal(STEPS)


def ours(particles: int, integrator: str) -> Sir:
    """Our filter, ready to go: everything has run once."""
    rig = [Gyro("input_bar", sigma=0.01)]
    pf = Sir(mechanism(), rig, particles, Options(), integrator=integrator, resampling="systematic", seed=1)
    pf.start(Prior(branch=-1))
    pf.step([0.0])
    pf.resample()
    pf.again(1)
    pf.start(Prior(branch=-1))
    return pf


def started(particles: int, kind: Any, integrator: str) -> Any:
    """A NumPy filter with the particles of ours."""
    x = ours(particles, integrator).swarm.x
    if kind is numpy_particles.General:
        return kind(x[0].copy(), x[2].copy(), x[1].copy(), integrator)
    end = numpy_particles.direction(x[0], np.ones(particles))
    same = np.abs(end[2] - np.sin(x[0] + x[1])) < 1e-6
    return kind(x[0].copy(), x[2].copy(), np.where(same, 1.0, -1.0), integrator)


def timed(step: Callable[[float], Any], rounds: int = 1) -> np.ndarray:
    """The time of each step, the best of several goes."""
    spent = np.full(STEPS, np.inf)
    for _ in range(rounds):
        for k, y in enumerate(readings()):
            begin = perf_counter()
            step(y)
            spent[k] = min(spent[k], perf_counter() - begin)
    return spent


def row(case: str, ours_: float | None, reference: float | None, unit: str, **more: Any) -> dict[str, Any]:
    """One figure."""
    return {"bench": "observers", "case": case, "ours": ours_, "reference": reference, "unit": unit, **more}


def real_time(quick: bool) -> Iterator[dict[str, Any]]:
    """How many particles a step of 6 ms has time for, from the time of a filter with so many."""
    sizes = (1000,) if quick else (MUST, AIM)
    for integrator in INTEGRATORS:
        for particles in sizes:
            pf = ours(particles, integrator)
            spent = timed(lambda y, pf=pf: pf.step([y]))
            mean = float(spent.mean())
            more = {
                "mean_ms": 1e3 * mean,
                "worst_ms": 1e3 * float(spent.max()),
                "resamplings": pf.resamplings,
            }
            case = f"particles in real time at 6 ms, complete filter, {integrator}, measured with {particles}"
            yield row(case, particles * DT / mean, MUST, "particles", **more)


def against(quick: bool) -> Iterator[dict[str, Any]]:
    """How many times faster than NumPy and than `particles` with 10 000 particles."""
    count = 500 if quick else MANY
    kinds = {"the same equations": numpy_particles.General, "a closed form": numpy_particles.ClosedForm}
    for integrator in INTEGRATORS:
        pf = ours(count, integrator)
        best = timed(lambda y, pf=pf: pf.step([y]), 1 if quick else 5).mean()
        for told, kind in kinds.items():
            peer = started(count, kind, integrator)
            theirs = timed(peer.step, 1 if quick else 3).mean()
            case = f"{count} particles, {integrator}, against NumPy with {told}"
            yield row(case, float(theirs / best), 20.0, "times", ours_us=1e6 * float(best))
            yield package(count, kind, told, integrator, float(best))


def package(count: int, kind: Any, told: str, integrator: str, best: float) -> dict[str, Any]:
    """Against the package of the field, with the same motion in NumPy as its model."""
    case = f"{count} particles, {integrator}, against `particles` with {told}"
    try:
        from benchmarks.peers.particles_package import load

        made = load(False)
    except ImportError as reason:
        return row(case, None, 20.0, "times", skipped=str(reason))
    one = started(count, kind, integrator)
    filter_ = made(np.stack([one.theta, one.omega, one.other], axis=1), readings(), kind, integrator)
    spent: list[float] = []
    for _ in range(STEPS - 1):
        begin = perf_counter()
        next(filter_)
        spent.append(perf_counter() - begin)
    return row(case, float(np.mean(spent)) / best, 20.0, "times")


def convergence(quick: bool) -> Iterator[dict[str, Any]]:
    """Tries of source 000 on one branch that end within 5 degrees, circular mean.

    The filter of the source is told beside ours: it has no goal of its own.
    """
    ours_ = {"filter": "bootstrap", "motion": 0.002}
    kinds = (("bootstrap filter", ours_, (90.0, 97.0)), ("SIR as in the source", {}, (None, None)))
    for told, options, goals in kinds:
        for branch in (1, -1):
            for particles, must in zip((200, 2000), goals, strict=True):
                trial = Trial(1, branch=branch, **options)
                study = Study(MECHANISM, "particles", (particles,), 4 if quick else 100, trial)
                (tested,) = study.run(executor=ThreadPoolExecutor(1) if quick else None)
                share = 100.0 * tested.converged / len(tested.outcomes)
                yield row(f"convergence, {told}, {particles} particles, branch {branch:+d}", share, must, "%")


def unknown_branch(quick: bool) -> Iterator[dict[str, Any]]:
    """How often the way a mechanism is put together is found within 2 s, from anywhere."""
    model = four_bar_rod().model()
    rig = [
        Gyro("input_bar", sigma=0.05),
        Gyro("floating_bar", sigma=0.05),
        Accelerometer("floating_bar", at=(1.5, 0, 0), sigma=0.3),
    ]
    process = Process(model, DT, "rk4", independent=["input"], position=2e-3, velocity=0.02)
    pf = Bootstrap(process, rig, 2000, spread={"input": 0.01, "input'": 0.02}, threads=1)
    simulation, tries, found = Simulation(model, "multipliers", "rk4", dt=DT), 4 if quick else 100, 0
    for seed in range(1, tries + 1):
        pf.again(seed + tries)
        x = pf.start(Prior()).x[:, 0]
        start = State(model, x[:2].copy(), x[2:].copy(), 0.0, model.p, model.u)
        pf.start(start)
        right = pf.estimate().branch > 0.5
        y = simulation.run(start, 2.0).value(pf.instruments.function)[1:]
        noise = np.random.default_rng(seed).standard_normal(y.shape)
        y += noise * np.sqrt(np.diag(pf.instruments.covariance))
        pf.again(seed)
        pf.start(Prior())
        for row_ in y:
            pf.step(row_)
        found += (pf.estimate().branch > 0.5) == right
    case = "unknown branch found within 2 s, two gyros and an accelerometer, 2000 particles"
    yield row(case, 100.0 * found / tries, 95.0, "%")


def results(quick: bool = False) -> Iterator[dict[str, Any]]:
    """All figures of the particle filters."""
    yield from real_time(quick)
    yield from against(quick)
    yield from convergence(quick)
    yield from unknown_branch(quick)
