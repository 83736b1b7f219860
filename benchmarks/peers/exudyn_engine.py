"""Exudyn: the four-bar as three plane bodies and four hinges, by its generalised-alpha integrator.

Nine coordinates and eight multipliers, implicit, with its own loop in C++ over the steps. The build without
checks of ranges is the one that runs; writing of results is off. A run's own preparations are in its time.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from benchmarks import four_bar
from benchmarks.four_bar import COUPLER, COUPLER_MASS, CRANK, DT, GRAVITY, GROUND, ROCKER, ROCKER_MASS

sys.exudynFast = True  # pyright: ignore[reportAttributeAccessIssue] - how Exudyn is told which build to load
with redirect_stdout(sys.stderr):  # where it tells which one it was
    import exudyn
    from exudyn import itemInterface

RADIUS = 0.9  # spectral, at infinite frequency


class FourBar:
    """Runs the four-bar in Exudyn; `run` always begins at the start."""

    def __init__(self) -> None:
        self.container: Any = exudyn.SystemContainer()
        self.system: Any = self.container.AddSystem()
        self._describe()
        self.system.Assemble()

    def run(self, steps: int) -> np.ndarray:
        """The crank's angle that many steps after the start."""
        settings: Any = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * DT
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = RADIUS
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.writeSolutionToFile = False
        self.system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.GeneralizedAlpha)
        moved = self.system.GetNodeOutput(self.crank, exudyn.OutputVariableType.Coordinates)
        return np.array([four_bar.start()[0] + moved[2]])

    def _describe(self) -> None:
        add = self.system
        theta1, _, theta2, theta3 = four_bar.start().tolist()
        pin = CRANK * _turned(theta1)
        ground = add.AddObject(itemInterface.ObjectGround())
        self.crank, crank = self._body(11.10, four_bar.CRANK_INERTIA, np.zeros(2), theta1)
        _, coupler = self._rod(COUPLER_MASS, COUPLER, pin, theta2)
        _, rocker = self._rod(ROCKER_MASS, ROCKER, np.array([GROUND, 0.0]), theta3)
        for one, x, other, y in (
            (ground, 0.0, crank, 0.0),
            (crank, CRANK, coupler, -COUPLER / 2),
            (coupler, COUPLER / 2, rocker, ROCKER / 2),
            (ground, GROUND, rocker, -ROCKER / 2),
        ):
            places = [
                add.AddMarker(
                    itemInterface.MarkerBodyPosition(bodyNumber=body, localPosition=[along, 0.0, 0.0])
                )
                for body, along in ((one, x), (other, y))
            ]
            add.AddObject(itemInterface.ObjectJointRevolute2D(markerNumbers=places))

    def _rod(self, mass: float, length: float, end: np.ndarray, angle: float) -> tuple[Any, Any]:
        center = end + length / 2 * _turned(angle)
        return self._body(mass, mass * length**2 / 12, center, angle)

    def _body(self, mass: float, inertia: float, center: np.ndarray, angle: float) -> tuple[Any, Any]:
        add = self.system
        node = add.AddNode(itemInterface.NodeRigidBody2D(referenceCoordinates=[*center.tolist(), angle]))
        body = add.AddObject(
            itemInterface.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node)
        )
        marker = add.AddMarker(itemInterface.MarkerBodyMass(bodyNumber=body))
        add.AddLoad(itemInterface.LoadMassProportional(markerNumber=marker, loadVector=[0.0, -GRAVITY, 0.0]))
        return node, body


class Exudyn:
    """The four-bar in Exudyn."""

    def __init__(self) -> None:
        self.four_bar = FourBar()


def load(quick: bool) -> Exudyn:
    """The contender; importing this raises ImportError without Exudyn."""
    return Exudyn()


def _turned(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])
