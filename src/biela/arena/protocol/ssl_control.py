"""The simulation protocol of the small size league: control of the simulation, and of blue and yellow robots.

Datagrams to three ports, each answered to its sender: teleports and speed at one, robots of a team at each of
the others. What is not done is answered by a coded error, and so is a datagram that is no message.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, final

from biela.arena.broadcast import Broadcast
from biela.arena.protocol import ssl_order
from biela.arena.protocol.link import Inlet, Place
from biela.arena.protocol.protocol import Protocol
from biela.arena.protocol.ssl_message import SSL
from biela.arena.wire.peer import Limits

if TYPE_CHECKING:
    from biela.arena.match import Match

SIMULATION = Place("127.0.0.1", 10300)
BLUE = Place("127.0.0.1", 10301)
YELLOW = Place("127.0.0.1", 10302)


@final
class SslControl(Protocol):
    """Takes commands. ``teleporting`` is whether clients may control the simulation."""

    name: ClassVar[str] = "ssl-control"

    def __init__(
        self,
        match: Match,
        *,
        simulation: Place = SIMULATION,
        blue: Place = BLUE,
        yellow: Place = YELLOW,
        teleporting: bool = True,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(match, limits)
        self.broadcasts = False
        self.teleporting = teleporting
        for place in (simulation, blue, yellow):
            self.inlets.append(Inlet(place, self.limits, self.faults))

    @property
    def ports(self) -> tuple[int, int, int]:
        """The ports of simulation, blue and yellow."""
        simulation, blue, yellow = (inlet.port for inlet in self.inlets)
        return simulation, blue, yellow

    def tell(self, broadcast: Broadcast) -> None:
        """Vision is another protocol."""

    def take(self, now: float) -> None:
        """Carry out and answer what has come."""
        simulation, blue, yellow = self.inlets
        self._answer(simulation, now, "SimulatorCommand", "SimulatorResponse", self._simulator)
        for colour, inlet in (("blue", blue), ("yellow", yellow)):
            carry = partial(ssl_order.robots, self, colour)
            self._answer(inlet, now, "RobotControl", "RobotControlResponse", carry)

    def _answer(
        self, inlet: Inlet, now: float, asked: str, answered: str, carry: Callable[[Any], Any]
    ) -> None:
        iteration = self.kernel.iteration
        for data, address in inlet.take(now, iteration):
            try:
                response = carry(SSL.read(asked, data))
            except ValueError as error:
                response = ssl_order.told(SSL.make(answered), [("MALFORMED", str(error))])
                inlet.refuse(address, now, iteration)
            self.faults.update(error.code for error in response.errors)
            inlet.answer(response.SerializeToString(), address)

    def _simulator(self, command: Any) -> Any:
        errors = list(ssl_order.unknown_fields(command))
        if self.teleporting:
            errors += ssl_order.simulator(self, command)
        else:
            errors.append(("FORBIDDEN", "This match is played without control of the simulation."))
        return ssl_order.told(SSL.make("SimulatorResponse"), errors)
