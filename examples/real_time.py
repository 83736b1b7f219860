"""Soft real time: a pole balanced on a cart by an actuator that saturates and lags, at 1 kHz by the clock.

Every millisecond the loop hands the state to a controller and makes one native step. The controller's force
goes through the model of an actuator: limited to 10 N, and a first-order lag of 10 ms. At the end: how the
loop kept its time, and how many times faster than real time the steps are.
"""

import sys

import numpy as np

import biela as bl
from biela.simulate import RealTime, Simulation, assemble

PERIOD, LIMIT, LAG = 1e-3, 10.0, 10e-3  # s, N, s
GAINS = np.array([1.0, 36.0, 2.4, 8.0])  # N per m, rad, m/s, rad/s: linear-quadratic, rounded

force, peak = np.zeros(1), np.zeros(1)


def actuate(number: int, state: np.ndarray, u: np.ndarray) -> None:
    """What the controller asks for, limited, and what the actuator gives."""
    wanted = min(LIMIT, max(-LIMIT, float(GAINS @ state)))
    force[0] += (wanted - force[0]) * PERIOD / LAG
    u[0] = force[0]
    peak[0] = max(peak[0], abs(force[0]))


seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
model = bl.mechanisms.cart_pole().model()
simulation = Simulation(model, dt=PERIOD)
record, timing = RealTime(simulation, actuate).run(assemble(model, theta=0.2), seconds)

print(record)
print(f"lean    {record['theta'][0]:.3f} rad at the start, {record['theta'][-1]:.2e} rad at the end")
print(f"force   {peak[0]:.2f} N at most")
print(f"periods {timing.counts()}")
print(timing.histogram())
print(f"factor  {timing.factor:,.0f} times real time, callback included")
