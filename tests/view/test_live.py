"""Live pages without a browser: the loop, stepped by hand, and the server against good and bad guests."""

import html
import json
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import numpy as np
import pytest

import biela as bl
from biela.simulate import Simulation, assemble
from biela.view.live_page.loop import HEAD, HELD, PLAYING, Loop
from biela.view.live_page.order import Order, order_of
from biela.view.live_page.registry import source_of
from biela.view.live_page.server import PortInUseError
from biela.view.live_page.simulation import Simulated
from biela.view.live_page.source import Grip

client = pytest.importorskip("websockets.sync.client")
FRAME = 1 / 60


@pytest.fixture(scope="module")
def model():
    return bl.mechanisms.four_bar().model()


@pytest.fixture
def source(model):
    return Simulated(Simulation(model, dt=1e-3), assemble(model, crank=bl.deg(90)))


@pytest.fixture
def page(source):
    with bl.view.live(source) as served:
        yield served


class Told:
    """A loop that is stepped by hand, and what it says."""

    def __init__(self, source):
        self.frames, self.said = [], []
        self.loop = Loop(source, self.frames.append, self.said.append)

    def go(self, *orders, frames=1):
        for order in orders:
            self.loop.order(order)
        for _ in range(frames):
            self.loop.frame(FRAME)
        return HEAD.unpack_from(self.frames[-1])


def numbers(frame):
    return np.frombuffer(frame, "<f4", offset=HEAD.size)


# the loop


def test_frames_are_those_of_a_run(model, source):
    told = Told(source)
    number, flags, t, *_ = told.go(frames=30)
    assert (number, flags) == (30, PLAYING)
    assert t == pytest.approx(0.5, abs=1e-3)
    run = Simulation(model, dt=1e-3).run(assemble(model, crank=bl.deg(90)), round(t * 1000) * 1e-3)
    expected = [run[name][-1] for name in ("crank", "coupler", "rocker", "crank'", "coupler'", "rocker'")]
    assert numbers(told.frames[-1])[:6] == pytest.approx(expected, rel=1e-5)
    actor = source.actors[0]
    assert len(numbers(told.frames[-1])) == 7 + 3 * actor.points + 4 * actor.bases + 6


def test_it_pauses_steps_slows_down_and_begins_again(source):
    told = Told(source)
    _, _, t, *_ = told.go(frames=6)
    _, flags, stopped, *_ = told.go(Order("pause"), frames=6)
    assert (flags, stopped) == (0, t)
    count = len(told.frames)
    told.go(frames=6)
    assert len(told.frames) == count  # nothing moves, nothing is sent
    assert told.go(Order("step"))[2] == pytest.approx(t + 1e-3)
    assert told.go(Order("reset"))[2] == 0.0
    assert told.go(Order("speed", value=0.1), Order("play"), frames=60)[2] == pytest.approx(0.1, abs=2e-3)


def test_sliders_change_what_runs(source):
    told = Told(source)
    told.go(Order("set", "torque", 2.0), Order("set", "g", 0.0))
    assert source.u[0] == 2.0
    energy = source.values()[-1]
    told.go(frames=30)
    assert source.values()[-1] > energy + 0.1
    assert told.said[-1]["controls"]["torque"] == 2.0


def test_lengths_change_by_assembling_again_and_impossible_ones_are_refused(source):
    told = Told(source)
    told.go(Order("set", "l4", 0.85), frames=2)
    state = source.start.changed(q=source.q, dq=source.dq, p=source.p)
    assert np.abs(state.value("Phi")).max() < 1e-8
    told.go(Order("set", "l4", 3.0), frames=2)
    assert "cannot be assembled" in next(said["refused"] for said in told.said if "refused" in said)
    assert told.loop.state()["controls"]["l4"] == 0.85
    assert told.go(frames=2)[1] & PLAYING


def test_a_pointer_draws_a_body_along(source):
    told = Told(source)
    told.go(Order("set", "g", 0.0), Order("pause"))
    source.reset()
    rod = next(s for s in source.actors[0].shapes if s["body"] == "rocker" and s["kind"] == "bar")
    a, b = rod["places"][:2]
    start, end = source.parts()[0][0][0, [a, b]]
    goal = end + 0.1 * np.cross([0.0, 0.0, 1.0], end - start)  # the way it can go
    told.go(Order("grab", grip=Grip(0, 0, a, b, -1, end)), Order("drag", place=goal), Order("play"))
    _, flags, *_ = told.go(frames=90)
    assert flags & HELD
    held = source.held()
    assert np.allclose(numbers(told.frames[-1])[-6:], held, atol=1e-5)
    before, after = np.linalg.norm(end - goal), np.linalg.norm(held[:3] - goal)
    assert after < 0.2 * before
    state = source.start.changed(q=source.q, dq=source.dq, p=source.p)
    assert np.abs(state.value("Phi")).max() < 1e-8
    assert np.abs(state.value("Phi_dot")).max() < 1e-6
    assert not told.go(Order("release"))[1] & HELD


