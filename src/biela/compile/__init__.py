"""Native code and source code from Functions: one file a target, one registry.

`Kernel` runs a Function in this process, through LLVM; `export` writes it in another language. Both are
imported when first used, since writing C needs neither NumPy nor LLVM.
"""

from typing import TYPE_CHECKING

from biela.lazy import attach

if TYPE_CHECKING:
    from biela.compile.block import Block, Signal
    from biela.compile.fmu.archive import export_fmu
    from biela.compile.kernel import Kernel
    from biela.compile.package import export_package
    from biela.compile.targets import TARGETS, Target, export

__all__ = ["TARGETS", "Block", "Kernel", "Signal", "Target", "export", "export_fmu", "export_package"]

_HOMES = {
    "Block": "biela.compile.block",
    "Signal": "biela.compile.block",
    "export_fmu": "biela.compile.fmu.archive",
    "export_package": "biela.compile.package",
    "TARGETS": "biela.compile.targets",
    "Kernel": "biela.compile.kernel",
    "Target": "biela.compile.targets",
    "export": "biela.compile.targets",
}

if not TYPE_CHECKING:  # or a type checker would believe in any name
    __getattr__, __dir__ = attach(__name__, _HOMES)
