"""Scenes: structure, faults, files, the source's XML."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from biela import arena
from biela.arena import Body, Entity, Interaction, Joint, Materials, Motor, Scene, SceneError
from biela.arena.preset import sumbot
from biela.arena.scene import document, xml

ANNEX = (Path(__file__).parent / "annex1.xml").read_text(encoding="utf-8")
OPEN, SHUT = "<Message><Simulation_Message>", "</Simulation_Message></Message>"
BALL = Body("b", "sphere", 0.1, radius=0.02)


def faults(*entities, materials=None):
    with pytest.raises(SceneError) as caught:
        Scene("s", materials or Materials(), entities).checked()
    return caught.value.faults


def test_the_annex_reads_as_it_stands():
    scene = arena.read_scene(ANNEX)
    assert 'Command=Register_Materials_Interactions">' in ANNEX  # the broken quote is still in it
    robot, field = scene.entities
    assert (robot.id, len(robot.bodies), len(robot.joints), len(robot.motors)) == ("1", 5, 4, 2)
    assert (field.id, len(field.bodies), {b.mass for b in field.bodies}) == ("7", 13, {-1.0})
    assert len(scene.materials.names) == 3
    assert len(scene.materials.pairs) == 4
    assert scene.materials.between("1", "0") == Interaction(0.1, 0.1, 99.0, 1.3, 2.0)
    assert scene.materials.between("1", "2") == Interaction()
    assert robot.joint["0"].maximum_torque == 10
    assert robot.mass == pytest.approx(1.01)


def test_the_preset_is_the_annex():
    assert replace(arena.read_scene(ANNEX), name="sumbot annex") == sumbot.scene()


def test_a_reply_is_asked_for_in_xml():
    assert [r.response for r in arena.read_requests(ANNEX)] == [False, True, False]


def test_xml_documents_and_files_read_back(tmp_path):
    scene = sumbot.scene("described")
    assert xml.read_scene(arena.write_scene(scene), scene.name) == scene
    assert document.from_document(document.to_document(scene)) == scene
    assert arena.load(arena.save(scene, tmp_path / "s.json")) == scene
    (tmp_path / "annex.xml").write_text(ANNEX, encoding="utf-8")
    assert len(arena.load(tmp_path / "annex.xml").entities) == 2


def test_toml(tmp_path):
    body = 'id = "b"\nshape = "sphere"\nmass = 1\nradius = 0.1\n'
    text = '[[entities]]\nid = "b"\ntype = "ball"\n[[entities.bodies]]\n' + body
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    assert arena.load(path).entity["b"].mass == 1.0
    path.write_text(text + "colour = 3 4", encoding="utf-8")
    with pytest.raises(ValueError, match=r"s\.toml cannot be read"):
        arena.load(path)


def test_any_command_survives_xml():
    asked = [
        arena.Request("set_step_size", {"seconds": 0.01}, response=True),
        arena.Request("set_entity_position", {"x": 0.5, "y": 0.0, "z": 0.1}, "1"),
    ]
    assert arena.read_requests(arena.write_requests(asked)) == asked


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]><Message>&x;</Message>', "declares a document type or an entity"),
        ("<Message><a>" + "<b>" * 50, "nests deeper"),
        ("<Message>", "no XML"),
        ("", "no XML"),
        ("<Other/>", "<Message> is wanted"),
        ("x" * 5_000_000, "at most"),
        (f"{OPEN}<Control_Request Command='Create_Entity' Type='Robt'/>{SHUT}", "'Robot'"),
    ],
)  # fmt: skip
def test_hostile_xml_is_refused(text, told):
    with pytest.raises(ValueError, match=told):
        arena.read_requests(text)


def test_all_faults_are_told_at_once():
    wheel = Joint("j", "wheel", "b", "c", (0, 0, 0), (0, 1, 0))
    found = faults(
        Entity("1", "ball", (replace(BALL, shape="box", mass=0.0),)),
        Entity("1", "field", (BALL,), (wheel,), (Motor("m", "k"),)),
        Entity("2", "rbot", (replace(BALL, material="wood"),)),
    )
    text = "\n".join(found)
    for part in ("mass is 0.0", "size is", "exactly one sphere", "there is another of this id", "no body 'c'",
                 "axis1 is", "no joint 'k'", "a field has no joints", "Did you mean 'robot'?",
                 "'wood'"):  # fmt: skip
        assert part in text


@pytest.mark.parametrize(
    ("entity", "told"),
    [
        (Entity("b", "ball", (BALL, replace(BALL, id="c"))), "exactly one sphere"),
        (Entity("b", "ball", ()), "no bodies"),
        (Entity("a/b", "free", (BALL,)), "id 'a/b'"),
        (Entity("r", "robot", (replace(BALL, mass=-1.0),)), "no body that moves"),
        (Entity("r", "free", (replace(BALL, mass=math.nan),)), "mass is nan"),
        (Entity("r", "free", (replace(BALL, shape="mesh", points=((0, 0, 0),) * 4),)), "span no volume"),
        (Entity("r", "free", (BALL, replace(BALL, id="c")),
                (Joint("1", "fixed", "b", "c"), Joint("2", "fixed", "c", "b"))), "closes a loop"),
    ],
)  # fmt: skip
def test_what_an_entity_may_not_be(entity, told):
    assert told in "\n".join(faults(entity))


@pytest.mark.parametrize(
    "values", [{"bounciness": 1.1}, {"hardness": -0.1}, {"friction": -1.0}, {"slip1": math.inf}]
)
def test_interactions_out_of_range_are_refused(values):
    pairs = {("a", "a"): Interaction(**values)}
    assert "must be in" in faults(materials=Materials({"a": "a"}, pairs))[0]


def test_documents_tell_where_they_are_wrong():
    given = {
        "entities": [{"id": "b", "type": "ball", "bodies": [{"id": "b", "shap": "sphere", "radius": "big"}]}]
    }
    with pytest.raises(SceneError) as caught:
        document.from_document(given)
    text = str(caught.value)
    assert "entities[0].bodies[0]: 'shap' means nothing here. Did you mean 'shape'?" in text
    assert "radius is 'big'; a finite number is wanted" in text
    assert "shape missing" in text


def test_the_schema_names_every_field():
    found = json.loads(json.dumps(arena.schema()))
    entity = found["properties"]["entities"]["items"]["properties"]
    assert entity["type"]["enum"] == list(arena.ENTITIES)
    assert set(entity["bodies"]["items"]["required"]) == {"id", "shape"}
    assert entity["bodies"]["items"]["properties"]["position"]["minItems"] == 3
    for e in document.to_document(sumbot.scene())["entities"]:
        assert set(e) <= set(entity)
        assert all(set(b) <= set(entity["bodies"]["items"]["properties"]) for b in e["bodies"])


def test_placing_turns_bodies_and_axes():
    placed = sumbot.sumbot().placed((1.0, 2.0, 0.3), math.pi / 2, "x")
    assert placed.body["1"].position == pytest.approx((1 - 0.055, 2.0, 0.262))
    assert placed.joint["0"].axis == pytest.approx([-1, 0, 0])