def test_a_spring_does_the_work_that_the_energy_gains(source):
    """From rest: the energy that the motion gains is the force times the way of the point that is held."""
    bar = next(s for s in source.actors[0].shapes if s["kind"] == "bar")
    grip = Grip(0, 0, *bar["places"][:2], -1, source.parts()[0][0][0, bar["places"][1]])
    source.pull.hold(grip, source.q, source.t, source.p)
    source.pull.to = grip.at + np.array([0.1, 0.2, 0.0])
    h, q = 1e-3, source.q
    after = source.pull.pushed(q, source.dq, source.t, source.p, h)
    gained = 0.5 * after @ source.start.changed(q=q, p=source.p).value("M") @ after
    ways = source.pull.places(np.stack([q, q + 0.5 * h * after], axis=1), 0.0, source.p)
    assert gained > 0.0
    assert gained == pytest.approx(source.pull.force @ (ways[1] - ways[0]), rel=1e-3)


def test_a_motion_that_ends_is_told_and_a_reset_helps(source, monkeypatch):
    told = Told(source)
    source.x = np.full_like(source.x, np.nan)
    told.go(frames=2)
    assert "Reset it" in told.said[-1]["told"]
    assert not told.loop.playing
    told.go(Order("play"))
    assert not told.loop.playing
    told.go(Order("reset"), Order("play"), frames=3)
    assert np.isfinite(source.q).all()
    assert told.said[-1]["told"] == ""


def test_whatever_a_source_raises_the_loop_goes_on(source, monkeypatch):
    told = Told(source)
    monkeypatch.setattr(source, "drag", lambda to: 1 / 0)
    told.go(Order("drag", place=np.zeros(3)), frames=2)
    assert {"refused": "division by zero"} in told.said
    monkeypatch.setattr(source, "parts", lambda: 1 / 0)
    told.loop.frame(FRAME)
    assert told.loop.fault == "division by zero"
    monkeypatch.undo()
    assert told.go(Order("reset"), Order("play"), frames=3)[1] & PLAYING


# orders


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (b"\x00", "binary"), ("{" * 3000, "too long"), ("{" * 100, "no JSON"), ("[1]", "no object"),
        ("{}", "unknown"), ('{"do": ["play"]}', "unknown"), ('{"do": "rm"}', "unknown"),
        ('{"do": "speed", "value": 0}', "impossible"), ('{"do": "speed", "value": "1"}', "impossible"),
        ('{"do": "speed", "value": NaN}', "impossible"), ('{"do": "speed", "value": true}', "impossible"),
        ('{"do": "speed", "value": 1' + "0" * 400 + "}", "impossible"),
        ('{"do": "set", "name": "g", "value": 1e9}', "impossible"),
        ('{"do": "set", "name": "nobody", "value": 1}', "impossible"),
        ('{"do": "grab", "actor": 9, "lane": 0, "a": 0, "at": [0, 0, 0]}', "impossible"),
        ('{"do": "grab", "actor": 0, "lane": 0, "a": 99, "at": [0, 0, 0]}', "impossible"),
        ('{"do": "grab", "actor": 0, "lane": 0, "a": 0, "at": [0, Infinity, 0]}', "impossible"),
        ('{"do": "drag", "to": [0, 0]}', "impossible"), ('{"do": "drive", "ahead": 1}', "impossible"),
    ],
)  # fmt: skip
def test_what_is_no_order_is_told_apart(source, message, why):
    assert order_of(message, source) == why


def test_orders_are_read(source):
    assert order_of('{"do": "play"}', source) == Order("play")
    assert order_of('{"do": "set", "name": "torque", "value": 1}', source) == Order("set", "torque", 1.0)
    told = '{"do": "grab", "actor": 0, "lane": 0, "a": 1, "b": 2, "turn": -1, "at": [0, 1, 2]}'
    grab = order_of(told, source)
    assert grab.grip[:5] == (0, 0, 1, 2, -1)


def test_only_what_can_be_shown_is():
    with pytest.raises(TypeError, match=r"int cannot be shown live\. What can be: "):
        source_of(3)


def test_sliders_are_of_parameters_that_exist(model):
    with pytest.raises(KeyError, match="torqe"):
        Simulated(model, sliders={"torqe": (0, 1)})
    with pytest.raises(ValueError, match="no range"):
        Simulated(model, sliders={"torque": (1, 1)})


# the server


