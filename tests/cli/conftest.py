"""What the tests of the command share: calling it in an empty folder, with a cache of the whole session."""

import json
from typing import NamedTuple

import pytest

from biela.cli import main


class Called(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def biela(tmp_path, monkeypatch, capsys, cache):
    """``biela("list", "filters")`` is the command line of the same words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIELA_CACHE", str(cache))
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Called(code, *capsys.readouterr())

    return call
