"""A kernel that is served in a thread, for the tests of the wire."""

import threading

import pytest

from biela.arena import Kernel, Scene
from biela.arena.physics.conformance import FLOOR, MATERIALS, cart
from biela.arena.wire.server import Server

SCENE = Scene("s", MATERIALS, (FLOOR, cart()))


class Running:
    """A kernel that iterates in a thread until `stop`; it waits at iteration ``last``."""

    def __init__(self, scene=SCENE, last=10**9, settings=None, **options):
        self.kernel = Kernel(scene, **({"wait": 20.0} | (settings or {})))
        self.server = Server(self.kernel, **({"tcp": 0, "websocket": 0} | options))
        self.last, self.fault = last, None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            while not self._over.is_set():
                if self.kernel.iteration >= self.last or not self.kernel.agents:
                    self.kernel.attend()
                    self.server.wait(0.01)
                elif not self.kernel.iterate():
                    self.server.wait(0.01)
        except Exception as fault:
            self.fault = fault

    def stop(self):
        self._over.set()
        if self.kernel.source:
            self.server.wake()
        self._thread.join(30)
        assert not self._thread.is_alive()
        if self.kernel.source:
            self.kernel.source.take()
            self.server.close()
        assert self.fault is None, self.fault


@pytest.fixture
def running():
    made = []

    def make(**options):
        made.append(Running(**options))
        return made[-1]

    yield make
    for one in made:
        one.stop()
