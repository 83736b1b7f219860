"""The protocol of VSSReferee: what our football referee decides goes out, placements of teams come in.

After a foul, and until play goes on, each team may place its own robots once: on the field, off the ball,
clear of others, and at a kick-off in its own half, with one robot of the kicking team excepted. A placement
that breaks a rule is counted in ``faults`` and the referee's own places stay. Orientations are in degrees.

Ports and field numbers: VSSSLeague/VSSReferee, 2022 (facts of interoperability). That referee calls the
quadrants 1 to 4 from the top right, against the clock.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, final

from biela.arena.broadcast import Broadcast
from biela.arena.protocol.firasim import field_of
from biela.arena.protocol.link import Inlet, Outlet, Place
from biela.arena.protocol.protocol import SIDES, Protocol
from biela.arena.protocol.schema import Messages, unknown
from biela.arena.referee.set_piece import quadrant
from biela.arena.wire.peer import Limits

if TYPE_CHECKING:
    from biela.arena.match import Match

FOULS = ("FREE_KICK", "PENALTY_KICK", "GOAL_KICK", "FREE_BALL", "KICKOFF", "STOP", "GAME_ON", "HALT")
COLOURS = ("BLUE", "YELLOW", "NONE")
QUADRANTS = ("NO_QUADRANT", "QUADRANT_1", "QUADRANT_2", "QUADRANT_3", "QUADRANT_4")
HALVES = (
    "NO_HALF",
    "FIRST_HALF",
    "SECOND_HALF",
    "OVERTIME_FIRST_HALF",
    "OVERTIME_SECOND_HALF",
    "PENALTY_SHOOTOUTS",
)
VSSREF = Messages(
    "VSSRef",
    {
        "VSSRef_Command": "foul=1 Foul; teamcolor=2 Color; foulQuadrant=3 Quadrant; timestamp=4 double ms; "
        "gameHalf=5 Half",
        "VSSRef_Placement": "world=1 Frame",
        "Frame": "teamColor=1 Color; robots=2 Robot*",
        "Robot": "robot_id=1 uint32; x=2 double m; y=3 double m; orientation=4 double deg",
    },
    {
        "Foul": dict(enumerate(FOULS)),
        "Color": dict(enumerate(COLOURS)),
        "Quadrant": dict(enumerate(QUADRANTS)),
        "Half": dict(enumerate(HALVES)),
    },
)
COMMANDS = Place("224.5.23.2", 10003)
PLACEMENTS = Place("224.5.23.2", 10004)
TOLD = {  # how an event of our referee begins -> its name there
    "kick-off": "KICKOFF",
    "free ball": "FREE_BALL",
    "free kick": "FREE_KICK",
    "penalty": "PENALTY_KICK",
    "goal kick": "GOAL_KICK",
}
CLEAR = 0.08  # m between the middles of robots


@final
class VssReferee(Protocol):
    """Tells what the referee of the match decides, and places robots for teams."""

    name: ClassVar[str] = "vssref"

    def __init__(
        self,
        match: Match,
        *,
        commands: Place = COMMANDS,
        placements: Place = PLACEMENTS,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(match, limits)
        self.field = field_of(match)
        self._events = 0
        self._phase = ""
        self._foul = "STOP"
        self._colour = "NONE"
        self._placed: set[str] = set()
        self.inlet = Inlet(placements, self.limits, self.faults)
        self.outlet = Outlet(commands)
        self.inlets.append(self.inlet)
        self.outlets.append(self.outlet)

    def tell(self, broadcast: Broadcast) -> None:
        """Fouls as the referee decides them, and when play goes on or is over."""
        referee = self.match.referee
        for _, event in referee.events[self._events :]:
            foul = next((name for start, name in TOLD.items() if event.startswith(start)), None)
            if foul is not None:
                self._foul, self._colour = foul, _colour(event)
                self._placed.clear()
                self._send(broadcast, foul)
        self._events = len(referee.events)
        if referee.phase != self._phase:
            self._phase = referee.phase
            for phase, name in (("play", "GAME_ON"), ("over", "HALT")):
                if self._phase == phase:
                    self._foul, self._colour = name, "NONE"
                    self._send(broadcast, name)

    def _send(self, broadcast: Broadcast, foul: str) -> None:
        half = getattr(self.match.referee, "half", 0)
        command = VSSREF.make(
            "VSSRef_Command", foul=FOULS.index(foul), teamcolor=COLOURS.index(self._colour),
            foulQuadrant=self._quadrant(broadcast) if foul == "FREE_BALL" else 0,
            timestamp=1000 * broadcast.time, gameHalf=half if 0 <= half < len(HALVES) else 0,
        )  # fmt: skip
        self.outlet.send(command.SerializeToString())

    def _quadrant(self, broadcast: Broadcast) -> int:
        assert self.ball is not None
        x, y, _ = broadcast.entities[self.ball.id].position
        return quadrant(x, y)

    def take(self, now: float) -> None:
        """Read placements."""
        iteration = self.kernel.iteration
        for data, address in self.inlet.take(now, iteration):
            try:
                wanted = VSSREF.read("VSSRef_Placement", data)
            except ValueError:
                self.faults["MALFORMED"] += 1
                self.inlet.refuse(address, now, iteration)
                continue
            self.faults["UNKNOWN_FIELD"] += sum(1 for _ in unknown(wanted))
            self._place(wanted.world)

    def _place(self, frame: Any) -> None:
        """All robots of a frame, or none."""
        colour = COLOURS[int(frame.teamColor)].lower()
        if colour not in SIDES:
            self.faults["UNKNOWN_TEAM"] += 1
        elif self.match.referee.phase != "ready" or colour in self._placed:
            self.faults["PLACEMENT_NOT_NOW"] += 1
        else:
            wanted = {key: r for r in frame.robots if (key := self.robot(colour, r.robot_id)) is not None}
            fault = self._fault(colour, wanted)
            if fault:
                self.faults[fault] += 1
                return
            self._placed.add(colour)
            for key, robot in wanted.items():
                height = self.kernel.scene.entity[key].reference_body.position[2]
                data = {"position": [robot.x, robot.y, height], "heading": math.radians(robot.orientation)}
                self.ask("set_entity_position", data, key)

    def _fault(self, colour: str, wanted: dict[str, Any]) -> str:
        """The code of what is wrong with a placement."""
        numbers = [n for r in wanted.values() for n in (r.x, r.y, r.orientation)]
        if not all(map(math.isfinite, numbers)):
            return "NOT_FINITE"
        seen = self.kernel.broadcast(parts=False).entities
        a, b = self.field.length / 2 - CLEAR / 2, self.field.width / 2 - CLEAR / 2
        if any(abs(r.x) > a or abs(r.y) > b or abs(r.orientation) > 3600 for r in wanted.values()):
            return "OUT_OF_RANGE"
        places = {key: seen[key].position[:2] for team in self.robots.values() for key in team}
        places |= {key: (r.x, r.y) for key, r in wanted.items()}
        others = [(k, p) for k, p in places.items()]
        if any(math.dist(places[key], p) < CLEAR for key in wanted for k, p in others if k != key):
            return "PLACEMENT_OVERLAPS"
        if self.ball and any(math.dist(places[k], seen[self.ball.id].position[:2]) < CLEAR for k in wanted):
            return "PLACEMENT_ON_BALL"
        return self._half_fault(colour, places, wanted)

    def _half_fault(self, colour: str, places: dict[str, tuple[float, ...]], wanted: dict[str, Any]) -> str:
        """At a kick-off everybody is at home; all but the kicker are out of the circle's other half."""
        sign = -1 if colour == "blue" else 1
        over = [key for key in wanted if sign * places[key][0] < 0]
        spare = 1 if self._colour.lower() == colour else 0
        return "PLACEMENT_OTHER_HALF" if self._foul == "KICKOFF" and len(over) > spare else ""


def _colour(event: str) -> str:
    """Whose kick an event is."""
    found = [c.upper() for c, s in SIDES.items() if f"of {s}" in event or f"for {s}" in event]
    return found[0] if found else "NONE"
