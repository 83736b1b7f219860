"""The checklists of sources 000 and 003: every item has one row, and every test that a row names exists."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGES = {"checklist-000.md": 58, "checklist-003.md": 18}
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def text(page):
    return (TESTS.parent / "docs" / page).read_text(encoding="utf-8")


def rows(page):
    """(item, what is asked, held by)."""
    return [line.strip("|").split(" | ") for line in text(page).splitlines() if re.match(r"\| \d", line)]


def names_in(path):
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", list(PAGES))
def test_every_item_is_there_once(page):
    assert [int(row[0]) for row in rows(page)] == list(range(1, PAGES[page] + 1))


@pytest.mark.parametrize("page", list(PAGES))
def test_a_row_names_tests_that_exist_or_says_why_not(page):
    for item, *_, held in rows(page):
        assert NAMED.search(held) or re.search(r"\*\*Does not hold\*\*|Measured by `", held), item
    named = set(NAMED.findall(text(page)))
    assert text(page).count("::") == len(NAMED.findall(text(page)))
    missing = [f"{path}::{name}" for path, name in sorted(named) if not (TESTS / path).exists()]
    missing += [f"{path}::{name}" for path, name in sorted(named) if name not in names_in(path)]
    assert missing == []
