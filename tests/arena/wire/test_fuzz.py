"""Hostile datagrams at a running kernel: nothing crashes, nothing stalls, nobody else moves differently."""

import random
import socket
import threading

import pytest

from biela.arena import Kernel, Request, Scene
from biela.arena.message import Done, Drive
from biela.arena.physics.conformance import FLOOR, MATERIALS, cart
from biela.arena.wire.client import Client
from biela.arena.wire.forms import FORMS
from biela.arena.wire.peer import Limits
from biela.arena.wire.server import TOURNAMENT, Server
from tests.arena.wire.test_forms import EXAMPLES

SCENE = Scene("two", MATERIALS, (FLOOR, cart(), cart().placed((0.5, 0.5, 0.03), 1.0, "other")))
GENEROUS = Limits(burst=1e9, per_iteration=1e9, per_second=1e9, peers=64)
ASKED = [*EXAMPLES, Drive("cart", (9.0, 9.0)), Drive("other", (-9.0, 1.0)), Done(3)]
GOOD = [form.ask([asked]) for form in FORMS.values() for asked in ASKED]
GOOD += [form.ask(ASKED[n : n + 4]) for form in FORMS.values() for n in range(0, len(ASKED), 4)]


def mutated(dice):
    """A good message with bytes changed, taken out, doubled, cut off or joined to another; or none at all."""
    data = bytearray(dice.choice(GOOD))
    for _ in range(dice.randint(0, 6)):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(6):
            case 0:
                data[at : at + 1] = dice.randbytes(1)
            case 1:
                del data[at : at + dice.randint(1, 8)]
            case 2:
                data[at:at] = data[at : at + dice.randint(1, 64)] * dice.randint(1, 4)
            case 3:
                del data[at:]
            case 4:
                data[at:at] = dice.choice(GOOD)
            case 5:
                data[at:at] = dice.choice([b"\xff" * 8, b"nan", b"1e999", b"<!DOCTYPE a>", b"[" * 99])
    return bytes(data[:65_000]) if dice.random() < 0.98 else dice.randbytes(dice.randint(0, 300))


def drive(port, robot, last):
    """An agent that drives one robot by where it is."""
    with Client(port) as client:
        client.register(f"agent {robot}", synchronous=True, entities=[robot])
        while client.iteration < last:
            told = client.hear(60.0)
            x, y, _ = told.entities[robot].position
            client.done(Drive(robot, (5.0 + y, 4.0 - x)))


def run(datagrams, iterations, limits=GENEROUS):
    """The hash of a kernel with two agents after so many datagrams, spread over its iterations."""
    kernel = Kernel(SCENE, wait=10.0)
    kernel.log.keeping = False
    dice, sent = random.Random(4), 0
    with Server(kernel, rights=TOURNAMENT, limits=limits) as server, foes(server) as links:
        agents = [
            threading.Thread(target=drive, args=(server.ports["udp"], robot, iterations), daemon=True)
            for robot in ("cart", "other")
        ]
        for agent in agents:
            agent.start()
        server.run(0.0, agents=2)
        kernel.ask(Request("set_sync_wait_time", {"seconds": 60.0 if not datagrams else 0.5}))
        for number in range(iterations):
            while sent < datagrams * (number + 1) // iterations:
                dice.choice(links).send(mutated(dice))
                sent += 1
            assert kernel.iterate()
        for agent in agents:
            agent.join(60)
            assert not agent.is_alive()
        for _ in range(3):
            kernel.attend()
        return kernel.digest(), server


class foes:  # noqa: N801 - a context like a function
    """Sockets of several peers that send what they like and read nothing."""

    def __init__(self, server):
        self.links = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(5)]
        for link in self.links:
            link.connect(server.udp.getsockname())

    def __enter__(self):
        return self.links

    def __exit__(self, *error):
        for link in self.links:
            link.close()


def judge(datagrams, iterations):
    undisturbed, _ = run(0, iterations)
    disturbed, server = run(datagrams, iterations)
    assert disturbed == undisturbed
    assert server.received > 0.9 * datagrams  # the system has lost few of them
    assert server.refused > 0.3 * datagrams


def test_datagrams_of_a_fuzzer_disturb_nobody():
    judge(3000, 150)


def test_a_flood_beyond_the_limits_disturbs_nobody():
    undisturbed, _ = run(0, 100)
    disturbed, server = run(2000, 100, Limits(burst=20, per_iteration=3, per_second=0))
    assert disturbed == undisturbed
    assert server.refused > 500


@pytest.mark.study
def test_a_hundred_thousand_datagrams_of_a_fuzzer_disturb_nobody():
    judge(100_000, 2500)
