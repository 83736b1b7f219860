"""Segments: a listing too long for one function of a compiler, cut into several.

Compilers take time, and some recurse, in proportion to the square or the depth of a function's body; a
straight line of 100,000 terms ends GCC 12 with a full stack. Cut into segments of some hundred statements,
values that cross a border travel through a workspace, whose slots are used again when their value is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

SEGMENT = 400  # statements

_NAME = re.compile(r"[A-Za-z_]\w*")


class Segment(NamedTuple):
    """Some statements, with the atoms (and their slots) to load before and to store after them."""

    loads: list[tuple[str, int]]
    statements: list[tuple[str, str]]
    stores: list[tuple[str, int]]


def cut(statements: Sequence[tuple[str, str]], length: int = SEGMENT) -> tuple[list[Segment], int]:
    """The segments of a list of assignments (name, expression), and how many slots they need.

    >>> cut([("a", "x"), ("b", "a + x"), ("y", "a * b")], 2)[0][1]
    Segment(loads=[('a', 0), ('b', 1)], statements=[('y', 'a * b')], stores=[])
    """
    parts = [statements[i : i + length] for i in range(0, len(statements), length)]
    used = [{name for _, text in part for name in _NAME.findall(text)} for part in parts]
    last_use = {name: k for k, names in enumerate(used) for name in names}
    slots: dict[str, int] = {}
    free: list[int] = []
    size = 0
    segments: list[Segment] = []
    for k, part in enumerate(parts):
        loads = sorted(((name, slots[name]) for name in used[k] if name in slots), key=lambda load: load[1])
        stores: list[tuple[str, int]] = []
        for name, _ in part:
            if last_use.get(name, k) > k:
                if not free:
                    free.append(size)
                    size += 1
                slots[name] = free.pop()
                stores.append((name, slots[name]))
        free += [slots.pop(name) for name, _ in loads if last_use[name] == k]
        segments.append(Segment(loads, list(part), stores))
    return segments, size
