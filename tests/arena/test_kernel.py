"""The kernel: its cycle, time, commands, agents, synchronisation, streams, saving."""

import threading
import time

import numpy as np
import pytest

from biela import arena
from biela.arena import Kernel, Message, Request, Scene
from biela.arena.command.registry import COMMANDS
from biela.arena.physics.conformance import FLOOR, MATERIALS, cart
from biela.arena.settings import Adjustment, adjusted
from biela.arena.stream import Streams

SCENE = Scene("s", MATERIALS, (FLOOR, cart()))
BOTH = sorted(arena.BACKENDS)
DRIVE = Request("control_entity_motors", {"speeds": {"left": 5.0, "right": 4.0}}, "cart")


class Listener(arena.Agent):
    def __init__(self, key="ear", synchronous=True, interval=None, asks=()):
        super().__init__(key)
        self.synchronous, self.interval, self.asks, self.heard = synchronous, interval, list(asks), []

    def hear(self, broadcast):
        self.heard.append(broadcast)
        asks, self.asks = self.asks, []
        return asks


class Remote:
    """An agent whose answers come from a thread, late or never."""

    def __init__(self, kernel, key, delay, lie=0):
        self.kernel, self.key, self.delay, self.lie, self.heard = kernel, key, delay, lie, []

    def send(self, broadcast):
        self.heard.append(broadcast.iteration)
        if self.delay is not None:
            answer = Request("synchronise", {"iteration": broadcast.iteration + self.lie})
            threading.Timer(self.delay, self.kernel.post, [Message(self.key, (answer,))]).start()

    def reply(self, reply):
        pass


def remote(kernel, key="far", delay=None, synchronous=True, lie=0):
    agent = Remote(kernel, key, delay, lie)
    kernel.connect(key, agent)
    kernel.post(Message(key, (Request("register_agent", {"synchronous": synchronous}),)))
    return agent


def took(kernel):
    begin = time.perf_counter()
    kernel.iterate()
    return time.perf_counter() - begin


def test_all_commands_of_the_source_exist():
    assert set(COMMANDS) >= {
        "register_agent", "agent_information", "create_entity", "register_materials_interactions",
        "set_entity_position", "control_entity_motors", "set_automatic_adjustment", "set_time_step_mode",
        "set_step_flag", "set_communication_mode", "set_sync_wait_time", "synchronise", "set_step_size",
        "set_fast_mode", "set_steps_per_iteration", "save_simulation", "load_simulation",
    }  # fmt: skip
    assert {c.kind for c in COMMANDS.values()} == {"agent", "control", "entity"}
    assert COMMANDS["create_entity"].kind == "control"


@pytest.mark.parametrize("name", BOTH)
def test_runs_repeat_bit_for_bit(name):
    digests = set()
    for _ in range(2):
        kernel = Kernel(SCENE, backend_name=name)
        kernel.ask(DRIVE)
        kernel.run(2.0)
        digests.add(kernel.digest())
    assert len(digests) == 1
    kernel.run(0.01)
    assert kernel.digest() not in digests


@pytest.mark.parametrize("name", BOTH)
def test_saved_runs_go_on_exactly(name, tmp_path):
    kernel = Kernel(SCENE, backend_name=name, seed=5)
    kernel.streams["wind"].random()
    kernel.join(Listener())
    kernel.ask(DRIVE)
    kernel.run(1.0)
    assert kernel.ask(Request("save_simulation", {"path": str(tmp_path / "s.json")})).ok
    other = Kernel.load(tmp_path / "s.json")
    assert not other.agents
    kernel.run(1.0)
    for _ in range(2):  # a situation is repeated as often as one likes
        other.resume(tmp_path / "s.json")
        other.run(1.0)
        assert other.digest() == kernel.digest()
        assert other.time == kernel.time
    assert other.streams["wind"].random() == kernel.streams["wind"].random()


def test_saving_changes_nothing_worth_mentioning(tmp_path):
    ends = []
    for save in (False, True):
        kernel = Kernel(SCENE, backend_name="pymunk")
        kernel.ask(DRIVE)
        kernel.run(1.0)
        if save:
            kernel.save(tmp_path / "s.json")
        kernel.run(1.0)
        ends.append(kernel.physics.motion().position)
    assert np.allclose(*ends, atol=1e-9)


def test_broken_files_are_refused(tmp_path):
    path = Kernel(SCENE).save(tmp_path / "s.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(ValueError, match="truncated"):
        Kernel.load(path)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="is wanted"):
        Kernel.load(path)
    assert not Kernel(SCENE).ask(Request("load_simulation", {"path": str(tmp_path / "no.json")})).ok


