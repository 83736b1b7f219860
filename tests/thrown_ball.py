"""A ball over a floor, with a force along x: every motion of it is known in closed form."""

import biela as bl

G = 9.81


def thrown_ball(height=1.0, speed=1.0, mass=2.0):
    """The model: coordinates z and x, input force, parameters m and g."""
    s = bl.System("ball")
    m, g = s.parameters(m=mass, g=G)
    z, x = s.coordinate("z", height, unit="m"), s.coordinate("x", 0.0, speed, unit="m")
    s.body("ball", mass=m, origin=s.point("C", r=[x, 0, z]), base=s.ground.base)
    s.gravity([0, 0, -g])
    s.effort(x, s.input("force", unit="N"))
    return s.model()
