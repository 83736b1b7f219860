"""The checklist of source 002: every item has one row, and every test that a row names exists."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "checklist-002.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_every_item_is_there_once_and_names_a_test():
    rows = [line for line in PAGE.splitlines() if re.match(r"\| \d", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, 18))
    assert all(NAMED.search(row) for row in rows)


def test_every_test_that_is_named_exists():
    for path, name in NAMED.findall(PAGE):
        tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (
            f"{path}::{name}"
        )
    assert PAGE.count("::") == len(NAMED.findall(PAGE)) > 20
