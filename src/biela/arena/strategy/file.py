"""Strategies in Python files of the user: reading them, and telling where in them something went wrong."""

from __future__ import annotations

import importlib.util
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from biela.arena.strategy.strategy import Strategy

LIBRARY = Path(__file__).parents[2]


def loaded(path: Path) -> type[Strategy] | Any:
    """The subclass of Strategy, or else the function ``act``, of a file.

    Raises ValueError for a file that is not there, cannot be run, or has none or several to choose from.
    """
    if not path.is_file():
        raise ValueError(f"No file '{path}' with a strategy in it.")
    module = _run(path)
    own = [v for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__]
    kinds = [kind for kind in own if issubclass(kind, Strategy)]
    if len(kinds) > 1:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"{path.name} has {len(kinds)} strategies: {names}. Leave one in a file.")
    if kinds:
        return kinds[0]
    if callable(getattr(module, "act", None)):
        return module.act
    found = ", ".join(kind.__name__ for kind in own)
    told = f" It has {found}: derive from biela.arena.Strategy." if found else ""
    raise ValueError(f"{path.name} has no subclass of Strategy and no function act(view).{told}")


def made(kind: type[Strategy]) -> Strategy:
    """An object of a class; raises ValueError for one that cannot be made without arguments."""
    try:
        return kind()
    except Exception as error:
        raise ValueError(f"Strategy {kind.__name__} cannot be made: {place_of(error)}.") from error


def place_of(error: BaseException) -> str:
    """What an error says, with the last file and line outside of this library that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(LIBRARY)]
    own = [frame for frame in own if not frame.filename.startswith("<frozen")]
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}: {told}" if own else told


def _run(path: Path) -> ModuleType:
    """The module of a file; raises ValueError for one that does not run."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise ValueError(f"{path.name}, line {error.lineno}: {error.msg}.") from error
    except Exception as error:
        raise ValueError(f"{place_of(error)}.") from error
    return module
