"""`FORMS`: name -> form. A new one is a class and its line here, and its first byte below."""

from __future__ import annotations

from biela.arena.scene.fault import known
from biela.arena.wire.binary import MAGIC, Binary
from biela.arena.wire.form import Form
from biela.arena.wire.markup import Xml
from biela.arena.wire.plain import Json

FORMS: dict[str, Form] = {form.name: form for form in (Binary(), Json(), Xml())}
FIRST = {bytes([MAGIC]): "binary", b"{": "json", b"[": "json", b"<": "xml"}


def form(name: str) -> Form:
    """A form by its name; raises ValueError for an unknown one."""
    if name not in FORMS:
        raise ValueError(f"No form '{name}' of messages. {known(name, FORMS)}")
    return FORMS[name]


def form_of(data: bytes) -> Form:
    """The form of a message by its first byte; raises ValueError for another."""
    name = FIRST.get(data[:1]) or FIRST.get(data.lstrip()[:1])
    if name is None:
        raise ValueError(
            f"A message begins with {data[:1]!r}: binary begins with 0x{MAGIC:02x}, JSON with {{ or [, "
            "XML with <."
        )
    return FORMS[name]
