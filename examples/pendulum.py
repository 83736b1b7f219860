"""A pendulum from its two energies: derived, compiled, run for a million steps, written in C and checked.

It is the example of the README. The check needs no trust in biela: the period of a pendulum of any
amplitude is known in closed form, and its energy does not change.
"""

from time import perf_counter

import numpy as np
from scipy.special import ellipk

import biela as bl

graph = bl.Graph()
q, w, a = bl.coordinate(graph, "q")  # angle, angular velocity and acceleration
g, length, h = graph.symbols("g length h")  # gravity, length, time step
T, V = (length * w) ** 2 / 2, -g * length * bl.cos(q)  # kinetic and potential energy, per kg

motion = T.diff(w).dt() + V.diff(q)  # zero, says Lagrange
acceleration = -motion.substitute({a: 0}) / motion.diff(a)

half = w + h / 2 * acceleration  # velocity Verlet: half a kick, a drift, half a kick
q_next = q + h * half
w_next = half + h / 2 * acceleration.substitute({q: q_next})
inputs = {"x": [q, w], "p": [g, length, h]}
step = bl.Function("pendulum_step", inputs, {"x_next": [q_next, w_next]})

kernel = bl.Kernel(step)  # native code through LLVM
p = [9.81, 1.0, 1e-3]
path = kernel.iterate([2.0, 0.0], 1_000_000, p)  # from rest at 2 rad, one row a step
files = bl.export(step, "c99", "pendulum_c")  # C99 without malloc

energy = bl.Kernel(bl.Function("energy", inputs, {"E": T + V}))
E = energy.batch(np.ascontiguousarray(path.T), p)  # all states at once
before = np.flatnonzero((path[:-1, 0] < 0) & (path[1:, 0] >= 0))  # last steps before it swings up
crossing = before - path[before, 0] / (path[before + 1, 0] - path[before, 0])
period = 1e-3 * (crossing[-1] - crossing[0]) / (len(crossing) - 1)
exact = 4 * np.sqrt(1.0 / 9.81) * ellipk(np.sin(1.0) ** 2)  # complete elliptic integral
start = perf_counter()
kernel.iterate([2.0, 0.0], 1_000_000, p)
seconds = perf_counter() - start

print(f"step    {step}: {step.operations}")
print(f"period  {period:.6f} s, mean of {len(crossing) - 1} swings; exact {exact:.6f} s")
print(f"energy  {E[0]:.6f} J/kg, constant within {np.ptp(E):.1e} over 1000 s")
print(f"speed   {seconds:.3f} s for a million steps, {1000 / seconds:,.0f} times real time")
print(f"C99     {', '.join(map(str, files))}")
