"""The tiers of docs/architecture.md: which room may import which. Planned rooms are in the table already."""

import ast
from pathlib import Path

import pytest

import biela

SOURCE = Path(biela.__file__).parent
BELOW = {  # directly; what these may import is allowed too
    "suggestion": [],
    "lazy": ["suggestion"],
    "expr": ["suggestion"],
    "mechanics": ["expr"],
    "compile": ["expr", "lazy"],
    "description": ["mechanics"],
    "mechanisms": ["mechanics"],
    "simulate": ["mechanics", "compile"],
    "observe": ["simulate"],
    "cueing": ["mechanisms", "simulate", "observe"],
    "arena": ["simulate", "observe"],
    "view": ["mechanisms", "cueing", "arena"],
    "cli": ["view", "description"],
    "__main__": ["cli"],
}


def allowed(room):
    return {room}.union(*map(allowed, BELOW[room]))


def rooms_imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute in this project"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (module.split(".")[1] for module in modules if module.startswith("biela."))


ROOMS = sorted(p.stem for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists())


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "__init__"])
def test_a_room_imports_only_what_is_below_it(room):
    assert room in BELOW, f"room '{room}' has no tier: add it to the table here and in docs/architecture.md"
    place = SOURCE / room
    paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    faults = [f"{path.relative_to(SOURCE)}: {used}" for path in paths for used in rooms_imported(path)
              if used not in allowed(room)]  # fmt: skip
    assert not faults


@pytest.mark.parametrize(("one", "other"), [("mechanics", "compile"), ("cueing", "arena")])
def test_neighbours_do_not_know_each_other(one, other):
    assert other not in allowed(one)
    assert one not in allowed(other)
