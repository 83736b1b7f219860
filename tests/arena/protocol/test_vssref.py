"""VSSReferee's protocol as its clients see it."""

import math

import pytest

import biela as bl
from biela.arena.protocol.vssref import VssReferee
from tests.arena.protocol.conftest import HERE
from tests.arena.protocol.plain import double, inside, read, whole
from tests.arena.protocol.test_firasim import first, match

STUCK = bl.arena.FootballRules(half=30.0, stuck_time=0.5, pause=0.2)


def told(link):
    """(foul, colour, quadrant, half) of a command."""
    found = read(link.recv(65536))
    return tuple(int(first(found, n, 0)) for n in (1, 2, 3, 5))


def placement(colour, *robots):
    rows = [whole(1, n) + double(2, x) + double(3, y) + double(4, turn) for n, x, y, turn in robots]
    return inside(1, whole(1, colour) + b"".join(inside(2, row) for row in rows))


def refereed(ear, **options):
    link, place = ear()
    game = match(rules=STUCK, **options)
    protocol = VssReferee(game, commands=place, placements=HERE)
    game.kernel.join(protocol)
    return link, game, protocol


def test_kick_off_play_and_a_free_ball_in_its_quadrant(ear):
    link, game, protocol = refereed(ear)
    with protocol:
        while len(game.referee.events) < 2:
            game.step()
        game.step()
        kicks = 0 if "left" in game.referee.events[0][1] else 1
        assert game.referee.events[1][1].startswith("free ball")
        assert [told(link) for _ in range(3)][:2] == [(4, kicks, 0, 1), (6, 2, 0, 1)]
        x, y, _ = game.kernel.broadcast().entities["ball"].position
    assert (x, y) != (0, 0)


@pytest.mark.parametrize(
    ("x", "y", "quadrant"), [(0.3, 0.3, 1), (-0.3, 0.3, 2), (-0.3, -0.3, 3), (0.3, -0.3, 4)]
)
def test_quadrants_go_against_the_clock_from_the_top_right(ear, x, y, quadrant):
    link, game, protocol = refereed(ear)
    with protocol:
        while not protocol.playing:
            game.step()
        protocol.ask("set_entity_position", {"position": [x, y, 0.0214]}, "ball")
        while len(game.referee.events) < 2:
            game.step()
        game.step()
        assert [told(link) for _ in range(3)][-1] == (3, 2, quadrant, 1)


def test_a_team_places_its_robots_before_a_kick_off(ear):
    link, game, protocol = refereed(ear)
    with protocol:
        game.step()
        game.step()
        wanted = placement(0, (0, -0.6, 0.1, 45.0), (2, -0.4, -0.3, 180.0))
        link.sendto(wanted, ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        seen = game.kernel.broadcast().entities
        assert seen["left0"].position[:2] == pytest.approx((-0.6, 0.1))
        assert seen["left0"].heading == pytest.approx(math.pi / 4)
        assert abs(seen["left2"].heading) == pytest.approx(math.pi)
        link.sendto(wanted, ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        assert +protocol.faults == {"PLACEMENT_NOT_NOW": 1}  # once only


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (placement(0, (0, math.nan, 0.0, 0.0)), "NOT_FINITE"),
        (placement(0, (0, -0.9, 0.0, 0.0)), "OUT_OF_RANGE"),
        (placement(0, (0, 0.01, 0.0, 0.0)), "PLACEMENT_ON_BALL"),
        (placement(0, (0, -0.3, 0.4, 0.0), (1, -0.3, 0.41, 0.0)), "PLACEMENT_OVERLAPS"),
        (placement(0, (0, 0.3, 0.4, 0.0), (1, 0.3, -0.41, 0.0)), "PLACEMENT_OTHER_HALF"),
        (placement(2, (0, -0.3, 0.4, 0.0)), "UNKNOWN_TEAM"),
        (placement(0, (9, -0.3, 0.4, 0.0)), "UNKNOWN_ROBOT"),
        (b"\x0a\x7f", "MALFORMED"),
    ],
)
def test_bad_placements_are_counted_and_place_nobody(ear, data, code):
    link, game, protocol = refereed(ear)
    with protocol:
        game.step()
        game.step()
        before = game.kernel.digest()
        link.sendto(data, ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        assert +protocol.faults == {code: 1}
        assert game.kernel.digest() == before


@pytest.mark.parametrize(
    ("event", "foul", "colour"),
    [
        ("penalty of left", 1, 0),
        ("goal kick of right", 2, 1),
        ("free kick of left", 0, 0),
        ("kick-off of right", 4, 1),
    ],
)
def test_fouls_have_their_numbers_and_colours(ear, event, foul, colour):
    link, game, protocol = refereed(ear)
    with protocol:
        game.referee.tell(0.0, event)
        protocol.tell(game.kernel.broadcast())
        assert told(link) == (foul, colour, 0, 1)
