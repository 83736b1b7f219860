"""The cache on disk: hits, damage, limits, switching off."""

import os

import pytest

from biela.compile import cache, engine
from biela.compile.kernel import Kernel
from biela.expr.function import Function
from biela.expr.graph import Graph


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("BIELA_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def square(c=2.0):
    x = Graph().symbol("x")
    return Function("square", [x], {"y": c * x * x})


def entries(place):
    return sorted(place.glob("*.biela-o")) if place.exists() else []


def counted(monkeypatch):
    compiled = []
    machine = engine._machine()

    class Counting:
        def __getattr__(self, name):
            if name == "emit_object":
                compiled.append(1)
            return getattr(machine, name)

    monkeypatch.setattr(engine, "_machine", lambda: Counting())
    return compiled


def test_the_second_kernel_is_not_compiled(place, monkeypatch):
    assert Kernel(square())(3.0) == 18.0
    assert len(entries(place)) == 1
    compiled = counted(monkeypatch)
    assert Kernel(square())(3.0) == 18.0
    assert compiled == []
    assert Kernel(square(5.0))(3.0) == 45.0
    assert compiled == [1]


@pytest.mark.parametrize(
    "damage",
    [b"", b"short", lambda d: d[:-1], lambda d: d[:200] + b"x" + d[201:], lambda d: b"0" * 64 + d[64:]],
)
def test_a_damaged_entry_is_ignored_and_replaced(place, damage):
    Kernel(square())(3.0)
    (entry,) = entries(place)
    whole = entry.read_bytes()
    entry.write_bytes(damage if isinstance(damage, bytes) else damage(whole))
    assert Kernel(square())(3.0) == 18.0
    assert entry.read_bytes() == whole


def test_an_entry_under_a_foreign_name_is_ignored(place):
    Kernel(square())(3.0)
    Kernel(square(5.0))(3.0)
    first, second = entries(place)
    first.write_bytes(second.read_bytes())
    assert {Kernel(square())(3.0), Kernel(square(5.0))(3.0)} == {18.0, 45.0}


def test_the_processor_is_part_of_the_key(place, monkeypatch):
    Kernel(square())(3.0)
    other = engine.processor()._replace(features=engine.processor().features + " ")
    monkeypatch.setattr(engine, "processor", lambda: other)
    Kernel(square())(3.0)
    assert len(entries(place)) == 2


@pytest.mark.parametrize("value", ["off", "0", ""])
def test_it_can_be_turned_off(place, monkeypatch, value):
    monkeypatch.setenv("BIELA_CACHE", value)
    assert cache.folder() is None
    assert Kernel(square())(3.0) == 18.0
    assert cache.clear() == 0


@pytest.mark.parametrize("value", [None, "~/kept"])
def test_a_user_without_a_home_has_no_cache(monkeypatch, value):
    def homeless(path):
        if str(path).startswith("~"):
            raise RuntimeError("Could not determine home directory.")
        return path

    monkeypatch.setattr(cache.Path, "expanduser", homeless)
    monkeypatch.setattr(cache.os, "environ", {} if value is None else {"BIELA_CACHE": value})
    assert cache.folder() is None
    assert Kernel(square())(3.0) == 18.0


def test_the_usual_folder_is_that_of_the_system(tmp_path, monkeypatch):
    monkeypatch.delenv("BIELA_CACHE")
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert cache.folder().name == "biela"
    assert tmp_path in cache.folder().parents


def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("BIELA_CACHE", str(tmp_path / "file" / "cache"))
    assert Kernel(square())(3.0) == 18.0


def test_what_was_used_longest_ago_goes_first(place):
    for k in range(5):
        cache.store(cache.digest(str(k)), bytes(1000))
        os.utime(place / f"{cache.digest(str(k))}.biela-o", (k, k))
    cache.load(cache.digest("0"))  # used now
    cache.trim(limit=3 * 1128)
    kept = [k for k in range(5) if cache.load(cache.digest(str(k))) is not None]
    assert kept == [0, 3, 4]
    assert cache.clear() == 3


def test_no_half_written_file_is_left(place, monkeypatch):
    def broken(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", broken)
    cache.store("key", b"data")
    assert list(place.iterdir()) == []
