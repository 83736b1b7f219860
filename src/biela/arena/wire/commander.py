"""`Commander`: command a kernel by hand, a line at a time, and read what it answers.

A line is a command, the entity if it has one, and its data: ``set_step_size seconds=0.01``,
``control_entity_motors r1 speeds=[3,4]``. Values are JSON, and texts where they are no JSON.
"""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, final

from biela.arena.message import Reply, Request
from biela.arena.scene.fault import known
from biela.arena.wire.client import Client
from biela.arena.wire.schema import DATA, ENTITY_COMMANDS


def request(line: str) -> Request:
    """The request of a line; raises ValueError for what cannot be one.

    >>> request("control_entity_motors r1 speeds=[3,4]")
    Request(command='control_entity_motors', data={'speeds': [3, 4]}, entity='r1', response=False, tag=0)
    """
    command, _, rest = line.strip().partition(" ")
    if command not in DATA:
        raise ValueError(f"No command '{command}'. {known(command, DATA)}")
    entity = ""
    if command in ENTITY_COMMANDS:
        entity, _, rest = rest.strip().partition(" ")
    if command in ENTITY_COMMANDS and (not entity or "=" in entity):
        raise ValueError(f"{command}: name the entity after the command, '{command} r1 ...'.")
    return Request(command, _data(command, rest.strip()), entity)


def _data(command: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = DATA[command]["properties"]
    while text:
        name, equals, text = text.partition("=")
        if not equals or name not in names:
            told = f"Its data are {', '.join(names) or 'none'}, as name=value."
            raise ValueError(f"{command}: '{name}'. {told}")
        try:
            found[name], end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            found[name] = text.split(" ", 1)[0]
            end = len(found[name])
        text = text[end:].strip()
    return found


def commands() -> list[str]:
    """Every command with its entity and data, optional ones in brackets."""
    found: list[str] = []
    for command, data in DATA.items():
        words = [n if n in data["required"] else f"[{n}]" for n in data["properties"]]
        found.append(" ".join([command, *(["ENTITY"] if command in ENTITY_COMMANDS else []), *words]))
    return found


@final
class Commander:
    """A connection to command a kernel by hand; ``log`` has what was sent and what came of it.

    With a ``key`` it registers as an agent of type gui without broadcasts; that is not needed for commands.
    """

    def __init__(
        self,
        port: int,
        host: str = "127.0.0.1",
        *,
        key: str = "",
        transport: str = "udp",
        timeout: float = 5.0,
    ) -> None:
        self.client = Client(port, host, transport=transport, form_name="json", timeout=timeout)
        self.log: list[tuple[str, str]] = []
        if key:
            self.client.register(key, type="gui", broadcasts=False)

    def __enter__(self) -> Commander:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, command: str, entity: str = "", **data: Any) -> Reply:
        """Send a command with its data; raises ValueError if it is refused, TimeoutError for no reply."""
        return self._sent(Request(command, data, entity))

    def say(self, line: str) -> str:
        """Send a line and return the answer in words, whatever it is."""
        try:
            asked = request(line)
        except ValueError as error:
            self.log.append((line, str(error)))
            return str(error)
        try:
            return _told(self._sent(asked))
        except (ValueError, TimeoutError) as error:
            return str(error)

    def close(self) -> None:
        """End the connection."""
        self.client.close()

    def _sent(self, asked: Request) -> Reply:
        values = (f"{name}={json.dumps(value)}" for name, value in asked.data.items())
        told = " ".join(word for word in (asked.command, asked.entity, *values) if word)
        try:
            reply = self.client.ask(asked)
        except (ValueError, TimeoutError) as error:
            self.log.append((told, str(error)))
            raise
        self.log.append((told, _told(reply)))
        return reply


def _told(reply: Reply) -> str:
    return " ".join(f"{name}={json.dumps(value)}" for name, value in reply.data.items()) or "done"
