"""Simulation: from a model to motion. Assembly, steps, studies and what they return."""

from biela.simulate.assembly import AssemblyError, assemble, branches
from biela.simulate.formulation import FORMULATIONS
from biela.simulate.integrator import INTEGRATORS
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation
from biela.simulate.state import State
from biela.simulate.step import Step, step

__all__ = [
    "FORMULATIONS",
    "INTEGRATORS",
    "AssemblyError",
    "Record",
    "Simulation",
    "State",
    "Step",
    "assemble",
    "branches",
    "step",
]
