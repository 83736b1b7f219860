"""The loop: smooth at every change, deaf to what is no telemetry, on time by a clock that the tests hold."""

import socket
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator, TwoRSSU, drive
from biela.cueing.live.live import Live, Manners
from biela.cueing.live.packet import (
    NONE,
    POSE,
    TELEMETRY,
    Order,
    Sign,
    State,
    Telemetry,
    pose_of,
    telemetry_of,
)
from biela.cueing.live.server import FLOOD, Server, quantiles

DT = 0.02
LEVEL = (0.0, 0.0, 9.80665)
RIDE = Ride.on(Simulator.source_002(), ClassicalWashout.preset("delft"))


def packet(k, force=LEVEL, rates=(0.0, 0.0, 0.0), orders=NONE, time=None):
    return Telemetry(k, DT * k if time is None else time, tuple(force), tuple(rates), orders).packed()


def ridden(live, rows, begin=0, orders=lambda k: NONE, silent=()):
    """Poses for rows of a drive, a packet and a tick a row; no packet in the silent ones."""
    poses = []
    for k, row in enumerate(rows, begin):
        if k not in silent:
            live.receive(packet(k, row[:3], row[3:], orders(k)), DT * k)
        poses.append(live.tick(DT * k))
    return poses


def asked(poses):
    return np.array([pose.asked for pose in poses])


def test_packets_have_the_sizes_that_are_documented():
    assert TELEMETRY.size == 72
    assert POSE.size == 32
    data = packet(5, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), Order.PAUSE)
    assert data[:4] == b"BLTM"
    assert struct.unpack_from("<I", data, 8)[0] == 5
    assert struct.unpack_from("<6d", data, 24) == (1, 2, 3, 4, 5, 6)
    assert telemetry_of(data) == Telemetry(5, 0.1, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), Order.PAUSE)
    pose = Live(RIDE).tick(0.0)
    assert len(pose.packed(0.0)) == 32 + 8 * (2 * 2 + 2)
    assert pose_of(pose.packed(0.25)).latency == 0.25


def test_faded_in_the_loop_is_the_ride():
    rows = drive.slalom(20.0)
    rows[:100] = (*LEVEL, 0, 0, 0)  # faded in while nothing happens
    poses = ridden(Live(RIDE), rows)
    run = RIDE.run(rows)
    for k, dof in enumerate(("pitch", "roll")):
        np.testing.assert_allclose(asked(poses)[:, k], run[f"{dof}.achieved"], atol=1e-13)
        np.testing.assert_allclose([pose.pose[k] for pose in poses], run[dof], atol=1e-13)
    cranks, _ = RIDE.simulator.platform.positions(asked(poses))
    np.testing.assert_allclose([pose.actuators for pose in poses], cranks, atol=1e-13)
    assert {pose.state for pose in poses} == {State.RIDING}
    assert [pose.sequence for pose in poses] == list(range(1, 1001))
    assert [pose.answered for pose in poses] == list(range(1000))


def bend(poses):
    """The largest change of the speed between two periods, in rad/s2."""
    return np.abs(np.diff(asked(poses), 2, axis=0)).max() / DT**2


STEADY = np.tile([2.0, 1.5, 9.80665, 0.0, 0.0, 0.0], (1000, 1))


@pytest.mark.parametrize("how", ["pause", "loss"])
def test_silence_is_smooth_and_so_is_what_comes_after(how):
    pause = range(300, 600)
    orders = (lambda k: Order.PAUSE if k in pause else Order(0)) if how == "pause" else (lambda k: Order(0))
    poses = ridden(Live(RIDE), STEADY, orders=orders, silent=pause if how == "loss" else ())
    places = asked(poses)
    assert np.abs(places[299]).min() > 0.05  # it was somewhere
    states = [pose.state for pose in poses]
    begin = 300 if how == "pause" else 310  # 0.2 s of patience
    assert states[begin - 1] is State.RIDING
    assert states[begin] is State.SETTLING
    rest = begin + 105  # the acceleration is eased for 0.1 s, then it takes 2 s
    assert states[begin + 103] is State.SETTLING
    assert states[rest] is State.REST
    assert not places[rest:600].any()
    sign = Sign.PAUSED if how == "pause" else Sign.LOST
    assert all(bool(pose.signs & sign) == (begin <= k < 600) for k, pose in enumerate(poses))
    assert states[600] is State.RIDING
    assert np.abs(places[999]).min() > 0.05
    assert bend(poses) < 3.0  # rad/s2, of the limit of the tilt; a jump by a degree would be 40
    assert np.abs(np.diff(places, axis=0)).max() / DT < 0.25


def test_jerk_does_not_grow_with_the_rate_of_the_platform():
    """Whether it goes to rest or to a stand."""
    for order in (Order.PAUSE, Order.STOP):
        most: list[float] = []
        for dt in (0.02, 0.005):
            ride = Ride.on(Simulator(TwoRSSU.source_002(), (Channel(),) * 2, dt=dt), RIDE.washout)
            live, at = Live(ride), round(4.0 / dt)
            poses = []
            for k in range(at + round(1.0 / dt)):
                now, given = dt * k, order if k >= at else NONE
                live.receive(packet(k, (2.0 * np.sin(now), 1.5, 9.8), orders=given, time=now), now)
                poses.append(live.tick(now))
            most.append(np.abs(np.diff(asked(poses[at - 3 :]), 3, axis=0)).max() / dt**3)
        assert 0.1 < most[1] < 1.2 * most[0]


