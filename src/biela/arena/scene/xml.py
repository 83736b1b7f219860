"""The XML messages of the source (annex 1): read as they stand, and written.

The print has one attribute without its opening quote (``Command=Register_Materials_Interactions">``); that is
repaired before parsing. Declarations of entities and document types are refused, so that no text grows while
it is read, as are texts beyond `LONGEST` and nesting beyond `DEEPEST`.

Shown in the source are `Register_Materials_Interactions` and `Create_Entity` with robots and fields; tags of
shapes, joints and commands beyond those follow the same pattern and are ours: an element for each name of the
data, motors as ``<Motor><Motor_id/><Speed/></Motor>``, vectors as ``Position_X``, ``Position_Y``,
``Position_Z``, and lists and tables in JSON inside their element. A text may have several messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast
from xml.parsers import expat
from xml.sax.saxutils import escape

from biela.arena.message import Request
from biela.arena.scene.body import Body
from biela.arena.scene.document import entity_document, entity_from, from_document, to_document
from biela.arena.scene.entity import Entity
from biela.arena.scene.fault import Faults, known
from biela.arena.scene.joint import Joint
from biela.arena.scene.scene import Scene

LONGEST, DEEPEST = 4_000_000, 12
SHAPE_TAGS = {
    "Box": "box", "Sphere": "sphere", "Cylinder": "cylinder", "WheelCylinder": "wheel",
    "Capsule": "capsule", "ConvexMesh": "mesh",
}  # fmt: skip
JOINT_TAGS = {
    "FixedJoint": "fixed", "WheelJoint": "wheel", "HingeJoint": "hinge", "SliderJoint": "slider",
    "UniversalJoint": "universal", "BallJoint": "ball",
}  # fmt: skip
TYPE_TAGS = {"Robot": "robot", "Field": "field", "Ball": "ball", "Free": "free"}
VECTORS = {
    "position": "Position", "rotation": "Rotation", "size": "Size", "axis1": "Axis_1", "axis2": "Axis_2",
    "at": "At",
}  # fmt: skip
NUMBERS = {"mass": "Mass", "radius": "Radius", "length": "Length", "hardness": "Hardness",
           "bounciness": "Bounciness", "maximum_torque": "Maximum_Torque", "friction": "Friction",
           "slip1": "Slip1", "slip2": "Slip2", "rolling": "Rolling"}  # fmt: skip
TEXTS = {"material": "Material", "body1": "Body_1", "body2": "Body_2", "colour": "Colour"}
TEXT_DATA = ("about", "address", "key", "path", "text", "type")
AGENT = ("register_agent", "unregister_agent", "agent_information", "synchronise")
REGISTER, CREATE = "Register_Materials_Interactions", "Create_Entity"
DECLARED = re.compile(r"<\?xml[^>]*\?>")
BROKEN = re.compile(r"(\s[A-Za-z_]\w*=)(?![\"'])([^\s\"'<>]*\")")


@dataclass
class Node:
    """An element: its tag, attributes, children and text."""

    tag: str
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list["Node"])
    text: str = ""

    def all(self, tag: str) -> list[Node]:
        """The children of a tag."""
        return [c for c in self.children if c.tag == tag]

    def one(self, tag: str) -> Node:
        """The first child of a tag, or an empty one."""
        return next(iter(self.all(tag)), Node(tag, {}))


def parse(text: str) -> Node:
    """The root element; raises ValueError for what is no XML, too long, too deep or declares entities."""
    if len(text) > LONGEST:
        raise ValueError(f"The message has {len(text)} characters; at most {LONGEST} are read.")
    stack, parser = [Node("", {})], expat.ParserCreate()
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("The message declares a document type or an entity; messages may not.")

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > DEEPEST:
            raise ValueError(f"The message nests deeper than {DEEPEST} elements.")
        stack[-1].children.append(node := Node(tag, attributes))
        stack.append(node)

    def end(tag: str) -> None:
        stack.pop().text = "".join(pieces).strip()
        pieces.clear()

    pieces: list[str] = []
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = pieces.append
    try:
        parser.Parse(BROKEN.sub(r'\1"\2', text), True)
    except expat.ExpatError as error:
        raise ValueError(f"The message is no XML: {error}.") from error
    return stack[0].children[0]


# reading


def read_requests(text: str) -> list[Request]:
    """The requests of all messages in their order; raises ValueError for what cannot be understood."""
    root = parse(f"<Messages>{DECLARED.sub('', text)}</Messages>") if len(text) <= LONGEST else parse(text)
    if not root.children:
        raise ValueError("The message is no XML: it is empty.")
    for node in root.children:
        if node.tag != "Message":
            raise ValueError(f"The message begins with <{node.tag}>; <Message> is wanted.")
    parts = [part for message in root.children for part in message.children]
    read = ("Simulation_Message", "Agent_Message")
    return [_request(node) for part in parts if part.tag in read for node in part.children]


def _request(node: Node) -> Request:
    command = node.attributes.get("Command", "")
    response = node.one("Response").text.lower() == "true"
    tag = _number(node.one("Tag"), command) if node.all("Tag") else 0
    if command == REGISTER:
        return Request(REGISTER.lower(), _materials(node), "", response, int(tag))
    if command == CREATE:
        return Request(CREATE.lower(), {"entity": _entity(node)}, "", response, int(tag))
    data = node.one("Data")
    given = {child.tag.lower(): child.text for child in data.children if child.tag != "Motor"}
    entity = given.pop("entity_id", "")
    found = {name: text if name in TEXT_DATA else _value(text, name) for name, text in given.items()}
    for name, tagged in VECTORS.items():
        if data.all(f"{tagged}_X"):
            found[name] = [found.pop(f"{tagged}_{axis}".lower(), None) for axis in "XYZ"]
    if data.all("Motor"):
        motors = data.all("Motor")
        found["speeds"] = {m.one("Motor_id").text: _number(m.one("Speed"), command) for m in motors}
    return Request(command.lower(), found, entity, response, int(tag))


def _value(text: str, name: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"<{name.title()}> is no JSON: {error}.") from error
    try:
        return float(text)
    except ValueError:
        return text


def _materials(node: Node) -> dict[str, Any]:
    names = {m.one("Material_Id").text: m.one("Material_Name").text for m in node.all("Material")}
    keys = ("hardness", "bounciness", "friction", "slip1", "slip2")
    pairs = [
        {"materials": [i.one("Material_1").text, i.one("Material_2").text]}
        | {k: _number(i.one(NUMBERS[k]), REGISTER) for k in keys if i.all(NUMBERS[k])}
        for i in node.all("Interaction")
    ]
    return {"materials": names, "interactions": pairs}


def _number(node: Node, where: str) -> float:
    try:
        return float(node.text)
    except ValueError:
        raise ValueError(f"{where}: <{node.tag}> is '{node.text}'; a number is wanted.") from None


def _entity(node: Node) -> dict[str, Any]:
    data, kind = node.one("Data"), node.attributes.get("Type", "")
    if kind not in TYPE_TAGS:
        raise ValueError(f"{CREATE}: type '{kind}'. {known(kind, TYPE_TAGS)}")
    found: dict[str, Any] = {"id": data.one("Entity_id").text, "type": TYPE_TAGS[kind]}
    structure = data.one("Structure")
    found["bodies"] = [_part(b, "Body_id", "shape", SHAPE_TAGS) for b in structure.all("Body")]
    found["joints"] = [_part(j, "Joint_id", "kind", JOINT_TAGS) for j in structure.all("Joint")]
    found["motors"] = [{"id": m.text, "joint": m.text} for m in data.one("Motors").all("Motor_id")]
    if data.all("Reference_Body"):
        found["reference"] = data.one("Reference_Body").text
    more = [tag for tag in ("Sensors", "Marks") if data.all(tag)]
    return found | {tag.lower(): _value(data.one(tag).text, tag) for tag in more}


def _part(node: Node, id_tag: str, kind: str, tags: dict[str, str]) -> dict[str, Any]:
    named, where = node.attributes.get("Type", ""), f"<{node.tag}> {node.one(id_tag).text}"
    if named not in tags:
        raise ValueError(f"{where}: type '{named}'. {known(named, tags)}")
    found: dict[str, Any] = {"id": node.one(id_tag).text, kind: tags[named]}
    found |= {k: node.one(tag).text for k, tag in TEXTS.items() if node.all(tag)}
    found |= {k: _number(node.one(tag), where) for k, tag in NUMBERS.items() if node.all(tag)}
    for k, tag in VECTORS.items():
        if node.all(f"{tag}_X"):
            found[k] = [_number(node.one(f"{tag}_{axis}"), where) for axis in "XYZ"]
    if node.all("Point"):
        found["points"] = [[_number(p.one(axis), where) for axis in "XYZ"] for p in node.all("Point")]
    return found


def read_scene(text: str, name: str = "scene") -> Scene:
    """The scene that the messages of a text describe; raises SceneError with all its faults."""
    document: dict[str, Any] = {"name": name, "materials": {}, "interactions": [], "entities": []}
    for request in read_requests(text):
        if request.command == REGISTER.lower():
            document["materials"] |= request.data["materials"]
            document["interactions"] += request.data["interactions"]
        elif request.command == CREATE.lower():
            document["entities"].append(request.data["entity"])
    return from_document(document)


# writing


def write_scene(scene: Scene) -> str:
    """The message that creates a scene."""
    document = to_document(scene)
    materials = {k: document[k] for k in ("materials", "interactions")}
    requests = [Request(REGISTER.lower(), materials)]
    requests += [Request(CREATE.lower(), {"entity": entity_document(e)}) for e in scene.entities]
    return write_requests(requests)


def write_requests(requests: Iterable[Request]) -> str:
    """A message with these requests."""
    lines = ["<Message>"]
    for of_agents, group in groupby(requests, lambda request: request.command in AGENT):
        part = "Agent_Message" if of_agents else "Simulation_Message"
        lines += [f"<{part}>", *(line for request in group for line in _written(request)), f"</{part}>"]
    return "\n".join([*lines, "</Message>", ""])


def _tag(tag: str, value: Any) -> str:
    plain = isinstance(value, str) and value[:1] not in ("[", "{")
    text = value if plain else json.dumps(value)
    return f"<{tag}>{escape(text)}</{tag}>"


def _written(request: Request) -> Iterator[str]:
    command = next((c for c in (REGISTER, CREATE) if c.lower() == request.command), request.command.title())
    kind = "Agent_Request" if request.command in AGENT else "Control_Request"
    kind = "Entity_Request" if request.entity else kind
    faults = Faults()
    entity = entity_from(request.data["entity"], command, faults) if command == CREATE else None
    faults.raise_if_any(f"Request {command}")
    extra = f' Type="{entity.type.title()}"' if entity else ""
    yield f'<{kind} Command="{command}"{extra}>'
    if request.response:
        yield _tag("Response", True)
    if request.tag:
        yield _tag("Tag", request.tag)
    if command == REGISTER:
        yield from _written_materials(request.data)
    else:
        yield "<Data>"
        yield from _written_entity(entity) if entity else _written_data(request)
        yield "</Data>"
    yield f"</{kind}>"


def _written_data(request: Request) -> Iterator[str]:
    if request.entity:
        yield _tag("Entity_id", request.entity)
    for name, value in request.data.items():
        if name == "speeds" and isinstance(value, dict):
            speeds = cast("dict[str, Any]", value)
            yield from (f"<Motor>{_tag('Motor_id', m)}{_tag('Speed', s)}</Motor>" for m, s in speeds.items())
        elif value is not None:
            yield _tag(name.title(), value)


def _written_materials(data: dict[str, Any]) -> Iterator[str]:
    for key, name in data["materials"].items():
        yield f"<Material>{_tag('Material_Id', key)}{_tag('Material_Name', name)}</Material>"
    for row in data["interactions"]:
        one, two = row["materials"]
        pair = _tag("Material_1", one) + _tag("Material_2", two)
        numbers = "".join(_tag(NUMBERS[k], v) for k, v in row.items() if k in NUMBERS)
        yield f"<Interaction>{pair}{numbers}</Interaction>"


def _written_entity(entity: Entity) -> Iterator[str]:
    yield _tag("Entity_id", entity.id)
    yield "<Structure>"
    for body in entity.bodies:
        yield from _written_part("Body", body, body.shape, SHAPE_TAGS)
    for joint in entity.joints:
        yield from _written_part("Joint", joint, joint.kind, JOINT_TAGS)
    yield "</Structure>"
    if entity.motors:
        yield f"<Motors>{''.join(_tag('Motor_id', m.joint) for m in entity.motors)}</Motors>"
    if entity.reference:
        yield _tag("Reference_Body", entity.reference)
    more = entity_document(entity)
    yield from (_tag(name.title(), more[name]) for name in ("sensors", "marks") if name in more)


def _written_part(tag: str, part: Body | Joint, kind: str, tags: dict[str, str]) -> Iterator[str]:
    named = next(name for name, value in tags.items() if value == kind)
    yield f'<{tag} Type="{named}">{_tag(f"{tag}_id", part.id)}'
    values: dict[str, Any] = dict(vars(part))
    for tagged in (TEXTS, NUMBERS):
        yield from (_tag(t, values[k]) for k, t in tagged.items() if k in values and values[k] != "")
    for k, t in VECTORS.items():
        if values.get(k) is not None:
            yield from (_tag(f"{t}_{axis}", x) for axis, x in zip("XYZ", values[k], strict=True))
    for point in values.get("points", ()):
        yield f"<Point>{''.join(_tag(axis, x) for axis, x in zip('XYZ', point, strict=True))}</Point>"
    yield f"</{tag}>"
