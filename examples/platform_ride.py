"""A slalom on a motion platform that pitches and rolls: what the vehicle did, what the platform made of it.

Writes ride.png: demands and poses of the platform under the classical washout, at its preset.
"""

import numpy as np

from biela import cueing

drive = cueing.drive.slalom(duration=20.0)
simulator = cueing.Simulator.source_002()
ride = cueing.Ride.on(simulator, cueing.ClassicalWashout.preset("delft"))
run = ride.run(drive)
told = ride.batch(drive, ride.p[:, None])
print(f"{simulator.platform.name}, {len(run)} samples")
for name in simulator.platform.dofs:
    low, high = np.rad2deg([run[name].min(), run[name].max()])
    print(f"{name:6} {low:7.2f} .. {high:6.2f} deg")
print(f"clipped in {100 * float(told['clipped'][0]):.1f} % of the samples")
run.plot(list(simulator.platform.dofs)).savefig("ride.png", dpi=120)
