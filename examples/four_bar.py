"""A four-bar linkage: described, counted, written in C, put together and moved for a second.

It is the first example of the README: the test bench of Torres-Moreno and others (Sensors 16, 2016, 333). Its
energy has to stay what it is, and its loop closed.
"""

import numpy as np

import biela as bl

s = bl.System("four_bar")
l1, l2, l3, l4 = s.parameters(l1=0.120, l2=0.540, l3=0.455, l4=0.800)  # metres
m1, m2, m3, g = s.parameters(m1=11.10, m2=0.40, m3=1.23, g=9.81)  # kilograms, and gravity
crank = s.body("crank", mass=m1, inertia=bl.disc(m1, 0.14))  # a disc with a pin
coupler = s.body("coupler", mass=m2, com=[l2 / 2, 0, 0], inertia=bl.rod(m2, l2))
rocker = s.body("rocker", mass=m3, com=[l3 / 2, 0, 0], inertia=bl.rod(m3, l3))
s.revolute(s.ground, crank, coordinates="crank")
s.revolute(crank, coupler, at=[l1, 0, 0], coordinates="coupler")
s.revolute(s.ground, rocker, at=[l4, 0, 0], coordinates="rocker")
s.close(coupler.point([l2, 0, 0]), rocker.point([l3, 0, 0]), name="pin")
s.gravity([0, -g, 0])
four_bar = s.model()  # frozen, and checked

equations = four_bar.functions["all"]  # M, delta, the constraints and their rates, computed together
files = bl.export(equations, "c99", "four_bar_c")  # C99 without malloc
start = bl.assemble(four_bar, crank=bl.deg(90))  # closes the loop
run = bl.Simulation(four_bar, dt=1e-3).run(start, duration=1.0)  # native code, a thousand steps

angle, speed = run["crank"][-1], run["crank'"][-1]
print(four_bar)
print(f"equations  {equations.operations}")
print(f"C99        {', '.join(map(str, files))}")
print(f"start      {start}")
print(f"after 1 s  crank at {angle:.6f} rad, turning at {speed:.6f} rad/s")
print(f"trust      energy within {np.ptp(run.energy):.0e} J, loop within {run.residual.max():.0e} m")
