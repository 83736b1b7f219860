"""Mechanisms from files: URDF, MJCF, and descriptions in TOML and YAML, read into a `System`.

`read` takes any of them by the suffix of the file; ``READERS`` is the registry.
"""

from __future__ import annotations

from biela.description.fault import DescriptionError
from biela.description.imported import Imported, Limits
from biela.description.mjcf import read_mjcf
from biela.description.urdf import read_urdf

__all__ = ["DescriptionError", "Imported", "Limits", "read_mjcf", "read_urdf"]
