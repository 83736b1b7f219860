"""The registry of source targets, and `export`, which writes their files.

A target turns one Function into one or several files. Adding a language is adding a column to the table
of operations, a file with a ``source`` function, and a row here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from biela.compile import c99, javascript, matlab, python
from biela.expr.function import Function


@dataclass(frozen=True, slots=True)
class Target:
    """One language: how it writes a Function, and in which floating-point types."""

    name: str
    suffix: str
    description: str
    write: Callable[[Function, str], dict[str, str]]
    reals: tuple[str, ...] = ("double",)

    def source(self, functions: Function | Iterable[Function], *, real: str = "double") -> dict[str, str]:
        """The text of every file, by file name.

        Raises ValueError when two Functions would be written to one file, or for an unknown ``real``.
        """
        if real not in self.reals:
            raise ValueError(f"Target '{self.name}': real must be {' or '.join(self.reals)}, got {real!r}.")
        texts: dict[str, str] = {}
        writers: dict[str, str] = {}
        for function in _as_functions(functions):
            for file_name, text in self.write(function, real).items():
                other = writers.setdefault(file_name.casefold(), function.name)
                if file_name in texts or other != function.name:
                    raise ValueError(
                        f"Functions '{other}' and '{function.name}' would both be written to '{file_name}' "
                        "(names that differ only in case are one file on some systems). "
                        "Rename one: function.renamed(...)."
                    )
                texts[file_name] = text
        return texts


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("c99", ".c", "C99 without dependencies or malloc", c99.source, ("double", "float")),
        Target("matlab", ".m", "MATLAB and Octave function files", matlab.source),
        Target("python", ".py", "Python modules without dependencies", python.source),
        Target("javascript", ".mjs", "JavaScript modules for browsers and Node", javascript.source),
    )
}


def target(name: str) -> Target:
    """The target of that name; raises ValueError with the ones there are."""
    if name in TARGETS:
        return TARGETS[name]
    close = get_close_matches(str(name).lower(), [*TARGETS, *_SYNONYMS], 1)
    hint = f" Did you mean '{_SYNONYMS.get(close[0], close[0])}'?" if close else ""
    raise ValueError(f"There is no target {name!r}. Targets: {', '.join(TARGETS)}.{hint}")


_SYNONYMS = {"c": "c99", "octave": "matlab", "m": "matlab", "py": "python", "js": "javascript"}


def export(
    functions: Function | Iterable[Function],
    target_name: str,
    folder: str | os.PathLike[str],
    *,
    real: str = "double",
) -> list[Path]:
    """Write Functions as source files into a folder, made if there is none, and list the files.

    Every file appears complete or not at all, and replaces an earlier one.

    >>> import tempfile
    >>> from biela.expr.graph import Graph
    >>> x = Graph().symbol("x")
    >>> square = Function("square", [x], {"y": x * x})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in export(square, "c99", folder)]
    ['square.h', 'square.c']

    Raises ValueError for an unknown target or two Functions of one name, and NotADirectoryError when
    ``folder`` is a file.
    """
    return written(target(target_name).source(functions, real=real), folder)


def written(texts: Mapping[str, str], folder: str | os.PathLike[str]) -> list[Path]:
    """Write texts by file name into a folder, each complete or not at all.

    Raises NotADirectoryError when ``folder`` is a file.
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise NotADirectoryError(f"Cannot export to '{place}': it is a file. Give a folder.")
    place.mkdir(parents=True, exist_ok=True)
    return [_replace(place / name, text) for name, text in texts.items()]


def _replace(path: Path, text: str) -> Path:
    """Write beside the file, then rename: a reader sees the old text or the new, never half of one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _as_functions(functions: Function | Iterable[Function]) -> list[Function]:
    given: list[Function] = list(functions) if isinstance(functions, Iterable) else [functions]
    for function in given:
        if not isinstance(function, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"Expected a Function or several, got {type(function).__name__} {function!r}.")
    if not given:
        raise ValueError("There is no Function to write.")
    return given
