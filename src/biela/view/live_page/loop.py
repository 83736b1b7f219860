"""`Loop`: the thread in which a source runs: orders in, frames out, sixty times a second.

A frame is 24 bytes of head, then single-precision numbers, all little-endian:

    uint32    number of the frame
    uint32    flags: 1 playing, 2 something is held
    float64   simulated time, s
    float32   achieved speed, simulated seconds a second
    float32   share of the frame's time that was used
    float32   the curves, column by column, then places and turns, actor by actor, then what is held:
              its place and where it is dragged to

What does not fit into the time of a frame is left out: the motion becomes slower than was asked for, and the
page says by how much. While nothing moves and nobody asks for anything there are no frames.
"""

from __future__ import annotations

import struct
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from biela.simulate.realtime import Clock
from biela.view.live_page.order import Order
from biela.view.live_page.source import Source

RATE = 60.0
HEAD = struct.Struct("<IIdff")
PLAYING, HELD = 1, 2
WAITING = 1000  # orders that are kept; older ones are forgotten
SMOOTH = 0.1  # of the achieved speed, a frame

Publish = Callable[[bytes], None]
Tell = Callable[[dict[str, Any]], None]


class Loop:
    """Runs a source; ``publish`` takes frames and ``tell`` what changed beside them.

    ``clock`` is another one in tests, which call `frame` themselves.
    """

    def __init__(
        self, source: Source, publish: Publish, tell: Tell, *, rate: float = RATE, clock: Clock | None = None
    ) -> None:
        self.source, self.publish, self.tell = source, publish, tell
        self.period, self.clock = 1.0 / rate, clock or Clock()
        self.playing, self.speed = True, 1.0
        self.number, self.achieved, self.load = 0, 0.0, 0.0
        self.fault = ""
        self._orders: deque[Order] = deque(maxlen=WAITING)
        self._rest, self._fresh = 0.0, True
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="biela live", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait until it has."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(10.0)

    def order(self, order: Order) -> None:
        """Hand an order in; any thread may."""
        self._orders.append(order)

    def refresh(self) -> None:
        """Make a frame although nothing moves: somebody came."""
        self._fresh = True

    def state(self) -> dict[str, Any]:
        """What is told beside frames."""
        return {
            "playing": self.playing, "speed": self.speed, "told": self.fault or self.source.told,
            "controls": {control.name: control.value for control in self.source.controls},
        }  # fmt: skip

    def _run(self) -> None:
        period = round(self.period * 1e9)
        due = self.clock.now()
        while not self._ended.is_set():
            self.clock.wait(due)
            begin = self.clock.now()
            self.frame((begin - due) * 1e-9 + self.period)
            spent = self.clock.now() - begin
            self.load += SMOOTH * (spent / period - self.load)
            due = max(due + period, self.clock.now() - period)

    def frame(self, seconds: float) -> None:
        """One frame: what was asked for, the motion of so many seconds, and what there is to see."""
        before = self.state()
        moved = self._ordered()
        if self.playing:
            moved |= self._advanced(min(seconds, 2.0 * self.period))
        if self.state() != before or self._fresh:
            self.tell(self.state())
        if moved or self._fresh:
            self._fresh = False
            self.number += 1
            self._tried(lambda: self.publish(self.packed()))

    def _advanced(self, seconds: float) -> bool:
        """Go on by whole steps; what is left waits for the next frame."""
        self._rest += seconds * self.speed
        if self._rest < 0.5 * self.source.dt:
            return False
        before = self.source.t
        self._tried(lambda: self.source.advance(self._rest))
        gone = self.source.t - before
        self._rest = float(np.clip(self._rest - gone, -self.source.dt, self.source.dt))
        self.achieved += SMOOTH * (gone / max(seconds, 1e-9) - self.achieved)
        return True

    def _ordered(self) -> bool:
        """Carry out what was asked for; only the last of several drags counts."""
        orders = [self._orders.popleft() for _ in range(len(self._orders))]
        for k, order in enumerate(orders, 1):
            if order.do != "drag" or k == len(orders) or orders[k].do != "drag":
                self._carry(order)
        return bool(orders)

    def _carry(self, order: Order) -> None:
        source = self.source
        if order.do in ("play", "pause"):
            self.playing = order.do == "play" and not self.fault
        elif order.do == "step":
            self.playing = False
            if not self.fault:
                self._tried(lambda: source.advance(source.dt))
        elif order.do == "speed":
            self.speed = order.value
        else:
            try:
                self._asked(order)
            except Exception as error:  # it stays as it was, and the page says why
                self.tell({"refused": str(error) or type(error).__name__})

    def _asked(self, order: Order) -> None:
        """What the source itself is asked for."""
        source = self.source
        if order.do == "reset":
            source.reset()
            self.fault, self._rest = "", 0.0
        elif order.do == "set":
            source.change(order.name, order.value)
            next(c for c in source.controls if c.name == order.name).value = order.value
        elif order.grip is not None:
            source.grab(order.grip)
        elif order.place is not None:
            source.drag(order.place)
        elif order.do == "drive":
            source.drive(order.value, order.other)
        else:
            source.release()

    def _tried(self, deed: Callable[[], Any]) -> None:
        """Do something; what it raises is told, and the motion stops."""
        try:
            deed()
        except Exception as error:  # whatever a source raises, the page stays
            self.fault = str(error) or type(error).__name__
            self.playing = False

    def packed(self) -> bytes:
        """The frame."""
        held = self.source.held()
        flags = (PLAYING if self.playing else 0) | (HELD if held is not None else 0)
        numbers: list[Any] = [self.source.values()]
        for places, turns in self.source.parts():
            numbers += [np.ravel(places), np.ravel(turns)]
        numbers.append(np.zeros(6) if held is None else held)
        body = np.concatenate([np.asarray(each, "<f4") for each in numbers])
        head = HEAD.pack(self.number & 0xFFFFFFFF, flags, self.source.t, self.achieved, self.load)
        return head + body.astype("<f4").tobytes()
