"""`DescriptionError`: everything that is wrong with a file, with lines, told at once."""

from __future__ import annotations

from dataclasses import dataclass, field


class DescriptionError(ValueError):
    """A file that describes no mechanism; ``faults`` has a line of text for each fault."""

    def __init__(self, where: str, faults: list[str]) -> None:
        self.faults = faults
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__("\n  ".join([f"{where} has {count}:", *faults]))


@dataclass
class Faults:
    """Collects what is wrong in a file, in the order of its lines."""

    where: str
    found: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def add(self, line: int, text: str) -> None:
        """One more fault; line 0 is the file as a whole."""
        if (line, text) not in self.found:
            self.found.append((line, text))

    def raise_if_any(self) -> None:
        """Raise DescriptionError with all that was found."""
        if self.found:
            rows = sorted(self.found, key=lambda row: row[0])
            raise DescriptionError(
                self.where, [f"line {line}: {text}" if line else text for line, text in rows]
            )
