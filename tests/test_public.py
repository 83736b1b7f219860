"""What ``import biela`` offers: every name resolves, is documented and costs nothing until it is used."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import biela

OFFERED = ["biela.compile", "biela.expr", "biela.mechanics", "biela.observe", "biela.simulate"]
ROOMS = [*OFFERED, "biela.arena", "biela.cueing", "biela.mechanisms", "biela.view"]


def fresh(code):
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("name", biela.__all__)
def test_name_resolves_and_is_documented(name):
    value = getattr(biela, name)
    if callable(value):
        assert inspect.getdoc(value), f"biela.{name} has no docstring"
        assert not inspect.getdoc(value).startswith(f"{name}("), "a generated docstring documents nothing"


def test_the_reference_has_every_name():
    """Of the package by name; of rooms that keep theirs, tables by name and the rest by `automodule`."""
    page = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
    there = set(re.findall(r"\w+", page))
    assert set(biela.__all__) <= there | {"arena", "compile", "cueing", "description", "mechanisms", "view"}
    for room in ("biela.arena", "biela.cueing", "biela.view"):
        assert f".. automodule:: {room}\n   :members:" in page
        tables = {name for name in import_module(room).__all__ if name.isupper()}
        assert tables <= there, room


@pytest.mark.parametrize("room", OFFERED)
def test_the_package_offers_what_the_room_offers(room):
    offered = [name for name, home in biela._HOMES.items() if home == room]
    assert sorted(offered) == sorted(import_module(room).__all__)
    assert len(set(biela.__all__)) == len(biela.__all__)


@pytest.mark.parametrize("room", ["biela.cueing", "biela.mechanisms", "biela.view"])
def test_some_names_are_offered_in_their_room_only(room):
    assert import_module(room).__all__
    assert room not in biela._HOMES.values()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_an_attribute(room):
    assert fresh(f"import biela; print({room}.__name__)") == [room]


def test_dir_lists_the_public_names():
    assert set(biela.__all__) < set(dir(biela))
    assert "Kernel" in dir(biela.compile)


def test_importing_the_package_imports_next_to_nothing():
    heavy = {"numpy", "scipy", "llvmlite", "sympy", "biela.expr", "biela.compile"}
    assert not heavy & set(fresh("import sys, biela; print(*sys.modules)"))


def test_exporting_needs_no_llvm():
    assert "llvmlite" not in fresh("import sys, biela; biela.export; print(*sys.modules)")


def test_expressions_need_no_scipy_and_no_sympy():
    assert not {"scipy", "sympy"} & set(fresh("import sys, biela; biela.Graph; print(*sys.modules)"))


@pytest.mark.parametrize(
    ("module", "name", "told"),
    [
        ("biela", "kernal", "module 'biela' has no attribute 'kernal'. Did you mean 'Kernel'?"),
        ("biela", "xyzzy", "module 'biela' has no attribute 'xyzzy'."),
        ("biela.compile", "Kern", "module 'biela.compile' has no attribute 'Kern'. Did you mean 'Kernel'?"),
    ],
)
def test_unknown_name(module, name, told):
    with pytest.raises(AttributeError) as caught:
        getattr(import_module(module), name)
    assert str(caught.value) == told


def test_version_is_that_of_the_distribution():
    assert biela.__version__ == version("biela")
