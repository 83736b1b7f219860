"""Forms: what is written in one is read as it was, and whatever else comes is refused."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biela.arena import Broadcast, Kernel, Reply, Request, Seen
from biela.arena.command.registry import COMMANDS
from biela.arena.message import Done, Drive
from biela.arena.scene.document import entity_from
from biela.arena.scene.fault import Faults
from biela.arena.wire import schema
from biela.arena.wire.forms import FORMS, form, form_of
from biela.arena.wire.pack import pack, unpack
from tests.arena.wire.conftest import SCENE

BALL = {"id": "b", "type": "ball", "bodies": [{"id": "b", "shape": "sphere", "mass": 0.1, "radius": 0.05}]}
EXAMPLES = [  # one of each command
    Request("register_agent", {"key": "a", "synchronous": True, "interval": 0.5, "entities": ["cart"]}),
    Request("unregister_agent"),
    Request("agent_information", {"key": "1"}, response=True, tag=7),
    Request("synchronise", {"iteration": 7}),
    Request("create_entity", {"entity": BALL}),
    Request("register_materials_interactions", {"materials": {"m": "Mud"}, "interactions": []}),
    Request("set_automatic_adjustment", {"on": True, "largest_step": 0.02, "window": 10}),
    Request("set_time_step_mode", {"stepping": False}),
    Request("set_step_flag"),
    Request("set_communication_mode", {"synchronous": True}),
    Request("set_sync_wait_time", {"seconds": 0.5}),
    Request("set_step_size", {"seconds": 0.01}),
    Request("set_fast_mode", {"on": False}),
    Request("set_steps_per_iteration", {"steps": 3}),
    Request("save_simulation", {"path": "s.json"}),
    Request("load_simulation", {"path": "s.json"}),
    Request("set_gravity", {"gravity": [0.0, 0.0, -1.62]}),
    Request("announce", {"about": "me", "what": {"score": [1, 2], "who": "<&>"}}),
    Request("set_entity_position", {"position": [0.1, 0.2, 0.03], "heading": 1.5}, "cart", tag=2),
    Request("control_entity_motors", {"speeds": {"left": 5.0, "right": -4.25}}, "cart"),
    Request("say", {"text": "pass <&>"}, "cart"),
]


@pytest.fixture(scope="module")
def broadcast():
    kernel = Kernel(SCENE)
    kernel.ask(Request("announce", {"about": "referee", "what": {"score": [1, 0], "phase": "play"}}))
    kernel.run(0.2)
    return kernel.broadcast()


def same(one, other):
    """Whether two broadcasts say the same."""
    rest = ("iteration", "time", "mode", "entities", "bodies", "touching", "notices", "readings")
    return all(getattr(one, name) == getattr(other, name) for name in rest)


def test_there_is_an_example_of_every_command():
    assert [r.command for r in EXAMPLES] == list(schema.DATA)
    assert set(schema.DATA) == set(COMMANDS)


def entity(request):
    return entity_from(request.data["entity"], "it", Faults())


@pytest.mark.parametrize("name", FORMS)
def test_requests_are_read_as_they_were(name):
    found = form(name).asked(form(name).ask(EXAMPLES))
    full = [one if isinstance(one, Request) else one.request for one in found]
    assert entity(full[4]) == entity(EXAMPLES[4])  # XML writes out defaults
    assert full[:4] + full[5:] == EXAMPLES[:4] + EXAMPLES[5:]


@pytest.mark.parametrize("name", FORMS)
def test_short_forms_mean_the_same(name):
    short = [Drive("cart", (5.0, -4.25)), Done(7)]
    found = form(name).asked(form(name).ask(short))
    assert [one if isinstance(one, Request) else one.request for one in found] == [s.request for s in short]


@pytest.mark.parametrize("name", FORMS)
def test_broadcasts_are_heard_as_they_were(name, broadcast):
    (heard,) = form(name).told(form(name).tell(broadcast))
    assert same(heard, broadcast)
    assert heard.bodies["cart"]["shell"][0] == broadcast.entities["cart"].position
    (short,) = form(name).told(form(name).tell(replace(broadcast, bodies={})))
    assert short.bodies == {}


@pytest.mark.parametrize("name", FORMS)
def test_filtered_broadcasts_are_heard_as_they_were(name, broadcast):
    cart = replace(broadcast.entities["cart"], position=(1.0, 2.0, 3.0))
    other = Seen("é", "robot", "", (0, 0, 0), (1, 0, 0, 0), (0, 0, 0), (0, 0, 0), {"m": 0.5})
    bodies = {"cart": {"shell": ((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0))}}
    told = replace(broadcast, entities={"cart": cart, "é": other}, bodies=bodies)
    (heard,) = form(name).told(form(name).tell(told))
    assert same(heard, told)
    (heard,) = form(name).told(form(name).tell(replace(broadcast, entities={})))
    assert same(heard, replace(broadcast, entities={}))


@pytest.mark.parametrize("name", FORMS)
def test_replies_are_heard_as_they_were(name):
    reply = Reply("save_simulation", {"path": "<x>", "n": [1, None]}, 'wrong: "é" & <', 3)
    assert form(name).told(form(name).answer(reply)) == [reply]


def test_what_is_no_number_is_told_in_binary_only(broadcast):
    odd = replace(broadcast, time=math.nan)
    assert math.isnan(FORMS["binary"].told(FORMS["binary"].tell(odd))[0].time)
    with pytest.raises(ValueError, match="JSON compliant"):
        FORMS["json"].tell(odd)


def test_several_messages_in_one_datagram():
    asked = EXAMPLES[:2], EXAMPLES[2:4]
    for name in FORMS:
        joined = (lambda parts: b"[" + b",".join(parts) + b"]") if name == "json" else b"".join
        one = form(name)
        found = one.asked(joined([one.ask(a) for a in asked]))
        assert [r.command for r in found if isinstance(r, Request)] == [r.command for r in EXAMPLES[:4]]


def test_messages_keep_to_the_published_schema(broadcast):
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    asked, told = schema.asked_schema(), schema.told_schema()
    validator.check_schema(asked)
    validator.check_schema(told)
    asks, tells = validator(asked), validator(told)
    for request in EXAMPLES:
        asks.validate(json.loads(FORMS["json"].ask([request])))
    asks.validate(json.loads(FORMS["json"].ask([Drive("cart", (1.0,)), Done(3)])))
    tells.validate(json.loads(FORMS["json"].tell(broadcast)))
    tells.validate(json.loads(FORMS["json"].answer(Reply("fly", error="No command"))))
    for wrong in ({"requests": [{"command": "fly"}]}, {"requests": [{"command": "set_step_size"}]}, {},
                  {"requests": [{"command": "set_fast_mode", "data": {"on": 1}}]}):  # fmt: skip
        assert not asks.is_valid(wrong)


def test_the_kernel_takes_what_the_schema_allows(tmp_path):
    kernel = Kernel(SCENE)
    for request in EXAMPLES:
        path = {"path": str(tmp_path / "s.json")} if "path" in request.data else {}
        key = {"key": "a"} if request.command == "agent_information" else {}
        if request.command == "agent_information":
            kernel.ask(EXAMPLES[0], "a")
        assert kernel.ask(replace(request, data=request.data | path | key), "a").error == ""


@pytest.mark.parametrize("data", [
    b"hello", b"\xb1", b"\xb1\x02\0\0\xff\xff\xff\xff", b"\xb1\x09\0\0\0\0\0\0", b"\xb1\x03\0\0\0\0\0\0",
    b"\xb1\x02\0\0\x04\0\0\0\xff\xff\0\0", b"\xb1\x01\0\0\x01\0\0\0\xc1", b"\xb1\x01\0\0\x01\0\0\0\x90",
    b"\xb1\x01\0\0\x20\0\0\0" + b"\x91" * 32, b"{", b"{}", b"[1]", b'{"requests":[{"command":7}]}',
    b'{"requests":[{"command":"a","data":{"x":NaN}}]}', b"[" * 100_000,
    b'{"requests":[{"command":"a","x":1}]}',
    b"<Message>", b"<A/>", b'<!DOCTYPE a [<!ENTITY b "bbb">]><Message>&b;</Message>',
    "<Message>é</Message>".encode("utf-16"), b"\xff\xfe", b'{"requests":[{"command":"a","tag":true}]}',
])  # fmt: skip
def test_what_is_no_message_is_refused(data):
    with pytest.raises(ValueError, match=r"\w"):
        form_of(data).asked(data)


@pytest.mark.parametrize("name", FORMS)
def test_mutated_messages_are_messages_or_refused(name, broadcast):
    dice, one = random.Random(7), form(name)
    good = [one.ask([r]) for r in EXAMPLES]
    back = [one.tell(broadcast), one.answer(Reply("x", {"a": 1}))]
    for _ in range(400):
        for read, source in ((one.asked, good), (one.told, back)):
            data = bytearray(dice.choice(source))
            for _ in range(dice.randint(1, 4)):
                data[dice.randrange(len(data))] = dice.randrange(256)
            try:
                read(bytes(data[: dice.randint(1, len(data))]) if dice.random() < 0.3 else bytes(data))
            except ValueError:
                continue


@pytest.mark.parametrize("value", [
    None, True, 0, -1, -33, 127, 128, 2**40, -(2**63), 0.1, -math.inf, "", "é" * 40, "x" * 70_000, [],
    [1] * 20, list(range(70_000)), {}, {str(n): n for n in range(20)}, {"a": [{"b": [None]}]},
])  # fmt: skip
def test_packed_data_are_the_same(value):
    assert unpack(pack(value)) == value


def test_packed_data_are_those_of_the_specification():
    assert pack({"compact": True, "schema": 0}) == bytes.fromhex("82a7636f6d70616374c3a6736368656d6100")
    text = "9a cc80 cdffff ce00010000 cf0000000100000000 d080 d18000 d280000000 ca3fc00000 ff d900"
    numbers = bytes.fromhex(text)
    assert unpack(numbers) == [128, 65535, 65536, 2**32, -128, -32768, -(2**31), 1.5, -1, ""]
    with pytest.raises(TypeError, match="ndarray"):
        pack(np.zeros(2))
    with pytest.raises(ValueError, match="keys are texts"):
        unpack(b"\x81\x01\x02")


def test_names_are_read_once_for_many_broadcasts(broadcast):
    binary = FORMS["binary"]
    data = binary.tell(broadcast)
    (one,), (other,) = binary.told(data), binary.told(data)
    assert one.entities.names is other.entities.names


def test_unknown_forms_are_told():
    with pytest.raises(ValueError, match="Did you mean 'json'"):
        form("jsn")


def test_a_broadcast_of_nothing():
    for one in FORMS.values():
        (heard,) = one.told(one.tell(Broadcast(1, 0.5, {}, {})))
        assert (heard.iteration, heard.time, heard.entities) == (1, 0.5, {})


@pytest.mark.parametrize(("name", "made"), [("asked", schema.asked_schema), ("told", schema.told_schema)])
def test_the_published_schema_is_that_of_the_code(name, made, request):
    path = Path(__file__).parents[3] / "docs" / "_static" / f"arena-{name}.schema.json"
    if request.config.getoption("--update"):
        path.write_text(json.dumps(made(), indent=1) + "\n", encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8")) == made()
