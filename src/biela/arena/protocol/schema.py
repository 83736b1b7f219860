"""`Messages`: the messages of a protocol as a table, made into protobuf classes when they are first used.

A table has a line for each message: its fields with number, type and unit, ``x=3 float! mm``. Without a mark
a field is optional, ``!`` is a required one, ``*`` a list. Numbers and types are what programs have to agree
on to talk to each other; the tables are written from them, and nothing else is taken from anybody's files.

>>> table = Messages("example", {"Point": "x=1 float! mm; y=2 float! mm", "Line": "points=1 Point*"})
>>> line = table.make("Line", points=[table.make("Point", x=1, y=2)])
>>> table.read("Line", line.SerializeToString()).points[0].y
2.0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, final

SCALARS = ("double", "float", "int64", "uint64", "int32", "uint32", "bool", "string", "bytes")
LABELS = {"": "OPTIONAL", "!": "REQUIRED", "*": "REPEATED"}


@dataclass(frozen=True)
class Field:
    """One line of a message: what programs have to agree on, and the unit."""

    name: str
    number: int
    type: str
    label: str
    unit: str


def _field(text: str) -> Field:
    """A field from ``name=number type[!*] [unit]``."""
    told, kind, *unit = text.split(maxsplit=2)
    name, number = told.split("=")
    mark = kind[-1] if kind[-1] in LABELS else ""
    return Field(name, int(number), kind.removesuffix(mark), LABELS[mark], "".join(unit))


@final
class Messages:
    """Messages by name; ``enums`` has the names of values by number."""

    def __init__(
        self, package: str, tables: Mapping[str, str], enums: Mapping[str, Mapping[int, str]] | None = None
    ) -> None:
        self.package = package
        self.enums = {} if enums is None else dict(enums)
        self.fields = {name: tuple(_field(part) for part in text.split(";")) for name, text in tables.items()}

    def make(self, name: str, **values: Any) -> Any:
        """A message with these fields."""
        return self._classes[name](**values)

    def read(self, name: str, data: bytes) -> Any:
        """A message from bytes; raises ValueError for bytes that are none."""
        found = self._classes[name]()
        try:
            found.ParseFromString(data)
        except Exception as error:  # DecodeError; other runtimes raise others
            raise ValueError(f"{len(data)} bytes are no {name}: {error}.") from error
        if not found.IsInitialized():
            missing = ", ".join(found.FindInitializationErrors()[:8])
            raise ValueError(f"A {name} without {missing}.")
        return found

    @cached_property
    def described(self) -> Any:
        """The description that protobuf's runtime is given."""
        pb: Any = import_module("google.protobuf.descriptor_pb2")
        file = pb.FileDescriptorProto(name=f"{self.package}.proto", package=self.package, syntax="proto2")
        for name, values in self.enums.items():
            rows = [pb.EnumValueDescriptorProto(name=v, number=n) for n, v in values.items()]
            file.enum_type.append(pb.EnumDescriptorProto(name=name, value=rows))
        for name, fields in self.fields.items():
            made = [self._described(pb.FieldDescriptorProto, field) for field in fields]
            file.message_type.append(pb.DescriptorProto(name=name, field=made))
        return file

    def _described(self, made: Any, field: Field) -> Any:
        label = getattr(made, f"LABEL_{field.label}")
        found = made(name=field.name, number=field.number, label=label)
        if field.type in SCALARS:
            found.type = getattr(made, f"TYPE_{field.type.upper()}")
        else:
            found.type = made.TYPE_ENUM if field.type in self.enums else made.TYPE_MESSAGE
            found.type_name = f".{self.package}.{field.type}"
        return found

    @cached_property
    def described_set(self) -> bytes:
        """The description as files of messages carry it along."""
        pb: Any = import_module("google.protobuf.descriptor_pb2")
        return pb.FileDescriptorSet(file=[self.described]).SerializeToString()

    @cached_property
    def _classes(self) -> dict[str, Any]:
        """In a pool of our own, so that a program's own schemas of the same names do no harm."""
        pool: Any = import_module("google.protobuf.descriptor_pool").DescriptorPool()
        factory: Any = import_module("google.protobuf.message_factory")
        pool.AddSerializedFile(self.described.SerializeToString())
        return {
            name: factory.GetMessageClass(pool.FindMessageTypeByName(f"{self.package}.{name}"))
            for name in self.fields
        }


def unknown(message: Any, where: str = "") -> Iterator[str]:
    """What a message holds beyond its table, as ``field.number``.

    >>> wide = Messages("wide", {"Point": "x=1 int32; z=9 int32"}).make("Point", x=1, z=2)
    >>> list(unknown(Messages("narrow", {"Point": "x=1 int32"}).read("Point", wide.SerializeToString())))
    ['9']
    """
    fields: Any = import_module("google.protobuf.unknown_fields").UnknownFieldSet(message)
    yield from (f"{where}{field.field_number}" for field in fields)
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in [value] if hasattr(value, "ListFields") else value:
                yield from unknown(one, f"{where}{field.name}.")
