"""The dynamics of one degree of freedom: delay, limits and a low pass, sample by sample.

    H(s) = K w^2 e^(-tau s) / (s^2 + 2 zeta w s + w^2),     w = 2 pi fn

is sampled by Tustin's rule, s = (2/T)(1 - z^-1)/(1 + z^-1). With a = (w T)^2, b = 4 zeta w T, D = 1/(4 + b
+ a) and u the delayed input, the source prints (its equation 8)

    y_n = D [b y_(n-2) + K a (u_n + 2 u_(n-1) + u_(n-2)) - a (2 y_(n-1) + y_(n-2)) + 4 (2 y_(n-1) - y_(n-2))];

the direct form has b0 = b2 = K a D, b1 = 2 b0, a1 = (2 a - 8) D, a2 = (4 - b + a) D. Without ``prewarp``
Tustin's rule shifts fn a little down (2.8 Hz to 2.7716 Hz at T = 0.02 s).

Beyond the source: limits of rate and acceleration ahead of the low pass (`biela.cueing.limiter`), other
orders (a chain of low passes of second order with one of first), and a natural frequency that falls with
the distance to go, w / (1 + softening |u - y|).

Form 'servo' has the limits inside: H(s) is also a position loop of gain w / (2 zeta) around a speed loop of
gain 2 zeta w, and in a drive it is these whose speed and acceleration are limited,

    c = clamp(w / (2 zeta) (K u - y), rate),   v' = clamp(2 zeta w (c - v), acceleration),   y' = v,

with an implicit step for v and the trapezoidal rule for y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, pi
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.cueing import limiter
from biela.expr.expression import Expr, constant, maximum, minimum, tan
from biela.expr.function import Function
from biela.expr.graph import Graph

FORMS = ("direct", "printed", "servo")
PARAMETERS = ("gain", "damping", "frequency", "rate", "acceleration", "softening")


@dataclass(frozen=True)
class Channel:
    """One degree of freedom.

    ``delay`` in s, ``frequency`` in Hz, ``rate`` and ``acceleration`` in units of the degree of freedom a
    second (squared), inf for none, ``softening`` per unit. ``form`` is the recursion of a low pass of
    second order, 'direct', 'printed', or 'servo' with the limits inside.

    Raises ValueError for values that make no sense.
    """

    delay: float = 0.08
    gain: float = 1.0
    damping: float = 1.5
    frequency: float = 2.8
    rate: float = inf
    acceleration: float = inf
    softening: float = 0.0
    order: int = 2
    prewarp: bool = False
    form: str = "direct"

    def __post_init__(self) -> None:
        for name in ("delay", "gain", "damping", "frequency", "rate", "acceleration", "softening"):
            value = getattr(self, name)
            least = 0.0 if name in ("delay", "softening") else -inf if name == "gain" else 1e-300
            endless = name in ("rate", "acceleration") and value == inf
            if not (value >= least and (endless or np.isfinite(value))):
                raise ValueError(f"Channel: {name} is {value!r}; it must be {_sense(least)}.")
        if self.order < 1 or self.form not in FORMS:
            raise ValueError(
                f"Channel: order {self.order!r} must be 1, 2, ...; form {self.form!r} one of "
                f"{', '.join(FORMS)}."
            )
        if self.form == "servo" and (self.order != 2 or self.prewarp):
            raise ValueError("Channel: the form 'servo' is of second order and takes no prewarp.")

    def changed(self, **values: Any) -> Channel:
        """Another channel with some values replaced."""
        return replace(self, **values)

    @property
    def values(self) -> np.ndarray:
        """The numbers of `PARAMETERS`; what is infinite has no effect and becomes a large number."""
        return np.minimum([getattr(self, name) for name in PARAMETERS], 1e300)

    def samples(self, dt: float) -> int:
        """The delay in whole samples; raises ValueError for a sample time that does not suit the channel."""
        if not (np.isfinite(dt) and dt > 0.0):
            raise ValueError(f"Channel: the sample time is a positive number of seconds; got {dt!r}.")
        if not self.frequency < 0.5 / dt:
            raise ValueError(
                f"Channel: fn = {self.frequency:g} Hz is not below half the sample rate, {0.5 / dt:g} Hz. "
                "Sample faster or lower fn."
            )
        return round(self.delay / dt)

    def coefficients(self, dt: float) -> tuple[float, float, float, float, float]:
        """b0, b1, b2, a1, a2 of the low pass of second order."""
        self.samples(dt)
        graph = Graph()
        gain, damping, frequency = (constant(graph, x) for x in (self.gain, self.damping, self.frequency))
        a, b, D = _abd(damping, 2.0 * pi * frequency, dt, self.prewarp)
        found = (gain * a * D, 2.0 * gain * a * D, gain * a * D, (2.0 * a - 8.0) * D, (4.0 - b + a) * D)
        return tuple(x.value() for x in found)  # type: ignore[return-value]

    def step(self, dt: float, name: str = "channel") -> Function:
        """One sample: ``x_next``, output first, of the state ``x``, the input ``u`` and the numbers ``p``.

        ``p`` are the numbers of `PARAMETERS`.
        """
        graph = Graph()
        delay = self.samples(dt)
        layout = _Layout(self, delay)
        x = [graph.symbol(f"x{k}") for k in range(layout.size)]
        p = [graph.symbol(key) for key in PARAMETERS]
        u = graph.symbol("u")
        after = _advance(self, layout, dt, x, u, dict(zip(PARAMETERS, p, strict=True)))
        return Function(name, {"x": x, "u": u, "p": p}, {"x_next": after})

    def rest(self, dt: float) -> np.ndarray:
        """The state after a reset: at rest."""
        return np.zeros(_Layout(self, self.samples(dt)).size)

    def run(self, signal: Any, dt: float = 0.02) -> np.ndarray:
        """The output for a whole signal, from rest. Raises ValueError for a signal that is not finite."""
        u = np.asarray(signal, float)
        if u.ndim != 1 or not len(u) or not np.isfinite(u).all():
            raise ValueError(f"Channel: a signal is a row of finite numbers; got shape {u.shape}.")
        return _kernel(self, dt).iterate(self.rest(dt), len(u), u, self.values, series=["u"])[1:, 0]

    def respond(self, frequency: Any, dt: float | None = None) -> np.ndarray:
        """The complex gain at frequencies in Hz, delay included, limits and softening not.

        With ``dt`` that of the sampled channel, else of H(s).
        """
        f = np.asarray(frequency, float)
        jw = 2j * pi * f
        if dt is None:
            delay, s, w = np.exp(-jw * self.delay), jw, 2.0 * pi * self.frequency
        else:
            z = np.exp(jw * dt)
            delay, s, w = z ** -float(self.samples(dt)), 2.0 / dt * (z - 1.0) / (z + 1.0), 0.0
            w = 2.0 / dt * np.tan(pi * self.frequency * dt) if self.prewarp else 2.0 * pi * self.frequency
        second = w**2 / (s**2 + 2.0 * self.damping * w * s + w**2)
        first = w / (s + w) if self.order % 2 else 1.0
        return self.gain * delay * second ** (self.order // 2) * first


@lru_cache(maxsize=64)
def _kernel(channel: Channel, dt: float) -> Kernel:
    return Kernel(channel.step(dt))


class _Layout:
    """Where everything is in the state: output, sections of the low pass, limiter, delay line."""

    def __init__(self, channel: Channel, delay: int) -> None:
        self.sections = [2] * (channel.order // 2) + [1] * (channel.order % 2)
        self.limited = limiter.kind(channel.rate, channel.acceleration)
        self.delay = delay
        if channel.form == "servo":
            self.sections, self.limited = [1], "none"  # output and speed
        self.limits = {"none": 0, "rate": 1, "acceleration": 2}[self.limited]
        self.size = sum(2 * order for order in self.sections) + self.limits + delay


def _abd(damping: Any, w: Any, T: float, prewarp: bool) -> tuple[Any, Any, Any]:
    """a, b and D of a low pass of second order."""
    wT = 2.0 * tan(0.5 * T * w) if prewarp else T * w
    a, b = wT * wT, 4.0 * damping * wT
    return a, b, 1.0 / (4.0 + b + a)


def _advance(
    channel: Channel, layout: _Layout, dt: float, x: Sequence[Expr], u: Expr, p: dict[str, Expr]
) -> list[Expr]:
    """The state after a sample."""
    line = list(x[len(x) - layout.delay :])
    now = line[-1] if line else u
    line = [u, *line][: layout.delay]
    held: list[Expr] = []
    if layout.limits:
        start = len(x) - layout.delay - layout.limits
        place, speed = x[start], x[start + layout.limits - 1]
        moved = limiter.follow(now, place, speed, p["rate"], p["acceleration"], dt, layout.limited)
        now, held = moved[0], list(moved[: layout.limits])
    w = 2.0 * pi * p["frequency"]
    if channel.softening:
        w = w / (1.0 + p["softening"] * abs(now - x[0]))
    if channel.form == "servo":
        return [*_servo(x[0], x[1], now, w, p, dt), *line]
    out, memory = _chain(channel, layout, dt, x, now, w, p)
    return [out, *memory, *held, *line]


def _chain(
    channel: Channel, layout: _Layout, dt: float, x: Sequence[Expr], now: Expr, w: Any, p: dict[str, Expr]
) -> tuple[Expr, list[Expr]]:
    """Section after section; the first output of the state is that of the last one."""
    memory: list[Expr] = []
    place, gain = 1, p["gain"]
    last = len(layout.sections) - 1
    for k, order in enumerate(layout.sections):
        own = list(x[place : place + 2 * order - (k == last)])
        place += len(own)
        past = [x[0], *own] if k == last else own  # outputs, then inputs
        y, u = past[:order], past[order:]
        now, after = _section(channel, order, dt, y, u, now, w, p["damping"], gain)
        memory += after[1:] if k == last else after
        gain = constant(w.graph, 1.0)
    return now, memory


def _section(
    channel: Channel, order: int, dt: float, y: list[Expr], u: list[Expr], now: Expr, w: Any,
    damping: Expr, gain: Expr,
) -> tuple[Expr, list[Expr]]:  # fmt: skip
    """One low pass: its output, and its past outputs and inputs for the next sample."""
    if order == 1:
        wT = 2.0 * tan(0.5 * dt * w) if channel.prewarp else dt * w
        out = (gain * wT * (now + u[0]) + (2.0 - wT) * y[0]) / (2.0 + wT)
        return out, [out, now]
    a, b, D = _abd(damping, w, dt, channel.prewarp)
    if channel.form == "printed":
        drive = gain * a * (now + 2.0 * u[0] + u[1])
        out = D * (b * y[1] + drive - a * (2.0 * y[0] + y[1]) + 4.0 * (2.0 * y[0] - y[1]))
    else:
        b0 = gain * a * D
        feedback = (2.0 * a - 8.0) * D * y[0] + (4.0 - b + a) * D * y[1]
        out = b0 * now + 2.0 * b0 * u[0] + b0 * u[1] - feedback
    return out, [out, y[0], now, u[0]]


def _servo(y: Expr, v: Expr, now: Expr, w: Any, p: dict[str, Expr], T: float) -> list[Expr]:
    """Output and speed after a sample, with the limits inside."""
    zeta = p["damping"]
    asked = w / (2.0 * zeta) * (p["gain"] * now - y)
    asked = minimum(maximum(asked, -p["rate"]), p["rate"])
    k = 2.0 * T * zeta * w
    step = T * p["acceleration"]
    after = minimum(maximum((v + k * asked) / (1.0 + k), v - step), v + step)
    return [y + 0.5 * T * (v + after), after]


def _sense(least: float) -> str:
    return "finite" if least == -inf else "finite and not negative" if least == 0.0 else "finite and positive"
