"""The same particle filter in NumPy, twice, all on whole arrays.

`General` does our work as somebody does it who knows NumPy: both angles, dependent ones closed by Newton's
method, the same stages, noise and weights. `ClosedForm` is by somebody who knows this one mechanism too: the
direction of the floating bar from a formula, so sine and cosine of one angle are all an acceleration takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

L1, L2, L3, L4, M2, M3, I2, I3, G = 2.0, 4.0, 3.0, 4.0, 1.0, 1.0, 1.0, 1.0, 9.8


def direction(theta: np.ndarray, branch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sine and cosine of the input bar, and those of the floating bar in closed form."""
    s, c = np.sin(theta), np.cos(theta)
    x, y = L2 * c - L1, L2 * s
    square = x * x + y * y
    along = (L4 * L4 - L3 * L3 - square) / (2.0 * L3)
    across = branch * np.sqrt(square - along * along)
    return s, c, (along * y + across * x) / square, (along * x - across * y) / square


def acceleration(
    s: np.ndarray, c: np.ndarray, sb: np.ndarray, cb: np.ndarray, omega: np.ndarray
) -> np.ndarray:
    """Of the input bar, from Lagrange's equation in its angle alone."""
    px, py = L2 * c - L1 + L3 * cb, L2 * s + L3 * sb
    d = L3 * (py * cb - px * sb)
    k = L2 * (px * s - py * c) / d
    vx, vy = -L2 * s - L3 * sb * k, L2 * c + L3 * cb * k
    dn = L2 * (vy * c - vx * s - px * c - py * s)
    dd = L3 * (vy * cb - vx * sb - (px * cb + py * sb) * k)
    dk = -(dn + k * dd) / d
    cosine, sine = cb * c + sb * s, sb * c - cb * s
    inertia = I2 + M3 * L2 * L2 + I3 * k * k + M3 * L2 * L3 * k * cosine
    slope = 2.0 * I3 * k * dk + M3 * L2 * L3 * (dk * cosine - k * (k - 1.0) * sine)
    force = G * ((M2 * L2 / 2.0 + M3 * L2) * c + M3 * L3 / 2.0 * k * cb)
    return -(0.5 * slope * omega * omega + force) / inertia


def closed(theta: np.ndarray, phi: np.ndarray, steps: int) -> np.ndarray:
    """The angle of the floating bar relative to the input bar, by Newton's method from a near one."""
    x, y = L2 * np.cos(theta) - L1, L2 * np.sin(theta)
    for _ in range(steps):
        sb, cb = L3 * np.sin(theta + phi), L3 * np.cos(theta + phi)
        px, py = x + cb, y + sb
        phi = phi - 0.5 * (px * px + py * py - L4 * L4) / (py * cb - px * sb)
    return phi


@dataclass
class ClosedForm:
    """The swarm and its step; ``other`` is the branch of each, +1 or -1."""

    theta: np.ndarray
    omega: np.ndarray
    other: np.ndarray
    integrator: str = "rk4"
    h: float = 0.006
    sigma: float = 0.1
    motion: float = 0.02
    shake: float = 0.02

    def __post_init__(self) -> None:
        self.logw = np.zeros(len(self.theta))
        self.rng = np.random.default_rng(1)

    def _rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        s, c, sb, cb = direction(q, self.other)
        return acceleration(s, c, sb, cb, v)

    def _close(self, steps: int) -> None:
        """Nothing: the formula has it."""

    def advanced(self) -> tuple[np.ndarray, np.ndarray]:
        """Angle and speed after a step without noise."""
        h, q, v = self.h, self.theta, self.omega
        if self.integrator == "semi-implicit-euler":
            v = v + h * self._rate(q, v)
            return q + h * v, v
        a1 = self._rate(q, v)
        v2 = v + h / 2.0 * a1
        a2 = self._rate(q + h / 2.0 * v, v2)
        v3 = v + h / 2.0 * a2
        a3 = self._rate(q + h / 2.0 * v2, v3)
        v4 = v + h * a3
        a4 = self._rate(q + h * v3, v4)
        return q + h / 6.0 * (v + 2.0 * (v2 + v3) + v4), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)

    def move(self) -> None:
        """A step of the model, noise, and the loop closed again."""
        self.theta, self.omega = self.advanced()
        self.theta = self.theta + self.motion * self.rng.standard_normal(len(self.theta))
        self._close(3)

    def step(self, y: float) -> float:
        """One step of the filter; returns the effective sample size."""
        self.move()
        self.logw -= 0.5 * ((y - self.omega) / self.sigma) ** 2
        self.logw -= self.logw.max()
        w = np.exp(self.logw)
        total = w.sum()
        ess = total * total / (len(w) * (w @ w))
        if ess < 0.5:
            levels = np.cumsum(w)
            teeth = (np.arange(len(w)) + self.rng.random()) * (levels[-1] / len(w))
            places = np.minimum(np.searchsorted(levels, teeth), len(w) - 1)
            self.theta, self.other = self.theta[places], self.other[places]
            self.omega = self.omega[places] + self.shake * self.rng.standard_normal(len(w))
            self.logw = np.zeros(len(w))
        return float(ess)


class General(ClosedForm):
    """The same with ``other`` the relative angle of the floating bar, found by Newton's method."""

    def _rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        phi = self.other if q is self.theta else closed(q, self.other, 1)
        both = q + phi
        return acceleration(np.sin(q), np.cos(q), np.sin(both), np.cos(both), v)

    def _close(self, steps: int) -> None:
        self.other = closed(self.theta, self.other, steps)
