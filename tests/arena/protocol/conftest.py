"""Matches that are served in a thread, and sockets that hear them."""

import socket
import threading

import pytest

from biela.arena.protocol.link import Place
from biela.arena.protocol.serve import serve

HERE = Place("127.0.0.1", 0)


@pytest.fixture
def ear():
    """Makes sockets that hear datagrams, of a group if one is named; and the place to send to."""
    made = []

    def make(group=""):
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.append(link)
        link.settimeout(20.0)
        link.bind((group or "127.0.0.1", 0))
        if group:
            member = socket.inet_aton(group) + socket.inet_aton("127.0.0.1")
            link.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
            link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
        return link, Place(group or "127.0.0.1", link.getsockname()[1])

    yield make
    for link in made:
        link.close()


class Served:
    """A match that is being served; `stop` returns the result."""

    def __init__(self, match, protocols, **options):
        self.over = threading.Event()
        self.result, self.fault = None, None
        given = (match, protocols, options | {"until": self.over.is_set})
        self.thread = threading.Thread(target=self._run, args=given, daemon=True)
        self.thread.start()

    def _run(self, match, protocols, options):
        try:
            self.result = serve(match, protocols, **options)
        except Exception as fault:
            self.fault = fault

    def join(self):
        self.thread.join(60)
        assert not self.thread.is_alive()
        assert self.fault is None, self.fault
        return self.result

    def stop(self):
        self.over.set()
        return self.join()


@pytest.fixture
def served():
    made = []

    def make(match, protocols, **options):
        made.append(Served(match, protocols, **options))
        return made[-1]

    yield make
    for one in made:
        one.stop()
