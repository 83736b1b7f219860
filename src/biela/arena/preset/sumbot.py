"""The SumBot of the source, in its two versions, on its own field.

The robot that the source describes and the one that its annex prints are not the same: the chassis weighs 1.1
or 0.9 kg, the wheels are 0.015 or 0.025 m wide, and the 0.13 m of the chassis stand upright or lie along x.
Both are here. In the annex two skids sit on a diagonal; the text gives no places of them, and the described
version has them fore and aft (ours).
"""

from __future__ import annotations

from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.joint import Joint, Motor
from biela.arena.scene.material import Interaction, Materials
from biela.arena.scene.pose import Three
from biela.arena.scene.scene import Scene

FLOOR_TOP = 0.05
MATERIALS = Materials(
    {"0": "Wood", "1": "Metal", "2": "Patas"},
    {
        ("0", "0"): Interaction(0.15, 0.6, 1.0, 0.1, 0.1),
        ("0", "1"): Interaction(0.1, 0.1, 99.0, 1.3, 2.0),
        ("1", "1"): Interaction(0.15, 0.6, 1.0, 0.1, 0.1),
        ("0", "2"): Interaction(0.0, 1.0, 0.0, 0.0, 0.0),
    },
)
QUARTER = 1.5708  # as printed
VARIANTS: dict[str, tuple[float, Three, float, float]] = {  # chassis mass and size, its height, wheel width
    "annex": (0.9, (0.13, 0.11, 0.11), 0.25, 0.025),
    "described": (1.1, (0.11, 0.11, 0.13), 0.26, 0.015),
}
SKIDS = {"annex": ((-0.045, -0.035), (0.045, 0.035)), "described": ((-0.045, 0.0), (0.045, 0.0))}


def sumbot(variant: str = "annex", key: str = "1", track: float = 0.11) -> Entity:
    """The robot where the annex releases it, 0.138 m above its field; motors are ``0`` (left) and ``1``.

    ``track`` is the distance of the wheels, m; calibration changes it.
    """
    if variant not in VARIANTS:
        raise ValueError(f"No SumBot '{variant}'. Known: {', '.join(VARIANTS)}.")
    mass, size, height, width = VARIANTS[variant]
    chassis = Body("0", "box", mass, (0, 0, height), material="0", size=size)
    wheels = tuple(
        Body(n, "wheel", 0.045, (0, y, 0.212), (1.570796, 0, 0), "1", 0.024, width)
        for n, y in (("1", track / 2), ("2", -track / 2))
    )
    skids = tuple(
        Body(n, "sphere", 0.01, (x, y, 0.196), material="2", radius=0.004)
        for n, (x, y) in zip("89", SKIDS[variant], strict=True)
    )
    hubs = tuple(
        Joint(n, "wheel", "0", body, (1, 0, 0), (0, 1, 0), None, 0.001, 0.9, 10.0)
        for n, body in (("0", "1"), ("1", "2"))
    )
    ties = (Joint("2", "fixed", "0", "8"), Joint("3", "fixed", "0", "9"))
    return Entity(
        key, "robot", (chassis, *wheels, *skids), hubs + ties, (Motor("0", "0"), Motor("1", "1")), "0"
    )


def source_field(key: str = "7") -> Entity:
    """The field of the annex: thirteen boxes, a pitch of 2.2 x 1.8 m with its floor at z = 0.05."""
    boxes: list[tuple[float, float, float, Three]] = [
        (0, 0, 0, (2.8, 1.82, 0.1)),
        *((0, y, 0, (2.2, 0.02, 0.4)) for y in (-0.9, 0.9)),
        *((x, y, QUARTER, (0.7, 0.02, 0.4)) for x in (1.1, -1.1) for y in (-0.56, 0.56)),
        *((x, 0.22, 0, (0.21, 0.02, 0.4)) for x in (1.2, -1.2)),
        *((x, 0, QUARTER, (0.46, 0.02, 0.4)) for x in (1.3, -1.3)),
        *((x, -0.22, 0, (0.21, 0.02, 0.4)) for x in (1.2, -1.2)),
    ]
    bodies = (
        Body(str(n), "box", -1.0, (x, y, 0), (0, 0, turn), "0", size=size)
        for n, (x, y, turn, size) in enumerate(boxes)
    )
    return Entity(key, "field", tuple(bodies))


def scene(variant: str = "annex", track: float = 0.11) -> Scene:
    """Robot and field with the materials of the annex."""
    return Scene(f"sumbot {variant}", MATERIALS, (sumbot(variant, track=track), source_field())).checked()
