"""Motion platforms, one class each; `PLATFORMS` is the registry, name -> class.

Called without arguments a class gives its own reference geometry, but for the 2-RSSU, whose lengths are
data of `TwoRSSU.source_002`.
"""

from collections.abc import Callable

from biela.cueing.platform.arm import SerialArm
from biela.cueing.platform.hexapod import Hexapod, RotaryHexapod, ThreeDof
from biela.cueing.platform.platform import Limits, Platform
from biela.cueing.platform.two_rssu import TwoRSSU

PLATFORMS: dict[str, Callable[[], Platform]] = {
    "two_rssu": TwoRSSU.source_002,
    "three_dof": ThreeDof,
    "hexapod": Hexapod,
    "rotary_hexapod": RotaryHexapod,
    "serial_arm": SerialArm,
}

__all__ = ["PLATFORMS", "Hexapod", "Limits", "Platform", "RotaryHexapod", "SerialArm", "ThreeDof", "TwoRSSU"]
