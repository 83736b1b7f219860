"""A refereed sumo match between a strategy of one's own and a baseline; the same for the same seed.

Writes match.png: the ways of both robots, and the ring.
"""

import math

import numpy as np
from matplotlib.figure import Figure

from biela import arena


class Patient(arena.Strategy):
    """Turns towards the opponent, and pushes once it faces it."""

    def act(self, view: arena.View) -> tuple[float, float]:
        """The wheels' speeds."""
        off = view.me.bearing(view.opponent.x, view.opponent.y)
        return view.drive(view.top_speed if abs(off) < 0.2 else 0.0, 12.0 * off)


rules = arena.SumoRules(points=1, hold=1.0, rounds=1)
result = arena.sumo("mini", left=Patient(), right="orbiter", seed=7, rules=rules).play()
assert not result.faults["left"], result.faults  # what a strategy does wrong does not stop the match
print(result)
for time, text in result.events:
    print(f"{time:6.2f} s  {text}")

figure = Figure(figsize=(4.5, 4.5), layout="constrained")
axes = figure.subplots()
turn, radius = np.linspace(0, math.tau, 200), arena.SUMO_RINGS["mini"].diameter / 2
axes.plot(radius * np.cos(turn), radius * np.sin(turn), color="black")
for side, colour in (("left", "#0072b2"), ("right", "#d55e00")):
    axes.plot(result.record[f"{side}.x"], result.record[f"{side}.y"], color=colour, label=side)
axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="the ring from above")
axes.legend(loc="upper right")
figure.savefig("match.png", dpi=120)
