"""The checklists of source 001: every item has one row, and every test that a row names exists."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "checklist-001.md"
REASON = re.compile(r"\*\*Does not hold\*\*|\*\*To come\*\*|Measured in \[")
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def halves():
    """The rows of the two tables: (item, what is asked, held by)."""
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        lines = [line.strip("|").split(" | ") for line in part.splitlines() if re.match(r"\| \d", line)]
        yield [(int(item), asked.strip(), held.strip()) for item, asked, held in lines]


FIRST, SECOND = halves()


def names_in(path):
    """The names of the tests in a file."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"}


@pytest.mark.parametrize(("rows", "count"), [(FIRST, 64), (SECOND, 52)])
def test_every_item_is_there_once(rows, count):
    assert [item for item, _, _ in rows] == list(range(1, count + 1))
    assert len({asked for _, asked, _ in rows}) == count


def test_every_test_that_is_named_exists():
    named = {found for _, _, held in FIRST + SECOND for found in NAMED.findall(held)}
    assert len(named) > 100
    known = {path: names_in(path) for path, _ in named if (TESTS / path).exists()}
    assert [f"{path}::{name}" for path, name in sorted(named) if name not in known.get(path, ())] == []


def test_a_row_names_a_test_or_says_why_not():
    for item, _, held in FIRST + SECOND:
        assert NAMED.search(held) or re.search(r"\*\*Does not hold\*\*|\*\*To come\*\*|Measured in", held), (
            item
        )


def test_nothing_looks_like_a_test_without_being_parsed():
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("::") == len(NAMED.findall(text))
