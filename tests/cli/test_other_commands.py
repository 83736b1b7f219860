"""List, export, doctor, bench, completion and the demo."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import biela as bl
from biela.cli.listing import KINDS
from biela.simulate import storage

ROOT = Path(__file__).parents[2]
BASH = shutil.which("bash")


@pytest.mark.parametrize("kind", KINDS)
def test_every_registry_has_a_line_for_every_row(biela, kind):
    rows = biela("list", kind, "--json").data[kind]
    assert rows
    for name, line in rows.items():
        assert 8 < len(line) < 130, (name, line)
        assert "``" not in line
    out = biela("list", kind).out
    assert len(out.splitlines()) == len(rows)


def test_the_registries_are_whole(biela):
    data = biela("list", "--json").data
    assert set(data["mechanisms"]) == set(bl.mechanisms.MECHANISMS)
    assert set(data["filters"]) == set(bl.observe.FILTERS)
    assert set(data["integrators"]) == set(bl.INTEGRATORS)


def test_exported_files_are_those_of_python(biela, tmp_path):
    found = biela("export", "four_bar", "--function", "M|delta", "--target", "c99", "-o", "c", "--json").data
    wanted = bl.export(bl.mechanisms.four_bar().model().functions["M|delta"], "c99", tmp_path / "other")
    assert [Path(path).read_text() for path in found["files"]] == [path.read_text() for path in wanted]
    assert (
        "float" in Path(biela("export", "pendulum", "--real", "float", "--json").data["files"][0]).read_text()
    )
    wrong = biela("export", "four_bar", "--function", "M|dleta")
    assert wrong.code == 2
    assert "no function of model 'four_bar' 'dleta'" in wrong.err


def test_simulations_are_exported(biela):
    fmu = ("export", "four_bar", "--target", "fmu2", "--sources-only", "--lock", "crank=90deg")
    data = biela(*fmu, "-o", "x/four.fmu", "--json").data
    assert data["inputs"] == ["torque"]
    with zipfile.ZipFile(data["files"][0]) as archive:
        assert 'name="crank"' in archive.read("modelDescription.xml").decode()
    found = biela("export", "pendulum", "--target", "c-package", "-o", "c", "--dt", "2ms")
    assert "CMakeLists.txt" in found.out
    assert "#define PENDULUM_DT 0.002" in Path("c/pendulum_block.h").read_text()
    assert biela("export", "pendulum", "--target", "fmu4").code == 2
    gyro = ("--sensor", "gyro:coupler:0.5deg/s", "--filter", "ukf", "-o", "observer")
    data = biela("export", "four_bar", "--target", "c-package", *gyro, "--json").data
    assert data["inputs"][:1] == ["gyro.coupler"]
    assert "sd(crank)" in data["outputs"]
    assert "no filter 'ukff'" in biela("export", "four_bar", "--target", "fmu3", *gyro[:3], "ukff").err
    assert "whole of a mechanism" in biela("export", "pendulum", "--target", "fmu3", "--function", "M").err


def test_mechanisms_are_exported_as_descriptions(biela):
    assert "wrote  four_bar.toml" in biela("export", "four_bar", "--target", "toml").out
    there = biela("describe", "four_bar.toml", "--json").data
    here = biela("describe", "four_bar", "--json").data
    assert (there["parameters"], there["inputs"]) == (here["parameters"], here["inputs"])
    assert "natural bodies" in biela("export", "four_bar_natural", "--target", "yaml").err


def test_doctor_compiles_a_kernel(biela):
    data = biela("doctor", "--json").data
    assert data["kernel"]["differs from Python by"] < 1e-12
    assert data["versions"]["biela"] == bl.__version__
    assert data["extras"]["view"].startswith("matplotlib")
    users = {"arena", "cueing", "data", "fmi", "sympy", "view"}
    assert users <= set(data["extras"])
    assert not {"test", "docs", "bench"} & set(data["extras"])
    assert "kernel: " in biela("doctor").out


def test_doctor_says_how_to_get_what_is_missing(monkeypatch):
    from biela.cli import examination

    view = ["numpy>=2.0; extra == 'view'", "no-such>=1; extra == 'view'"]
    needed = ["numpy>=2.0", *view, "ruff; extra == 'test'"]
    monkeypatch.setattr(examination.metadata, "requires", lambda name: needed)
    told = examination.extras()
    assert set(told) == {"view"}
    assert re.fullmatch(r"numpy [\d.]+; without no-such: pip install 'biela\[view\]'", told["view"])

    def nowhere(name):
        raise examination.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(examination.metadata, "requires", nowhere)
    assert "not installed as a package" in examination.extras()["unknown"]


def test_doctor_clears_the_cache(biela, tmp_path, monkeypatch):
    monkeypatch.setenv("BIELA_CACHE", str(tmp_path / "own"))
    assert biela("simulate", "pendulum", "--for", "10ms").code == 0
    assert biela("doctor", "--clear-cache", "--json").data["cleared"] > 0
    assert biela("doctor", "--clear-cache", "--json").data["cleared"] == 0


def test_doctor_refuses_a_kernel_that_is_wrong(biela, monkeypatch):
    from biela.cli import examination

    monkeypatch.setattr(examination.Kernel, "__call__", lambda self, **given: given["x"] + 1.0)
    found = biela("doctor")
    assert found.code == 1
    assert "differs from its evaluation in Python" in found.err


def test_bench_wants_a_checkout(biela, tmp_path):
    found = biela("bench", "--checkout", tmp_path)
    assert found.code == 2
    assert "There are no benchmarks in" in found.err
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").touch()
    code = 'if __name__ == "__main__":\n    print(\'{"bench": "mine", "ours": 1}\')\n'
    (tmp_path / "benchmarks" / "mine.py").write_text(code)
    (tmp_path / "benchmarks" / "bad.py").write_text(code + "    raise SystemExit(3)\n")
    assert biela("bench", "mine", "--json").data == {"results": [{"bench": "mine", "ours": 1}]}
    assert biela("bench", "mien").code == 2
    assert "benchmarks.bad ended with code 3." in biela("bench", "bad").err


@pytest.mark.skipif(BASH is None, reason="wants bash")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("biela de", "demo describe"),
        ("biela simulate four_bar_", "four_bar_general four_bar_natural four_bar_rod"),
        ("biela simulate four_bar --integrator r", "rattle rk4"),
        ("biela estimate four_bar r.csv --filter e", "ekf error-state ensemble"),
        ("biela pf study no", "noise"),
        ("biela pf study noise --t", "--tries"),
        ("biela list f", "formulations filters functions formalisms formats fields"),
        ("biela simulate four_bar -o ", None),
    ],
)
def test_bash_completes(biela, line, wanted):
    Path("biela.bash").write_text(biela("completion", "bash").out)
    words = " ".join(f"'{word}'" for word in line.split(" "))
    test = f"source biela.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _biela; "
    done = subprocess.run(
        [BASH, "-c", test + 'echo "${COMPREPLY[*]}"'], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    if wanted is not None:
        assert done.stdout.split() == wanted.split()


def test_zsh_gets_a_script_of_the_same_words(biela):
    bash, zsh = (biela("completion", shell).out for shell in ("bash", "zsh"))
    assert re.findall(r"biela_\w+=.*", bash) == re.findall(r"biela_\w+=.*", zsh)
    assert zsh.startswith("#compdef biela\n")


# the demo


def test_the_demo_compares_four_filters(biela):
    found = biela("demo", "--for", "3s", "--particles", "500", "--json").data
    assert list(found["filters"]) == ["DEKF", "UKF", "error-state EKF", "particle filter"]
    for name, one in found["filters"].items():
        assert one["rmse_deg"] < (0.5 if name == "particle filter" else 0.3), name
        assert one["settled_s"] < 1.5
        assert one["real_time_factor"] > 1.0
    names = {Path(path).name for path in found["files"]}
    assert {"estimates.png", "particles.png", "steps.png", "replay.html", "truth.csv", "UKF.csv"} <= names
    assert all(Path(path).stat().st_size > 1000 for path in found["files"])


def test_the_demo_goes_on_without_matplotlib(biela, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = biela("demo", "--for", "500ms", "--particles", "100")
    assert found.code == 0
    assert "No pictures: Pictures want Matplotlib: pip install 'biela[view]'." in found.err
    assert "error-state EKF" in found.out
    assert not [name for name in os.listdir("biela_demo") if name.endswith(".png")]


def test_a_file_that_cannot_be_written_is_told(biela, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage.os, "replace", full)
    found = biela("simulate", "pendulum", "--for", "10ms", "-o", "run.npz")
    assert found.code == 1
    assert "No space left on device" in found.err
    assert os.listdir(".") == []
