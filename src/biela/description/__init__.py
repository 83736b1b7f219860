"""Mechanisms from files: URDF, MJCF, and descriptions in TOML and YAML, read into a `System`.

`read` takes any of them by the suffix of the file; ``READERS`` is the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from biela.description.document import SUFFIXES
from biela.description.fault import DescriptionError
from biela.description.formula import FormulaError, formula
from biela.description.imported import Imported, Limits
from biela.description.mjcf import read_mjcf
from biela.description.reading import read_description
from biela.description.schema import schema
from biela.description.urdf import read_urdf
from biela.description.writing import write_description
from biela.mechanics.system import System

__all__ = [
    "READERS", "DescriptionError", "FormulaError", "Imported", "Limits", "formula", "read",
    "read_description", "read_mjcf", "read_urdf", "schema", "write_description",
]  # fmt: skip


def _urdf(path: str | Path, **options: Any) -> System:
    return read_urdf(path, **options).system


def _mjcf(path: str | Path, **options: Any) -> System:
    return read_mjcf(path, **options).system


READERS: dict[str, Callable[..., System]] = {
    **dict.fromkeys(SUFFIXES, read_description),
    ".urdf": _urdf,
    ".xml": _mjcf,
}


def read(path: str | Path, **options: Any) -> System:
    """The system of a file, by its suffix: .toml, .yaml, .urdf, or .xml for MJCF.

    ``options`` are those of `read_urdf` and `read_mjcf`. Raises ValueError for another suffix, and what the
    reader raises.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise ValueError(f"Mechanisms are read from {', '.join(READERS)}; got '{path}'.")
    return READERS[suffix](path, **options)
