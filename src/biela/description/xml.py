"""A small reader of XML that knows lines and takes nothing from strangers: no entities, no document types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

LONGEST, DEEPEST = 20_000_000, 100  # characters, and elements inside each other


@dataclass
class Node:
    """An element: its tag, attributes, children, and the line it begins on."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Node] = field(default_factory=list["Node"])

    def all(self, tag: str) -> Iterator[Node]:
        """The children of a tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Node | None:
        """The first child of a tag, if there is one."""
        return next(self.all(tag), None)


def parse(text: str) -> Node:
    """The root element; raises ValueError for what is no XML, too long, too deep or declares entities."""
    if len(text) > LONGEST:
        raise ValueError(f"The file has {len(text)} characters; at most {LONGEST} are read.")
    top = Node("", {}, 0)
    stack, parser = [top], expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > DEEPEST:
            raise ValueError(f"Line {parser.CurrentLineNumber}: elements nest deeper than {DEEPEST}.")
        stack[-1].children.append(node := Node(tag, attributes, parser.CurrentLineNumber))
        stack.append(node)

    def end(tag: str) -> None:
        stack.pop()

    def refuse(*_: Any) -> None:
        line = parser.CurrentLineNumber
        raise ValueError(f"Line {line}: a document type or entity is declared, which is refused. Remove it.")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ValueError(f"It is no XML: {error}.") from error
    return top.children[0]
