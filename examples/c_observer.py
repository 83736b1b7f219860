"""An observer in C, live: written as C99, compiled by gcc, loaded, and called at every reading as it comes.

Writes c_observer.png: the crank as the C code has it, and the truth. Without gcc it says so, and ends.
"""

import ctypes
import shutil
import subprocess
import sys
from time import perf_counter

import numpy as np

import biela as bl

model = bl.mechanisms.four_bar().model()
gyros = [bl.Gyro(body, sigma=bl.deg(0.5), rate=100) for body in ("coupler", "rocker")]
bench = bl.Bench(bl.Simulation(model, dt=1e-3), gyros)
truth, readings = bench.run(bl.assemble(model, crank=bl.deg(90)), 3.0)
process = bl.Process(model, 1e-3, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)
observer = bl.ErrorStateKalman(process, gyros)
guess, spread = bl.assemble(model, crank=bl.deg(95)), [bl.deg(5), 0.01]
observer.export_c("observer", guess, spread)
if not shutil.which("gcc"):
    sys.exit("There is no gcc to compile observer/four_bar_error_state.c with.")
line = "gcc -O2 -shared -fPIC four_bar_error_state.c -o observer.so -lm"
subprocess.run(line.split(), cwd="observer", check=True)
step = ctypes.CDLL("./observer/observer.so").biela_four_bar_error_state

x, h, told = observer.start(guess, spread), np.array([1e-3]), np.zeros((2, 1))
given = [np.ascontiguousarray(v, float) for v in (h, guess.p, guess.u)]
crank, began = [x[0]], perf_counter()
for y in readings:
    after = np.empty_like(x)
    arrays = [x, y, *given, after, *told]
    step(*(a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in arrays))
    x = after
    crank.append(x[0])
spent = (perf_counter() - began) / len(readings)
offline = observer.run(readings, guess, spread)["crank"]
print(f"{len(readings)} readings, {1e6 * spent:.1f} us each through ctypes")
print(f"the same as in Python to {np.abs(np.array(crank) - offline).max():.0e} rad")
both = {"truth": truth["crank"], "observer in C": np.array(crank)}
picture = truth.replaced(columns=both, units=dict.fromkeys(both, "rad"), model=None).between(0.0, 0.5)
picture.plot().savefig("c_observer.png", dpi=120)
