"""What users pass to a kernel: converted where that is cheap, refused with a reason where it is not."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from biela.expr.function import Port

Array = NDArray[np.float64]


def prepared(where: str, port: Port, value: Any) -> Array:
    """An array native code can read where it lies; what is not a batch is small, and converted."""
    if not isinstance(value, np.ndarray) or cast("Array", value).shape == port.shape:
        return numbers(where, value)
    value = cast("NDArray[Any]", value)
    if value.dtype != np.float64:
        raise TypeError(
            f"{where}: expected an array of float64, got {value.dtype}; convert with .astype(float)."
        )
    if not value.flags.c_contiguous:
        raise ValueError(
            f"{where}: the array of shape {value.shape} is not contiguous; pass np.ascontiguousarray(array)."
        )
    return value


def numbers(where: str, value: Any) -> Array:
    """Anything made of real numbers as an array of float64."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{where}: expected real numbers, got {array.dtype} {value!r}.")
    return array.astype(np.float64, order="C")


def check_out(where: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raise unless ``array`` can take results of this shape."""
    kind = str(getattr(array, "dtype", type(array).__name__))
    if not isinstance(array, np.ndarray) or kind != "float64":
        raise TypeError(f"{where}: out must be an array of float64, got {kind}.")
    array = cast("Array", array)
    if array.shape != shape:
        raise ValueError(f"{where}: out must have shape {shape}, got {array.shape}.")
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError(f"{where}: out must be contiguous and writeable.")


def check_steps(n: int, every: int) -> None:
    """Raise unless ``n`` steps make whole records of ``every`` steps."""
    for name, value in (("n", n), ("every", every)):
        if not isinstance(value, (int, np.integer)) or value < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"iterate: {name} must be a whole number of at least 1; got {value!r}.")
    if n % every:
        down = n // every * every
        raise ValueError(
            f"iterate: n={n} is not a multiple of every={every}; use n={down + every}"
            + (f" or n={down}." if down else ".")
        )


def check_threads(threads: int) -> None:
    """Raise unless ``threads`` is a number of threads, or 0."""
    if not isinstance(threads, (int, np.integer)) or threads < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"threads must be a whole number, 0 for every core; got {threads!r}.")


def with_lanes(port: Port, last: str) -> str:
    """The shape of a port with a lane axis, to be shown."""
    return "(" + ", ".join([*map(str, port.shape), last]) + ")"
