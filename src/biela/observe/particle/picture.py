"""The picture of a swarm: where its particles are, what they weigh, which way each mechanism is assembled.

A row for each independent coordinate: on the left a cloud in the plane of the coordinate and its velocity, on
the right a histogram of the coordinate by weights. Colours are branches of the assembly; angles are drawn in
the turn around their mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biela.mechanics.quantity import TURN
from biela.simulate import plotting
from biela.simulate.recording import units
from biela.simulate.state import State

if TYPE_CHECKING:
    from biela.observe.particle.filter import ParticleFilter

BINS = 48
MOST, LEAST = 36.0, 3.0  # areas of the heaviest and of the lightest particle, square points


def plot(observer: ParticleFilter, state: State | None = None) -> Any:
    """A figure of the swarm; raises ValueError before there is one."""
    if not len(observer.swarm):
        raise ValueError(f"{observer!r} has no particles yet: start it, or run it.")
    names = observer.process.manifold.names
    half = len(names) // 2
    drawing = plotting.pyplot()
    with drawing.rc_context(plotting.STYLE):
        figure, axes = drawing.subplots(
            half, 2, squeeze=False, layout="constrained", figsize=(8.4, 0.6 + 2.6 * half)
        )
        for (left, right), name, speed in zip(axes, names[:half], names[half:], strict=True):
            _coordinate(observer, left, right, (name, speed), state)
        title = f"{observer.model.name} at t={observer.t:g} s"
        axes[0, 0].set_title(title, loc="left", fontsize=10.0, color="#333333")
        plotting.legend(axes[0, 1])
    return figure


def _coordinate(
    observer: ParticleFilter, left: Any, right: Any, names: tuple[str, str], state: State | None
) -> None:
    told, rows = units(observer.model), observer.transition.names
    labels = [f"{name} [{told[name] or 1}]" for name in names]
    z, dz = (observer.swarm.x[rows.index(name)] for name in names)
    middle = observer.estimate()[names[0]]
    z = _near(z, middle) if told[names[0]] == "rad" else z
    w, signs = observer.swarm.weights, observer.branches()
    edges = np.histogram_bin_edges(z, BINS)
    below = np.zeros(BINS)
    for colour, sign in zip(plotting.COLOURS, (1, -1), strict=False):
        here = signs == sign
        if not here.any():
            continue
        area = LEAST + (MOST - LEAST) * w[here] / w.max()
        left.scatter(z[here], dz[here], s=area, color=colour, alpha=0.4, linewidths=0)
        heights = np.histogram(z[here], edges, weights=w[here])[0]
        label = f"branch {sign:+d}: {100.0 * w[here].sum():.0f} %"
        right.bar(edges[:-1], heights, np.diff(edges), below, align="edge", color=colour, label=label)
        below += heights
    if state is not None:
        place = [c.name for c in observer.model.placements].index(names[0])
        truth = float(_near(state.q[place], middle)) if told[names[0]] == "rad" else float(state.q[place])
        left.plot(truth, state.dq[place], "k+", markersize=14, markeredgewidth=1.6)
        right.axvline(truth, color="black", label="truth")
    left.set(xlabel=labels[0], ylabel=labels[1])
    left.margins(0.05)
    right.set(xlabel=labels[0], ylabel="weight")


def _near(angle: Any, middle: float) -> Any:
    """Angles in the turn around one of them."""
    return middle + (angle - middle + TURN / 2.0) % TURN - TURN / 2.0
