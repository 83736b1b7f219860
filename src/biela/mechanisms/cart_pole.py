"""A pole on a cart: the inverted pendulum of control and of reinforcement learning.

The cart slides along x by ``x``; the pole, a uniform rod hinged on it, leans by ``theta`` from the upright
towards +x. The input ``force`` pushes the cart. No constraints, two degrees of freedom. The drawing is the
cart as a box, the pole as a bar, and the path of its tip.
"""

from __future__ import annotations

from biela.mechanics.drawing import Bar, Solid, Trace
from biela.mechanics.inertia import rod
from biela.mechanics.system import System


def cart_pole() -> System:
    """A rod balanced on a cart that a force pushes.

    Source: Barto, Sutton and Anderson (1983), with their masses and lengths and g = 9.8 m/s2, without their
    friction; the start, leaning by 0.05 rad at rest, is chosen.
    """
    s = System("cart_pole")
    m_c = s.parameter("m_c", 1.0, "kg", "mass of the cart")
    m_p = s.parameter("m_p", 0.1, "kg", "mass of the pole")
    half = s.parameter("l", 0.5, "m", "half the length of the pole")
    g = s.parameter("g", 9.8, "m/s2", "acceleration of free fall")
    x = s.coordinate("x", 0.0, unit="m")
    theta = s.coordinate("theta", 0.05, unit="rad")

    cart = s.body("cart", mass=m_c)
    pole = s.body("pole", mass=m_p, com=[0, half, 0], inertia=rod(m_p, 2 * half, axis="y"))
    s.prismatic(s.ground, cart, axis="x", coordinates=x)
    s.revolute(cart, pole, axis="-z", coordinates=theta)
    s.gravity([0, -g, 0])
    s.motor(x, "force", unit="N")

    tip = pole.point([0, 2 * half, 0])
    s.draw(Solid("box", cart.origin, cart.base, (0.3, 0.15, 0.15)), Bar(pole.origin, tip), Trace(tip))
    return s