def test_going_on_before_rest_is_smooth_too():
    pause = range(300, 340)
    poses = ridden(Live(RIDE), STEADY, orders=lambda k: Order.PAUSE if k in pause else Order(0))
    assert State.REST not in {pose.state for pose in poses[1:]}
    assert bend(poses) < 3.0


def test_an_emergency_stop_stands_until_it_is_reset():
    def orders(k):
        return Order.STOP if k == 100 else Order.RESET if k == 400 else Order(0)

    poses = ridden(Live(RIDE), STEADY, orders=orders)
    places = asked(poses)
    stopped = places[100 + round(0.4 / DT) : 400]
    assert (stopped == stopped[0]).all()
    assert np.abs(stopped[0]).max() > 0.02  # where it was, not at rest
    assert {pose.state for pose in poses[100:400]} == {State.STOPPED}
    assert all(pose.signs & Sign.STOPPED for pose in poses[100:400])
    assert [pose.state for pose in poses[400:402]] == [State.SETTLING, State.RIDING]
    assert bend(poses[400:]) < 3.0
    assert bend(poses[100:]) < 8.0


def test_an_emergency_stop_counts_from_anybody_and_however_late():
    live = Live(RIDE)
    live.receive(packet(9), 0.0, "game")
    live.tick(0.0)
    assert live.receive(packet(3, orders=Order.STOP), 0.01, "button") == "foreign"
    assert live.tick(0.02).state is State.STOPPED
    assert live.receive(packet(3, orders=Order.RESET), 0.02, "button") == "foreign"
    assert live.tick(0.04).state is State.STOPPED
    live.receive(packet(10, orders=Order.RESET), 0.04, "game")
    assert [live.tick(now).state for now in (0.06, 0.08)] == [State.SETTLING, State.RIDING]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_washout_that_diverges_is_an_emergency(bad):
    live = Live(RIDE)
    before = ridden(live, STEADY[:200])
    live._guarded[-RIDE.washout.rest.size :] = bad  # the state of the washout
    after = ridden(live, STEADY[:50], 200)
    assert {pose.state for pose in after} == {State.STOPPED}
    assert np.isfinite(asked(after)).all()
    assert bend(before + after) < 8.0
    assert live.counts["diverged"] == 1


def test_out_of_order_duplicate_and_foreign_packets_are_ignored():
    live = Live(RIDE)
    assert live.receive(packet(10), 0.0, "a") == "taken"
    assert live.receive(packet(10), 0.0, "a") == "duplicate"
    assert live.receive(packet(9), 0.0, "a") == "late"
    assert live.receive(packet(11, time=0.1), 0.0, "a") == "late"  # its clock runs backwards
    assert live.receive(packet(11), 0.0, "b") == "foreign"
    assert live.receive(packet(13), 0.0, "a") == "taken"
    assert live.receive(packet(0, time=0.0), 0.3, "b") == "taken"  # the first one is gone
    assert live.counts == {"taken": 3, "duplicate": 1, "late": 2, "foreign": 1}


def test_sequence_numbers_begin_again():
    live = Live(RIDE)
    assert live.receive(packet(2**32 - 1, time=1.0), 0.0) == "taken"
    assert live.receive(packet(0, time=1.1), 0.01) == "taken"
    assert live.receive(packet(2**32 - 1, time=1.2), 0.02) == "late"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "size"),
        (packet(1)[:-1], "size"),
        (packet(1) + b"\0", "size"),
        (b"BLPO" + packet(1)[4:], "magic"),
        (packet(1)[:4] + b"\2\0" + packet(1)[6:], "version"),
        (packet(1)[:6] + b"\x08\0" + packet(1)[8:], "flags"),
        (packet(1)[:12] + b"\1" + packet(1)[13:], "flags"),
        (packet(1, (np.nan, 0.0, 0.0)), "not finite"),
        (packet(1, rates=(np.inf, 0.0, 0.0)), "not finite"),
        (packet(1, time=np.nan), "not finite"),
        (packet(1, (1e300, 0.0, 0.0)), "implausible"),
    ],
)
def test_what_is_no_telemetry_is_counted_and_ignored(data, told):
    live = Live(RIDE)
    assert live.receive(data, 0.0) == told
    assert live.counts == {told: 1}
    assert live.tick(0.0).state is State.REST


