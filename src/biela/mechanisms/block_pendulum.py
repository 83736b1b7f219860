"""A pendulum that hangs from a block on a slide.

Described by bases and points, as in the source: the block moves along x by ``x`` at the height h; the base
of the pendulum is turned from the ground about y by ``-theta``, and its mass centre lies at l_p below the
joint A in that base. The moment of inertia is about A. A force F_b pushes the block, a moment M_p turns the
pendulum; a damper c_vis is between block and ground, a torsional spring k, at rest at theta_0, between
pendulum and block. Two coordinates, no constraints, two degrees of freedom. z is up. The drawing is the
block as a box, the pendulum as a bar, and the path of its mass centre.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.system import System


def block_pendulum() -> System:
    """A pendulum on a sliding block, with spring, damper and applied loads.

    Source: mechanism A.1 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015. The source gives no
    numbers; all are chosen.
    """
    s = System("block_pendulum")
    m_b = s.parameter("m_b", 2.0, "kg", "mass of the block")
    m_p = s.parameter("m_p", 1.0, "kg", "mass of the pendulum")
    l_p = s.parameter("l_p", 0.5, "m", "from the joint to the pendulum's mass centre")
    I_p = s.parameter("I_p", 0.35, "kg m2", "moment of inertia of the pendulum about the joint")
    h = s.parameter("h", 1.0, "m", "height of the joint")
    g = s.parameter("g", 9.81, "m/s2", "acceleration of free fall")
    k = s.parameter("k", 5.0, "N m/rad", "stiffness of the torsional spring")
    theta_0 = s.parameter("theta_0", 0.0, "rad", "angle at which the spring is at rest")
    c_vis = s.parameter("c_vis", 0.5, "N s/m", "damping between block and ground")
    x = s.coordinate("x", 0.0, unit="m")
    theta = s.coordinate("theta", 0.5, unit="rad")
    F_b = s.input("F_b", unit="N", note="force on the block along x")
    M_p = s.input("M_p", unit="N m", note="moment on the pendulum along theta")

    A = s.point("A", s.origin, r=[x, 0, h])
    B = s.base("B", s.ground, axis="y", angle=-theta)
    block_base = s.base("block", s.ground, axis="y", angle=0.0)
    s.body("block", mass=m_b, origin=A, base=block_base)
    pendulum = s.body(
        "pendulum", mass=m_p, com=[0, 0, -l_p], inertia=[0, I_p, 0], about="origin", origin=A, base=B
    )
    s.gravity([0, 0, -g])
    s.effort(x, F_b)
    s.effort(x, -c_vis * x.dt())
    s.effort(theta, M_p)
    s.torsion_spring(theta, k, theta_0)

    s.draw(Solid("box", A, block_base, (0.3, 0.2, 0.1)), Bar(A, pendulum.com), Trace(pendulum.com))
    return s
