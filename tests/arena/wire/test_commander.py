"""The commander and the logger."""

from pathlib import Path

import pytest

from biela.arena import Kernel, Request
from biela.arena.command.registry import COMMANDS
from biela.arena.wire.client import Client
from biela.arena.wire.commander import Commander, commands, request
from biela.arena.wire.logger import Logger, heard
from biela.arena.wire.schema import DATA
from tests.arena.wire.conftest import SCENE


@pytest.mark.parametrize(("line", "asked"), [
    ("set_step_flag", Request("set_step_flag")),
    ("  set_step_size seconds=0.01 ", Request("set_step_size", {"seconds": 0.01})),
    ("save_simulation path=a.json", Request("save_simulation", {"path": "a.json"})),
    ('announce about=me what={"a": [1, 2]}', Request("announce", {"about": "me", "what": {"a": [1, 2]}})),
    ("set_entity_position r1 x=1 y=2 z=3", Request("set_entity_position", {"x": 1, "y": 2, "z": 3}, "r1")),
    ('control_entity_motors r1 speeds={"a": 2.5}',
     Request("control_entity_motors", {"speeds": {"a": 2.5}}, "r1")),
])  # fmt: skip
def test_lines_are_requests(line, asked):
    assert request(line) == asked


@pytest.mark.parametrize(("line", "told"), [
    ("", "No command ''"), ("set_step_sise seconds=1", "Did you mean 'set_step_size'"),
    ("set_step_size second=1", "Its data are seconds"), ("set_step_size 1", "as name=value"),
    ("set_entity_position x=1", "name the entity"), ("control_entity_motors", "name the entity"),
])  # fmt: skip
def test_what_is_no_line_is_told(line, told):
    with pytest.raises(ValueError, match=told):
        request(line)


def test_every_command_is_listed_with_its_data():
    assert [line.split()[0] for line in commands()] == list(DATA)
    assert set(DATA) == set(COMMANDS)
    assert "set_entity_position ENTITY [position] [x] [y]" in "\n".join(commands())


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_commander_commands_and_keeps_a_log(running, transport):
    one = running()
    with Commander(one.server.ports[transport], transport=transport, key="me") as commander:
        assert "recommends" in commander.say("set_step_size seconds=0.002")
        assert commander.say("set_time_step_mode stepping=true") == "done"
        assert "no entity 'cat'" in commander.say("control_entity_motors cat speeds=[1,2]")
        assert "No command 'fly'" in commander.say("fly")
        assert commander.send("agent_information", key="me").data["type"] == "gui"
        with pytest.raises(ValueError, match="a finite number"):
            commander.send("set_step_size", seconds="fast")
        assert [sent.split()[0] for sent, _ in commander.log] == [
            "set_step_size", "set_time_step_mode", "control_entity_motors", "fly", "agent_information",
            "set_step_size",
        ]  # fmt: skip
    assert one.kernel.settings.step == 0.002


def test_a_commander_does_not_have_to_register(running):
    one = running()
    with Commander(one.server.ports["udp"]) as commander:
        assert commander.say("set_steps_per_iteration steps=4") == "done"
    assert not one.kernel.agents


def test_a_logger_writes_down_what_is_told(tmp_path, running):
    inside, outside = tmp_path / "inside.jsonl", tmp_path / "outside.jsonl"
    one = running(last=30)
    with (
        Logger(inside) as near,
        Logger(outside, key="far") as far,
        Client(one.server.ports["tcp"], transport="tcp") as client,
    ):
        one.kernel.join(near)
        client.register("far", **far.registration | {"synchronous": True})
        while client.iteration < 30:
            far.hear(client.hear())
            client.done()
    told = list(heard(outside))
    assert [b.iteration for b in told] == list(range(1, 31))
    same = {b.iteration: b for b in heard(inside)}
    assert same
    assert all(same[n].entities == told[n - 1].entities for n in same)
    last = one.kernel.broadcast()
    assert told[-1].entities["cart"] == last.entities["cart"]
    assert told[-1].bodies == last.bodies


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_writing_and_nothing_else():
    full = Logger("/dev/full")
    kernel = Kernel(SCENE)
    kernel.join(full)
    for _ in range(100):
        kernel.iterate()
    assert "No space left" in full.fault
    assert kernel.iteration == 100


def test_files_that_are_none_are_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    with Logger(path) as logger:
        kernel = Kernel(SCENE)
        kernel.join(logger)
        kernel.run(0.02)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ValueError, match="line 5: The message is no JSON"):
        list(heard(path))
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has no broadcasts"):
        list(heard(path))
