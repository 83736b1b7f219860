"""FIRASim's protocol as its clients see it, who know field numbers and nothing of us."""

import itertools
import math
import socket

import pytest

import biela as bl
from biela.arena.protocol.firasim import FiraSim
from tests.arena.protocol.conftest import HERE
from tests.arena.protocol.plain import double, inside, read, whole

RULES = bl.arena.FootballRules(half=60.0)


def match(**options):
    given = {"left": "nobody", "right": "nobody", "seed": 3, "rules": RULES, "backend": "flat"}
    return bl.arena.football("vsss-3v3", **(given | options))


def command(robot, left, right, yellow=False):
    one = whole(1, robot) + whole(2, yellow) + double(6, left) + double(7, right)
    return inside(1, inside(1, one))


def first(found, number, default=0.0):
    return found.get(number, [default])[0]


def frame(data):
    """(step, ball, blue robots, yellow robots), everything as fields by number."""
    told = read(data)
    seen = read(told[2][0])
    return first(told, 1, 0), read(seen[1][0]), *([read(r) for r in seen.get(n, [])] for n in (3, 2))


def playing(protocol):
    """Let the match come to its first kick-off."""
    while not protocol.playing:
        protocol.match.step()


def test_what_a_frame_says(ear, served):
    link, place = ear()
    game = match()
    served(game, [FiraSim(game, vision=place, commands=HERE)], speed=0)
    told = read(link.recv(65536))
    field = read(told[3][0])
    assert [field[n][0] for n in range(1, 9)] == [1.3, 1.5, 0.4, 0.1, 0.2, 0.7, 0.15, 0.375]
    steps, ball, blue, yellow = [], {}, [], []
    for _ in range(80):
        step, ball, blue, yellow = frame(link.recv(65536))
        steps.append(step)
    assert {b - a for a, b in itertools.pairwise(steps)} <= {16, 17}  # 60 Hz in milliseconds
    assert [first(r, 1, 0) for r in blue] == [first(r, 1, 0) for r in yellow] == [0, 1, 2]
    assert all(first(r, 2) < 0 for r in blue)
    assert all(first(r, 2) > 0 for r in yellow)
    assert all(abs(first(r, 4)) < 0.1 for r in blue)
    assert all(abs(abs(first(r, 4)) - math.pi) < 0.1 for r in yellow)  # radians
    assert math.hypot(first(ball, 1), first(ball, 2)) < 0.01


