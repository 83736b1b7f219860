"""Referees: agents that use the public commands only, with their rules as data."""
