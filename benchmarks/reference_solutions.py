"""Published benchmark problems with reference solutions, and the bicycle's eigenvalues from its parameters.

* Andrews' squeezer at 0.03 s: recomputed with one coordinate in 28 digits; the set published with the Test
  Set for IVP Solvers agrees to 3e-10 (positions) and 5e-8 (velocities) only.
* The car axis at 3 s: Test Set for IVP Solvers (Mazzia and Magherini, 2008).
* The pendulum (A01) and the double four-bar (A02) of the IFToMM library at 10 s: closed forms in 30 digits.
  The double four-bar passes positions where its constraints lose rank, twice a revolution.
* The bicycle: appendix A of Meijaard, Papadopoulos, Ruina and Schwab (2007), 0 to 10 m/s.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, sin
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from benchmarks.deviation import Deviation, deviations, residual
from biela.mechanics.model import Model
from biela.mechanisms import MECHANISMS, whipple_bicycle
from biela.simulate import Record, Simulation, assemble, linearise

SQUEEZER = np.array(
    [15.8107711951537, -15.7563710584118, 0.0408222401196458, -0.534730116342080, 0.524409965879954,
     0.534730116342080, 1.04808074104194, 1139.92030225911, -1424.37929517754, 11.0329119106186,
     19.2933741050320, 0.573569914829502, -19.2933741050320, 0.323179149249131]
)  # fmt: skip
CAR_AXIS = np.array(
    [0.4934557842755629e-1, 0.4969894602303324, 0.1041742524885400e1, 0.3739110272652214,
     -0.7705836840321485e-1, 0.7446866596327776e-2, 0.1755681574942899e-1, 0.7703410437794031]
)  # fmt: skip
PENDULUM = (-0.2750874625764, -0.9614192050990)
DOUBLE = (0.3284581115408154, 0.944518538178601, 1.423051470206944, -0.494868845487043)
SPEEDS = np.arange(0.0, 10.5, 1.0)


def lines(quick: bool) -> Iterator[Deviation]:
    """All of them; none is long."""
    for way in ({}, {"metric": "mass"}, {"formulation": "independent"}):
        case = ", ".join(way.values()) or "identity"
        yield from _ended("andrews_squeezer", case, 0.03, 16_000, SQUEEZER, way)
    yield from _ended("car_axis", "multipliers", 3.0, 60_000, CAR_AXIS, {})
    yield from _pendulum()
    for formulation in ("multipliers", "augmented-lagrangian"):
        yield from _double_four_bar(formulation)
        yield from _from_singular(formulation)
    yield from _bicycle()


def _run(name: str, duration: float, count: int, way: dict[str, Any]) -> Record:
    model = MECHANISMS[name]().model()
    simulation = Simulation(model, dt=duration / count, **way)
    return simulation.run(assemble(model), duration, every=count // 10)


def _ended(
    name: str, case: str, duration: float, count: int, reference: np.ndarray, way: dict[str, str]
) -> Iterator[Deviation]:
    """Positions and velocities at the end."""
    run = _run(name, duration, count, way)
    assert run.model is not None
    names = [placement.name for placement in run.model.placements]
    found = [*run.q[-1], *run.dq[-1]]
    labels = [*names, *(f"{name}'" for name in names)]
    yield from deviations(name, f"{case}, {duration:g} s", labels, found, reference, relative=True)


def _pendulum() -> Iterator[Deviation]:
    angle = _run("pendulum", 10.0, 40_000, {})["angle"][-1]
    yield from deviations("pendulum", "10 s", ("x", "y"), (sin(angle), -cos(angle)), PENDULUM)


def _corner(run: Record) -> tuple[float, float, float, float]:
    """Place and velocity of the top of the first bar."""
    a, w = run["bar0"][-1], run["bar0'"][-1]
    return cos(a), sin(a), -sin(a) * w, cos(a) * w


def _double_four_bar(formulation: str) -> Iterator[Deviation]:
    way = {"formulation": formulation, "metric": "mass"}
    found = _corner(_run("double_four_bar", 10.0, 20_000, way))
    names = ("x", "y", "x'", "y'")
    yield from deviations("double four-bar", f"{formulation}, 10 s", names, found, DOUBLE, relative=True)


def _from_singular(formulation: str) -> Iterator[Deviation]:
    """Started exactly where the rank is lost; the equation of one degree of freedom is the reference."""
    model = MECHANISMS["double_four_bar"]().model()
    rates = {"bar0": -8.0, "top0": 8.0, "bar1": -8.0, "top1": 8.0, "bar2": -8.0}
    start = assemble(model, np.zeros(5), velocities=rates)
    run = Simulation(model, formulation, dt=5e-4, metric="mass").run(start, 3.0, every=100)
    pull = 9.81 * 3.5 / 3.0  # gravity's lever over the inertia of the bars
    solved = solve_ivp(
        lambda t, y: [y[1], -pull * cos(y[0])], (0.0, 3.0), [0.0, -8.0], "DOP853", rtol=1e-13, atol=1e-13
    )
    names = ("bar0", "bar0'")
    found = run["bar0"][-1], run["bar0'"][-1]
    yield from deviations(
        "singular start", f"{formulation}, 3 s", names, found, solved.y[:, -1], relative=True
    )


def _bicycle() -> Iterator[Deviation]:
    """The four eigenvalues of lean and steer, and how far apart the largest real parts are."""
    model = whipple_bicycle().model()
    mass, damping, stiffness, centrifugal = bicycle_matrices(model)
    for v in SPEEDS:
        lower = np.hstack([-(9.81 * stiffness + v * v * centrifugal), -v * damping])
        A = np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), np.linalg.solve(mass, lower)])
        expected = np.linalg.eigvals(A)
        rates = {"x": v, "rear": -v / 0.3, "front": -v / 0.35, "lean": 0.0}
        about = assemble(model, np.zeros(8), velocities=rates)
        found = linearise(about).eigenvalues
        nearest = [found[np.argmin(np.abs(found - value))] for value in expected]
        case = f"{v:g} m/s"
        for k, (ours, value) in enumerate(zip(nearest, expected, strict=True), 1):
            names = (f"eigenvalue {k}, real", f"eigenvalue {k}, imaginary")
            pair = (ours.real, ours.imag), (value.real, value.imag)
            yield from deviations("bicycle", case, names, *pair)
    canonical = [80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686]
    yield residual(
        "bicycle", "published mass matrix", "largest difference", np.abs(mass.ravel() - canonical).max()
    )


def bicycle_matrices(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C1, K0 and K2 of the linearised equations, from the parameters."""
    v = {quantity.name: quantity.value for quantity in model.parameters}
    w, c, tilt, rR, rF = v["w"], v["c"], v["lambda"], v["rR"], v["rF"]
    mR, mB, mH, mF = v["mR"], v["mB"], v["mH"], v["mF"]
    xB, zB, xH, zH = v["xB"], v["zB"], v["xH"], v["zH"]
    s, k = sin(tilt), cos(tilt)
    mT = mR + mB + mH + mF
    xT, zT = (xB * mB + xH * mH + w * mF) / mT, (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    Txx = v["IRxx"] + v["IBxx"] + v["IHxx"] + v["IFxx"] + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    Txz = v["IBxz"] + v["IHxz"] - mB * xB * zB - mH * xH * zH + mF * w * rF
    Tzz = v["IRxx"] + v["IBzz"] + v["IHzz"] + v["IFxx"] + mB * xB**2 + mH * xH**2 + mF * w**2
    mA = mH + mF
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    Axx = v["IHxx"] + v["IFxx"] + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    Axz = v["IHxz"] - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    Azz = v["IHzz"] + v["IFxx"] + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    u = (xA - w - c) * k - zA * s
    All = mA * u**2 + Axx * s**2 + 2 * Axz * s * k + Azz * k**2
    Alx, Alz = -mA * u * zA + Axx * s + Axz * k, mA * u * xA + Axz * s + Azz * k
    mu, SF = c / w * k, v["IFyy"] / rF
    ST, SA = v["IRyy"] / rR + SF, mA * u + mu * mT * xT
    M = np.array([[Txx, Alx + mu * Txz], [Alx + mu * Txz, All + 2 * mu * Alz + mu**2 * Tzz]])
    K0 = np.array([[mT * zT, -SA], [-SA, -SA * s]])
    K2 = np.array([[0.0, (ST - mT * zT) / w * k], [0.0, (SA + SF * s) / w * k]])
    right = mu * ST + SF * k + Txz / w * k - mu * mT * zT
    C1 = np.array([[0.0, right], [-(mu * ST + SF * k), Alz / w * k + mu * (SA + Tzz / w * k)]])
    return M, C1, K0, K2
