"""The small size league's protocols as its clients see them, who know field numbers and nothing of us."""

import itertools
import math
import socket

import pytest

import biela as bl
from biela.arena.protocol.ssl_control import SslControl
from biela.arena.protocol.ssl_sync import SslSync
from biela.arena.protocol.ssl_vision import SslVision
from tests.arena.protocol.conftest import HERE
from tests.arena.protocol.plain import delimited, inside, read, read_varint, single, whole

YELLOW, BLUE = 1, 2


def game(**options):
    match = bl.arena.small_size(**({"players": 2} | options))
    match.step()
    return match


def spot(match, key):
    return match.kernel.broadcast().entities[key]


@pytest.fixture
def control(ear):
    """A match with its control, and a function that sends to one of its ports and returns the answer."""
    link, _ = ear()
    match = game()
    protocol = SslControl(match, simulation=HERE, blue=HERE, yellow=HERE)

    def ask(which, data):
        link.sendto(data, ("127.0.0.1", protocol.ports[which]))
        protocol.take(0.0)
        return read(link.recv(65536))

    with protocol:
        yield match, protocol, ask


def codes(answer):
    return [read(error)[1][0].decode() for error in answer.get(1, [])]


def teleport_ball(*fields):
    return inside(1, inside(1, b"".join(fields)))


def teleport_robot(number, team, *fields):
    return inside(1, inside(2, inside(1, whole(1, number) + whole(2, team)) + b"".join(fields)))


def order(number, *fields):
    return inside(1, whole(1, number) + b"".join(fields))


def local(forward, left, angular):
    return inside(2, inside(2, single(1, forward) + single(2, left) + single(3, angular)))


def test_vision_is_in_millimetres_and_has_the_field(ear, served):
    link, place = ear("224.5.23.8")
    match = game()
    served(match, [SslVision(match, vision=place)], speed=0)
    packets = [read(link.recv(65536)) for _ in range(70)]
    frames = [read(p[1][0]) for p in packets]
    assert [f[1][0] for f in frames] == list(range(70))
    assert all(
        b - a == pytest.approx(1 / 60, abs=0.006) for a, b in itertools.pairwise(f[2][0] for f in frames)
    )
    assert frames[0][2] == frames[0][3]
    keeper, ball = read(frames[0][7][0]), read(frames[0][5][0])
    assert (keeper[2][0], keeper[3][0], keeper[4][0]) == pytest.approx((0, -4300, 0), abs=1)
    assert read(frames[0][6][0])[3][0] == pytest.approx(4300, abs=1)
    assert abs(read(frames[0][6][0])[5][0]) == pytest.approx(math.pi, abs=0.01)
    assert (ball[3][0], ball[4][0], ball[5][0]) == pytest.approx((0, 0, 0), abs=1)
    assert [2 in p for p in packets].count(True) == 2  # once a second
    size = read(read(packets[0][2][0])[1][0])
    assert [size[n][0] for n in (1, 2, 3, 4, 5, 8, 9)] == [9000, 6000, 1000, 180, 300, 1000, 2000]
    lines = {read(line)[1][0].decode() for line in size[6]}
    assert {"TopTouchLine", "LeftGoalLine", "HalfwayLine", "RightPenaltyStretch"} <= lines
    assert read(size[7][0])[3][0] == 500


def test_balls_are_teleported_in_metres_and_partly(control):
    match, _, ask = control
    assert (
        ask(0, teleport_ball(single(1, 1.5), single(2, -0.5), single(3, 0.0), single(4, 3.0), whole(8, 1)))
        == {}
    )
    ball = spot(match, "ball")
    assert ball.position == pytest.approx((1.5, -0.5, 0.0215))
    assert ball.velocity[:2] == pytest.approx((3.0, 0.0), abs=1e-6)
    assert ball.spin[1] == pytest.approx(3.0 / 0.0215)  # it rolls
    assert ask(0, teleport_ball(single(2, 1.0))) == {}
    assert spot(match, "ball").position[:2] == pytest.approx((1.5, 1.0))
    for _ in range(20):
        match.step()
    assert spot(match, "ball").velocity[0] == pytest.approx(3.0 - 0.1 * 0.35, rel=0.01)


def test_robots_are_teleported(control):
    match, _, ask = control
    assert (
        ask(0, teleport_robot(1, YELLOW, single(2, 1.0), single(3, 2.0), single(4, 1.5), whole(8, 1))) == {}
    )
    robot = spot(match, "right1")
    assert (*robot.position[:2], robot.heading) == pytest.approx((1.0, 2.0, 1.5))
    assert ask(0, teleport_robot(1, YELLOW, single(5, 1.0))) == {}
    assert spot(match, "right1").velocity[:2] == pytest.approx((1.0, 0.0))


