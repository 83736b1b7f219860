"""Particle filters of the four-bar of source 000: particles in real time, and against NumPy and `particles`.

A step is the complete filter: the model's step, noise at the angle, assembly, the gyroscope, log weights,
effective sample size, and resampling with noise at the speed when due. The same readings, thresholds and
deviations for everybody. Run by `python -m benchmarks.observers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.peers import numpy_particles
from biela.mechanics.model import Model
from biela.mechanisms import four_bar_rod
from biela.observe import Accelerometer, Bootstrap, Gyro, Options, Prior, Process, Sir
from biela.observe.study import Mechanism, Study, Trial
from biela.simulate import Simulation, State, assemble

Begin = Callable[[], Callable[[float], Any]]  # a filter at its start: its step

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


def begun(pf: Sir) -> Callable[[float], Any]:
    """The step of our filter at its start: always the same particles and draws."""
    pf.again(1)
    pf.start(Prior(branch=-1))
    return lambda y: pf.step([y])


def started(start: np.ndarray, kind: Any, integrator: str) -> Any:
    """A NumPy filter with the particles that ours starts with."""
    theta, phi, omega, _ = start
    if kind is numpy_particles.General:
        return kind(theta.copy(), omega.copy(), phi.copy(), integrator)
    end = numpy_particles.direction(theta, np.ones(len(theta)))
    same = np.abs(end[2] - np.sin(theta + phi)) < 1e-6
    return kind(theta.copy(), omega.copy(), np.where(same, 1.0, -1.0), integrator)


def timed(contenders: Mapping[str, Begin], rounds: int) -> dict[str, np.ndarray]:
    """The time of each step of each: they take turns, and the best of several goes counts.

    Every go has the same start and draws, so it resamples at the same steps.
    """
    spent = {name: np.full(STEPS, np.inf) for name in contenders}
    for _ in range(rounds):
        for name, begin in contenders.items():
            step, best = begin(), spent[name]
            for k, y in enumerate(readings()):
                now = perf_counter()
                step(y)
                best[k] = min(best[k], perf_counter() - now)
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
            spent = timed({"ours": partial(begun, pf)}, 1 if quick else 8)["ours"]
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
    count, rounds = (500, 1) if quick else (MANY, 15)
    for integrator in INTEGRATORS:
        pf = ours(count, integrator)
        rivals, missing = peers(pf.swarm.x.copy(), integrator)
        spent = timed({"ours": partial(begun, pf), **rivals}, rounds)
        means = {name: float(times.mean()) for name, times in spent.items()}
        for told in (*rivals, *missing):
            case = f"{count} particles, {integrator}, against {told}"
            if told in missing:
                yield row(case, None, 20.0, "times", skipped=missing[told])
                continue
            more = {"ours_us": 1e6 * means["ours"], "theirs_us": 1e6 * means[told]}
            yield row(case, means[told] / means["ours"], 20.0, "times", **more)


def peers(start: np.ndarray, integrator: str) -> tuple[dict[str, Begin], dict[str, str]]:
    """NumPy's filter and that of the package, with each model; and why what is missing is."""
    kinds = {"the same equations": numpy_particles.General, "a closed form": numpy_particles.ClosedForm}
    found: dict[str, Begin] = {}
    missing: dict[str, str] = {}
    for told, kind in kinds.items():
        make = partial(started, start, kind, integrator)
        found[f"NumPy with {told}"] = lambda make=make: make().step
        try:
            from benchmarks.peers.particles_package import load

            found[f"`particles` with {told}"] = partial(package, make, load(False))
        except ImportError as reason:
            missing[f"`particles` with {told}"] = str(reason)
    return found, missing


def package(make: Callable[[], Any], made: Callable[..., Iterator[Any]]) -> Callable[[float], Any]:
    """The filter of the package at its start, with the motion of a NumPy filter as its model."""
    np.random.seed(1)
    one = make()
    start = np.stack([one.theta, one.omega, one.other], axis=1)
    filter_ = made(start, readings(), type(one), one.integrator)
    return lambda y: next(filter_)


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
