"""Faults of a scene: all of them are collected, then told at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any


class SceneError(ValueError):
    """A scene that cannot be simulated; its text has a line for every fault, ``faults`` has the list."""

    def __init__(self, what: str, faults: list[str]) -> None:
        self.faults = faults
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n  ".join([f"{what} has {count}:", *faults]))


@dataclass
class Faults:
    """Collects what is wrong: where, what, what was got, what to do."""

    found: list[str] = field(default_factory=list[str])

    def add(self, where: str, what: str, do: str = "") -> None:
        """One more fault."""
        self.found.append(f"{where}: {what}{' ' + do if do else ''}")

    def check(self, good: bool, where: str, what: str, do: str = "") -> bool:
        """Add a fault unless ``good``; returns ``good``."""
        if not good:
            self.add(where, what, do)
        return good

    def raise_if_any(self, what: str) -> None:
        """Raise SceneError with all that was found."""
        if self.found:
            raise SceneError(what, self.found)


def known(name: Any, names: Any) -> str:
    """What to use in the place of an unknown name."""
    options = [str(n) for n in names]
    close = get_close_matches(str(name), options, 1, 0.5)
    return f"Did you mean '{close[0]}'?" if close else f"Known: {', '.join(options) or 'none'}."