def test_speed_of_simulation(control):
    _, protocol, ask = control
    assert ask(0, inside(1, single(3, 4.0))) == {}
    assert protocol.speed == 4.0


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (teleport_ball(single(1, 0.5), whole(7, 1)), ["UNSUPPORTED_TELEPORT_SAFELY"]),
        (teleport_ball(single(1, 0.5), whole(9, 1)), ["UNSUPPORTED_BY_FORCE"]),
        (teleport_ball(single(1, math.nan)), ["NOT_FINITE"]),
        (teleport_ball(single(1, 1e9)), ["OUT_OF_RANGE"]),
        (teleport_robot(1, BLUE, whole(8, 0)), ["UNSUPPORTED_PRESENT"]),
        (teleport_robot(1, BLUE, whole(9, 1)), ["UNSUPPORTED_BY_FORCE"]),
        (teleport_robot(5, BLUE, single(2, 1.0)), ["UNKNOWN_ROBOT"]),
        (teleport_robot(0, 0, single(2, 1.0)), ["UNKNOWN_ROBOT"]),
        (inside(1, single(3, -1.0)), ["SPEED_OUT_OF_RANGE"]),
        (inside(1, single(3, math.nan)), ["SPEED_OUT_OF_RANGE"]),
        (inside(2, whole(4, 10020)), ["UNSUPPORTED_CONFIG_VISION_PORT"]),
        (inside(2, inside(2, b"")), ["UNSUPPORTED_CONFIG_ROBOT_SPECS"]),
        (inside(2, inside(3, whole(9, 1))), ["UNKNOWN_FIELD", "UNSUPPORTED_CONFIG_REALISM_CONFIG"]),
        (inside(1, whole(99, 1)), ["UNKNOWN_FIELD"]),
        (b"\x0a\xff", ["MALFORMED"]),
        (inside(1, inside(2, b"")), ["MALFORMED"]),  # a robot without its id
    ],
)
def test_what_is_not_done_has_a_coded_error(control, data, wanted):
    _, protocol, ask = control
    assert codes(ask(0, data)) == wanted
    assert set(wanted) <= set(protocol.faults)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (order(7), ["UNKNOWN_ROBOT"]),
        (order(0, local(math.nan, 0, 0)), ["NOT_FINITE"]),
        (order(0, single(3, math.inf)), ["NOT_FINITE"]),
        (order(0, single(3, -1.0)), ["KICK_OUT_OF_RANGE"]),
        (order(0, single(3, 1.0), single(4, 120.0)), ["KICK_OUT_OF_RANGE"]),
        (order(0, inside(2, inside(1, b"".join(single(n, 1e9) for n in (1, 2, 3, 4))))), ["NOT_FINITE"]),
        (inside(1, b""), ["MALFORMED"]),  # without id
        (order(0, whole(50, 3)), ["UNKNOWN_FIELD"]),
        (b"\xff" * 50, ["MALFORMED"]),
    ],
)
def test_bad_orders_have_coded_errors(control, data, wanted):
    match, _, ask = control
    before = match.kernel.digest()
    assert codes(ask(1, data)) == wanted
    assert match.kernel.digest() == before


@pytest.mark.parametrize(
    ("move", "wanted"),
    [
        (local(1.0, 0.5, 0.0), (-1.0, -0.5)),  # the yellow robot looks to the left
        (inside(2, inside(3, single(1, 1.0) + single(2, 0.5) + single(3, 0.0))), (1.0, 0.5)),
        (
            inside(2, inside(1, b"".join(single(n + 1, v) for n, v in enumerate(
                bl.arena.SSL_ROBOTS["tigers"].rims(1.0, 0.5, 0.0))))),
            (-1.0, -0.5),
        ),
    ],
    ids=["local", "global", "wheels"],
)  # fmt: skip
def test_robots_drive_by_all_three_kinds_of_command(control, move, wanted):
    match, _, ask = control
    for _ in range(80):
        answer = ask(2, order(1, move))
        match.step()
    assert codes(answer) == []
    feedback = read(answer[2][0])
    assert read(feedback[1][0]) == {1: [1], 2: [YELLOW]}
    assert feedback[2] == [0]
    assert spot(match, "right1").velocity[:2] == pytest.approx(wanted, abs=0.02)


def test_robots_chip_in_degrees_and_say_that_they_have_the_ball(control):
    match, _, ask = control
    x, y, _ = spot(match, "left1").position
    ask(0, teleport_ball(single(1, x + 0.0785 + 0.0215), single(2, y), single(4, 0.0), single(5, 0.0)))
    ask(1, order(1, single(5, 1000.0)))
    match.step()
    match.step()
    assert read(ask(1, order(1, single(5, 1000.0)))[2][0])[2] == [1]
    ask(1, order(1, single(3, 3.0), single(4, 30.0)))
    for _ in range(3):
        match.step()
    velocity = spot(match, "ball").velocity
    assert math.hypot(*velocity) == pytest.approx(3.0, rel=0.05)
    assert velocity[2] / velocity[0] == pytest.approx(math.tan(math.radians(30)), rel=0.1)


