"""A four-bar linkage as an FMU for other programs, and back again: FMPy steps it, and it is the Python run.

Writes four_bar.fmu (with sources and, where there is a C compiler, a binary) and fmu.png, both motions.
"""

import shutil

import numpy as np

import biela as bl

model = bl.mechanisms.four_bar().model()
start = bl.assemble(model, crank=bl.deg(90))
simulation = bl.Simulation(model, dt=1e-3)
run = simulation.run(start, 1.0)
compiler = shutil.which("gcc") is not None
path = bl.export_fmu(simulation.block(start), "four_bar.fmu", "3.0", binary=compiler)
print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
crank = np.full_like(run["crank"], np.nan)
if compiler:
    from fmpy import simulate_fmu  # of the extra biela[fmi]

    found = simulate_fmu(str(path), stop_time=1.0, step_size=1e-3, output_interval=1e-3, output=["crank"])
    crank = np.interp(run.t, found["time"], found["crank"])
    print(f"the crank as FMPy has it is within {np.abs(crank - run['crank']).max():.0e} rad of ours")
both = run.replaced(columns={"crank": run["crank"], "crank of the FMU": crank}, model=None)
both = both.replaced(units=dict.fromkeys(both.columns, "rad"))
both.plot().savefig("fmu.png", dpi=120)
