"""Simulation: from a model to motion. Assembly, steps, studies and what they return."""

from biela.simulate.assembly import AssemblyError, assemble, branches
from biela.simulate.diagnosis import Diagnosis, diagnose
from biela.simulate.distribution import Choice, Normal, Uniform
from biela.simulate.event import Event, crossing, impact, periodic, scheduled
from biela.simulate.formulation import FORMULATIONS
from biela.simulate.grashof import Grashof, grashof
from biela.simulate.identification import Identification, identify
from biela.simulate.input import Controller, Sampled, Table
from biela.simulate.integrator import INTEGRATORS
from biela.simulate.inverse import inverse_dynamics, reactions
from biela.simulate.kinematic import kinematics
from biela.simulate.linear import Linear, Locus, Mode, linearise, root_locus
from biela.simulate.realtime import Clock, RealTime, Status, Timing
from biela.simulate.record import Record
from biela.simulate.regression import Regression, regress
from biela.simulate.report import Report
from biela.simulate.scatter import Scatter, scatter
from biela.simulate.sensitivity import Sensitivities, Sensitivity
from biela.simulate.simulation import Simulation
from biela.simulate.state import State
from biela.simulate.static import equilibria, equilibrium, stability
from biela.simulate.step import Step, step
from biela.simulate.sweep import Sweep, grid, sweep
from biela.simulate.workspace import Workspace, workspace

__all__ = [
    "FORMULATIONS",
    "INTEGRATORS",
    "AssemblyError",
    "Choice",
    "Clock",
    "Controller",
    "Diagnosis",
    "Event",
    "Grashof",
    "Identification",
    "Linear",
    "Locus",
    "Mode",
    "Normal",
    "RealTime",
    "Record",
    "Regression",
    "Report",
    "Sampled",
    "Scatter",
    "Sensitivities",
    "Sensitivity",
    "Simulation",
    "State",
    "Status",
    "Step",
    "Sweep",
    "Table",
    "Timing",
    "Uniform",
    "Workspace",
    "assemble",
    "branches",
    "crossing",
    "diagnose",
    "equilibria",
    "equilibrium",
    "grashof",
    "grid",
    "identify",
    "impact",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "periodic",
    "reactions",
    "regress",
    "root_locus",
    "scatter",
    "scheduled",
    "stability",
    "step",
    "sweep",
    "workspace",
]
