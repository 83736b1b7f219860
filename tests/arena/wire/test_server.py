"""The server: agents in other processes drive, hear, wait and vanish, and disturb nobody."""

import json
import socket
import threading
from itertools import pairwise

import pytest

from biela import arena
from biela.arena import Kernel, Request
from biela.arena.message import Done, Drive
from biela.arena.wire.client import Client
from biela.arena.wire.forms import FORMS
from biela.arena.wire.line import LINES
from biela.arena.wire.peer import Limits
from biela.arena.wire.server import TOURNAMENT, Server
from tests.arena.wire.conftest import SCENE


class Driver(arena.Agent):
    """Drives the cart in a way that depends on where it is."""

    entities = ("cart",)

    def __init__(self, key="driver"):
        super().__init__(key)
        self.heard = []

    def hear(self, broadcast):
        self.heard.append(broadcast.iteration)
        x, y, _ = broadcast.entities["cart"].position
        return [Drive("cart", (5.0 + y, 4.0 - x))]


def alone(last=120):
    """The hash of a run with the driver in the kernel's process."""
    kernel = Kernel(SCENE)
    kernel.join(Driver())
    while kernel.iteration < last:
        kernel.iterate()
    kernel.attend()
    return kernel.digest()


def drive(one, client):
    """Let the driver drive from outside to the kernel's last iteration."""
    agent = Driver()
    client.register(agent.key, **agent.registration)
    while client.iteration < one.last:
        broadcast = client.hear(20.0)
        client.done(*agent.hear(broadcast))
    client.ask(Request("agent_information", {"key": "driver"}), tries=9)  # what was sent before has been run
    return agent


