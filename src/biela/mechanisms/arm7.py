"""An arm of seven hinges, one more than a pose needs: the Franka Emika Panda.

Seven links in a chain, seven coordinates, the angles of the joints, no constraint, seven degrees of freedom.
The torques at the joints are the inputs. Friction and the inertia of the motors are left out, and the
hand is not mounted.
"""

from __future__ import annotations

from math import pi

from biela.mechanics.system import System
from biela.mechanisms.serial_arm import Link, hang

LINKS = (
    Link(0, 0.0, 0.333, 4.970684, (3.875e-3, 2.081e-3, -0.04762),
         (0.70337, 0.70661, 9.117e-3, -1.39e-4, 6.772e-3, 0.019169), 0.0),
    Link(-90, 0.0, 0.0, 0.646926, (-3.141e-3, -0.02872, 3.495e-3),
         (7.962e-3, 0.02811, 0.025995, -3.925e-3, 0.010254, 7.04e-4), 0.0),
    Link(90, 0.0, 0.316, 3.228604, (0.027518, 0.039252, -0.066502),
         (0.037242, 0.036155, 0.01083, -4.761e-3, -0.011396, -0.012805), 0.0),
    Link(90, 0.0825, 0.0, 3.587895, (-0.05317, 0.104419, 0.027454),
         (0.025853, 0.019552, 0.028323, 7.796e-3, -1.332e-3, 8.641e-3), -pi / 2),
    Link(-90, -0.0825, 0.384, 1.225946, (-0.011953, 0.041065, -0.038437),
         (0.035549, 0.029474, 8.627e-3, -2.117e-3, -4.037e-3, 2.29e-4), 0.0),
    Link(90, 0.0, 0.0, 1.666555, (0.060149, -0.014117, -0.010517),
         (1.964e-3, 4.354e-3, 5.433e-3, 1.09e-4, -1.158e-3, 3.41e-4), pi / 2),
    Link(90, 0.088, 0.0, 0.735522, (0.010517, -4.252e-3, 0.061597),
         (0.012516, 0.010027, 4.815e-3, -4.28e-4, -1.196e-3, -7.41e-4), -pi / 4),
)  # fmt: skip


def arm7() -> System:
    """The Franka Emika Panda, a light arm of seven joints.

    Source: lengths from the maker's table of Denavit-Hartenberg parameters; masses, mass centres and
    inertias identified by C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano and A. De Luca, "Dynamic
    identification of the Franka Emika Panda robot with retrieval of feasible parameters using penalty-based
    optimization", IEEE Robotics and Automation Letters 4, 2019.
    """
    s = System("arm7")
    hang(s, LINKS, tool=0.107)
    return s
