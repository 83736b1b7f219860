"""Ready-made mechanisms: functions that return a `System` with parameters, an assembled start and a drawing.

`MECHANISMS` is the registry, name -> function; conformance tests walk it. A mechanism is one file with one
public function of the same name; adding one adds its file and its two lines here. The room of tier 2: it
imports only `biela.mechanics` and what that imports.
"""

from collections.abc import Callable

from biela.mechanics.system import System
from biela.mechanisms.pendulum import pendulum

MECHANISMS: dict[str, Callable[..., System]] = {
    function.__name__: function
    for function in (
        pendulum,
    )
}  # fmt: skip

__all__ = ["MECHANISMS", *MECHANISMS]  # pyright: ignore[reportUnsupportedDunderAll]