@contextmanager
def guest(page, **options):
    address = page.url.replace("http", "ws") + "live"
    with client.connect(address, max_size=None, close_timeout=0.1, **options) as connection:
        yield connection


def until(condition, tries=200):
    for _ in range(tries):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("in vain")


def frame_of(connection):
    while isinstance(message := connection.recv(timeout=10), str):
        pass
    return HEAD.unpack_from(message)


def status(page, path="", **headers):
    asked = urllib.request.Request(page.url + path, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=10) as got:
            return got.status
    except urllib.error.HTTPError as error:
        return error.code


def test_two_at_once_see_the_same_and_one_may_go(page, source):
    with guest(page) as one:
        with guest(page) as other:
            hello = [json.loads(each.recv(timeout=10))["hello"] for each in (one, other)]
            assert hello[0] == hello[1]
            assert hello[0]["title"] == "four_bar"
            assert frame_of(other)[1] == PLAYING
            other.send('{"do": "pause"}')
            until(lambda: frame_of(one)[1] == 0)
        until(lambda: page.server.browsers == 1)
        one.send('{"do": "play"}')
        until(lambda: frame_of(one)[1] == PLAYING)


def test_nonsense_is_counted_and_harms_nobody(page):
    with guest(page) as good, guest(page) as bad:
        for message in ("hello", b"\x00\x01", '{"do": "fly"}', "[" * 1000):
            bad.send(message)
        until(lambda: sum(page.counts.get(k, 0) for k in ("no JSON", "binary", "unknown")) == 4)
        bad.send("x" * 5000)
        until(lambda: page.counts.get("too long"))
        until(lambda: page.server.browsers == 1)
        first = frame_of(good)[2]
        until(lambda: frame_of(good)[2] > first)


def test_a_browser_of_nothing_but_nonsense_is_shown_out(page):
    from websockets.exceptions import ConnectionClosed

    def pour():
        with guest(page) as bad:
            for _ in range(2000):
                bad.send("hello")
            for _ in range(2000):
                bad.recv(timeout=5)

    with pytest.raises(ConnectionClosed):
        pour()
    assert page.counts["no JSON"] <= 501


def test_one_that_does_not_read_holds_nobody_up(page, source):
    with guest(page) as good:
        lazy = socket.create_connection((page.server.host, page.server.port))
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        lazy.sendall(
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{page.server.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        until(lambda: page.server.browsers == 2)
        for _ in range(3):
            page.server.publish(struct.pack("<3d", 0.0, 0.0, 0.0) + bytes(4_000_000))
        first = frame_of(good)[2]
        until(lambda: frame_of(good)[2] > first + 0.1)
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        lazy.close()  # a reset, in the middle of a frame
        until(lambda: page.server.browsers == 1)


def test_only_pages_of_its_own_may_connect(page):
    assert status(page) == 200
    assert status(page, "secret") == 404
    assert status(page, Host=f"rebound.example:{page.server.port}") == 403
    assert status(page, Host="127.0.0.1:1") == 403
    assert status(page, Host=f"localhost:{page.server.port}") == 200
    from websockets.exceptions import InvalidStatus

    for origin in ("http://elsewhere.example", "null", page.url.replace("http", "https").rstrip("/")):
        with pytest.raises(InvalidStatus, match="403"), guest(page, additional_headers={"Origin": origin}):
            pass
    with guest(page, additional_headers={"Origin": page.url.rstrip("/")}) as own:
        assert "hello" in json.loads(own.recv(timeout=10))
    assert page.counts["origin"] == 3
    assert page.counts["host"] == 2


def test_a_port_in_use_says_which_and_offers_another(page, source):
    with pytest.raises(PortInUseError, match=rf"Port {page.server.port} .* in use. Port \d+ is free"):
        bl.view.live(source, port=page.server.port)
    with pytest.raises(OSError, match="no serving"):
        bl.view.live(source, port=99999)


def test_closing_ends_the_threads_and_gives_the_port_back(source):
    served = bl.view.live(source)
    with guest(served) as one:
        frame_of(one)
        served.close()
        served.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("biela live")]
    with bl.view.live(source, port=served.server.port) as again:
        assert again.url == served.url


def test_a_cell_of_a_notebook_shows_it(page):
    assert f'<iframe src="{page.url}"' in page._repr_html_()


def test_a_replay_is_shown_in_a_notebook_with_everything_inside(model):
    run = Simulation(model, dt=1e-3).run(assemble(model), 0.1)
    shown = bl.view.cell(run, height=300)._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert "height:300px" in shown
    page = html.unescape(shown.split('"')[1])
    assert "four_bar" in page
    assert page.rstrip().endswith("</html>")
    with pytest.raises(ValueError, match="at least"):
        bl.view.cell(run, height=0)
