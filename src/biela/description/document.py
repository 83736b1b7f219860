"""`Document`: a TOML or YAML file as plain data, with the line of every key.

TOML is read by the standard library, YAML by PyYAML (extra ``biela[data]``), as data only: tags that make
objects, aliases and keys that come twice are refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from biela.description.fault import DescriptionError

Key = tuple[str, ...]
SUFFIXES = (".toml", ".yaml", ".yml")
LONGEST, DEEPEST = 5_000_000, 30  # characters, and levels
TAGS = ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "value")
PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
DOTTED = rf"{PART}(?:\s*\.\s*{PART})*"
HEADER = re.compile(rf"\s*\[\[?\s*({DOTTED})\s*\]\]?\s*(?:#.*)?$")
ASSIGNED = re.compile(rf"\s*({DOTTED})\s*=")
STRING = re.compile(r"""\"{3}|'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|[\[\]{}\n]""")


@dataclass(frozen=True)
class Document:
    """What a file says: mappings, lists, texts, numbers; and where."""

    where: str
    data: dict[str, Any]
    lines: dict[Key, int] = field(default_factory=dict[Key, int])

    def line(self, *key: str) -> int:
        """The line of a key, or of the nearest that holds it."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 0)


def load(path: str | Path) -> Document:
    """The document of a file.

    Raises ValueError for a suffix or a file that is not there, DescriptionError for what cannot be parsed.
    """
    place = Path(path)
    if place.suffix not in SUFFIXES:
        raise ValueError(f"A description is a file with one of {', '.join(SUFFIXES)}; got '{path}'.")
    if not place.is_file():
        raise ValueError(f"There is no file '{path}'.")
    text = place.read_text(encoding="utf-8")
    return parsed(text, "toml" if place.suffix == ".toml" else "yaml", str(path))


def parsed(text: str, kind: str, where: str = "The text") -> Document:
    """The document of a text in 'toml' or 'yaml'; raises DescriptionError for what cannot be parsed."""
    if len(text) > LONGEST:
        raise DescriptionError(where, [f"it has {len(text)} characters; at most {LONGEST} are read."])
    return _toml(text, where) if kind == "toml" else _yaml(text, where)


def _toml(text: str, where: str) -> Document:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DescriptionError(where, [f"it is no TOML: {error}."]) from None
    except RecursionError:
        raise DescriptionError(where, ["it nests too deep."]) from None
    return Document(where, data, dict(_toml_lines(text)))


def _toml_lines(text: str) -> Iterator[tuple[Key, int]]:
    """Every key that begins a line outside of lists, texts and inline tables, with its line."""
    at: Key = ()
    for number, line in _logical(text):
        if header := HEADER.match(line):
            at = _parts(header[1])
            yield at, number
        elif assigned := ASSIGNED.match(line):
            key = _parts(assigned[1])
            for n in range(1, len(key) + 1):
                yield (*at, *key[:n]), number


def _logical(text: str) -> Iterator[tuple[int, str]]:
    """Lines that begin at level 0, with their numbers."""
    lines, depth, number, quote = text.split("\n"), 0, 1, ""
    yield 1, lines[0]
    for found in STRING.finditer(text):
        token = found[0]
        if quote:  # inside of a text of several lines
            quote = "" if token.endswith(quote) else quote
        elif token in ('"""', "'''"):
            quote = token
        elif token in "[{":
            depth += 1
        elif token in "]}":
            depth -= 1
        if token == "\n":
            number += 1
            if depth == 0 and not quote:
                yield number, lines[number - 1]


def _parts(dotted: str) -> Key:
    return tuple(part.strip("\"'") for part in re.findall(PART, dotted))


def _yaml(text: str, where: str) -> Document:
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise ImportError("Descriptions in YAML need PyYAML: pip install 'biela[data]'.") from None
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            line = event.start_mark.line + 1
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
                why = "it nests too deep" if depth > DEEPEST else "aliases are refused: write the value out"
                raise DescriptionError(where, [f"line {line}: {why}."])
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        walk = _Walk(yaml)
        data: Any = walk.value(root, ()) if root else {}
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())
        raise DescriptionError(where, [f"it is no YAML: {told}."]) from None
    if walk.wrong or not isinstance(data, dict):
        told = walk.wrong or ["it is no mapping of names to values."]
        raise DescriptionError(where, told)
    return Document(where, cast("dict[str, Any]", data), walk.lines)


class _Walk:
    """From the nodes of YAML to data, keeping lines."""

    def __init__(self, yaml: Any) -> None:
        self.yaml, self.build = yaml, yaml.SafeLoader("")
        self.lines: dict[Key, int] = {}
        self.wrong: list[str] = []

    def value(self, node: Any, at: Key) -> Any:
        """A node as data."""
        if node.tag.rpartition(":")[2] not in TAGS or not node.tag.startswith("tag:yaml.org,2002:"):
            line = node.start_mark.line + 1
            self.wrong.append(f"line {line}: a tag '{node.tag}' makes something else than data: remove it.")
            return None
        if isinstance(node, self.yaml.MappingNode):
            return self.mapping(node, at)
        if isinstance(node, self.yaml.SequenceNode):
            return [self.value(one, (*at, str(k))) for k, one in enumerate(node.value)]
        if node.tag == "tag:yaml.org,2002:str" or node.tag.endswith("timestamp"):
            return node.value
        return self.build.construct_object(node)

    def mapping(self, node: Any, at: Key) -> dict[str, Any]:
        """A mapping; keys are texts, whatever they look like."""
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in found:
                first = self.lines[(*at, key)]
                self.wrong.append(f"line {line}: '{key}' is there already, on line {first}.")
            self.lines[(*at, key)] = line
            found[key] = self.value(value_node, (*at, key))
        return found
