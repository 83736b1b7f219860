"""The acceleration of free fall, by which tilt shows forces."""

GRAVITY = 9.80665  # m/s2, the standard value (CGPM, 1901)
