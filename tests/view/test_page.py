"""The page as a file: one script of modules that also stand alone, small, and closed to the network."""

import json
import re
import subprocess
from base64 import b64decode

import numpy as np
import pytest
from languages import tool

import biela as bl
from biela.simulate import Record, Simulation, assemble
from biela.view import replay
from biela.view.page import PLAYER, asset, packed, page, script


@pytest.fixture(scope="module")
def run():
    model = bl.mechanisms.four_bar().model()
    return Simulation(model, dt=1e-3).run(assemble(model), 1.0)


def data_of(path):
    found = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found[1])


def test_scripts_are_below_a_megabyte_and_name_no_address():
    code = script() + asset("vendor/vendor.min.js")
    assert len(code.encode()) < 1_000_000
    assert set(re.findall(r"https?://[\w./]+", code)) <= {"http://www.w3.org/1999/xhtml"}  # a name space


def test_modules_stand_in_the_order_of_their_imports_and_no_name_is_taken_twice():
    names = [name for module in PLAYER for name in re.findall(
        r"^(?:export )?(?:const|class|function) (\w+)", asset(f"player/{module}.js"), re.MULTILINE
    )]  # fmt: skip
    assert sorted(set(names)) == sorted(names)
    for k, module in enumerate(PLAYER):
        wanted = re.findall(
            r'^import \{.*?\} from "\./(\w+)\.js";', asset(f"player/{module}.js"), re.MULTILINE
        )
        assert set(wanted) <= set(PLAYER[:k]), f"{module} imports what comes later"


@pytest.mark.parametrize("module", PLAYER)
def test_modules_run_alone(module, tmp_path):
    node = tool("node", package="nodejs")
    for name in PLAYER:
        (tmp_path / f"{name}.js").write_text(asset(f"player/{name}.js"))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    done = subprocess.run([node, tmp_path / f"{module}.js"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_numbers_arrive_as_they_were():
    values = np.random.default_rng(1).normal(size=(3, 4))
    for bits, kind in ((32, "<f4"), (64, "<f8")):
        blob = packed(values, bits)
        back = np.frombuffer(b64decode(blob["data"]), kind).reshape(blob["shape"])
        assert np.array_equal(back, values.astype(kind))


def test_a_title_cannot_end_the_script():
    text = page("</script><b>", {"title": "</script><b>"})
    assert "</script><b>" not in text
    assert "<title>&lt;/script&gt;&lt;b&gt;</title>" in text


def test_a_page_holds_the_record_to_single_precision(run, tmp_path):
    data = data_of(replay(run, tmp_path / "run.html"))
    assert (tmp_path / "run.html").stat().st_size < 1_200_000
    (actor,) = data["actors"]
    assert (actor["lanes"], actor["status"], len(actor["shapes"])) == (1, "", 6)
    assert [c["name"] for c in data["curves"]["columns"]][:3] == ["crank", "coupler", "rocker"]
    crank = data["curves"]["columns"][0]["values"][0]
    values = np.frombuffer(b64decode(crank["data"]), "<f4")
    assert np.array_equal(values, run["crank"].astype("<f4"))


def test_two_records_and_chosen_columns(run, tmp_path):
    data = data_of(
        replay({"truth": run, "guess": run}, tmp_path / "run.html", columns=["rocker"], title="Both")
    )
    assert [actor["name"] for actor in data["actors"]] == ["truth", "guess"]
    assert data["title"] == "Both"
    (column,) = data["curves"]["columns"]
    assert (column["name"], column["unit"], len(column["values"])) == ("rocker", "rad", 2)


def test_the_end_of_a_study_that_failed_is_told(run, tmp_path):
    ended = run.replaced(status="diverged at t=0.5 s")
    assert data_of(replay(ended, tmp_path / "run.html"))["actors"][0]["status"] == "diverged at t=0.5 s"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda run, at: replay(run, at / "run.txt"), r"ends in \.html; got '\.txt'"),
        (lambda run, at: replay({}, at / "run.html"), "no record to replay"),
        (lambda run, at: replay(run, at / "run.html", lanes=0), "at least one lane"),
        (lambda run, at: replay(run, at / "run.html", rate=0.0), "rate above zero"),
        (lambda run, at: replay(Record(run.t, {}, {}), at / "run.html"), "belongs to no model"),
    ],
)
def test_what_cannot_be_replayed(run, tmp_path, make, told):
    with pytest.raises(ValueError, match=told):
        make(run, tmp_path)
    assert not list(tmp_path.iterdir())
