"""Behaviour and learning: environments, opponents, leagues, evolution."""
