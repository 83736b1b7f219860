"""Imports the rooms before pytest does.

Collecting doctests imports single files; a file that its own package imports too would otherwise be
executed twice, and its classes would be two.
"""

import biela.arena
import biela.compile.elementary
import biela.cueing
import biela.expr
import biela.mechanics
import biela.mechanisms
import biela.simulate  # noqa: F401
