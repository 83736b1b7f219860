"""Ten thousand four-bar linkages, each with its own start and masses, released at once and run side by side.

Writes scatter.png: the quantiles of the cranks' angles and speeds. The lanes run in SIMD and on all cores.
"""

from time import perf_counter

import numpy as np

import biela as bl

COUNT, SECONDS = 10_000, 2.0
model = bl.mechanisms.four_bar().model()
masses = {"m2": bl.Uniform(0.35, 0.45), "m3": bl.Uniform(1.1, 1.35)}
starts = bl.scatter(model, COUNT, seed=1, crank=bl.Normal(bl.deg(90), bl.deg(3)), p=masses)
simulation = bl.Simulation(model, dt=2e-3)
simulation.batch(starts, duration=0.01)  # compiled before it counts
began = perf_counter()
run = simulation.batch(starts, duration=SECONDS, every=10)
spent = perf_counter() - began
low, high = np.rad2deg(np.quantile(run["crank"][-1], [0.05, 0.95]))
print(f"{COUNT} motions of {SECONDS:g} s in {spent:.2f} s, {COUNT * SECONDS / spent:,.0f} times real time")
print(f"after {SECONDS:g} s nine of ten cranks stand between {low:.1f} and {high:.1f} degrees")
print(f"the loops of all of them are closed to {np.nanmax(run.residual):.0e} m")
run.plot(["crank", "crank'"]).savefig("scatter.png", dpi=120)
