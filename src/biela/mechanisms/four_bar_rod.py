"""A four-bar linkage of two hinges and a rod that stands for the output bar.

The plane is that of x and y, with y up. The input bar turns about a fixed point at -l1 on x, the floating
bar about the end of the input bar; a massless rod of length l4 keeps the end of the floating bar at its
distance from the origin. Coordinates are the angle of the input bar against x and that of the floating bar
relative to it; one equation; one degree of freedom. With the default lengths the input bar turns fully, and
for each of its angles the mechanism closes in two ways. The drawing is both bars, the rod and the path
of its moving end.
"""

from __future__ import annotations

from math import pi

from biela.mechanics.drawing import Bar, Trace
from biela.mechanics.system import System


def four_bar_rod(as_simulated: bool = False) -> System:
    """A four-bar linkage whose output bar is a massless rod.

    Source: the example of SimTKpf, a library of particle filters over Simbody (github.com/r-aguilera):
    lengths 2, 4, 3 and 4 m, bars of 1 kg, g = 9.8 m/s2. Chosen: the bars are thin uniform rods. With
    ``as_simulated`` they have the moments of inertia that the example gives Simbody, 1 kg m2 about the inner
    hinge, less than any body with that mass centre has. The start, at rest and upright, is chosen.
    """
    I_1, I_2 = (1.0, 1.0) if as_simulated else (16.0 / 3.0, 3.0)
    s = System("four_bar_rod")
    l1 = s.parameter("l1", 2.0, "m", "between the fixed points")
    l2 = s.parameter("l2", 4.0, "m", "length of the input bar")
    l3 = s.parameter("l3", 3.0, "m", "length of the floating bar")
    l4 = s.parameter("l4", 4.0, "m", "length of the rod")
    m2 = s.parameter("m2", 1.0, "kg", "mass of the input bar")
    m3 = s.parameter("m3", 1.0, "kg", "mass of the floating bar")
    I2 = s.parameter("I2", I_1, "kg m2", "moment of inertia of the input bar about its fixed hinge")
    I3 = s.parameter("I3", I_2, "kg m2", "moment of inertia of the floating bar about its hinge")
    g = s.parameter("g", 9.8, "m/s2", "acceleration of free fall")
    theta = s.coordinate("input", pi / 2, unit="rad")
    alpha = s.coordinate("floating", -1.6129189623603786, unit="rad")

    bar = s.body("input_bar", mass=m2, com=[l2 / 2, 0, 0], inertia=[0, 0, I2], about="origin")
    floating = s.body("floating_bar", mass=m3, com=[l3 / 2, 0, 0], inertia=[0, 0, I3], about="origin")
    s.revolute(s.ground, bar, at=[-l1, 0, 0], axis="z", coordinates=theta)
    s.revolute(bar, floating, at=[l2, 0, 0], axis="z", coordinates=alpha)
    end = floating.point([l3, 0, 0])
    s.distance(s.origin, end, l4, name="rod")
    s.gravity([0, -g, 0])

    s.draw(Bar(bar.origin, floating.origin), Bar(floating.origin, end), Bar(end, s.origin, radius=0.005))
    s.draw(Trace(end))
    return s
