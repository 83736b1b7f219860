"""What clients of the small size league ask a simulator for; whatever is not done has a coded error.

Errors are (code, message). What is missing of a teleport stays as it is. A field that no table knows is told
and the rest is done.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from biela.arena.crew import Order, rolling
from biela.arena.protocol.protocol import FURTHEST, Protocol
from biela.arena.protocol.schema import unknown
from biela.arena.protocol.ssl_message import SSL, TEAMS

Error = tuple[str, str]
FASTEST = 1000.0  # times the clock on the wall
CONFIG = ("geometry", "realism_config", "vision_port", "robot_specs")
PAIR = (("x", "y", "z"), ("vx", "vy", "vz"))


def told(message: Any, errors: Iterable[Error]) -> Any:
    """A response with errors in it."""
    for code, text in errors:
        message.errors.add(code=code, message=text)
    return message


def unknown_fields(message: Any) -> Iterator[Error]:
    """Fields that no table knows."""
    numbers = sorted(set(unknown(message)))[:8]
    if numbers:
        yield "UNKNOWN_FIELD", f"Fields {', '.join(numbers)} mean nothing here."


def simulator(protocol: Protocol, command: Any) -> list[Error]:
    """Carry a SimulatorCommand out."""
    errors: list[Error] = []
    for name in CONFIG:
        value = getattr(command.config, name)
        if len(value) if name == "robot_specs" else command.config.HasField(name):
            errors.append((f"UNSUPPORTED_CONFIG_{name.upper()}", f"{name} is chosen when a match is made."))
    control = command.control
    if control.HasField("teleport_ball"):
        errors += _ball(protocol, control.teleport_ball)
    for wanted in control.teleport_robot:
        errors += _robot(protocol, wanted)
    if control.HasField("simulation_speed"):
        speed: float = control.simulation_speed
        if 0 < speed <= FASTEST:
            protocol.speed = speed
        else:
            errors.append(
                ("SPEED_OUT_OF_RANGE", f"simulation_speed is {speed}; up to {FASTEST:g} is wanted.")
            )
    return errors


def _numbers(wanted: Any, names: Iterable[str]) -> list[Error]:
    """What is wrong with numbers of a teleport."""
    values = {name: getattr(wanted, name) for name in names}
    odd = [name for name, v in values.items() if not math.isfinite(v)]
    far = [name for name, v in values.items() if name not in odd and abs(v) > FURTHEST]
    errors = [("NOT_FINITE", f"{', '.join(odd)} must be finite.")] if odd else []
    return errors + ([("OUT_OF_RANGE", f"{', '.join(far)} beyond {FURTHEST:g}.")] if far else [])


def _unsupported(wanted: Any, names: Iterable[str]) -> list[Error]:
    return [(f"UNSUPPORTED_{n.upper()}", f"{n} is not done here.") for n in names if getattr(wanted, n)]


def _either(wanted: Any, names: Iterable[str], now: Iterable[float]) -> list[float]:
    """What is given, else what is."""
    pairs = zip(names, now, strict=True)
    return [getattr(wanted, name) if wanted.HasField(name) else value for name, value in pairs]


def _placed(protocol: Protocol, data: dict[str, Any], entity: str) -> list[Error]:
    reply = protocol.ask("set_entity_position", data, entity)
    return [] if reply.ok else [("REFUSED", reply.error)]


def _ball(protocol: Protocol, wanted: Any) -> list[Error]:
    """Put the ball somewhere; on the floor it rolls, with ``roll`` and without."""
    errors = _unsupported(wanted, ("teleport_safely", "by_force"))
    ball = protocol.ball
    faults = _numbers(wanted, (*PAIR[0], *PAIR[1]))
    if ball is None or faults:
        return errors + (faults or [("NO_BALL", "There is no ball.")])
    seen, rest = protocol.kernel.broadcast(parts=False).entities[ball.id], ball.bodies[0].radius
    x, y, z = _either(wanted, PAIR[0], (*seen.position[:2], seen.position[2] - rest))
    velocity = _either(wanted, PAIR[1], seen.velocity)
    spin = list(rolling(tuple(velocity), rest)) if z < rest else [0.0, 0.0, 0.0]
    data = {"position": [x, y, max(0.0, z) + rest], "velocity": velocity, "spin": spin}
    return errors + _placed(protocol, data, ball.id)


def _robot(protocol: Protocol, wanted: Any) -> list[Error]:
    """Put a robot somewhere; it cannot be taken away."""
    errors = _unsupported(wanted, ("by_force",))
    if wanted.HasField("present") and not wanted.present:
        return [*errors, ("UNSUPPORTED_PRESENT", "Robots cannot be taken away.")]
    colour = TEAMS[int(wanted.id.team)].lower()
    entity = protocol.robot(colour, wanted.id.id) if colour in protocol.robots else None
    if entity is None:
        return [*errors, ("UNKNOWN_ROBOT", f"There is no robot {wanted.id.id} of team {colour}.")]
    faults = _numbers(wanted, ("x", "y", "orientation", "v_x", "v_y", "v_angular"))
    if faults:
        return errors + faults
    seen = protocol.kernel.broadcast(parts=False).entities[entity]
    x, y, heading = _either(wanted, ("x", "y", "orientation"), (*seen.position[:2], seen.heading))
    vx, vy, turning = _either(wanted, ("v_x", "v_y", "v_angular"), (*seen.velocity[:2], seen.spin[2]))
    height = protocol.kernel.scene.entity[entity].reference_body.position[2]
    data: dict[str, Any] = {"position": [x, y, height], "heading": heading}
    data |= {"velocity": [vx, vy, 0.0], "spin": [0.0, 0.0, turning]}
    return errors + _placed(protocol, data, entity)


def robots(protocol: Protocol, colour: str, control: Any) -> Any:
    """Carry a RobotControl of a team out; returns its RobotControlResponse."""
    crew = protocol.match.crew
    response = SSL.make("RobotControlResponse")
    if crew is None:
        return told(
            response, [("NO_CREW", "The robots of this match have wheels of their own; see small_size.")]
        )
    told(response, unknown_fields(control))
    for command in control.robot_commands:
        entity = protocol.robot(colour, command.id)
        if entity is None:
            told(response, [("UNKNOWN_ROBOT", f"There is no robot {command.id} of team {colour}.")])
            continue
        found = _order(command, crew.robots[entity])
        if isinstance(found, Order):
            crew.order(entity, found, protocol.kernel.time)
        else:
            told(response, found)
        one = response.feedback.add(dribbler_ball_contact=entity in crew.at_dribbler)
        one.id.id, one.id.team = command.id, TEAMS.index(colour.upper())
    return response


def _order(command: Any, robot: Any) -> Order | list[Error]:
    """What a robot is to do, or what is wrong with it."""
    move = command.move_command
    kinds = [name for name, _ in ((f.name, v) for f, v in move.ListFields())]
    if len(kinds) > 1:
        return [("SEVERAL_MOVES", f"Robot {command.id}: one of {', '.join(kinds)} is wanted.")]
    motion = (0.0, 0.0, 0.0)
    if kinds:
        rows = [float(v) for _, v in getattr(move, kinds[0]).ListFields()]
        motion = robot.motion(tuple(rows)) if kinds[0] == "wheel_velocity" and _finite(rows) else tuple(rows)
    numbers = [*motion, command.kick_speed, command.kick_angle, command.dribbler_speed]
    if not _finite(numbers):
        return [("NOT_FINITE", f"Robot {command.id}: numbers must be finite and below 1e6.")]
    if command.kick_speed < 0 or not 0 <= command.kick_angle < 90:
        text = f"{command.kick_speed} m/s at {command.kick_angle} deg"
        return [("KICK_OUT_OF_RANGE", f"Robot {command.id}: {text}; not negative and below 90 is wanted.")]
    forward, left, turning = motion
    return Order(
        (forward, left, turning), bool(kinds) and kinds[0] == "global_velocity", command.kick_speed,
        math.radians(command.kick_angle), command.dribbler_speed > 0,
    )  # fmt: skip


def _finite(numbers: Iterable[float]) -> bool:
    return all(math.isfinite(n) and abs(n) < 1e6 for n in numbers)
