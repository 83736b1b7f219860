"""The wheel, imported from outside the checkout: does it hold all that it should, and nothing else?"""

import json
import os
import subprocess
import sys
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place), str(ROOT)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = place.glob("*.whl")
    return path


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
