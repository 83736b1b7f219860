"""Sensors of entities: what a robot knows of the world by itself, with noise, loss, delay and a rate."""
