"""The vision of the small size league: where everything is, in mm and rad, and once a second the field.

One camera sees all. Capture and sending are at the same simulated time. Heights of the ball are above where
it rests; blue is our left team.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, final

from biela.arena.broadcast import Broadcast
from biela.arena.preset.field import FootballField
from biela.arena.protocol.firasim import field_of
from biela.arena.protocol.link import Outlet, Place
from biela.arena.protocol.protocol import SIDES, Protocol
from biela.arena.protocol.ssl_message import SHAPES, SSL
from biela.arena.wire.peer import Limits

if TYPE_CHECKING:
    from biela.arena.match import Match

VISION = Place("224.5.23.2", 10020)
RATE = 60.0  # frames a second
GEOMETRY = 1.0  # s between geometries
LINE = 0.01  # m


@final
class SslVision(Protocol):
    """Sends wrapper packets."""

    name: ClassVar[str] = "ssl-vision"

    def __init__(self, match: Match, *, vision: Place = VISION, limits: Limits | None = None) -> None:
        super().__init__(match, limits)
        self.interval = 1 / RATE
        self.number = 0
        self._geometry = geometry(field_of(match))
        self._due = 0.0
        self.outlet = Outlet(vision)
        self.outlets.append(self.outlet)

    def take(self, now: float) -> None:
        """Nobody sends anything here."""

    def tell(self, broadcast: Broadcast) -> None:
        """One frame, with the field if it is time for it."""
        packet = SSL.make("SSL_WrapperPacket", detection=detection(broadcast, self.number))
        if broadcast.time >= self._due:
            packet.geometry.CopyFrom(self._geometry)
            self._due = broadcast.time + GEOMETRY
        self.number += 1
        self.outlet.send(packet.SerializeToString())


def detection(broadcast: Broadcast, number: int) -> Any:
    """What a camera above the field sees."""
    frame = SSL.make(
        "SSL_DetectionFrame",
        frame_number=number,
        t_capture=broadcast.time,
        t_sent=broadcast.time,
        camera_id=0,
    )
    robots = {side: getattr(frame, f"robots_{colour}") for colour, side in SIDES.items()}
    for seen in broadcast.entities.values():
        x, y, z = (1000 * v for v in seen.position)
        if seen.type == "ball":
            frame.balls.add(confidence=1, area=0, x=x, y=y, z=_height(seen.id, z), pixel_x=0, pixel_y=0)
        elif seen.type == "robot" and seen.team in robots:
            rows = robots[seen.team]
            rows.add(
                confidence=1, robot_id=len(rows), x=x, y=y, orientation=seen.heading, pixel_x=0, pixel_y=0
            )
    return frame


def _height(ball: str, z: float) -> float:
    return max(0.0, z - 21.5)


def geometry(field: FootballField) -> Any:
    """A field with its lines."""
    a, b, r = field.length / 2, field.width / 2, field.circle
    wide, deep = field.areas[0][0] / 2, field.areas[0][1]
    boundary = 1000 * field.margin[0]
    size = SSL.make(
        "SSL_GeometryFieldSize", field_length=_mm(field.length), field_width=_mm(field.width),
        goal_width=_mm(field.goal_width), goal_depth=_mm(field.goal_depth), boundary_width=round(boundary),
        penalty_area_depth=_mm(deep), penalty_area_width=_mm(2 * wide),
    )  # fmt: skip
    lines = {
        "TopTouchLine": ((-a, b), (a, b)), "BottomTouchLine": ((-a, -b), (a, -b)),
        "LeftGoalLine": ((-a, -b), (-a, b)), "RightGoalLine": ((a, -b), (a, b)),
        "HalfwayLine": ((0, -b), (0, b)), "CenterLine": ((-a, 0), (a, 0)),
        "LeftPenaltyStretch": ((deep - a, -wide), (deep - a, wide)),
        "RightPenaltyStretch": ((a - deep, -wide), (a - deep, wide)),
        "LeftFieldLeftPenaltyStretch": ((-a, wide), (deep - a, wide)),
        "LeftFieldRightPenaltyStretch": ((-a, -wide), (deep - a, -wide)),
        "RightFieldLeftPenaltyStretch": ((a, -wide), (a - deep, -wide)),
        "RightFieldRightPenaltyStretch": ((a, wide), (a - deep, wide)),
    }  # fmt: skip
    for name, ends in lines.items():
        p1, p2 = (SSL.make("Vector2f", x=1000 * x, y=1000 * y) for x, y in ends)
        size.field_lines.add(name=name, p1=p1, p2=p2, thickness=1000 * LINE, type=SHAPES.index(name))
    size.field_arcs.add(
        name="CenterCircle", center=SSL.make("Vector2f", x=0, y=0), radius=1000 * r, a1=0, a2=math.tau,
        thickness=1000 * LINE, type=SHAPES.index("CenterCircle"),
    )  # fmt: skip
    return SSL.make("SSL_GeometryData", field=size)


def _mm(metres: float) -> int:
    return round(1000 * metres)