def test_wheels_are_in_radians_a_second_and_commands_are_held(ear):
    link, place = ear()
    game = match(backend="mujoco")
    with FiraSim(game, vision=place, commands=HERE) as protocol:
        game.kernel.join(protocol)
        playing(protocol)
        link.sendto(command(0, 10.0, 10.0), ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        for _ in range(45):
            game.step()
            protocol.take(0.0)
        robot = game.kernel.broadcast().entities["left0"]
    assert robot.velocity[0] == pytest.approx(0.26, rel=0.02)  # wheels of 0.026 m
    assert [agent for _, agent, _ in game.kernel.log].count("firasim") == 1


def test_placements_are_in_degrees(ear):
    link, place = ear()
    game = match()
    with FiraSim(game, vision=place, commands=HERE) as protocol:
        game.kernel.join(protocol)
        playing(protocol)
        robot = whole(1, 2) + double(2, 0.5) + double(3, -0.3) + double(4, 90.0)
        ball = double(1, -0.2) + double(2, 0.4) + double(3, 0.5)
        told = inside(2, inside(1, ball) + inside(2, inside(1, robot) + whole(5, 1) + whole(6, 1)))
        link.sendto(told, ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        seen = game.kernel.broadcast().entities
    assert seen["right2"].heading == pytest.approx(math.pi / 2)
    assert seen["right2"].position[:2] == pytest.approx((0.5, -0.3))
    assert seen["ball"].velocity[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (command(0, math.nan, 1.0), "NOT_FINITE"),
        (command(0, 1.0, math.inf), "NOT_FINITE"),
        (command(7, 1.0, 1.0), "UNKNOWN_ROBOT"),
        (command(2**31, 1.0, 1.0), "UNKNOWN_ROBOT"),
        (b"\x0a\xff\xff", "MALFORMED"),
        (b"\x0b" * 4000, "MALFORMED"),
        (b"\0" * 9000, "TOO_LONG"),
        (inside(77, b"what"), "UNKNOWN_FIELD"),
        (inside(2, inside(1, double(1, 1e30))), "OUT_OF_RANGE"),
        (inside(2, inside(1, double(2, math.nan))), "NOT_FINITE"),
        (inside(2, inside(2, inside(1, whole(1, 0) + double(4, math.nan)))), "NOT_FINITE"),
        (inside(2, inside(2, inside(1, whole(1, 9)))), "UNKNOWN_ROBOT"),
    ],
)
def test_what_is_wrong_is_counted_and_changes_nothing(ear, data, code):
    link, place = ear()
    game = match()
    with FiraSim(game, vision=place, commands=HERE) as protocol:
        playing(protocol)
        before = game.kernel.digest()
        link.sendto(data, ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        assert +protocol.faults == {code: 1}
        assert game.kernel.digest() == before
        link.sendto(command(0, 3.0, 3.0), ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        assert protocol.faults.total() == 1
        assert game.kernel.digest() != before


def test_floods_and_forbidden_placements_are_counted(ear):
    link, place = ear()
    game = match()
    limits = bl.arena.Limits(message=8192, burst=5, per_iteration=0, per_second=0, drain=1000)
    with FiraSim(game, vision=place, commands=HERE, replacing=False, limits=limits) as protocol:
        for _ in range(9):
            link.sendto(inside(2, inside(1, double(1, 0.1))), ("127.0.0.1", protocol.inlet.port))
        protocol.take(0.0)
        assert +protocol.faults == {"REPLACEMENT_FORBIDDEN": 5, "RATE": 4}


def test_vision_goes_to_a_group_and_no_further_than_this_machine(ear, served):
    link, place = ear("224.5.23.7")
    game = match()
    protocol = FiraSim(game, vision=place, commands=HERE)
    served(game, [protocol], speed=0)
    assert frame(link.recv(65536))[0] > 0
    assert protocol.outlet.socket.getsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL) == 0


def play_in_lockstep(ear, served):
    """A client that runs to the ball with one robot, in lock-step; the hash of where it leads."""
    link, place = ear()
    game = match(right="roles", rules=bl.arena.FootballRules(half=1.0, halves=1, pause=0.2))
    protocol = FiraSim(game, vision=place, commands=HERE, lockstep=["blue"], patience=20.0)
    port = protocol.inlet.port
    running = served(game, [protocol], speed=0)
    link.settimeout(0.05)
    while running.thread.is_alive():
        try:
            _, ball, blue, _ = frame(link.recv(65536))
        except TimeoutError:
            continue
        off = math.atan2(first(ball, 2) - first(blue[1], 3), first(ball, 1) - first(blue[1], 2))
        off = math.remainder(off - first(blue[1], 4), math.tau)
        link.sendto(command(1, 15 - 10 * off, 15 + 10 * off), ("127.0.0.1", port))
    result = running.join()
    assert not protocol.faults["SILENT"]
    return game.kernel.digest(), result


def test_lockstep_repeats_and_its_replay_too(ear, served):
    once, result = play_in_lockstep(ear, served)
    again, _ = play_in_lockstep(ear, served)
    assert once == again
    assert result.replay.differences() == []
    assert any(agent == "firasim" for _, agent, _ in result.replay.log)


def test_nobody_is_waited_for_longer_than_patience(ear, served):
    _, place = ear()
    game = match()
    protocol = FiraSim(game, vision=place, commands=HERE, lockstep=["blue"], patience=0.01)
    served(game, [protocol], seconds=0.1).join()
    assert protocol.faults["SILENT"] >= 3


def test_a_taken_port_and_other_games_are_told(ear):
    _, place = ear()
    with pytest.raises(OSError, match="Take another port"):
        FiraSim(match(), commands=place)
    with pytest.raises(ValueError, match="no football"):
        FiraSim(bl.arena.sumo("mini"))
    with pytest.raises(ValueError, match="Did you mean 'firasim'"):
        bl.arena.serve(match(), ["firasin"])
