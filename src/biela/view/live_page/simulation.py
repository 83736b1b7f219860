"""`Simulated`: a mechanism that runs: parameters and inputs are sliders, and a pointer pulls at bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np

from biela.compile.kernel import Kernel
from biela.mechanics.model import Model
from biela.mechanics.quantity import Quantity
from biela.mechanics.system import System
from biela.simulate import watch
from biela.simulate.assembly import assemble
from biela.simulate.engine import Engine
from biela.simulate.simulation import Simulation
from biela.simulate.state import State, parameters
from biela.view.live_page.control import Control, round_to, slider
from biela.view.live_page.pull import Frames, Pull
from biela.view.live_page.source import Actor, Column, Grip, Parts, Source, whole
from biela.view.motion import of_record
from biela.view.scene import Scene
from biela.view.stage import Stage, set_for

PREVIEW, STEPS = 2.0, 4000  # seconds and steps of the motion by which the stage is set
PULLS = 1 / 240  # s, between two moments at which a spring draws
MOST = 40  # parameters that become sliders


@final
class Simulated(Source):
    """A simulation that runs, from ``start`` or from the model's own.

    ``sliders`` gives borders of parameters and inputs by name, ``{"torque": (-5.0, 5.0)}``; others go from a
    fifth to twice their value. Parameters of a closed mechanism are changed by assembling it again.
    """

    holds = "pull"

    def __init__(
        self,
        given: Simulation | Model | System,
        start: State | None = None,
        sliders: Mapping[str, tuple[float, float]] | None = None,
        title: str = "",
    ) -> None:
        model = given.model() if isinstance(given, System) else given
        self.simulation = Simulation(model) if isinstance(model, Model) else model
        self.model = self.simulation.model
        self.start = start or assemble(self.model)
        self.title, self.dt = title or self.model.name, self.simulation.dt
        scene = Scene(self.model)
        self.frames, self.pull = Frames(scene), Pull(self.model, Frames(scene))
        self.stage = staged(self.simulation, self.start).plain()
        self.actors = (actor_of(scene, self.frames),)
        self.columns = [*columns_of(self.model), Column("energy", "J")]
        self.controls = self._sliders(dict(sliders or {}))
        self._energy = Kernel(self.model.functions["energy"])
        self._engines: watch.Engines = {}
        self._holding = False
        self.p, self.u = self.start.p.copy(), self.start.u.copy()
        self.reset()
        self.pull.ready(self.q, self.t, self.p)

    def _sliders(self, borders: dict[str, tuple[float, float]]) -> list[Control]:
        known = [q.name for q in (*self.model.parameters, *self.model.inputs)]
        for name in borders:
            if name not in known:
                parameters(self.model, {name: 0.0})  # raises, and says what there is
        own = list(self.model.parameters)
        shown = own if len(own) <= MOST else [q for q in own if q.name in borders] or own[:MOST]
        reach, p = force_scale(self.model, self.start), parameters_of(self.model, shown, self.start.p)
        inputs = self._made(self.model.inputs, self.start.u, borders, "inputs", reach)
        return inputs + self._made(shown, p, borders, "parameters")

    @staticmethod
    def _made(
        quantities: Sequence[Quantity], values: np.ndarray, borders: dict[str, tuple[float, float]],
        group: str, reach: float = 0.0,
    ) -> list[Control]:  # fmt: skip
        usual = (-reach, reach) if reach else None
        return [
            slider(
                q.name, float(v), q.unit, borders.get(q.name, usual if v == 0.0 else None), group=group,
                told=q.note,
            )
            for q, v in zip(quantities, values, strict=True)
        ]  # fmt: skip

    # the motion

    @property
    def q(self) -> np.ndarray:
        """The coordinates."""
        return self.x[: len(self.model.q)]

    @property
    def dq(self) -> np.ndarray:
        """The velocities."""
        return self.x[len(self.model.q) : 2 * len(self.model.q)]

    def advance(self, seconds: float) -> None:
        """Whole steps, with the spring's pulls between them.

        Raises ValueError where the motion diverges.
        """
        self.course(whole(seconds, self.dt))

    def course(self, steps: int, every: int = 0) -> np.ndarray:
        """The states after every so many of some steps, after the last alone unless given."""
        unit, rows = max(1, every), list[np.ndarray]()
        pulled = max(1, round(PULLS / self.dt / unit)) * unit
        while steps > 0:
            count = min(pulled, steps) if self._holding else steps
            if self._holding:
                h = count * self.dt
                self._put(self.q, self.pull.pushed(self.q, self.dq, self.t, self.p, h))
            rows.append(self._run(count, every or count))
            steps -= count
        return np.concatenate(rows)

    def _run(self, count: int, every: int) -> np.ndarray:
        way = self.simulation
        tolerances = (way.relative, way.absolute)
        engine = Engine(way.step, way.kernel, self.dt, self.p, self.u, tolerances=tolerances)
        rows = watch.followed(engine, self.x, self.t, count, every, None, self._engines).rows
        if not np.isfinite(rows[-1]).all():
            raise ValueError(
                f"The motion ends at t={self.t:.4g} s: a step of {self.dt:g} s fails. Reset it, or serve it "
                "with smaller steps."
            )
        self.x, self.t = rows[-1], self.t + count * self.dt
        return rows[1:]

    def _put(self, q: np.ndarray, dq: np.ndarray) -> None:
        self.x = self.simulation.step.pack(q, dq, self.t, self.dt, self.p, self.u)

    def reset(self) -> None:
        """Back to the start, with the parameters as the sliders have them."""
        self.t = self.start.t
        state = self._assembled(self.start.q, self.start.dq, self.p)
        self._put(state.q, state.dq)

    def change(self, name: str, value: float) -> None:
        """An input is held from now on; with another parameter the mechanism is assembled again."""
        inputs = [q.name for q in self.model.inputs]
        if name in inputs:
            self.u = self.u.copy()
            self.u[inputs.index(name)] = value
            return
        p = self.p.copy()
        p[[q.name for q in self.model.parameters].index(name)] = value
        state = self._assembled(self.q, self.dq, p)
        self.p = p
        self._put(state.q, state.dq)

    def _assembled(self, q: np.ndarray, dq: np.ndarray, p: np.ndarray) -> State:
        """The nearest state with other parameters; raises ValueError where there is none."""
        state = self.start.changed(q=q, dq=dq, t=self.t, p=p, u=self.u)
        return closed(self.model, state)

    # what there is to see

    def parts(self) -> Parts:
        """The mechanism."""
        return [self.frames.parts(self.q[:, None], self.t, self.p)]

    def values(self) -> Sequence[float]:
        """Coordinates, velocities, energy."""
        have = {"q": self.q, "dq": self.dq, "t": self.t, "p": self.p, "u": self.u}
        energy = self._energy(**{port.name: have[port.name] for port in self._energy.function.inputs})
        return [*self.q, *self.dq, float(sum(energy))]

    # the pointer

    def grab(self, grip: Grip) -> None:
        """A spring from the pointer to what it is on."""
        self.pull.hold(grip, self.q, self.t, self.p)
        self._holding = True

    def drag(self, to: np.ndarray) -> None:
        """The pointer is there now."""
        if self._holding:
            self.pull.to = to

    def release(self) -> None:
        """No spring any more."""
        self._holding = False

    def held(self) -> np.ndarray | None:
        """The ends of the spring."""
        if not self._holding:
            return None
        return np.concatenate([self.pull.places(self.q[:, None], self.t, self.p)[0], self.pull.to])


def closed(model: Model, state: State) -> State:
    """The state on the constraints again, as near as possible.

    Raises ValueError where the mechanism cannot be assembled.
    """
    if not len(model.phi_dot):
        return state
    if len(model.phi) and np.abs(state.value("Phi")).max(initial=0.0) > 1e-10:
        try:
            near = assemble(model, state.q, p=state.p, u=state.u, t=state.t)
        except ValueError as error:
            raise ValueError(f"With that value it cannot be assembled: {error}") from None
        if np.abs(near.q - state.q).max(initial=0.0) > 1.0:
            raise ValueError("With that value it closes only far from here.")
        state = state.changed(q=near.q)
    J, rates = state.value("Phi_dq"), state.value("Phi_dot")
    return state.changed(dq=state.dq - np.linalg.pinv(J, rcond=1e-9) @ rates)


def staged(simulation: Simulation, start: State) -> Stage:
    """A stage as large as the first seconds of the motion."""
    count = min(STEPS, max(1, round(PREVIEW / simulation.dt)))
    return set_for([of_record(simulation.run(start, count * simulation.dt), rate=30.0)])


def actor_of(scene: Scene, frames: Frames, name: str = "", lanes: int = 1, of: int = 1) -> Actor:
    """A mechanism that is drawn."""
    for shape in scene.shapes:
        shape["fixed"] = bool(scene.fixed[shape["places"]].all()) and "turn" not in shape
    return Actor(name, scene.shapes, scene.pivots, frames.points, frames.bases, lanes, of)


def columns_of(model: Model, actors: tuple[int, ...] = (0,)) -> list[Column]:
    """The curves of coordinates and velocities."""
    places = [Column(c.name, c.unit, actors) for c in model.placements]
    return places + [Column(f"{c.name}'", f"{c.unit or '1'}/s", actors) for c in model.placements]


def parameters_of(model: Model, shown: Sequence[Quantity], p: np.ndarray) -> np.ndarray:
    """The values of some parameters."""
    places = {q.name: k for k, q in enumerate(model.parameters)}
    return p[[places[q.name] for q in shown]]


def force_scale(model: Model, start: State) -> float:
    """A force or torque that is felt: twice the largest that acts at the start."""
    acting = np.abs(np.asarray(start.value("delta"), float))
    return round_to(2.0 * float(acting.max(initial=0.0)), 1) or 1.0
