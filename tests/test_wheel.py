"""Wheel and sdist, used from outside the checkout: do they hold all that they should, and nothing else?"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import biela

ROOT = Path(__file__).parents[1]
USE = """
import json, pathlib, biela
x = biela.Graph().symbol("x")
square = biela.Function("square", [x], {"y": x * x})
print(json.dumps({
    "file": biela.__file__, "version": biela.__version__, "value": biela.Kernel(square)(3.0),
    "names": [name for name in biela.__all__ if getattr(biela, name) is None],
    "files": [path.name for path in biela.export(square, "c99", "written")],
}))
"""


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [name for name in PROJECT["optional-dependencies"] if name not in ("bench", "docs", "test")]


def built(kind, source, place):
    """Build a wheel or an sdist of a folder."""
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", place, source]
    done = subprocess.run(list(map(str, command)), cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = place.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The sdist, unpacked."""
    place = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("sdist", ROOT, place)) as archive:
        archive.extractall(place, filter="data")
    return place / f"biela-{biela.__version__}"


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    place = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    return place


def test_holds_every_file_of_the_package_and_nothing_else(unpacked):
    source = ROOT / "src"
    files = (path for path in (source / "biela").rglob("*") if path.is_file())
    wanted = {path.relative_to(source) for path in files if "__pycache__" not in path.parts}
    got = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    metadata = f"biela-{biela.__version__}.dist-info"
    assert {path for path in got if path.parts[0] != metadata} == wanted
    assert Path(metadata, "licenses", "LICENSE") in got


def test_works_outside_the_checkout(unpacked, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(unpacked), "BIELA_CACHE": "off"}
    command = [sys.executable, "-c", USE]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert Path(told.pop("file")) == unpacked / "biela" / "__init__.py"
    files = ["square.h", "square.c"]
    assert told == {"version": biela.__version__, "value": 9.0, "names": [], "files": files}


def test_the_sdist_makes_the_same_wheel(sdist, wheel, tmp_path):
    with zipfile.ZipFile(built("wheel", sdist, tmp_path)) as other, zipfile.ZipFile(wheel) as ours:
        assert {i.filename: i.CRC for i in other.infolist()} == {i.filename: i.CRC for i in ours.infolist()}


def test_the_sdist_has_what_tests_and_documentation_need(sdist):
    for name in ("tests", "docs", "examples", "benchmarks"):
        kept = {path.relative_to(ROOT / name) for path in (ROOT / name).rglob("*.py")}
        assert {path.relative_to(sdist / name) for path in (sdist / name).rglob("*.py")} == kept
    for name in ("README.md", "LICENSE", "CHANGELOG.md", "Makefile", "pyproject.toml", "conftest.py"):
        assert (sdist / name).is_file(), name


def test_the_metadata_has_every_extra(unpacked):
    (metadata,) = unpacked.glob("*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    offered = set(re.findall(r"^Provides-Extra: (\S+)$", text, re.MULTILINE))
    assert offered == set(PROJECT["optional-dependencies"])
    needed = re.findall(r"^Requires-Dist: ([\w.-]+)[^;\n]*$", text, re.MULTILINE)
    assert sorted(needed) == ["llvmlite", "numpy", "scipy"]
    assert re.search(r"^Requires-Python: >=3\.11$", text, re.MULTILINE)
    assert (unpacked / "biela" / "py.typed").is_file()


@pytest.mark.study
@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_an_extra_installs_by_itself(extra, wheel, tmp_path):
    """Wants an index of packages, as `pip install` does."""
    venv.create(tmp_path, with_pip=True)
    programs = tmp_path / ("Scripts" if os.name == "nt" else "bin")
    what = f"biela[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
    subprocess.run([programs / "pip", "install", "--quiet", what], check=True, cwd=tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"BIELA_CACHE": "off"}
    command = [programs / "biela", "doctor", "--json"]
    told = json.loads(subprocess.check_output(command, cwd=tmp_path, env=environment, text=True))
    whole = {name for name, line in told["extras"].items() if "without" not in line}
    assert extra in {"", *whole}
    assert told["kernel"]["differs from Python by"] < 1e-12
