"""The protocol of FIRASim: the world out, wheel speeds and placements in.

Metres and radians, wheels in rad/s; only the orientation of a placement is in degrees, as its clients send
it. A robot keeps its last command. Velocities are the true ones. There are no replies, so that what is wrong
with a packet is counted in ``faults``. Beyond the simulator of that name: motors have their bounds, robots
stand while the referee has not begun, and with ``lockstep`` the world waits for commands of the named teams
after every frame, so that a match goes as fast as its players think and repeats.

Ports and field numbers: VSSSLeague/FIRASim, 2022 (facts of interoperability).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, final

from biela.arena.broadcast import Broadcast, Seen
from biela.arena.crew import rolling
from biela.arena.preset.field import FOOTBALL_FIELDS, FootballField
from biela.arena.protocol.link import Inlet, Outlet, Place
from biela.arena.protocol.protocol import FURTHEST, SIDES, Protocol
from biela.arena.protocol.schema import Messages, unknown
from biela.arena.wire.peer import Limits

if TYPE_CHECKING:
    from biela.arena.match import Match

FIRASIM = Messages(
    "fira_message",
    {
        "Environment": "step=1 uint32 ms; frame=2 Frame; field=3 Field; goals_blue=4 uint32; "
        "goals_yellow=5 uint32",
        "Frame": "ball=1 Ball; robots_yellow=2 Robot*; robots_blue=3 Robot*",
        "Ball": "x=1 double m; y=2 double m; z=3 double m; vx=4 double m/s; vy=5 double m/s; vz=6 double m/s",
        "Robot": "robot_id=1 uint32; x=2 double m; y=3 double m; orientation=4 double rad; vx=5 double m/s; "
        "vy=6 double m/s; vorientation=7 double rad/s",
        "Field": "width=1 double m; length=2 double m; goal_width=3 double m; goal_depth=4 double m; "
        "center_radius=5 double m; penalty_width=6 double m; penalty_depth=7 double m; "
        "penalty_point=8 double m",
        "Packet": "cmd=1 Commands; replace=2 Replacement",
        "Commands": "robot_commands=1 Command*",
        "Command": "id=1 uint32; yellowteam=2 bool; wheel_left=6 double rad/s; wheel_right=7 double rad/s",
        "Replacement": "ball=1 BallReplacement; robots=2 RobotReplacement*",
        "RobotReplacement": "position=1 Robot deg; yellowteam=5 bool; turnon=6 bool",
        "BallReplacement": "x=1 double m; y=2 double m; vx=3 double m/s; vy=4 double m/s",
    },
)
VISION = Place("224.0.0.1", 10002)
COMMANDS = Place("127.0.0.1", 20011)
RATE = 60.0  # frames a second
AGAIN = 0.1  # s after which a frame is told again


def field_of(match: Match) -> FootballField:
    """The field of a match of football; raises ValueError for others."""
    name = match.kernel.scene.name.removeprefix("football ")
    if name not in FOOTBALL_FIELDS:
        raise ValueError(f"'{match.kernel.scene.name}' is no football on a field that we know.")
    return FOOTBALL_FIELDS[name]


@final
class FiraSim(Protocol):
    """Speaks like FIRASim. ``replacing`` is whether clients may put robots and ball somewhere."""

    name: ClassVar[str] = "firasim"

    def __init__(
        self,
        match: Match,
        *,
        vision: Place = VISION,
        commands: Place = COMMANDS,
        replacing: bool = True,
        lockstep: Iterable[str] = (),
        patience: float = 1.0,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(match, limits)
        self.interval = 1 / RATE
        self.replacing = replacing
        self.lockstep = frozenset(lockstep)
        self.patience = patience
        self.field = field_of(match)
        self._wanted: dict[str, tuple[float, float]] = {}
        self._moved = False
        self._awaited: set[str] = set()
        self._answered: set[str] = set()
        self._frame = b""
        self._since = self._sent = 0.0
        self.inlet = Inlet(commands, self.limits, self.faults)
        self.outlet = Outlet(vision)
        self.inlets.append(self.inlet)
        self.outlets.append(self.outlet)

    def tell(self, broadcast: Broadcast) -> None:
        """One frame of vision; whoever plays in lock-step is waited for from now on."""
        self._frame = self.environment(broadcast).SerializeToString()
        self.outlet.send(self._frame)
        self._awaited = set(self.lockstep)
        self._since = self._sent = self.kernel.wall()

    def holds(self, now: float) -> bool:
        """Whether somebody in lock-step has not answered; nobody is waited for beyond ``patience``.

        Until somebody has answered for the first time, who may not be listening yet, the frame is told again.
        """
        if self._awaited - self._answered and now - self._sent > AGAIN:
            self.outlet.send(self._frame)
            self._sent = now
        if self._awaited and now - self._since > self.patience:
            self.faults["SILENT"] += 1
            self._awaited.clear()
        return bool(self._awaited)

    def take(self, now: float) -> None:
        """Read packets; when play begins, commands that came before count."""
        iteration = self.kernel.iteration
        if self.playing and not self._moved:
            for entity, speeds in self._wanted.items():
                self._drive(entity, speeds)
        self._moved = self.playing
        for data, address in self.inlet.take(now, iteration):
            try:
                packet = FIRASIM.read("Packet", data)
            except ValueError:
                self.faults["MALFORMED"] += 1
                self.inlet.refuse(address, now, iteration)
                continue
            self.faults["UNKNOWN_FIELD"] += sum(1 for _ in unknown(packet))
            self._commands(packet.cmd.robot_commands)
            if packet.HasField("replace"):
                self._replace(packet.replace)

    def _commands(self, commands: Iterable[Any]) -> None:
        for one in commands:
            colour = "yellow" if one.yellowteam else "blue"
            self._awaited.discard(colour)
            self._answered.add(colour)
            speeds = (one.wheel_left, one.wheel_right)
            entity = self.robot(colour, one.id)
            if not all(map(math.isfinite, speeds)):
                self.faults["NOT_FINITE"] += 1
            elif entity is not None:
                self._wanted[entity] = speeds
                if self.playing:
                    self._drive(entity, speeds)

    def _drive(self, entity: str, speeds: tuple[float, float]) -> None:
        self.ask("control_entity_motors", {"speeds": {"left": speeds[0], "right": speeds[1]}}, entity)

    def _replace(self, wanted: Any) -> None:
        """Put robots and ball somewhere; they keep to the floor."""
        if not self.replacing:
            self.faults["REPLACEMENT_FORBIDDEN"] += 1
            return
        if wanted.HasField("ball") and self.ball is not None:
            b, height = wanted.ball, self.ball.bodies[0].radius
            velocity = (b.vx, b.vy, 0.0)
            more = {"velocity": list(velocity), "spin": list(rolling(velocity, height))}
            self._put(self.ball.id, (b.x, b.y, height), more)
        for one in wanted.robots:
            place = one.position
            entity = self.robot("yellow" if one.yellowteam else "blue", place.robot_id)
            if entity is not None:
                height = self.kernel.scene.entity[entity].reference_body.position[2]
                self._put(entity, (place.x, place.y, height), {"heading": math.radians(place.orientation)})

    def _put(self, entity: str, position: tuple[float, float, float], more: dict[str, Any]) -> None:
        numbers = [*position, *more.get("velocity", ()), *([more["heading"]] if "heading" in more else [])]
        if not all(map(math.isfinite, numbers)):
            self.faults["NOT_FINITE"] += 1
        elif max(map(abs, numbers)) > FURTHEST:
            self.faults["OUT_OF_RANGE"] += 1
        else:
            self.ask("set_entity_position", {"position": list(position), **more}, entity)

    def environment(self, broadcast: Broadcast) -> Any:
        """The world as its clients read it."""
        frame = FIRASIM.make("Frame")
        for colour, robots in self.robots.items():
            rows = getattr(frame, f"robots_{colour}")
            rows.extend(_robot(n, broadcast.entities[key]) for n, key in enumerate(robots))
        if self.ball is not None:
            (x, y, z), (vx, vy, vz) = _moving(broadcast.entities[self.ball.id])
            frame.ball.CopyFrom(FIRASIM.make("Ball", x=x, y=y, z=z, vx=vx, vy=vy, vz=vz))
        score = dict(zip(SIDES, broadcast.notices.get("referee", {}).get("score", (0, 0)), strict=True))
        return FIRASIM.make(
            "Environment", step=round(1000 * broadcast.time), frame=frame, field=_field(self.field),
            goals_blue=score["blue"], goals_yellow=score["yellow"],
        )  # fmt: skip


def _moving(seen: Seen) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    return seen.position, seen.velocity


def _robot(number: int, seen: Seen) -> Any:
    (x, y, _), (vx, vy, _) = _moving(seen)
    return FIRASIM.make(
        "Robot", robot_id=number, x=x, y=y, orientation=seen.heading, vx=vx, vy=vy, vorientation=seen.spin[2]
    )


def _field(field: FootballField) -> Any:
    wide, deep = field.areas[0]
    return FIRASIM.make(
        "Field", width=field.width, length=field.length, goal_width=field.goal_width,
        goal_depth=field.goal_depth, center_radius=field.circle, penalty_width=wide, penalty_depth=deep,
        penalty_point=field.penalty_mark,
    )  # fmt: skip