def test_steps_per_iteration_change_no_trajectory():
    ends = []
    for steps in (1, 5):
        kernel = Kernel(SCENE, steps_per_iteration=steps)
        kernel.ask(DRIVE)
        for _ in range(100 // steps):
            kernel.iterate()
        assert kernel.steps == 100
        ends.append(kernel.physics.snapshot())
    assert np.array_equal(*ends)


def test_pausing_and_single_steps():
    kernel = Kernel(SCENE, steps_per_iteration=4)
    kernel.iterate()
    kernel.ask(Request("set_time_step_mode", {"stepping": True}))
    for _ in range(3):
        assert not kernel.iterate()
    assert kernel.steps == 4
    kernel.post(Message("x", (Request("set_step_flag"),)))
    assert kernel.iterate()
    assert not kernel.iterate()
    assert kernel.steps == 5
    with pytest.raises(RuntimeError, match="paused"):
        kernel.run(0.1)
    kernel.ask(Request("set_time_step_mode", {"stepping": False}))
    assert kernel.iterate()


def test_step_size_warns_outside_what_is_recommended():
    kernel = Kernel(SCENE)
    assert "recommends" in kernel.ask(Request("set_step_size", {"seconds": 0.002})).data["warning"]
    assert kernel.ask(Request("set_step_size", {"seconds": 0.02})).data == {}
    kernel.iterate()
    assert kernel.time == pytest.approx(0.02)
    assert kernel.ask(Request("set_fast_mode", {"on": True})).ok
    assert kernel.physics.fast


@pytest.mark.parametrize("request_", [
    Request("fly"), Request("control_entity_motors", {"speeds": {"left": float("nan")}}, "cart"),
    Request("control_entity_motors", {"speeds": {"lft": 1.0}}, "cart"),
    Request("control_entity_motors", {}, "cart"),
    Request("control_entity_motors", {"speeds": {}}, "nobody"),
    Request("set_entity_position", {"position": [1]}, "cart"),
    Request("set_entity_position", {"position": [0, 0, 0]}, "floor"),
    Request("set_step_size", {"seconds": -1}),
    Request("set_step_size", {"seconds": "fast"}), Request("set_steps_per_iteration", {"steps": 1.5}),
    Request("set_time_step_mode", {"stepping": 1}), Request("create_entity", {"entity": 3}),
    Request("create_entity", {"entity": {"id": "cart", "type": "robot", "bodies": []}}),
    Request("agent_information", {"key": "nobody"}), Request("register_agent", {"type": "spy"}),
    Request("register_agent", {"interval": -1}),
    Request("set_sync_wait_time", {}), Request("announce", {"what": 1}),
    Request("register_materials_interactions", {"materials": [], "interactions": 3}),
])  # fmt: skip
def test_wrong_requests_are_answered_and_change_nothing(request_):
    kernel = Kernel(SCENE)
    before = kernel.digest()
    reply = kernel.ask(request_)
    assert not reply.ok
    assert reply.error
    assert kernel.digest() == before
    assert not kernel.log


def test_entities_come_and_move_while_it_runs():
    kernel = Kernel(SCENE)
    kernel.run(0.1)
    ball = {
        "id": "b",
        "type": "ball",
        "bodies": [{"id": "b", "shape": "sphere", "mass": 0.1, "radius": 0.05}],
    }
    assert kernel.ask(Request("create_entity", {"entity": ball})).data == {"id": "b"}
    assert "there is another" in kernel.ask(Request("create_entity", {"entity": ball})).error
    put = {"position": [1.0, 0.5, 0.05], "heading": 0.3, "velocity": [0.5, 0.0, 0.0]}
    assert kernel.ask(Request("set_entity_position", put, "b")).ok
    assert kernel.ask(Request("set_entity_position", {"x": -1.0, "y": 0.0, "z": 0.03}, "cart")).ok
    seen = kernel.broadcast().entities
    assert seen["b"].position == pytest.approx((1.0, 0.5, 0.05))
    assert seen["b"].velocity == pytest.approx((0.5, 0, 0))
    assert seen["b"].heading == pytest.approx(0.3)
    assert seen["cart"].position[0] == pytest.approx(-1.0)


def test_requests_run_in_their_order_between_iterations():
    kernel = Kernel(SCENE)
    steps = [Request("set_steps_per_iteration", {"steps": n}) for n in (5, 3, 2)]
    kernel.post(Message("a", tuple(steps[:2])))
    kernel.post(Message("b", (steps[2],)))
    kernel.iterate()
    assert kernel.steps == 2
    assert [(agent, r.data["steps"]) for _, agent, r in kernel.log] == [("a", 5), ("a", 3), ("b", 2)]


def test_broadcasts_and_replies():
    kernel = Kernel(SCENE)
    ear = Listener(
        asks=[Request("set_sync_wait_time", {"seconds": 2.0}, response=True), Request("fly"), DRIVE]
    )
    kernel.join(ear)
    with pytest.raises(ValueError, match="another key"):
        kernel.join(Listener())
    kernel.run(0.05)
    assert [r.ok for r in ear.replies] == [True, False]  # the third asked for none
    assert [b.iteration for b in ear.heard] == list(range(1, 11))
    assert ear.heard[-1].time == pytest.approx(0.05)
    assert ear.heard[-1].mode["synchronous"] is True
    assert ear.heard[-1].entities["cart"].motors["left"] > 4
    info = kernel.ask(Request("agent_information", {"key": "ear"}))
    assert info.data == {"key": "ear", "type": "controller", "address": "", "port": 0}
    kernel.leave("ear")
    kernel.run(0.05)
    assert len(ear.heard) == 10


def test_intervals_and_filters():
    kernel = Kernel(SCENE)
    kernel.filters["spy"] = lambda b, random: arena.Broadcast(b.iteration, b.time + random.random(), {}, {})

    class Gui(Listener):
        type = "gui"

    class Spy(Listener):
        type = "spy"

    slow, gui, spy = Listener("slow", interval=0.02), Gui("gui"), Spy("spy")
    for agent in (slow, gui, spy):
        kernel.join(agent)
    kernel.run(0.1)
    assert np.diff([b.time for b in slow.heard]).min() >= 0.02 - 1e-9
    assert len(slow.heard) == 5
    assert set(gui.heard[0].bodies["cart"]) == {"shell", "left", "right", "front", "back"}
    assert slow.heard[0].bodies == {}
    assert spy.heard[0].entities == {}
    assert spy.heard[0].time != gui.heard[0].time


def test_asynchronous_kernels_wait_for_nobody():
    kernel = Kernel(SCENE, synchronous=False, wait=5.0)
    remote(kernel)
    assert took(kernel) < 1.0


def test_synchronous_kernels_wait_for_answers_and_no_longer():
    kernel = Kernel(SCENE, wait=5.0)
    remote(kernel, delay=0.15)
    assert 0.14 <= took(kernel) < 4.0


def test_a_silent_or_wrong_answer_runs_into_the_timeout():
    for lie, delay in ((0, None), (-1, 0.0)):
        kernel = Kernel(SCENE, wait=0.2)
        remote(kernel, delay=delay, lie=lie)
        assert took(kernel) >= 0.19


def test_mixed_mode_waits_for_synchronous_agents_only():
    kernel = Kernel(SCENE, wait=5.0)
    remote(kernel, "a", synchronous=False)
    remote(kernel, "b", delay=0.05)
    assert took(kernel) < 4.0


def test_what_comes_while_waiting_is_run_next():
    kernel = Kernel(SCENE, wait=1.0)
    remote(kernel, delay=0.05)
    threading.Timer(
        0.01, kernel.post, [Message("x", (Request("set_steps_per_iteration", {"steps": 3}),))]
    ).start()
    kernel.iterate()
    assert kernel.steps == 1
    kernel.iterate()
    assert kernel.steps == 4


def test_the_corrected_formula_of_adjustment():
    assert adjusted(0.05, 0.02) == (0.05 / 3, 3)
    assert adjusted(0.01, 0.02) == (0.01, 1)
    assert adjusted(10.0, 0.02)[1] == 500


def wall(kernel_box, message, physics):
    """A wall clock on which an iteration takes ``message`` and a physics step ``physics`` seconds."""
    calls = [0]

    def read():
        calls[0] += 1
        kernel = kernel_box[0] if kernel_box else None
        return calls[0] * message / 3 + (kernel.steps * physics if kernel else 0.0)

    return read


def test_simulated_time_follows_the_wall():
    box = []
    kernel = Kernel(SCENE, wall=wall(box, 0.003, 0.002))
    box.append(kernel)
    kernel.ask(Request("set_automatic_adjustment", {"on": True, "largest_step": 0.004, "window": 5}))
    for _ in range(200):
        kernel.iterate()
    begin, start = kernel.wall(), kernel.time
    for _ in range(50):
        kernel.iterate()
    ratio = (kernel.time - start) / (kernel.wall() - begin)
    assert 0.8 < ratio < 1.25
    assert kernel.settings.steps_per_iteration > 1
    assert kernel.settings.step <= 0.004
    assert kernel.broadcast().notices["kernel"] == {"infeasible": ""}


def test_real_time_out_of_reach_is_told():
    window = Adjustment()
    window.add(1.0, 0.9, 10)
    assert window.settle(0.05) is None
    assert "out of reach" in window.infeasible


def test_streams_do_not_disturb_each_other():
    one, two = Streams(1), Streams(1)
    two["b"].random(100)
    assert one["a"].random() == two["a"].random()
    assert Streams(2)["a"].random() != Streams(1)["a"].random()
    kept = one.state()
    first = one["a"].random()
    one.resume(kept)
    assert one["a"].random() == first
