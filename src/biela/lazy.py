"""Public names that are imported when they are first used (PEP 562).

A package that offers names from many modules should cost its users only those they touch. `attach`
makes the two functions that Python calls for this from one table, name -> module; an unknown name
raises AttributeError with the nearest ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from biela.suggestion import suggestion


def attach(
    package: str, homes: Mapping[str, str], rooms: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package; ``rooms`` are subpackages to import by name.

    >>> get, names = attach("example", {"sqrt": "math"})
    >>> names(), get("sqrt")(9.0)
    (['sqrt'], 3.0)
    >>> get("sqr")
    Traceback (most recent call last):
    AttributeError: module 'example' has no attribute 'sqr'. Did you mean 'sqrt'?
    """

    def get(name: str) -> Any:
        if name in rooms:
            return import_module(f"{package}.{name}")
        if name not in homes:
            hint = suggestion(name, names(), 3)
            raise AttributeError(f"module '{package}' has no attribute '{name}'.{hint}")
        value = getattr(import_module(homes[name]), name)
        if package in sys.modules:
            setattr(sys.modules[package], name, value)  # the next use finds it without us
        return value

    def names() -> list[str]:
        return sorted([*homes, *rooms])

    return get, names
