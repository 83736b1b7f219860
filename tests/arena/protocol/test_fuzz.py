"""Mutated datagrams at all protocols of a match: nothing crashes and nothing runs away."""

import random

import pytest

import biela as bl
from biela.arena.protocol.firasim import FiraSim
from biela.arena.protocol.ssl_control import SslControl
from biela.arena.protocol.vssref import VssReferee
from tests.arena.protocol.conftest import HERE
from tests.arena.protocol.plain import double, inside, single, whole
from tests.arena.protocol.test_firasim import command, match
from tests.arena.protocol.test_ssl import game, local, order, teleport_ball, teleport_robot
from tests.arena.protocol.test_vssref import placement

GENEROUS = bl.arena.Limits(message=4000, burst=1e9, per_iteration=1e9, per_second=1e9, peers=8, drain=10**6)
GOOD = [
    command(0, 1.0, 2.0),
    command(2, -40.0, 1e300, yellow=True),
    inside(2, inside(1, double(1, 0.1) + double(4, 9.0)) + inside(2, inside(1, whole(1, 1) + double(4, 30)))),
    placement(0, (0, -0.3, 0.2, 10.0), (1, -0.5, -0.2, 20.0)),
    teleport_ball(single(1, 1.0), single(4, 2.0), whole(8, 1)),
    teleport_robot(1, 1, single(2, 0.5), single(7, 3.0)),
    inside(1, single(3, 2.0)),
    order(0, local(1.0, 0.0, 2.0), single(3, 4.0), single(4, 30.0), single(5, 1.0)),
]


def mutated(dice):
    data = bytearray(dice.choice(GOOD))
    for _ in range(dice.randint(0, 5)):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(5):
            case 0:
                data[at : at + 1] = dice.randbytes(1)
            case 1:
                del data[at : at + dice.randint(1, 6)]
            case 2:
                data[at:at] = data[at : at + 30] * dice.randint(1, 4)
            case 3:
                data[at:at] = dice.choice(GOOD)
            case 4:
                data[at:at] = dice.choice(
                    [b"\xff" * 9, b"\x0b", b"\0\0\xc0\x7f", b"\x0a\x80\x80\x80\x80\x08"]
                )
    return bytes(data) if dice.random() < 0.97 else dice.randbytes(dice.randint(0, 5000))


def attack(link, made, protocols, count):
    """So many datagrams, a few in every iteration; everything answered or counted."""
    dice = random.Random(5)
    ports = [inlet.port for p in protocols for inlet in p.inlets]
    for number in range(count):
        link.sendto(mutated(dice), ("127.0.0.1", dice.choice(ports)))
        if number % 20 == 19:
            for protocol in protocols:
                protocol.take(0.0)
                protocol.holds(0.0)
            made.step()
    for seen in made.kernel.broadcast().entities.values():
        assert max(map(abs, (*seen.position, *seen.velocity))) < 1e4
    assert sum(inlet.received for p in protocols for inlet in p.inlets) > 0.9 * count
    assert sum(p.faults["MALFORMED"] for p in protocols) > 0.1 * count


def judge(ear, count):
    link, place = ear()
    made = match()
    with (
        FiraSim(made, vision=place, commands=HERE, limits=GENEROUS) as fira,
        VssReferee(made, commands=place, placements=HERE, limits=GENEROUS) as referee,
    ):
        made.kernel.join(fira)
        made.kernel.join(referee)
        attack(link, made, [fira, referee], count)
    made = game()
    with SslControl(made, simulation=HERE, blue=HERE, yellow=HERE, limits=GENEROUS) as control:
        attack(link, made, [control], count)


def test_datagrams_of_a_fuzzer(ear):
    judge(ear, 2000)


@pytest.mark.study
def test_fifty_thousand_datagrams_of_a_fuzzer(ear):
    judge(ear, 50_000)
