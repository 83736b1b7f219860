"""A drawing for a mechanism that has none: each body's joints, its mass centre, the springs it may hang on.

A body becomes bars from its origin to the places where other bodies are joined to it and to its mass
centre, on which sits a small ball. It shows how things move and not how they look; ``system.draw`` does.
"""

from __future__ import annotations

import numpy as np

from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar, Shape, Solid
from biela.mechanics.model import Model
from biela.mechanics.space import Point

BALL, BARE = 0.06, 0.1  # the radius of the balls by the size of the mechanism; metres where that is nothing


def sketched(model: Model) -> tuple[Shape, ...]:
    """Shapes for the bodies of a model; raises ValueError if it has neither bodies nor points to show."""
    reach = _reach(model)
    shapes: list[Shape] = []
    for body in model.bodies.values():
        shapes += [Bar(body.origin, place, radius=BALL * reach / 4) for place in _places(model, body)]
        shapes.append(Solid("sphere", body.com, body.base, (BALL * reach,)))
    if not shapes:
        shapes = _between_points(model)
    if not shapes:
        raise ValueError(
            f"Model '{model.name}' has nothing to show: it has no drawing, no bodies and no points. "
            "Add shapes with system.draw(bl.Bar(...)) before system.model()."
        )
    return tuple(shapes)


def _places(model: Model, body: Body) -> list[Point]:
    """Where something else holds on to a body, and its mass centre, without its origin."""
    held = [joint.at for joint in model.joints if joint.parent is body]
    held += [joint.to for joint in model.joints if joint.child is body]
    ends = [end for constraint in model.constraints for end in constraint.points or ()]
    held += [end for end in ends if end.parent is body.origin and end.base is body.base]
    return [place for place in dict.fromkeys([*held, body.com]) if place is not body.origin]


def _between_points(model: Model) -> list[Shape]:
    """Bars from each named point to the one it is given from."""
    named = [point for point in model.points.values() if point.parent is not None]
    return [Bar(point.parent, point) for point in named if point.parent is not None]


def _reach(model: Model) -> float:
    """A length of the mechanism: the longest edge of its points, with the parameters it has."""
    places = [joint.at for joint in model.joints] + [body.com for body in model.bodies.values()]
    edges = [place.r for place in places if place.r is not None]
    if not edges:
        return BARE
    squared = [r[0] * r[0] + r[1] * r[1] + r[2] * r[2] for r in edges]
    lengths = model.function("lengths", {"squared": squared}, "velocity")
    q, dq = model.start
    have = {"q": q, "dq": dq, "t": 0.0, "p": model.p}
    found = lengths.evaluate(**{port.name: have[port.name] for port in lengths.inputs})
    return float(np.sqrt(np.nanmax(found))) or BARE
