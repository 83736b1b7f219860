"""A mechanism of one's own, and an observer of it: a pump whose crank is found by a gyroscope on its rod.

Writes pump_observer.png: what the filter says of the crank at first, with bands of two deviations.
"""

import numpy as np

import biela as bl


def pump() -> bl.System:
    """A slider-crank whose piston runs 10 mm above the crank."""
    s = bl.System("pump")
    r, length, e = s.parameters(r=0.03, length=0.11, e=0.01)
    m1, m2, m3, g = s.parameters(m1=1.5, m2=0.25, m3=0.3, g=9.81)
    crank = s.body("crank", mass=m1, inertia=bl.disc(m1, 0.06))
    rod = s.body("rod", mass=m2, com=[length / 2, 0, 0], inertia=bl.rod(m2, length))
    piston = s.body("piston", mass=m3)
    s.revolute(s.ground, crank, coordinates="crank")
    s.revolute(crank, rod, at=[r, 0, 0], coordinates="rod")
    s.prismatic(s.ground, piston, at=[0, e, 0], axis="x", coordinates="piston")
    s.close(rod.point([length, 0, 0]), piston.origin, name="pin")
    s.gravity([0, -g, 0])
    return s


model = pump().model()
gyros = [bl.Gyro("rod", sigma=bl.deg(0.5), rate=100)]
bench = bl.Bench(bl.Simulation(model, dt=1e-3), gyros)
truth, readings = bench.run(bl.assemble(model, crank=bl.deg(60)), 3.0, seed=1)
process = bl.Process(model, 1e-3, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)
observer = bl.ExtendedKalman(process, gyros)
estimate = observer.run(readings, bl.assemble(model, crank=bl.deg(70)), [bl.deg(10), 0.01])
error = np.rad2deg(bl.rmse(truth, estimate, "crank", begin=1.0))
print(f"crank within {error:.3f} deg, though it began 10 deg off")
estimate.between(0.0, 0.3).plot(["crank", "crank'"]).savefig("pump_observer.png", dpi=120)
