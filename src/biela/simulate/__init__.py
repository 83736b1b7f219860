"""Simulation: from a model to motion. Assembly, steps, studies and what they return."""

from biela.simulate.assembly import AssemblyError, assemble, branches
from biela.simulate.diagnosis import Diagnosis, diagnose
from biela.simulate.formulation import FORMULATIONS
from biela.simulate.grashof import Grashof, grashof
from biela.simulate.integrator import INTEGRATORS
from biela.simulate.inverse import inverse_dynamics, reactions
from biela.simulate.kinematic import kinematics
from biela.simulate.linear import Linear, Locus, Mode, linearise, root_locus
from biela.simulate.record import Record
from biela.simulate.simulation import Simulation
from biela.simulate.state import State
from biela.simulate.static import equilibria, equilibrium, stability
from biela.simulate.step import Step, step

__all__ = [
    "FORMULATIONS",
    "INTEGRATORS",
    "AssemblyError",
    "Diagnosis",
    "Grashof",
    "Linear",
    "Locus",
    "Mode",
    "Record",
    "Simulation",
    "State",
    "Step",
    "assemble",
    "branches",
    "diagnose",
    "equilibria",
    "equilibrium",
    "grashof",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "reactions",
    "root_locus",
    "stability",
    "step",
]
