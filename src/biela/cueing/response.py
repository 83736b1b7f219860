"""How a washout, or a whole ride, answers sines: swept, and linearised.

* `swept` drives the native sample with sines, a lane for each input and frequency. The sine, the sums of
  its fit and the window in which they are taken are parts of the sample, so a sweep is one native call. After
  settling, an output is a cos + b sin + c by least squares over whole periods; what is left over is told as
  distortion.
* `linearised` is the exact answer for small amplitudes: central differences of the sample at rest make it
  x' = A x + B u, whose answer at z = e^(jwT) is (z - A)^-1 B z. Of a linear system both are the same.

Inputs are the vehicle's channels (fx, fy, fz, p, q, r); outputs are poses, or what the head is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, pi
from typing import Any

import numpy as np

from biela.compile.kernel import Kernel
from biela.cueing.gravity import GRAVITY
from biela.cueing.head import LAG, told
from biela.cueing.perception import CHANNELS, REST
from biela.cueing.recursion import Recursion, States
from biela.cueing.ride import Ride
from biela.cueing.washout.washout import Washout
from biela.expr.expression import Expr, constant, where
from biela.expr.function import Function
from biela.expr.graph import Graph

SETTLE, WINDOW, PERIODS = 120.0, 20.0, 3  # s, and what is fitted at least: s and periods
NOTHING = 1e-9  # answers below are none
STEP = 1e-5  # of the central differences
Outputs = Callable[[States, Sequence[Expr]], list[Expr]]


@dataclass(frozen=True, eq=False)
class Answers:
    """Complex gains by (input, frequency, output), and the distortion of each: what no sine explains."""

    omega: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    gains: np.ndarray
    distortion: np.ndarray

    def of(self, given: str, shown: str) -> np.ndarray:
        """The gains from one input to one output."""
        return self.gains[self.inputs.index(given), :, self.outputs.index(shown)]


def swept(
    system: Washout | Ride, omega: Any, amplitudes: Any, inputs: Sequence[str] = CHANNELS,
    settle: float = SETTLE, threads: int = 0,
) -> Answers:  # fmt: skip
    """The answers to sines; ``amplitudes`` has a row for each input and a column for each frequency.

    A washout answers with its pose, a ride with what is told of the head. Raises ValueError for frequencies
    that are not positive or above half the sample rate, and for amplitudes that are not positive.
    """
    w = frequencies(omega, _dt(system))
    sizes = np.broadcast_to(np.asarray(amplitudes, float), (len(inputs), len(w)))
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        raise ValueError(f"Amplitudes of a sweep are positive numbers; got {sizes.tolist()}.")
    lanes = _Lanes(w, sizes, [CHANNELS.index(name) for name in inputs], _dt(system), settle)
    names, lag, sums = _native(system, lanes, threads) if _takes_motion(system) else _scalar(system, lanes)
    gains, left = lanes.fitted(sums, lag)
    shape = (len(inputs), len(w), len(names))
    return Answers(w, tuple(inputs), names, gains.T.reshape(shape), left.T.reshape(shape))


def frequencies(omega: Any, dt: float) -> np.ndarray:
    """Rates in rad/s, checked."""
    w = np.atleast_1d(np.asarray(omega, float))
    if w.ndim != 1 or not len(w) or not (np.isfinite(w).all() and (w > 0.0).all() and (w < pi / dt).all()):
        raise ValueError(f"Frequencies of a sweep are between 0 and {pi / dt:.4g} rad/s; got {w.tolist()}.")
    return w


class _Lanes:
    """A lane for each input and frequency: sizes, and the window of the fit, in samples."""

    def __init__(
        self, omega: np.ndarray, sizes: np.ndarray, places: Sequence[int], dt: float, settle: float
    ) -> None:
        self.omega, self.size = np.tile(omega, len(sizes)), sizes.ravel()
        self.place, self.dt = np.repeat(places, len(omega)), dt
        period = 2.0 * pi / self.omega
        span = np.array([max(PERIODS, ceil(WINDOW / each)) * each for each in period])
        self.begin = np.full(len(span), round(settle / dt))
        self.end = self.begin + np.round(span / dt).astype(int)

    @property
    def count(self) -> int:
        """Samples until all lanes have ended."""
        return int(self.end.max())

    def numbers(self) -> np.ndarray:
        """What the sample takes for each lane, a column each."""
        sizes = np.zeros((len(CHANNELS), len(self.size)))
        sizes[self.place, np.arange(len(self.size))] = self.size
        turn = self.omega * self.dt
        return np.concatenate([sizes, [np.cos(turn), np.sin(turn), self.begin, self.end]])

    def rows(self, lane: int) -> np.ndarray:
        """The motion of one lane."""
        n = np.arange(int(self.end[lane]) + LAG)  # the head's last accelerations are left out
        motion = np.tile(REST, (len(n), 1))
        motion[:, self.place[lane]] += self.size[lane] * np.sin(self.omega[lane] * self.dt * n)
        return motion

    def sums(self, lane: int, y: np.ndarray) -> np.ndarray:
        """The sums of the fit for outputs of one lane, a column each."""
        inside = slice(int(self.begin[lane]), int(self.end[lane]))
        turn = self.omega[lane] * self.dt * np.arange(inside.start, inside.stop)
        seen = y[inside]
        return np.stack([np.cos(turn) @ seen, np.sin(turn) @ seen, seen.sum(axis=0), (seen**2).sum(axis=0)])

    def fitted(self, sums: np.ndarray, lag: int) -> tuple[np.ndarray, np.ndarray]:
        """Gains and distortion, (output, lane), for sums of shape (output, 4, lane)."""
        gains = np.zeros((sums.shape[0], len(self.size)), complex)
        left = np.zeros(gains.shape)
        for k, (w, size) in enumerate(zip(self.omega, self.size, strict=True)):
            turn: np.ndarray = float(w) * self.dt * np.arange(int(self.begin[k]), int(self.end[k]))
            table = np.stack([np.cos(turn), np.sin(turn), np.ones(len(turn))])
            found = np.linalg.solve(table @ table.T, sums[:, :3, k].T)
            wave = found[1] + 1j * found[0]
            rest = sums[:, 3, k] - np.einsum("ij,ji->i", sums[:, :3, k], found)
            power = 0.5 * np.abs(wave) ** 2
            seen = np.abs(wave) > NOTHING * size
            gains[:, k] = np.where(seen, wave / size * np.exp(1j * w * self.dt * lag), 0.0)
            share = np.maximum(rest, 0.0) / len(turn) / np.where(seen, power, 1.0)
            left[:, k] = np.where(seen, np.sqrt(share), 0.0)
        return gains, left


def _native(system: Washout | Ride, lanes: _Lanes, threads: int) -> tuple[tuple[str, ...], int, np.ndarray]:
    """Names of the outputs, their age in samples, and the sums, all lanes at once."""
    names, lag, outputs = _outputs(system)
    function = _probe(system.step, outputs, len(names))
    recursion = Recursion(function)
    x = np.zeros((function.inputs[0].size, len(lanes.size)))
    x[0] = 1.0  # the cosine
    moving = np.zeros((lanes.count, 1))
    own = np.repeat(system.p[:, None], len(lanes.size), axis=1)
    numbers = np.concatenate([own, lanes.numbers()])
    found = recursion.run(x, moving, numbers, every=lanes.count, threads=threads)[-1]
    return names, lag, found[3 : 3 + 4 * len(names)].reshape(len(names), 4, -1)


def _scalar(system: Washout | Ride, lanes: _Lanes) -> tuple[tuple[str, ...], int, np.ndarray]:
    """The same for washouts that look ahead, one lane after the other."""
    from biela.cueing.feeling import ridden

    names, _, _ = _outputs(system)
    found: list[np.ndarray] = []
    for k in range(len(lanes.size)):
        rows = lanes.rows(k)
        found.append(lanes.sums(k, system.run(rows) if isinstance(system, Washout) else ridden(system, rows)))
    return names, 0, np.stack(found, axis=2).transpose(1, 0, 2)


def _outputs(system: Washout | Ride) -> tuple[tuple[str, ...], int, Outputs]:
    if isinstance(system, Washout):
        axes = system.axes
        return axes, 0, lambda _, after: list(after[: len(axes)])
    platform, dt = system.simulator.platform, system.simulator.dt
    signs = [platform.senses.get(name, 1.0) for name in platform.dofs]

    def head(states: States, after: Sequence[Expr]) -> list[Expr]:
        pose = {name: signs[k] * after[k] for k, name in enumerate(platform.dofs)}
        return [x - float(r) for x, r in zip(told(states, pose, dt), REST, strict=True)]

    return CHANNELS, LAG, head


def _probe(step: Function, outputs: Outputs, count: int) -> Function:
    """The sample with a sine before it and the sums of a fit behind it."""
    graph = Graph()
    states = States(graph)
    c, s, n = (states.state(name) for name in ("probe.cos", "probe.sin", "probe.n"))
    sums = [[states.state(f"probe.y{k}.{word}") for word in ("c", "s", "one", "two")] for k in range(count)]
    x = [graph.symbol(f"system.s{k}") for k in range(step.inputs[0].size)]
    p = [graph.symbol(f"p.s{k}") for k in range(step.inputs[2].size)]
    sizes = [graph.symbol(f"size.{name}") for name in CHANNELS]
    turn = [graph.symbol(f"turn.{word}") for word in ("cos", "sin")]
    begin, end = graph.symbol("begin"), graph.symbol("end")
    after = list(step(x, [float(r) + a * s for r, a in zip(REST, sizes, strict=True)], p))
    w = where(n >= begin, where(n < end, 1.0, 0.0), 0.0) + constant(graph, 0.0)
    for own, y in zip(sums, outputs(states, after), strict=True):
        for place, value in zip(own, (y * c, y * s, y, y * y), strict=True):
            states.becomes(place.name, place + w * value)
    states.becomes("probe.cos", turn[0] * c - turn[1] * s)
    states.becomes("probe.sin", turn[1] * c + turn[0] * s)
    states.becomes("probe.n", n + 1.0)
    names = list(states.now)
    inputs = {
        "x": [*states.now.values(), *x], "none": [graph.symbol("none")],
        "p": [*p, *sizes, *turn, begin, end],
    }  # fmt: skip
    return Function("probe", inputs, {"x_next": [*(states.after[name] for name in names), *after]})


def linearised(system: Washout | Ride, omega: Any, inputs: Sequence[str] = CHANNELS) -> Answers:
    """The answers to small sines about rest, exact for what is linear there.

    Raises ValueError for washouts that look ahead, whose sample takes more than the motion.
    """
    if not _takes_motion(system):
        raise ValueError("A washout that looks ahead has no answer of a sample alone; use swept().")
    w = frequencies(omega, _dt(system))
    A, B = _slopes(system)
    z = np.exp(1j * w * _dt(system))
    size = len(A)
    moved = np.linalg.solve(z[:, None, None] * np.eye(size) - A, np.broadcast_to(B + 0j, (len(w), *B.shape)))
    poses = moved * z[:, None, None]  # the pose of a sample is in the state behind it
    chosen = poses[:, :, [CHANNELS.index(name) for name in inputs]].transpose(2, 0, 1)
    if isinstance(system, Washout):
        names, gains = system.axes, chosen[:, :, : len(system.axes)]
    else:
        names, gains = CHANNELS, _shown(system, w, chosen)
    gains = np.where(np.abs(gains) > 10.0 * NOTHING, gains, 0.0)
    return Answers(w, tuple(inputs), names, gains, np.zeros(gains.shape))


def _slopes(system: Washout | Ride) -> tuple[np.ndarray, np.ndarray]:
    """x' = A x + B u about rest, by central differences."""
    step, kernel = system.step, Kernel(system.step)
    sizes = [step.inputs[k].size for k in (0, 1)]
    moves = STEP * np.eye(sum(sizes))
    still = np.concatenate([np.zeros(sizes[0]), REST])[:, None]
    columns = np.concatenate([still + moves, still - moves], axis=1)
    p = np.repeat(system.p[:, None], columns.shape[1], axis=1)
    found = kernel.batch(
        np.ascontiguousarray(columns[: sizes[0]]), np.ascontiguousarray(columns[sizes[0] :]), p
    )
    slopes = (found[:, : len(moves)] - found[:, len(moves) :]) / (2.0 * STEP)
    return slopes[:, : sizes[0]], slopes[:, sizes[0] :]


def _shown(ride: Ride, w: np.ndarray, states: np.ndarray) -> np.ndarray:
    """What small poses tell the head: accelerations, gravity where it tilts, rates."""
    platform = ride.simulator.platform
    zero = np.zeros(states.shape[:2], complex)
    pose = {name: platform.senses.get(name, 1.0) * states[:, :, k] for k, name in enumerate(platform.dofs)}
    surge, sway, heave, roll, pitch, yaw = (
        pose.get(name, zero) for name in ("surge", "sway", "heave", "roll", "pitch", "yaw")
    )
    push, turn = -(w**2), 1j * w
    force = [push * surge - GRAVITY * pitch, push * sway + GRAVITY * roll, push * heave]
    return np.stack([*force, turn * roll, turn * pitch, turn * yaw], axis=2)


def _dt(system: Washout | Ride) -> float:
    return system.dt if isinstance(system, Washout) else system.simulator.dt


def _takes_motion(system: Washout | Ride) -> bool:
    return system.step.inputs[1].size == len(CHANNELS)
