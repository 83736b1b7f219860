"""Native code and source code from Functions: one file a target, one registry.

`Kernel` runs a Function in this process, through LLVM; `export` writes it in another language. Both are
imported when first used, since writing C needs neither NumPy nor LLVM.
"""

from typing import TYPE_CHECKING

from biela.lazy import attach

if TYPE_CHECKING:
    from biela.compile.kernel import Kernel
    from biela.compile.targets import TARGETS, Target, export

__all__ = ["TARGETS", "Kernel", "Target", "export"]

_HOMES = {
    "TARGETS": "biela.compile.targets",
    "Kernel": "biela.compile.kernel",
    "Target": "biela.compile.targets",
    "export": "biela.compile.targets",
}

if not TYPE_CHECKING:  # or a type checker would believe in any name
    __getattr__, __dir__ = attach(__name__, _HOMES)
