"""An `Interaction` in MuJoCo's contact parameters.

The source's engine solves, for each direction of a contact, ``v+ = (bounciness/h) depth - hardness f`` along
the normal and ``v+ = -slip f`` across it (v+ the velocity after the step, f the force). MuJoCo solves
``R f = a_ref - a`` with ``a_ref = -B v - K r``. With ``B = 1/h`` and ``R = slip/h`` its tangential row is the
source's exactly. One ratio ``impratio = R_normal / R_tangent`` belongs to the whole model, so that R_normal
follows, and K is chosen for the same static stiffness ``bounciness / (h hardness)``. Two tangential
directions differ by their friction coefficients: R is inversely proportional to their squares; the one that
slips less is given the greater friction, so that Coulomb's bound is exact in direction 2 only where slips
differ.

Where hardness is so great that K h^2 falls below `SLOWEST`, a penetration would take hundreds of steps to
settle; the contact then slips a little more than asked, which ``slip1`` and ``slip2`` of `Softness` tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from biela.arena.scene.material import Interaction

RATIO = 0.1  # of the regularisation along the normal to that across it, one for the whole model
SLOWEST = 0.02  # of a penetration corrected in a step, at least
MOST = 0.25  # of a penetration corrected in a step: critical damping; more would throw bodies up
HARDEST = 1e-3  # of the regularisation to the inverse mass: more is beyond the engine's range


@dataclass(frozen=True)
class Softness:
    """Numbers of one contact pair: impedance, stiffness and damping, and friction in two directions."""

    impedance: float
    stiffness: float
    damping: float
    friction1: float
    friction2: float
    slip1: float
    slip2: float


def softness(given: Interaction, step: float, inverse_mass: float) -> Softness:
    """The contact parameters for a step size and the sum of the bodies' inverse masses."""
    least = HARDEST / RATIO * inverse_mass * step
    erp = max(given.bounciness, 1e-3)
    slip2 = max(given.slip2, least, SLOWEST * given.hardness / (RATIO * erp))
    slip1 = max(given.slip1, least) if given.slip1 != given.slip2 else slip2
    normal = RATIO * slip2 / step
    rate = min(MOST, erp * normal * step / max(given.hardness, 1e-12)) / step**2
    impedance = 1.0 / (1.0 + normal / inverse_mass)
    friction = max(given.friction, 1e-5)
    return Softness(
        impedance=impedance,
        stiffness=rate * impedance,  # the engine divides by its square, then multiplies by it
        damping=impedance / step,
        friction1=friction * math.sqrt(slip2 / slip1),
        friction2=friction,
        slip1=slip1,
        slip2=slip2,
    )