def datagram(one, data, wait=5.0):
    """Send bytes from a new address and return what is answered, if anything is."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.connect(("127.0.0.1", one.server.ports["udp"]))
        link.settimeout(wait)
        link.send(data)
        try:
            return link.recv(65536)
        except TimeoutError:
            return None


@pytest.mark.parametrize("transport", LINES)
@pytest.mark.parametrize("name", FORMS)
def test_an_agent_drives_from_outside_as_from_inside(running, transport, name):
    one = running(last=120)
    with Client(one.server.ports[transport], transport=transport, form_name=name) as client:
        agent = drive(one, client)
    assert agent.heard == list(range(1, 121))
    assert one.kernel.digest() == alone()


def test_a_client_runs_an_agent_as_it_is(running):
    one = running(last=50)
    agent = Driver()
    with Client(one.server.ports["udp"]) as client:
        assert client.run(agent, patience=0.5) == 50
    assert one.kernel.log[-1][1:] == (
        "driver", Request("control_entity_motors", one.kernel.log[-1][2].data, "cart"),
    )  # fmt: skip


def test_several_agents_with_filters_and_intervals(running):
    one = running(last=40)
    one.kernel.filters["blind"] = lambda told, random: arena.Broadcast(told.iteration, told.time, {}, {})
    ports = one.server.ports
    with (
        Client(ports["tcp"], transport="tcp") as gui,
        Client(ports["udp"], form_name="json") as blind,
        Client(ports["udp"]) as client,
    ):
        gui.register("gui", type="gui", interval=0.05)
        blind.register("blind", type="blind")
        while one.kernel.iteration < 40:  # asynchronous agents alone: the kernel waits for nobody
            one.server.wake()
        heard = []
        while (told := gui.hear(0.3)) is not None:
            heard.append(told)
        assert set(heard[0].bodies["cart"]) == {"shell", "left", "right", "front", "back"}
        assert all(b.time - a.time >= 0.05 - 1e-9 for a, b in pairwise(heard))
        assert blind.hear().entities == {}
        info = client.ask(Request("agent_information", {"key": "blind"})).data
        assert info["address"] == "127.0.0.1"
        assert info["port"] == blind._line.link.getsockname()[1]


def test_replies_on_demand_in_the_form_of_the_question(running):
    one = running()
    assert datagram(one, FORMS["json"].ask([Request("set_sync_wait_time", {"seconds": 2.0})]), 0.2) is None
    asked = [Request("set_sync_wait_time", {"seconds": 3.0}, response=True, tag=9)]
    for form in FORMS.values():
        (reply,) = form.told(datagram(one, form.ask(asked)))
        assert (reply.command, reply.error, reply.tag) == ("set_sync_wait_time", "", 9)
    xml = b'<Message><Simulation_Message><Control_Request Command="Fly"/></Simulation_Message></Message>'
    assert b"No command 'fly'" in datagram(one, xml)
    assert one.kernel.settings.wait == 3.0


def test_several_messages_and_requests_in_a_datagram_run_in_order(running):
    one = running()
    form = FORMS["xml"]
    first = form.ask([Request("set_steps_per_iteration", {"steps": n}) for n in (5, 3)])
    reply = datagram(one, first + form.ask([Request("set_steps_per_iteration", {"steps": 2}, response=True)]))
    assert b"<Error></Error>" in reply
    assert [r.data["steps"] for _, _, r in one.kernel.log] == [5, 3, 2]


@pytest.mark.parametrize("data", [
    b"hello", b"\xb1\x02\0\0\xff\xff\xff\xff", b'{"requests":[{"command":"fly"}]}', b"[" * 60_000,
    b'<!DOCTYPE a [<!ENTITY b "bb">]><Message>&b;&b;</Message>',
    FORMS["binary"].ask([Drive("nobody", (1.0,))]), FORMS["binary"].ask([Drive("cart", (float("nan"), 1.0))]),
    FORMS["binary"].ask([Drive("cart", (1.0,))]),
    b'{"requests":[{"command":"set_step_size","data":{"seconds":1e999}}]}', b"x" * 65_507,
    b'{"requests":[{"command":"set_step_size","data":{"seconds":' + b"9" * 400 + b"}}]}",
    b'{"requests":[{"command":"register_agent","data":{"key":"\\u0000"}}]}',
    b'{"requests":[{"command":"register_agent","data":{"key":["a"]}}]}',
    b'{"requests":[{"command":"register_agent","data":{"type":["a"]}}]}',
    b'{"requests":[{"command":"save_simulation","data":{"path":"../x"}}]}',
    b'{"requests":[{"command":"load_simulation","data":{"path":"/etc/passwd"}}]}',
])  # fmt: skip
def test_bad_messages_are_answered_and_change_nothing(running, data):
    one = running()
    before = one.kernel.digest()
    (reply,) = arena_told(datagram(one, data))
    assert reply.error
    assert one.kernel.digest() == before
    assert len(one.kernel.log) == 0


def arena_told(data):
    from biela.arena.wire.forms import form_of

    return form_of(data).told(data)


def test_oversized_messages_are_refused_and_the_connection_closed(running):
    from websockets.exceptions import ConnectionClosed

    one = running(limits=Limits(message=5000))
    for transport in ("tcp", "websocket"):
        with Client(one.server.ports[transport], transport=transport, form_name="json") as client:
            large = Request("announce", {"about": "x", "what": {"x": "y" * 600_000}})
            with pytest.raises((ValueError, ConnectionClosed), match=r"5000 bytes|1009"):
                client.ask(large)
    with Client(one.server.ports["tcp"], transport="tcp") as client:
        assert client.ask(Request("set_step_flag")).ok


def test_a_key_belongs_to_one(running):
    one = running()
    ports = one.server.ports
    with Client(ports["udp"]) as first, Client(ports["tcp"], transport="tcp") as second:
        first.register("a")
        first.register("a", type="gui")  # the same agent, changed
        with pytest.raises(ValueError, match="there is an agent 'a' already"):
            second.register("a")
        first.leave()
        first.ask(Request("set_step_flag"))
        second.register("a")


def test_a_robot_of_one_agent_is_driven_by_no_other(running):
    one = running()
    ports = one.server.ports
    with Client(ports["udp"]) as first, Client(ports["tcp"], transport="tcp") as second:
        first.register("a", entities=["cart"])
        with pytest.raises(ValueError, match="'cart' is driven by agent 'a' alone"):
            second.register("b", entities=["cart"])
        second.register("b")
        with pytest.raises(ValueError, match="'cart' is driven by agent 'a' alone"):
            second.ask(Drive("cart", (1.0, 1.0)).request)
        first.ask(Drive("cart", (1.0, 1.0)).request)
        with pytest.raises(ValueError, match="no entity 'ct'"):
            second.register("b", entities=["ct"])
        second.register("judge", type="referee")
        second.ask(Drive("cart", (0.0, 0.0)).request)


def test_rights_by_type(running):
    one = running(rights=TOURNAMENT)
    with Client(one.server.ports["udp"]) as client:
        with pytest.raises(ValueError, match="register first"):
            client.ask(Request("set_gravity", {"gravity": [0, 0, 1]}))
        with pytest.raises(ValueError, match="'referee' is no type for others"):
            client.register("a", type="referee")
        client.register("a", entities=["cart"])
        client.ask(Drive("cart", (1.0, 1.0)).request)
        with pytest.raises(ValueError, match="agents of type 'controller' may not"):
            client.ask(Request("set_entity_position", {"position": [0, 0, 1]}, "cart"))


def test_an_agent_that_vanishes_is_waited_for_a_few_times_only(running):
    one = running(last=100, settings={"wait": 0.05})
    with Client(one.server.ports["udp"]) as other:
        client = Client(one.server.ports["udp"])
        client.register("lost", synchronous=True)
        client.close()
        drive(one, other)
        assert one.kernel.agents["lost"].missed == one.kernel.settings.patience
    assert one.kernel.digest() == alone(100)


def test_a_connection_that_ends_takes_its_agent_along(running):
    one = running(last=100)
    with Client(one.server.ports["tcp"], transport="tcp") as client:
        client.register("lost", synchronous=True)
    with Client(one.server.ports["udp"]) as other:  # with a wait of 20 s this test would not end otherwise
        drive(one, other)
    assert list(one.kernel.agents) == ["driver"]


def test_silent_correspondents_are_forgotten():
    now = [0.0]
    kernel = Kernel(SCENE, wall=lambda: now[0])
    with Server(kernel) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.sendto(FORMS["binary"].ask([Request("register_agent", {"key": "a"})]), server.udp.getsockname())
        server.wait(5.0)
        kernel.iterate()
        assert list(kernel.agents) == ["a"]
        now[0] = server.limits.silence - 1
        link.sendto(b"", server.udp.getsockname())  # a sign of life
        server.wait(5.0)
        kernel.iterate()
        now[0] += server.limits.silence - 1
        kernel.iterate()
        assert list(kernel.agents) == ["a"]
        now[0] += 3
        kernel.iterate()
        assert not kernel.agents


def test_late_and_wrong_iterations_are_discarded(running):
    one = running(last=1)
    with Client(one.server.ports["udp"]) as client:
        client.register("a", synchronous=True)
        assert client.hear().iteration == 1
        one.last = 2
        for iteration in (0, 7, 2**32 - 1):
            client.post(Done(iteration))
        assert datagram(one, FORMS["json"].ask([Request("fly")]), 0.2) is None  # it still waits for 1
        client.post(Done(1))
        assert client.hear().iteration == 2
        client.post(Done(2))


def test_an_answer_that_got_lost_is_sent_again(running):
    one = running(last=30)
    with Client(one.server.ports["udp"]) as client:
        send, count = client._line.send, [0]

        def lossy(data):
            count[0] += 1
            if count[0] % 3 or client.iteration == 30:
                send(data)

        client._line.send = lossy
        drive(one, client)
    assert one.kernel.digest() == alone(30)


def test_a_broadcast_that_got_lost_is_told_again(running):
    one = running(last=30)
    with Client(one.server.ports["udp"]) as client:
        listen, count = client._line.receive, [0]

        def deaf(seconds):
            data = listen(seconds)
            count[0] += data is not None
            return None if count[0] % 4 == 3 else data

        client._line.receive = deaf
        drive(one, client)
    assert one.kernel.digest() == alone(30)


def test_nothing_lost_stalls_an_asynchronous_run():
    kernel = Kernel(SCENE, synchronous=False, wait=3600.0)
    with Server(kernel) as server, Client(server.ports["udp"]) as client:
        client.post(Request("register_agent", {"key": "a", "synchronous": True}))
        server.wait(5.0)
        server.run(1.0)  # nobody reads, nobody answers
        assert kernel.iteration == 200


def test_a_flood_is_dropped_undecoded(running):
    one = running(limits=Limits(burst=10, per_iteration=0, per_second=0))
    with Client(one.server.ports["udp"]) as client, Client(one.server.ports["tcp"], transport="tcp") as other:
        for _ in range(50):
            client.post(Request("set_gravity", {"gravity": [0, 0, -1]}))
        assert other.ask(Request("set_step_flag")).ok
        assert len(one.kernel.log) <= 11
        assert one.server.refused >= 40


def test_there_is_an_end_of_places(running):
    one = running(limits=Limits(peers=3))
    with Client(one.server.ports["udp"]) as client:
        client.register("a")
        for _ in range(10):  # those who have not registered make room
            assert datagram(one, FORMS["json"].ask([Request("fly")])) is not None
        client.ask(Request("set_step_flag"))
        assert len(one.server._post.peers) == 3


def test_pages_of_foreign_sites_are_not_served(running):
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    one = running(origins=("http://localhost:8000",))
    address = f"ws://127.0.0.1:{one.server.ports['websocket']}"
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, origin="https://example.org", proxy=None)
    with connect(address, origin="http://localhost:8000", proxy=None) as link:
        link.send('{"requests":[{"command":"fly"}]}')
        assert "No command" in json.loads(link.recv())["reply"]["error"]


def test_it_listens_on_this_machine_only_unless_told_otherwise():
    with Server(Kernel(SCENE), tcp=0) as server:
        assert {server.udp.getsockname()[0], server._listeners[0].socket.getsockname()[0]} == {"127.0.0.1"}
    with Server(Kernel(SCENE), host="0.0.0.0") as server:
        assert server.udp.getsockname()[0] == "0.0.0.0"
        with pytest.raises(OSError, match="Take another port"):
            Server(Kernel(SCENE), host="0.0.0.0", udp=server.ports["udp"])


def test_broken_streams_hurt_nobody(running):
    one = running()
    for data in (b"\xb1\x01\0\0\xff\xff\xff\x7f", b"?", b"GET / HTTP/1.1\r\n\r\n", b"\7\0\0\0", b"{"):
        for port in ("tcp", "websocket"):
            with socket.create_connection(("127.0.0.1", one.server.ports[port])) as link:
                link.sendall(data)
    with Client(one.server.ports["tcp"], transport="tcp") as client:
        assert client.ask(Request("set_step_flag")).ok


def test_a_reader_that_is_too_slow_does_without():
    kernel = Kernel(SCENE)
    with Server(kernel, tcp=0, limits=Limits(backlog=10_000)) as server:
        client = Client(server.ports["tcp"], transport="tcp")
        client.post(Request("register_agent", {"key": "slow", "type": "gui"}))
        for _ in range(20_000):
            kernel.iterate()
            if server.lost:
                break
        assert server.lost
        client.close()


def test_messages_of_this_process_wake_a_kernel_that_waits(running):
    one = running(last=3)
    with Client(one.server.ports["udp"]) as client:
        client.register("a", synchronous=True)
        client.hear()
        answer = arena.Message("a", (Done(1),))
        threading.Timer(0.05, one.kernel.post, [answer]).start()
        assert client.hear().iteration == 2
        client.done()
        client.hear()
        client.done()


def test_clients_say_what_is_wrong():
    with pytest.raises(ValueError, match="No transport 'smoke'"):
        Client(1, transport="smoke")
    with Client(9, timeout=0.1) as client:
        assert client.hear(0.05) is None
        with pytest.raises(TimeoutError, match="Does the kernel run"):
            client.ask(Request("set_step_flag"))