LIVE = Live(RIDE)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_packets_never_harm(data):
    made = bytearray(packet(data.draw(st.integers(0, 2**32 - 1)), (1.0, -2.0, 9.0)))
    for place, value in data.draw(st.lists(st.tuples(st.integers(0, 71), st.integers(0, 255)), max_size=8)):
        made[place] = value
    cut = bytes(made)[: data.draw(st.sampled_from([72, 72, 72, 71, 24, 0]))] + data.draw(
        st.binary(max_size=2)
    )
    LIVE.receive(cut, LIVE.ticks * DT)
    pose = LIVE.tick(LIVE.ticks * DT)
    if pose.state is State.STOPPED:
        LIVE.receive(packet(LIVE.last.sequence + 1, time=1e308, orders=Order.RESET), np.inf)
    assert np.isfinite([*pose.asked, *pose.pose, *pose.actuators]).all()
    assert RIDE.simulator.platform.positions(np.array(pose.asked))[1]  # in reach
    assert pose_of(pose.packed(0.0)).asked == pose.asked


@given(st.binary(max_size=200))
def test_poses_are_checked_by_who_receives_them(data):
    assert isinstance(pose_of(data), str)
    whole = Live(RIDE).tick(0.0).packed(0.0) if data == b"" else POSE.pack(
        b"BLPO", 1, 0, 0, 0, 0.0, 0.0, 0, 2, 2, 0) + data  # fmt: skip
    found = pose_of(whole)
    assert isinstance(found, str) or len(found.asked) == 2


class Game:
    """A sender with a socket of its own, and a clock that moves only when it is told to."""

    def __init__(self, server_address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(5.0)
        self.to = server_address

    def send(self, *data):
        for one in data:
            self.socket.sendto(one, self.to)

    def receive(self):
        return pose_of(self.socket.recv(2048))


@pytest.fixture
def served():
    now = [0.0]
    with Server(Live(RIDE), clock=lambda: now[0]) as server:
        game = Game(server.address)
        yield server, game, now
        game.socket.close()


def test_over_sockets_it_is_the_same_loop(served):
    server, game, now = served
    rows = drive.slalom(6.0)
    wanted = ridden(Live(RIDE), rows)
    for k, row in enumerate(rows):
        now[0] = DT * k
        game.send(packet(k, row[:3], row[3:]))
        server.period()
        found = game.receive()
        assert found.asked == wanted[k].asked
        assert found.answered == found.sequence - 1 == k
        assert found.latency == 0.0
    assert server.report.periods == len(rows)
    assert server.live.counts == {"taken": len(rows)}


def test_nobody_is_answered_before_somebody_spoke(served):
    server, game, _ = served
    pose = server.period()
    assert (pose.state, pose.signs) == (State.REST, Sign.LOST)
    game.send(b"hello", packet(1)[:50])
    server.period()
    game.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        game.receive()
    assert server.live.counts == {"size": 2}
    assert quantiles(server.report.latencies) == {}


def test_a_flood_takes_no_more_than_its_share(served):
    server, game, _ = served
    game.send(*[b"x"] * (FLOOD + 20))
    server.period()
    assert server.live.counts["size"] == FLOOD
    server.period()
    assert server.live.counts["size"] == FLOOD + 20


def test_poses_go_where_they_are_wanted():
    receiver = Game(None)
    with Server(Live(RIDE), to=receiver.socket.getsockname(), clock=lambda: 0.0) as server:
        server.period()
        assert receiver.receive().state is State.REST
    receiver.socket.close()


def test_missed_periods_are_left_out_and_counted(monkeypatch):
    now = [0.0]
    with Server(Live(RIDE), clock=lambda: now[0]) as server:
        late = iter([0.0, 0.05, 0.0, 0.0])
        tick = server.live.tick

        def slowly(moment, missed=False):
            pose = tick(moment, missed)
            poses.append(pose)
            now[0] += next(late)
            return pose

        poses = []
        monkeypatch.setattr(server.live, "tick", slowly)
        monkeypatch.setattr(server, "_wait", lambda due: now.__setitem__(0, max(now[0], due)))
        report = server.run(until=lambda: len(poses) == 4)
    assert [bool(pose.signs & Sign.MISSED) for pose in poses] == [False, False, True, False]
    assert (report.periods, report.missed) == (4, 2)
    assert report.worst == pytest.approx(0.05)


def test_it_runs_by_the_clock_of_the_system_and_settles():
    with Server(Live(RIDE, Manners(settling=0.1))) as server:
        game = Game(server.address)
        game.send(packet(1, (3.0, 0.0, 9.8)))
        server.run(0.1)
        assert server.live.state is State.RIDING
        assert quantiles(server.report.work)["worst"] > 0.0
        server.settle()
        assert server.live.state is State.REST
        game.socket.close()


def test_a_hexapod_is_served_as_well():
    live = Live(Ride.on(Simulator(Hexapod(), (Channel(),) * 6), ClassicalWashout.preset("delft")))
    poses = ridden(live, drive.town(10.0))
    data = poses[-1].packed(0.001)
    assert len(data) == 32 + 8 * 18
    assert pose_of(data).actuators == poses[-1].actuators
    assert np.ptp(asked(poses), axis=0).min() > 0.0


def test_wrong_manners_and_addresses():
    with pytest.raises(ValueError, match="patience is a positive number of seconds; got 0"):
        Manners(patience=0.0)
    with Server(Live(RIDE)) as server, pytest.raises(OSError, match=r"Telemetry cannot come to 127\.0\.0\.1"):
        Server(Live(RIDE), server.address)
