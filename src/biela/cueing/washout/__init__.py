"""Washout: from the motion of a vehicle to that of a platform."""
