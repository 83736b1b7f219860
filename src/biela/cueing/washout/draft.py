"""`Draft`: the sample of a washout in the making; what all washouts do before and after their own filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from biela.cueing.gravity import GRAVITY
from biela.cueing.recursion import States
from biela.cueing.washout.centre import centred
from biela.cueing.washout.scaling import scaled
from biela.cueing.washout.tunable import AXES
from biela.cueing.washout.washout import INPUTS, Washout
from biela.expr.expression import Expr, constant
from biela.expr.function import Function
from biela.expr.graph import Graph

SHOWN: dict[str, str] = dict(zip(AXES, INPUTS, strict=True))


class Draft:
    """Symbols for the state, the motion and the numbers of a washout."""

    def __init__(self, washout: Washout, numbers: Sequence[str] = (), ahead: Sequence[str] = ()) -> None:
        self.washout, self.T = washout, washout.dt
        self.graph = Graph()
        self.states = States(self.graph)
        self.last: dict[str, Expr] = {name: self.states.state(name) for name in washout.axes}
        self.motion: dict[str, Expr] = {name: self.graph.symbol(name) for name in (*INPUTS, *ahead)}
        self.p: dict[str, Expr] = {name: self.graph.symbol(name) for name in numbers or washout.names}
        self.zero = constant(self.graph, 0.0)

    def wants(self, *axes: str) -> bool:
        """Whether any of these axes is wanted."""
        return any(name in self.washout.axes for name in axes)

    def scaled(self, axis: str, value: Expr | None = None) -> Expr:
        """What the vehicle does along an axis, scaled; of the vertical force what exceeds gravity."""
        if value is None:
            value = self.motion[SHOWN[axis]] - (GRAVITY if axis == "heave" else 0.0)
        p = self.p
        numbers = [p[f"{axis}.{key}"] for key in ("gain", "limit", "deadband", "begin", "end")]
        return scaled(value, *numbers)

    def centred(self, axis: str, place: Expr, meant: Expr) -> Expr:
        """A displacement that does not swing through the middle, where that is asked for."""
        if f"{axis}.centre" in self.washout.idle():
            return place
        return centred(self.states, f"{axis}.centre", place, meant, self.p[f"{axis}.centre"], self.T)

    def function(
        self,
        pose: Mapping[str, Expr],
        inputs: Mapping[str, Sequence[Expr]] = MappingProxyType({}),
        outputs: Mapping[str, Sequence[Expr]] = MappingProxyType({}),
    ) -> Function:
        """The sample that ends in a pose, with more inputs and outputs if need be."""
        for name in self.washout.axes:
            self.states.becomes(name, pose[name])
        states = self.states
        own = {
            "x": list(states.now.values()),
            "motion": list(self.motion.values()),
            "p": list(self.p.values()),
        }
        after = [states.after[name] for name in states.now]
        return Function(f"{self.washout.kind}_washout", own | dict(inputs), {"x_next": after, **outputs})
