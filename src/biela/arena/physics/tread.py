"""What the floor does to a vehicle seen from above: one Function, compiled, for many at once.

The law is that of `Vehicle.ground`: each foot gets the impulse that makes its sliding velocity ``-slip f``
within Coulomb's bound. Here feet are corrected together and by equal shares (Jacobi's iteration, relaxed by
their number), so that neither side of a robot is served first; slips lie along and across the wheel; and a
wheel has the speed it is asked for unless that takes more than its motor's torque. Its own inertia is left
out: a motor that can spin its tyres needs a fraction of a step for it. The forces of the floor shift weight
from wheel to wheel and off the skids, until one lifts.
"""

from __future__ import annotations

from biela.arena.physics.vehicle import Foot, Vehicle
from biela.expr import Expr, Function, Graph, constant, cos, maximum, minimum, sin, sqrt, where

SWEEPS = 12
Motion = tuple[Expr, Expr, Expr]  # ahead, aside, turning


def alike(vehicle: Vehicle) -> tuple[object, ...]:
    """What two vehicles share that one compiled Function serves."""
    feet = tuple((*_rounded(f.x, f.y, f.bound, f.slip1, f.slip2, *f.shift), f.wheel) for f in vehicle.feet)
    wheels = tuple((*_rounded(w.radius, *w.forward, w.torque), w.motor is None) for w in vehicle.wheels)
    lean = _rounded(*vehicle.lean.ravel())
    return (*_rounded(vehicle.mass, vehicle.inertia), lean, feet, wheels)


def _rounded(*values: float) -> tuple[float, ...]:
    """Without the noise of turning bodies about."""
    return tuple(round(float(v), 9) + 0.0 for v in values)


def tread(vehicle: Vehicle, step: float) -> Function:
    """(vx, vy, w, angle, px, py, wanted...) -> (fx, fy, torque, speeds...): what the floor does.

    ``px`` and ``py`` are what else pushes it; after them come the speeds asked of its motors, in order.
    """
    g = Graph()
    vx, vy, w, angle, px, py = g.symbols("vx vy w angle px py")
    driven = [i for i, o in enumerate(vehicle.wheels) if o.motor]
    wanted = {i: g.symbol(f"wanted{n}") for n, i in enumerate(driven)}
    c, s = cos(angle), sin(angle)
    gx, gy = vx + px * (step / vehicle.mass), vy + py * (step / vehicle.mass)
    start = (c * gx + s * gy, c * gy - s * gx, w)
    soles = [_Sole(f, vehicle, wanted.get(f.wheel, constant(g, 0.0)), step) for f in vehicle.feet]
    motion = start
    for _ in range(SWEEPS if soles else 0):
        shifting = _shifting(vehicle, start, motion, step)
        for sole in soles:
            sole.correct(motion, shifting)
        motion = _moved(vehicle, soles, start)
    force = [(b - a) * (vehicle.mass / step) for a, b in zip(start[:2], motion[:2], strict=True)]
    inputs = [vx, vy, w, angle, px, py, *wanted.values()]
    outputs = [c * force[0] - s * force[1], s * force[0] + c * force[1]]
    outputs.append((motion[2] - w) * (vehicle.inertia / step))
    by_wheel = {sole.foot.wheel: sole for sole in soles}
    outputs += [by_wheel[i].speed(motion) if i in by_wheel else wanted[i] for i in driven]
    return Function("tread", {"x": inputs}, {"y": outputs})


class _Sole:
    """A foot while it is being corrected: the impulses along and across it so far."""

    def __init__(self, foot: Foot, vehicle: Vehicle, wanted: Expr, step: float) -> None:
        self.foot, self.wanted, self.share = foot, wanted, 1.0 / len(vehicle.feet)
        wheel = vehicle.wheels[foot.wheel] if foot.wheel >= 0 else None
        self.radius = wheel.radius if wheel else 0.0
        fx, fy = wheel.forward if wheel else (1.0, 0.0)
        self.axes = ((fx, fy, foot.x * fy - foot.y * fx), (-fy, fx, foot.x * fx + foot.y * fy))
        self.give = [1 / vehicle.mass + a[2] ** 2 / vehicle.inertia for a in self.axes]
        self.slips = (foot.slip1 / step, foot.slip2 / step)
        self.bound = foot.bound * step
        self.most = (wheel.torque * step / wheel.radius if wheel.motor else 0.0) if wheel else None
        self.impulse: list[Expr] = [constant(wanted.graph, 0.0)] * 2

    def correct(self, motion: Motion, shifting: list[Expr]) -> None:
        """A share of what is missing, within the bounds."""
        new: list[Expr] = []
        for axis, give, slip, old, roll in zip(
            self.axes, self.give, self.slips, self.impulse, (self.radius, 0.0), strict=True
        ):
            sliding = sum((v * a for v, a in zip(motion, axis, strict=True)), -self.wanted * roll)
            new.append(old - (sliding + old * slip) * (self.share / (give + slip)))
        if self.most is not None:
            new[0] = minimum(maximum(new[0], -self.most), self.most)
        size = sqrt(new[0] * new[0] + new[1] * new[1] + 1e-30)
        bound = sum((f * a for f, a in zip(shifting, self.foot.shift, strict=True)), size * 0.0 + self.bound)
        scale = minimum(maximum(bound, 0.0) / size, 1.0)
        self.impulse = [n * scale for n in new]

    def speed(self, motion: Motion) -> Expr:
        """Of the wheel: as asked for, or as it rolls if its motor is too weak."""
        rolling = sum((v * a for v, a in zip(motion, self.axes[0], strict=True)), self.wanted * 0.0)
        weak = abs(self.impulse[0]) >= (self.most or 0.0)
        return where(weak, rolling / self.radius, self.wanted)


def _shifting(vehicle: Vehicle, start: Motion, motion: Motion, step: float) -> list[Expr]:
    """The impulse of the floor so far, ahead and aside, as far as it shifts weight."""
    low, high = (vehicle.lean * step).tolist()
    impulse = [(b - a) * vehicle.mass for a, b in zip(start[:2], motion[:2], strict=True)]
    return [minimum(maximum(i, a), b) for i, a, b in zip(impulse, low, high, strict=True)]


def _moved(vehicle: Vehicle, soles: list[_Sole], start: Motion) -> Motion:
    """The motion with all impulses so far."""
    moved = list(start)
    for sole in soles:
        for axis, impulse in zip(sole.axes, sole.impulse, strict=True):
            for k, inverse in enumerate((1 / vehicle.mass, 1 / vehicle.mass, 1 / vehicle.inertia)):
                moved[k] = moved[k] + impulse * (axis[k] * inverse)
    return moved[0], moved[1], moved[2]
