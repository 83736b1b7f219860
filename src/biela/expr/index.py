"""NumPy's indices on flat row-major storage: which entries does ``A[1:, [0, 2]]`` mean?

An index is an integer, a slice or a list of integers per axis. A list stands on one axis at a time:
NumPy pairs two lists entry by entry, where mechanics wants rows times columns, so neither is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, cast

Shape = tuple[int, ...]


def described(shape: Shape) -> str:
    """A shape in words, for messages.

    >>> described((3,)), described((3, 2))
    ('a vector of 3', 'a (3, 2) matrix')
    """
    return f"a vector of {shape[0]}" if len(shape) == 1 else f"a {shape} matrix"


def select(shape: Shape, key: Any) -> tuple[Shape, list[int]]:
    """The shape of a selection, () for one entry, and the places of its entries in flat storage.

    >>> select((2, 3), (slice(None), -1))
    ((2,), [2, 5])

    Raises IndexError for an index out of range or of the wrong kind.
    """
    keys = cast(tuple[Any, ...], key) if isinstance(key, tuple) else (key,)
    if len(keys) > len(shape):
        raise IndexError(f"Too many indices for {described(shape)}: expected {len(shape)}, got {len(keys)}.")
    if sum(_is_list(k) for k in keys) > 1:
        raise IndexError("Only one index can be a list: write A[[0, 2]][:, [0, 2]] for rows and columns.")
    keys += (slice(None),) * (len(shape) - len(keys))
    axes = [_places(k, axis, shape) for axis, k in enumerate(keys)]
    kept = tuple(len(places) for k, places in zip(keys, axes, strict=True) if _is_slice_or_list(k))
    if len(shape) == 1:
        return kept, list(axes[0])
    return kept, [row * shape[1] + column for row in axes[0] for column in axes[1]]


def _is_list(key: Any) -> bool:
    return isinstance(key, Sequence) and not isinstance(key, str)


def _is_slice_or_list(key: Any) -> bool:
    return isinstance(key, slice) or _is_list(key)


def _places(key: Any, axis: int, shape: Shape) -> Sequence[int]:
    if isinstance(key, slice):
        return range(shape[axis])[key]
    if _is_list(key):
        return [_place(k, axis, shape) for k in key]
    return [_place(key, axis, shape)]


def _place(key: Any, axis: int, shape: Shape) -> int:
    size = shape[axis]
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise IndexError(
            f"Axis {axis} of {described(shape)}: an index is an integer, a slice or a list of integers; "
            f"got {type(key).__name__} {key!r}."
        )
    place = index(key)
    if not -size <= place < size:
        raise IndexError(f"Index {place} is out of range for axis {axis} of {described(shape)}.")
    return place % size
