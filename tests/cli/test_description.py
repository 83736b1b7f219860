"""Mechanisms by name and from files, and what is told of those that cannot be meant."""

import numpy as np
import pytest

RIG = """
import biela as bl

def rig(n=1, heavy=False):
    s = bl.System("rig")
    s.parameter("g", 9.81, "m/s2", "gravity")
    bob = s.body("bob", mass=5.0 if heavy else 1.0, com=[n, 0, 0])
    s.revolute(s.ground, bob, axis="z", coordinates="angle")
    return s

def _hidden():
    pass
"""


def test_a_mechanism_describes_itself(biela):
    found = biela("describe", "four_bar")
    assert found.code == 0
    for told in (
        "1 degree of freedom",
        "l1",
        "0.12",
        "from the axis of the disc to its pin",
        "loop[0], loop[1]",
    ):
        assert told in found.out
    data = biela("describe", "four_bar", "--json").data
    assert [one["name"] for one in data["coordinates"]] == ["crank", "coupler", "rocker"]
    assert data["freedom"] == 1
    assert data["diagnosis"] == ["rank 2, 1 degree of freedom"]
    assert data["functions"]["M|delta"]["operations"] > data["functions"]["M"]["operations"] > 0


def test_a_mechanism_is_drawn(biela, tmp_path):
    assert "wrote four_bar.svg" in biela("describe", "four_bar", "--picture", "four_bar.svg").out
    assert (tmp_path / "four_bar.svg").read_text("utf-8").startswith("<svg")
    assert biela("describe", "four_bar", "--picture", "four_bar.xls").code == 1


def test_redundant_equations_are_named(biela):
    assert "is redundant" in biela("describe", "bricard").out


def test_a_mechanism_with_options(biela):
    assert len(biela("describe", "n_pendulum", "--option", "n=5", "--json").data["coordinates"]) == 5


def test_a_mechanism_in_a_file(biela, tmp_path):
    (tmp_path / "my rig.py").write_text(RIG)
    assert biela("describe", "my rig.py", "--json").data == biela("describe", "my rig.py:rig", "--json").data
    far = biela("simulate", "my rig.py:rig", "--option", "n=2", "--for", "10ms", "--json")
    assert far.data["model"] == "rig"


TOML = """biela = 1
name = "rig"
gravity = [0, -9.81, 0]
[parameters]
l = { value = 2.0, unit = "m" }
[bodies]
bob = { mass = 1, com = ["l", 0, 0] }
[joints]
hinge = { type = "revolute", parent = "ground", child = "bob", coordinates = "angle" }
"""


def test_a_mechanism_in_a_description_file(biela, tmp_path):
    (tmp_path / "rig.toml").write_text(TOML)
    assert biela("describe", "rig.toml", "--json").data["parameters"][0]["unit"] == "m"
    moved = biela("simulate", "rig.toml", "--set", "l=1m", "--lock", "angle=1", "--for", "10ms", "--json")
    assert moved.data["start"]["angle"] == 1.0
    sensor = ("--sensor", "gyro:bob:0.01")
    biela("simulate", "rig.toml", "--for", "50ms", *sensor, "--readings", "y.csv")
    assert biela("estimate", "rig.toml", "y.csv", *sensor, "--json").code == 0
    assert "rig_M.h" in biela("export", "rig.toml", "--function", "M").out
    (tmp_path / "bad.toml").write_text(TOML.replace("mass", "mas").replace('"l"', '"k"'))
    wrong = biela("describe", "bad.toml")
    assert wrong.code == 1
    assert "bad.toml has 2 faults" in wrong.err
    assert "line 7: bodies 'bob': unknown key 'mas'. Did you mean 'mass'?" in wrong.err
    assert biela("describe", "none.toml").code == 2
    assert biela("describe", "rig.toml", "--option", "n=1").code == 2


@pytest.mark.parametrize(
    ("text", "words", "code", "told"),
    [
        (None, ["none.py"], 2, "There is no file 'none.py'."),
        (RIG, ["rig.py:rgi"], 2, "no function in rig.py 'rgi'. Known: rig. Did you mean 'rig'?"),
        (RIG, ["rig.py", "--option", "m=3"], 2, "has no option 'm': it takes n, heavy."),
        (RIG.replace("n=1", "n"), ["rig.py"], 2, "wants --option n=..."),
        (RIG.replace("_hidden", "other"), ["rig.py"], 2, "say which, as in rig.py:rig. It has rig, other."),
        ("x = 1", ["rig.py"], 2, "one function that returns a System: it has none."),
        ("def rig():\n    return 3", ["rig.py"], 1, "rig.py returned int, where a biela.System is expected."),
        ("\n\nx = y", ["rig.py"], 1, "rig.py, line 3: NameError: name 'y' is not defined"),
        ("x = (", ["rig.py"], 1, "rig.py, line 1: SyntaxError"),
    ],
)
def test_what_cannot_be_meant_is_told(biela, tmp_path, text, words, code, told):
    if text is not None:
        (tmp_path / "rig.py").write_text(text)
    found = biela("describe", *words)
    assert found.code == code
    assert told in found.err


def test_a_system_in_a_file(biela, tmp_path):
    (tmp_path / "rig.py").write_text(RIG + "\nmine = rig(3)\ndel rig, _hidden\n")
    assert biela("describe", "rig.py:mine", "--json").data["name"] == "rig"
    assert biela("describe", "rig.py", "--json").data["name"] == "rig"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--lock", "cronk=1"],
            "no coordinate 'cronk'. It has crank, coupler, rocker. Did you mean 'crank'?",
        ),
        (["--set", "m9=1"], "no parameter 'm9'"),
        (["--input", "torqe=1"], "Did you mean 'torque'?"),
        (["--lock", "crank=3mm"], "Coordinate 'crank': '3mm' is in mm, where rad is wanted"),
        (["--speed", "crank=3rad"], "where rad/s is wanted"),
        (["--set", "l1=3kg"], "Parameter 'l1': '3kg' is in kg, where m is wanted"),
        (["--lock", "crank"], "expected NAME=VALUE"),
    ],
)
def test_a_wrong_start_is_told(biela, words, told):
    found = biela("simulate", "four_bar", *words)
    assert found.code == 2
    assert told in found.err


def test_a_start_is_what_was_asked_for(biela):
    data = biela(
        "simulate", "four_bar", "--lock", "crank=30deg", "--speed", "crank=1rad/s", "--set", "g=0",
        "--for", "1ms", "-o", "run.npz", "--json",
    ).data  # fmt: skip
    assert data["start"]["crank"] == pytest.approx(np.pi / 6)
    import biela as bl

    run = bl.Record.load("run.npz")
    assert run["crank'"][0] == pytest.approx(1.0)
    assert run.p[-1] == 0.0
