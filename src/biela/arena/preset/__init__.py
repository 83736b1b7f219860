"""Robots, balls, fields and rings as data, with where the numbers come from."""
