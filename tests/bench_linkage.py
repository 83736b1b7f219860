"""The four-bar of the test bench with gyros, as the tests of observers use it."""

from functools import cache

import numpy as np

import biela as bl
from biela.observe import Gyro, Instruments, Process
from biela.simulate import Simulation, assemble

DEG = np.pi / 180.0
DT = 1e-3


@cache
def model():
    return bl.mechanisms.four_bar().model()


def gyros(**options):
    given = {"sigma": 0.5 * DEG} | options
    return [Gyro("coupler", **given), Gyro("rocker", **given)]


def process(integrator="euler", **options):
    given = {"independent": ["crank"], "position": 1e-4, "velocity": 1e-2} | options
    return Process(model(), DT, integrator, **given)


@cache
def truth(duration=5.0):
    """Released at rest with the crank upright."""
    return Simulation(model(), integrator="rk4", dt=DT).run(assemble(model(), crank=np.pi / 2), duration)


@cache
def readings(duration=5.0, every=10):
    """Exact rates of coupler and rocker, every so many steps."""
    y = truth(duration).value(Instruments(process(), gyros()).function)[1:].copy()
    y[np.arange(1, len(y) + 1) % every != 0] = np.nan
    return y


def noisy(seed):
    """The readings with white noise of half a degree a second."""
    y = readings().copy()
    due = np.isfinite(y[:, 0])
    y[due] += 0.5 * DEG * np.random.default_rng(seed).standard_normal((int(due.sum()), 2))
    return y


def guess(angle=95.0):
    return assemble(model(), crank=angle * DEG)


SPREAD = np.array([5.0 * DEG, 0.01])


def rmse(run, begin=0.0, end=5.0):
    """Of the crank, degrees."""
    there = slice(round(begin / DT), round(end / DT) + 1)
    off = run["crank"][there] - truth()["crank"][: len(run)][there]
    return float(np.sqrt(np.mean(off**2)) / DEG)
