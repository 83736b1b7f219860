"""The checklist of source 004: every item has one row, and every test that a row names exists."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
TEXT = (TESTS.parent / "docs" / "checklist-004.md").read_text(encoding="utf-8")
ROWS = [line.strip("|").split(" | ") for line in TEXT.splitlines() if re.match(r"\| \d", line)]
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_every_item_is_there_once():
    assert [int(item) for item, _, _ in ROWS] == list(range(1, 66))
    assert len({asked for _, asked, _ in ROWS}) == 65


def test_every_row_names_tests_that_exist_or_says_what_is_missing():
    known = {}
    for item, _, held in ROWS:
        assert NAMED.search(held) or "**To come**" in held, item
        for path, name in NAMED.findall(held):
            tree = known.setdefault(path, ast.parse((TESTS / path).read_text(encoding="utf-8")))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (
                path,
                name,
            )
    assert TEXT.count("::") == len(NAMED.findall(TEXT))
