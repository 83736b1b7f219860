"""Commands to one entity; which types of entity have them is in ``TYPES``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from biela.arena.command import reading
from biela.arena.message import Drive, Request
from biela.arena.physics.backend import Placement
from biela.arena.scene import pose
from biela.arena.scene.entity import Entity
from biela.arena.scene.fault import known

if TYPE_CHECKING:
    from biela.arena.kernel import Kernel

LOUDEST = 100  # letters


def _entity(kernel: Kernel, request: Request, types: tuple[str, ...]) -> Entity:
    entities = kernel.scene.entity
    if request.entity not in entities:
        raise ValueError(
            f"{request.command}: no entity '{request.entity}'. {known(request.entity, entities)}"
        )
    entity = entities[request.entity]
    if entity.type not in types:
        raise ValueError(f"{request.command}: a {entity.type} has no such command; '{entity.id}' is one.")
    return entity


def set_entity_position(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Put the reference body somewhere: ``position`` (or x, y, z), ``heading`` or ``turn``, ``velocity``,
    ``spin``.

    Without velocities it is at rest afterwards.
    """
    entity = _entity(kernel, request, ("robot", "ball", "free"))
    position = reading.numbers(request, "position", 3)
    if position is None and {"x", "y", "z"} <= set(request.data):
        position = tuple(reading.number(request, name) for name in "xyz")
    turn = reading.numbers(request, "turn", 4)
    if turn is not None and abs(math.hypot(*turn) - 1) > 1e-3:
        raise ValueError(f"{request.command}: turn is {turn}; a quaternion of length one is wanted.")
    if turn is None and "heading" in request.data:
        turn = tuple(pose.about([0, 0, 1], reading.number(request, "heading")).tolist())
    velocity = reading.numbers(request, "velocity", 3) or (0.0, 0.0, 0.0)
    spin = reading.numbers(request, "spin", 3) or (0.0, 0.0, 0.0)
    kernel.physics.place(entity.id, Placement(position, turn, velocity, spin))
    return {}


def control_entity_motors(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Speeds, rad/s: ``speeds`` = {motor: speed}, or a list of all; each is held until the next command."""
    entity = _entity(kernel, request, ("robot", "free"))
    speeds: Any = request.data.get("speeds")
    if isinstance(speeds, list):
        drive(kernel, Drive(entity.id, tuple(cast("list[float]", speeds))))
        return {}
    if not isinstance(speeds, dict):
        raise ValueError(f"{request.command}: speeds is {speeds!r}; a table motor = speed is wanted.")
    wanted = {str(m): s for m, s in cast("dict[str, Any]", speeds).items()}
    for motor, speed in wanted.items():
        if motor not in entity.motor:
            raise ValueError(
                f"{request.command}: '{entity.id}' has no motor '{motor}'. {known(motor, entity.motor)}"
            )
        if not isinstance(speed, int | float) or not math.isfinite(speed):
            raise ValueError(f"{request.command}: motor '{motor}' at {speed!r}; a finite number is wanted.")
    for motor, speed in wanted.items():
        kernel.physics.drive(entity.id, motor, float(speed))
    return {}


def say(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Say ``text``, 100 letters at most; sensors of kind ear hear it where they are near enough."""
    entity = _entity(kernel, request, ("robot", "free"))
    text = reading.text(request, "text")
    if len(text) > LOUDEST:
        raise ValueError(f"say: the text has {len(text)} letters; {LOUDEST} at most are wanted.")
    kernel.sensing.say(entity.id, text, kernel.time)
    return {}


def drive(kernel: Kernel, asked: Drive) -> tuple[str, ...]:
    """The short form of motor commands; returns the names of the motors."""
    motors = kernel.physics.motors_of.get(asked.entity)
    if motors is None:
        _entity(kernel, Request("control_entity_motors", entity=asked.entity), ("robot", "free"))
    names = motors.names if motors else ()
    if len(names) != len(asked.speeds) or not all(map(math.isfinite, asked.speeds)):
        raise ValueError(
            f"control_entity_motors: speeds of '{asked.entity}' are {list(asked.speeds)}; "
            f"{len(names)} finite numbers are wanted."
        )
    if motors:
        kernel.physics.drive_all(motors, asked.speeds)
    return names
