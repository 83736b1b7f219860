"""Imports the rooms before pytest does.

Collecting doctests imports single files; a file that its package imports too would otherwise be executed
twice, and its classes would be two.
"""

import biela.compile
import biela.expr  # noqa: F401
