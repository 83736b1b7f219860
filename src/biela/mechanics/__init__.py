"""Multibody mechanics: describe a mechanism by bases, points, bodies and joints; get its equations.

A `System` is what you describe with; `System.model` freezes it into a `Model`, whose equations are
Functions. The room of tier 1: it imports only `biela.expr`.
"""

from biela.mechanics.body import Body
from biela.mechanics.contact import Contact
from biela.mechanics.creep import FILMS, Film, falling_friction, linear_creep, polach, sliding
from biela.mechanics.drawing import Bar, Coil, Solid, Trace
from biela.mechanics.formalism import FORMALISMS
from biela.mechanics.inertia import ball, box, cylinder, disc, rod, tube
from biela.mechanics.joint import JOINTS, Joint
from biela.mechanics.load import coulomb, stribeck
from biela.mechanics.model import Model
from biela.mechanics.natural import Natural
from biela.mechanics.natural_body import NaturalBody
from biela.mechanics.quantity import deg, rpm
from biela.mechanics.space import Base, Point
from biela.mechanics.surface import Surface
from biela.mechanics.system import System
from biela.mechanics.vector import Jacobian, Tensor, Vector, triple_cross

__all__ = [
    "FILMS",
    "FORMALISMS",
    "JOINTS",
    "Bar",
    "Base",
    "Body",
    "Coil",
    "Contact",
    "Film",
    "Jacobian",
    "Joint",
    "Model",
    "Natural",
    "NaturalBody",
    "Point",
    "Solid",
    "Surface",
    "System",
    "Tensor",
    "Trace",
    "Vector",
    "ball",
    "box",
    "coulomb",
    "cylinder",
    "deg",
    "disc",
    "falling_friction",
    "linear_creep",
    "polach",
    "rod",
    "rpm",
    "sliding",
    "stribeck",
    "triple_cross",
    "tube",
]
