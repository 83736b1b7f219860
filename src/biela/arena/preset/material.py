"""The materials that all presets but the source's own are made of.

Numbers are ours where a preset says nothing: firm contacts without slip, tyres of the named friction, skids
without any.
"""

from __future__ import annotations

from biela.arena.scene.material import Interaction, Materials

FIRM = (1e-5, 0.2)
NAMES = ("floor", "wall", "tyre", "skid", "shell", "ball")
MATERIALS = Materials(
    {name: name for name in NAMES},
    {
        ("floor", "tyre"): Interaction(*FIRM, 0.8),  # rSim, FIRASim: 0.8 along the tyre
        ("floor", "skid"): Interaction(*FIRM, 0.0),
        ("floor", "shell"): Interaction(*FIRM, 0.2),
        ("floor", "ball"): Interaction(*FIRM, 0.5),
        ("wall", "tyre"): Interaction(*FIRM, 0.3),
        ("wall", "shell"): Interaction(*FIRM, 0.1),
        ("wall", "skid"): Interaction(*FIRM, 0.0),
        ("wall", "ball"): Interaction(*FIRM, 0.1),
        ("shell", "shell"): Interaction(*FIRM, 0.1),
        ("shell", "tyre"): Interaction(*FIRM, 0.2),
        ("shell", "ball"): Interaction(*FIRM, 0.1),
        ("shell", "skid"): Interaction(*FIRM, 0.0),
        ("tyre", "ball"): Interaction(*FIRM, 0.3),
        ("tyre", "tyre"): Interaction(*FIRM, 0.3),
    },
)