def test_control_can_be_forbidden_and_matches_of_wheels_are_told(ear):
    link, _ = ear()
    match = bl.arena.football("vsss-3v3", left="nobody", right="nobody", backend="flat")
    with SslControl(match, simulation=HERE, blue=HERE, yellow=HERE, teleporting=False) as protocol:
        for port, data in zip(protocol.ports, (teleport_ball(), order(0), order(0)), strict=True):
            link.sendto(data, ("127.0.0.1", port))
        protocol.take(0.0)
        assert [codes(read(link.recv(65536))) for _ in range(3)] == [["FORBIDDEN"], ["NO_CREW"], ["NO_CREW"]]


class Sync:
    """A client of the draft, over TCP."""

    def __init__(self, port):
        self.link = socket.create_connection(("127.0.0.1", port), 20)
        self.data = b""

    def ask(self, step, *fields):
        self.link.sendall(delimited(single(1, step) + b"".join(fields)))
        return self.answer()

    def answer(self):
        while True:
            try:
                size, at = read_varint(self.data, 0)
                if len(self.data) >= at + size:
                    found, self.data = self.data[at : at + size], self.data[at + size :]
                    return read(found)
            except IndexError:
                pass
            more = self.link.recv(65536)
            if not more:
                raise ConnectionError
            self.data += more


def drive_by_steps(served):
    """A client that drives a robot by steps of 25 ms; the hash of where that leads."""
    match = game()
    protocol = SslSync(match, blue=HERE, yellow=HERE, waiting=True)
    running = served(match, [protocol])
    client, times = Sync(protocol.ports[0]), []
    for number in range(40):
        answer = client.ask(0.025, inside(3, order(1, local(1.0, 0.0, 0.1 * number))))
        frame = read(answer[1][0])
        times.append(frame[2][0])
        assert codes(read(answer[2][0])) == []
    digest, now = match.kernel.digest(), match.kernel.time
    client.link.close()
    result = running.stop()
    return digest, now, times, result


def test_a_client_drives_time_and_it_repeats(served):
    digest, now, times, result = drive_by_steps(served)
    assert all(b - a == pytest.approx(0.025, abs=1e-6) for a, b in itertools.pairwise(times))
    assert now == pytest.approx(times[-1])
    assert result.replay.differences() == []
    assert drive_by_steps(served)[0] == digest


def test_two_teams_share_time_and_errors_are_told(served):
    match = game()
    protocol = SslSync(match, blue=HERE, yellow=HERE, waiting=True)
    served(match, [protocol])
    blue, yellow = (Sync(port) for port in protocol.ports)
    start = read(blue.ask(0.0)[1][0])[2][0]
    assert read(yellow.ask(0.0)[1][0])[2][0] == start
    blue.link.sendall(delimited(single(1, 0.05)))
    assert read(yellow.ask(0.02)[1][0])[2][0] == pytest.approx(start + 0.02)
    yellow.link.sendall(delimited(single(1, 0.04)))
    assert read(blue.answer()[1][0])[2][0] == pytest.approx(start + 0.05)
    blue.link.sendall(delimited(single(1, 0.05)))
    assert read(yellow.answer()[1][0])[2][0] == pytest.approx(start + 0.06)
    yellow.link.close()
    blue.answer()
    assert codes(read(blue.ask(math.nan)[2][0])) == ["STEP_OUT_OF_RANGE"]
    assert codes(read(blue.ask(0.0, inside(2, teleport_ball(whole(7, 1))))[2][0])) == [
        "UNSUPPORTED_TELEPORT_SAFELY"
    ]
    assert codes(read(blue.ask(0.0, whole(44, 1))[2][0])) == ["UNKNOWN_FIELD"]


@pytest.mark.parametrize("data", [b"\xff" * 20, delimited(b"\xff" * 9), b"\xff\xff\xff\x7f"])
def test_a_client_that_sends_rubbish_is_sent_away_and_others_play(served, data):
    match = game()
    protocol = SslSync(match, blue=HERE, yellow=HERE, waiting=True)
    served(match, [protocol])
    good, bad = (Sync(port) for port in protocol.ports)
    good.ask(0.01)
    bad.ask(0.0)
    bad.link.sendall(data)
    assert good.ask(0.01)[1]
    with pytest.raises(ConnectionError):
        bad.answer()
    assert good.ask(0.01)[1]
    assert protocol.faults["MALFORMED"] == 1


def test_a_silent_client_does_not_hold_time_for_ever(served):
    match = game()
    protocol = SslSync(match, blue=HERE, yellow=HERE, patience=0.05)
    running = served(match, [protocol], seconds=0.5, speed=0)
    Sync(protocol.ports[0]).ask(0.01)
    assert running.join().record.t[-1] > 0.4
