"""An arm of six hinges with a wrist whose three axes meet: the PUMA 560.

Six links in a chain, six coordinates, the angles of the joints, no constraint, six degrees of freedom. The
torques at the joints, behind the gears, are the inputs. The inertia of the motors is left out.
"""

from __future__ import annotations

from math import pi

from biela.mechanics.system import System
from biela.mechanisms.serial_arm import Link, hang

LINKS = (
    Link(0, 0.0, 0.0, 13.0, (0.0, 0.0, 0.0), (0.35, 0.35, 0.35, 0.0, 0.0, 0.0), 0.0),
    Link(-90, 0.0, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.13, 0.524, 0.539, 0.0, 0.0, 0.0), -pi / 4),
    Link(0, 0.4318, -0.0934, 4.8, (0.0, -0.070, 0.014), (0.066, 0.0125, 0.066, 0.0, 0.0, 0.0), pi / 2),
    Link(90, -0.0203, 0.4331, 0.82, (0.0, 0.0, -0.019), (1.8e-3, 1.8e-3, 1.3e-3, 0.0, 0.0, 0.0), 0.0),
    Link(-90, 0.0, 0.0, 0.34, (0.0, 0.0, 0.0), (0.3e-3, 0.3e-3, 0.4e-3, 0.0, 0.0, 0.0), pi / 4),
    Link(90, 0.0, 0.0, 0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3, 0.0, 0.0, 0.0), 0.0),
)


def arm6() -> System:
    """The PUMA 560, an industrial arm of six joints.

    Source: lengths, masses, mass centres and moments of inertia measured by B. Armstrong, O. Khatib and
    J. Burdick, "The explicit dynamic model and inertial parameters of the PUMA 560 arm", IEEE Int. Conf. on
    Robotics and Automation, 1986, in its frames. Chosen: the mass of link 1 and its inertia but for that
    about its axis, on which no motion depends, and the place of the tool.
    """
    s = System("arm6")
    hang(s, LINKS, tool=0.056)
    return s
