"""The tree that an expression is when written out, as far as one cares to read it.

In a graph a shared value is one node; on paper it is written wherever it occurs, and the paper may be
exponentially larger than the graph. An `Occurrences` unrolls the graph level by level from the result and
stops at a limit, so the cost is bounded and what is elided lies deepest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence


class Occurrences:
    """Signed references with their operands: ``refs[0]`` is the result, operands stand after it."""

    def __init__(self, ref: int, limit: int, operands: Callable[[int], Sequence[int]]) -> None:
        self.refs = [ref]
        self.operands: list[range] = []  # the places in refs of the operands; empty for a leaf
        while len(self.operands) < len(self.refs) < limit:
            chosen = operands(self.refs[len(self.operands)])
            self.operands.append(range(len(self.refs), len(self.refs) + len(chosen)))
            self.refs.extend(chosen)
        self._leaf = [not operands(ref) for ref in self.refs[len(self.operands) :]]

    def upwards(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Every place that is not elided, with those of its operands, operands first."""
        known = len(self.operands)
        for place in range(len(self.refs) - 1, -1, -1):
            if place < known:
                yield place, self.operands[place]
            elif self._leaf[place - known]:
                yield place, range(0)
