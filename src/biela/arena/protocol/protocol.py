"""`Protocol`: an agent that speaks for clients of a league.

It hears the world like any agent and tells it in the league's way; between iterations it takes what clients
have sent and asks the kernel for it, so that a recorded match has everything in it. Blue is our left team,
which plays towards +x, yellow the right.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from biela.arena.agent import Agent
from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Reply, Request
from biela.arena.protocol.link import Inlet, Outlet
from biela.arena.wire.peer import Limits

if TYPE_CHECKING:
    from biela.arena.match import Match

SIDES = {"blue": "left", "yellow": "right"}
FURTHEST = 100.0  # m, m/s: what is beyond is nobody's match
LIMITS = Limits(message=8192, burst=512, per_iteration=16, per_second=2000, peers=64, drain=1000)


class Protocol(Agent):
    """One protocol of one match. ``faults`` counts what was wrong with what came, by code.

    ``speed`` is how fast a client wants time to go; None leaves it to whoever serves.
    """

    name: ClassVar[str]
    synchronous = False
    speed: float | None = None

    def __init__(self, match: Match, limits: Limits | None) -> None:
        super().__init__(self.name)
        self.match = match
        self.kernel = match.kernel
        self.limits = limits or LIMITS
        self.faults: Counter[str] = Counter()
        self.inlets: list[Inlet] = []
        self.outlets: list[Outlet] = []
        entities = self.kernel.scene.entities
        self.robots = {
            colour: [e.id for e in entities if e.type == "robot" and e.team == side]
            for colour, side in SIDES.items()
        }
        self.ball = next((e for e in entities if e.type == "ball"), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def take(self, now: float) -> None:
        """Read what has come by the clock's ``now`` and carry it out."""

    @abstractmethod
    def tell(self, broadcast: Broadcast) -> None:
        """Tell clients about the world."""

    def hear(self, broadcast: Broadcast) -> Iterable[Asked]:
        """Tell it; what clients want is asked for in `take`."""
        self.tell(broadcast)
        return ()

    def holds(self, now: float) -> bool:
        """Whether time is not to go on now, because a client is waited for."""
        return False

    @property
    def leads(self) -> bool:
        """Whether a client decides how fast time goes, so that the clock does not."""
        return False

    @property
    def sockets(self) -> list[Any]:
        """What to wait for."""
        return [inlet.socket for inlet in self.inlets]

    @property
    def playing(self) -> bool:
        """Whether the referee lets robots move."""
        return self.match.referee.phase == "play"

    def robot(self, colour: str, number: int) -> str | None:
        """The entity of a robot; None, and counted, for one that is not there."""
        robots = self.robots[colour]
        if 0 <= number < len(robots):
            return robots[number]
        self.faults["UNKNOWN_ROBOT"] += 1
        return None

    def ask(self, command: str, data: dict[str, Any], entity: str = "") -> Reply:
        """Have the kernel carry a command out now."""
        reply = self.kernel.ask(Request(command, data, entity), self.key)
        self.faults["REFUSED"] += not reply.ok
        return reply

    def close(self) -> None:
        """Leave; sockets are gone."""
        for link in (*self.inlets, *self.outlets):
            link.close()
