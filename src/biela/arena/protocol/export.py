"""Recorded matches for the programs of others: logs of the small size league, and MCAP.

Both have the vision of `biela.arena.protocol.ssl_vision`, in mm and rad, of the match played again; so any
match with a ball or two teams can be watched where such logs are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from biela.arena.preset.field import FOOTBALL_FIELDS
from biela.arena.protocol.ssl_log import VISION_2014, Entry, write_ssl_log
from biela.arena.protocol.ssl_message import SSL
from biela.arena.protocol.ssl_vision import detection, geometry
from biela.arena.recording import Replay
from biela.simulate.storage import whole

SECOND = 1_000_000_000


def packets(replay: Replay, rate: float = 60.0) -> Iterator[Entry]:
    """What a camera saw of a match, ``rate`` times a second; the field is in one packet a second."""
    name = str(replay.start["scene"].get("name", "")).removeprefix("football ")
    field = FOOTBALL_FIELDS.get(name)
    due = 0.0
    for number, told in enumerate(replay.frames(rate)):
        packet = SSL.make("SSL_WrapperPacket", detection=detection(told, number))
        if field is not None and told.time >= due:
            packet.geometry.CopyFrom(geometry(field))
            due = told.time + 1.0
        yield Entry(round(told.time * SECOND), VISION_2014, packet.SerializeToString(deterministic=True))


def to_ssl_log(replay: Replay, path: str | Path, rate: float = 60.0) -> Path:
    """Write a match as a log of the small size league; times begin at zero."""
    return write_ssl_log(packets(replay, rate), path)


def to_mcap(replay: Replay, path: str | Path, rate: float = 60.0) -> Path:
    """Write a match as MCAP: ``/vision`` in protobuf with its schema, ``/referee`` in JSON, the score.

    Wants the package mcap of the extra ``biela[data]``; raises ImportError without it.
    """
    try:
        mcap: Any = import_module("mcap.writer")
    except ImportError as error:
        raise ImportError("MCAP files want the package mcap: pip install 'biela[data]'.") from error
    return whole(Path(path), lambda aside: _write_mcap(replay, aside, rate, mcap))


def _write_mcap(replay: Replay, path: Path, rate: float, mcap: Any) -> None:
    with path.open("wb") as file:
        out = mcap.Writer(file)
        out.start(profile="", library="biela")
        schema = out.register_schema("ssl.SSL_WrapperPacket", "protobuf", SSL.described_set)
        vision = out.register_channel("/vision", "protobuf", schema)
        event = {"type": "object", "properties": {"event": {"type": "string"}}}
        schema = out.register_schema("biela.Event", "jsonschema", json.dumps(event).encode())
        referee = out.register_channel("/referee", "json", schema)
        for moment, text in replay.notes.get("events", []):
            stamp, data = round(moment * SECOND), json.dumps({"event": text}).encode()
            out.add_message(referee, log_time=stamp, publish_time=stamp, data=data)
        for entry in packets(replay, rate):
            out.add_message(vision, log_time=entry.time, publish_time=entry.time, data=entry.data)
        result = {name: json.dumps(replay.notes.get(name)) for name in ("winner", "score")}
        out.add_metadata("biela", result)
        out.finish()
