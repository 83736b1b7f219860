"""Messages in the XML of the source: its requests as in annex 1; replies and broadcasts are ours.

They follow the same pattern: ``<Message><Broadcast>...</Broadcast></Message>`` with an ``<Entity>`` for each,
and ``<Message><Reply Command="..."><Data>...</Data></Reply></Message>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, final
from xml.sax.saxutils import escape, quoteattr

from biela.arena.broadcast import Broadcast
from biela.arena.message import Asked, Reply, Request
from biela.arena.scene.xml import Node, parse, read_requests, write_requests
from biela.arena.seen import Pose, Seen
from biela.arena.wire.form import Form, Told
from biela.arena.wire.plain import readings_document, readings_from

SPREAD = {"position": "XYZ", "turn": "WXYZ", "velocity": "XYZ", "spin": "XYZ"}


def _tag(tag: str, value: Any) -> str:
    return f"<{tag}>{escape(value if isinstance(value, str) else json.dumps(value))}</{tag}>"


def _vector(name: str, values: Sequence[float]) -> str:
    pairs = zip(SPREAD[name], values, strict=True)
    return "".join(f"<{name.title()}_{axis}>{value!r}</{name.title()}_{axis}>" for axis, value in pairs)


def _broadcast(told: Broadcast) -> Iterator[str]:
    yield f"<Message><Broadcast>{_tag('Iteration', told.iteration)}{_tag('Time', told.time)}"
    yield f"<Mode>{''.join(_tag(name.title(), value) for name, value in told.mode.items())}</Mode>"
    for seen in told.entities.values():
        yield f"<Entity>{_tag('Entity_id', seen.id)}{_tag('Type', seen.type)}{_tag('Team', seen.team)}"
        yield from (_vector(name, getattr(seen, name)) for name in SPREAD)
        for motor, speed in seen.motors.items():
            yield f"<Motor>{_tag('Motor_id', motor)}{_tag('Speed', speed)}</Motor>"
        yield "</Entity>"
    for entity, bodies in told.bodies.items():
        for body, (position, turn) in bodies.items():
            yield f"<Body>{_tag('Entity_id', entity)}{_tag('Body_id', body)}"
            yield f"{_vector('position', position)}{_vector('turn', turn)}</Body>"
    for one, other in sorted(told.touching):
        yield f"<Touching>{_tag('Entity_1', one)}{_tag('Entity_2', other)}</Touching>"
    if told.readings:
        yield _tag("Readings", readings_document(told.readings))
    yield f"{_tag('Notices', told.notices)}</Broadcast></Message>"


def _numbers(node: Node, name: str) -> Any:
    return tuple(float(node.one(f"{name.title()}_{axis}").text) for axis in SPREAD[name])


def _seen(node: Node) -> Seen:
    key, kind, team = (node.one(tag).text for tag in ("Entity_id", "Type", "Team"))
    position, turn, velocity, spin = (_numbers(node, name) for name in SPREAD)
    motors = {m.one("Motor_id").text: float(m.one("Speed").text) for m in node.all("Motor")}
    return Seen(key, kind, team, position, turn, velocity, spin, motors)


def _heard(node: Node) -> Broadcast:
    bodies: dict[str, dict[str, Pose]] = {}
    for body in node.all("Body"):
        of = bodies.setdefault(body.one("Entity_id").text, {})
        of[body.one("Body_id").text] = (_numbers(body, "position"), _numbers(body, "turn"))
    return Broadcast(
        int(node.one("Iteration").text),
        float(node.one("Time").text),
        {child.tag.lower(): json.loads(child.text) for child in node.one("Mode").children},
        {seen.id: seen for seen in map(_seen, node.all("Entity"))},
        bodies,
        frozenset((t.one("Entity_1").text, t.one("Entity_2").text) for t in node.all("Touching")),
        json.loads(node.one("Notices").text),
        readings_from(json.loads(node.one("Readings").text) if node.all("Readings") else {}),
    )


def _reply(node: Node) -> Reply:
    data, tag = json.loads(node.one("Data").text), int(node.one("Tag").text)
    return Reply(node.attributes["Command"], data, node.one("Error").text, tag)


@final
class Xml(Form):
    """Messages as XML."""

    name: ClassVar[str] = "xml"
    text: ClassVar[bool] = True

    def asked(self, data: bytes) -> list[Asked]:
        """What an agent asks for."""
        return list(read_requests(data.decode()))

    def told(self, data: bytes) -> list[Told]:
        """What the kernel tells."""
        root = parse(data.decode())
        try:
            return [_heard(n) if n.tag == "Broadcast" else _reply(n) for n in root.children]
        except (KeyError, TypeError) as error:
            raise ValueError(f"The message is none of a kernel: {error!r}.") from error

    def ask(self, asked: Sequence[Asked]) -> bytes:
        """Requests of an agent."""
        return write_requests(a if isinstance(a, Request) else a.request for a in asked).encode()

    def tell(self, broadcast: Broadcast) -> bytes:
        """A broadcast."""
        return "".join(_broadcast(broadcast)).encode()

    def answer(self, reply: Reply) -> bytes:
        """A reply."""
        parts = _tag("Error", reply.error) + _tag("Tag", reply.tag) + _tag("Data", reply.data)
        text = f"<Message><Reply Command={quoteattr(reply.command)}>{parts}</Reply></Message>"
        return text.encode(errors="replace")
