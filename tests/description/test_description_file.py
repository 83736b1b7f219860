"""Description files: the same mechanism as in Python, every fault with its line, nothing run."""

import copy
import json
import random
from pathlib import Path

import numpy as np
import pytest

import biela as bl
from biela.description import DescriptionError, FormulaError, formula, read, schema
from biela.description.document import Document, parsed
from biela.description.reading import described
from biela.description.schema import LOADS, SECTIONS

FOUR_BAR = """biela = 1
name = "four_bar"
gravity = [0, "-g", 0]

[parameters]
g = { value = 9.81, unit = "m/s2", note = "free fall" }
l1 = { value = 0.12, unit = "m" }
l2 = 0.54
l3 = 0.455
l4 = 0.8
m1 = 11.1
m2 = 0.4
m3 = 1.23

[coordinates]
crank = { value = "pi/2", unit = "rad" }
coupler = -1.157
rocker = 2.307

[bodies]
crank = { mass = "m1", inertia = "disc(m1, 0.14)" }
coupler = { mass = "m2", com = ["l2/2", 0, 0], inertia = "rod(m2, l2)" }
rocker = { mass = "m3", com = ["l3/2", 0, 0], inertia = "rod(m3, l3)" }

[joints]
A = { type = "revolute", parent = "ground", child = "crank", coordinates = "crank" }
B = { type = "revolute", parent = "crank", child = "coupler", at = ["l1", 0, 0], coordinates = "coupler" }
C = { type = "revolute", parent = "ground", child = "rocker", at = ["l4", 0, 0], coordinates = "rocker" }

[loops.loop]
p = { body = "coupler", at = ["l2", 0, 0] }
q = { body = "rocker", at = ["l3", 0, 0] }

[loads]
motor = { type = "motor", coordinate = "crank", input = "torque" }
"""

EVERYTHING = """
biela: 1
name: everything
gravity: [0, 0, -9.81]
parameters: {k: 30.0, c: 0.2}
inputs:
  wind: {value: 0.5, unit: N}
bases:
  tilted: {axis: x, angle: deg(30)}
bodies:
  block: {mass: 2, inertia: [0.1, 0.2, 0.3]}
  arm: {mass: 1, com: [0, 0, -0.3], inertia: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.01]]}
  wheel: {mass: 0.5, inertia: "disc(0.5, 0.2, axis='y')", about: com}
joints:
  slide: {type: prismatic, parent: ground, child: block, axis: y, frame: tilted}
  swing: {type: revolute, parent: block, child: arm, at: [0, 0, 0.1], axis: [1, 0, 0], coordinates: swing}
  spin: {type: revolute, parent: arm, child: wheel, at: [0, 0, -0.6], axis: y, coordinates: "2*swing + 0.1"}
points:
  hook: {at: [0, -1, 0]}
  eye: {body: block, at: [0, 0, 0.2]}
loads:
  coil: {type: spring, p: hook, q: eye, stiffness: k, length: 0.8, damping: c}
  blow: {type: force, body: arm, components: [0, wind, 0], at: [0, 0, -0.5]}
  twist: {type: moment, body: arm, components: [0.1, 0, 0], by: block}
  hinge: {type: torsion-spring, coordinate: swing, stiffness: 2, rest: 0.1}
  rub: {type: friction, coordinate: block.distance, level: 0.3}
  push: {type: effort, coordinate: block.distance, effort: "-c*rate(block.distance) + maximum(0, sin(t))"}
  pull: {type: damper, p: origin, q: eye, damping: 0.1}
"""


def everything_in_python():
    s = bl.System("everything")
    k, c = s.parameters(k=30.0, c=0.2)
    wind = s.input("wind", 0.5, "N")
    t = s.time
    tilted = s.base("tilted", axis="x", angle=bl.deg(30))
    block = s.body("block", mass=2, inertia=[0.1, 0.2, 0.3])
    arm = s.body("arm", mass=1, com=[0, 0, -0.3], inertia=np.diag([0.1, 0.1, 0.01]).tolist())
    wheel = s.body("wheel", mass=0.5, inertia=bl.disc(0.5, 0.2, axis="y"))
    s.prismatic(s.ground, block, axis="y", frame=tilted)
    s.revolute(block, arm, at=[0, 0, 0.1], axis=[1, 0, 0], coordinates="swing")
    swing, x = (s.coordinates_by_name[name].symbols.position for name in ("swing", "block.distance"))
    s.revolute(arm, wheel, at=[0, 0, -0.6], axis="y", coordinates=[2 * swing + 0.1])
    hook, eye = s.point("hook", r=[0, -1, 0]), block.point([0, 0, 0.2])
    s.spring(hook, eye, k, 0.8, c)
    s.force(arm, [0, wind, 0], at=[0, 0, -0.5])
    s.moment(arm, [0.1, 0, 0], by=block)
    s.torsion_spring(swing, 2, 0.1)
    s.effort(x, bl.coulomb(x.dt(), 0.3))
    s.effort(x, -c * x.dt() + bl.maximum(bl.sin(t), 0))
    s.damper(s.origin, eye, 0.1)
    s.gravity([0, 0, -9.81])
    return s.model()


def test_a_four_bar_is_that_of_python(tmp_path):
    path = tmp_path / "rig.toml"
    path.write_text(FOUR_BAR)
    model, own = read(path).model(), bl.mechanisms.four_bar().model()
    one, other = bl.assemble(model, crank=1.2), bl.assemble(own, crank=1.2)
    assert np.abs(one.value("ddq").ddq - other.value("ddq").ddq).max() < 1e-12
    assert model.inputs[0].name == "torque"
    assert (model.parameters[0].unit, model.parameters[0].note) == ("m/s2", "free fall")
    assert model.placements[0].value == np.pi / 2


def test_yaml_says_all_that_python_says():
    model, own = described(parsed(EVERYTHING, "yaml")).model(), everything_in_python()
    assert [c.name for c in model.placements] == [c.name for c in own.placements]
    rng = np.random.default_rng(3)
    for _ in range(3):
        q, dq = rng.normal(size=(2, 2))
        states = [bl.State(m, q, dq, 0.7, m.p, np.array([1.5])) for m in (model, own)]
        values = [state.value("ddq") for state in states]
        assert np.abs(values[0] - values[1]).max() < 1e-10


def test_drives_constraints_and_distances():
    text = FOUR_BAR.replace("[loops.loop]", '[loops.loop]\ntype = "distance"\nlength = 0.01') + (
        '\n[drives]\ncrank = "1.5 + 2*t"\n[constraints]\neven = ["coupler + 2*rocker - 3"]\n'
    )
    model = described(parsed(text, "toml")).model()
    assert len(model.phi) == 3
    value = model.functions["Phi"].evaluate(
        q=np.array([2.0, 1.0, 1.0]), t=0.25, **({"p": model.p} if len(model.p) else {})
    )
    assert np.abs(sorted(np.abs(value))[:2]).max() < 1e-12


TEN = """biela = 1
name = "bad"
gravty = [0, 0, -9.81]

[parameters]
l = "2*q"
m = { value = 1.0, units = "kg" }

[bodies]
rod = { mass = "m", com = ["l/2", 0], inertia = "rod(m, l" }
tip = { mass = "mm", inertia = "rodd(m, l)" }

[joints]
a = { type = "revolut", parent = "ground", child = "rod" }
b = { type = "revolute", parent = "rodd", child = "tip" }
c = { type = "revolute", parent = "rod" }

[loads]
d = { type = "spring", p = "origin", q = "tipp", stiffness = true }
"""
FAULTS = (
    (3, "unknown key 'gravty'. Did you mean 'gravity'?"),
    (6, "unknown name 'q'"),
    (7, "unknown key 'units'. Did you mean 'unit'?"),
    (10, "'com' is three numbers"),
    (10, "'rod(m, l' is no expression"),
    (11, "unknown name 'mm'. Did you mean 'm'?"),
    (11, "unknown function 'rodd'. Did you mean 'rod'?"),
    (14, "got 'revolut'. Did you mean 'revolute'?"),
    (15, "no body 'rodd'. Did you mean 'rod'?"),
    (16, "'child' is missing"),
    (19, "no point 'tipp'. Did you mean 'tip'?"),
    (19, "'stiffness' is a number or an expression in quotes; got True"),
)


@pytest.mark.parametrize("kind", ["toml", "yaml"])
def test_all_mistakes_are_told_with_their_lines(kind):
    text = TEN if kind == "toml" else as_yaml(TEN)
    with pytest.raises(DescriptionError) as told:
        described(parsed(text, kind, "bad.toml"))
    lines = str(told.value).splitlines()
    assert lines[0] == f"bad.toml has {len(FAULTS)} faults:"
    for line, words in FAULTS:
        assert any(row.startswith(f"  line {line}: ") and words in row for row in lines), (words, lines)


def as_yaml(text):
    """Every line of the TOML on its line of YAML."""
    rows = []
    for line in text.splitlines():
        if line.startswith("["):
            rows.append(f"{line.strip('[]')}:")
            continue
        indent = "  " if any(row.endswith(":") and not row.startswith(" ") for row in rows) else ""
        key, sep, value = line.partition(" = ")
        rows.append(f"{indent}{key}: {value.replace(' = ', ': ')}" if sep else "")
    return "\n".join(rows)


def test_what_only_the_whole_shows_is_told_too():
    text = FOUR_BAR.replace('C = { type = "revolute", parent = "ground", child = "rocker"', 'C = { type = '
                            '"revolute", parent = "ground", child = "crank"')  # fmt: skip
    with pytest.raises(DescriptionError, match="fault") as told:
        described(parsed(text, "toml"))
    assert any(row.startswith("line ") for row in told.value.faults)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("biela = 1\nname = ", "no TOML"),
        ("biela = 1\nbiela = 2", "no TOML"),
        ("a = " + "[" * 5000, "no TOML|too deep"),
        ("biela = 2\nname = 'a'", "'biela' is the number 1; got 2"),
        ("name = 'a'", "'biela' is missing"),
        ("biela = 1\nname = 'a b'", "no name of a mechanism"),
        ("biela = 1\nname = 'a'\nbodies = 3", "table of entries by name; got 3"),
        ("biela = 1\nname = 'a'\n[parameters]\na = nan", "got nan"),
        ("biela = 1\nname = 'a'\n[parameters]\n'x-y' = 1", "'x-y' is no name"),
        ("biela = 1\nname = 'a'\n[bodies]\nb = 3", "expected a table of keys; got 3"),
        ("biela = 1\nname = 'a'\n[loads]\nb = {}", "no type is given: spring"),
        ("biela = 1\nname = 'a'\n[drives]\nb = 't'", "no coordinate 'b'"),
    ],
)
def test_broken_toml_is_told(text, words):
    with pytest.raises(DescriptionError, match=words):
        described(parsed(text, "toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x [1]\nb: *x", "line 2: aliases are refused"),
        ("a: 1\nb: 2\na: 3", "line 3: 'a' is there already, on line 1"),
        ("a: !!python/object/apply:os.system ['true']", "line 1: a tag 'tag:yaml.org,2002:python"),
        ("- 1", "no mapping"),
        ("a: [", "no YAML"),
        ("a: " + "[" * 100 + "]" * 100, "nests too deep"),
    ],
)
def test_hostile_and_broken_yaml_is_told(text, words):
    with pytest.raises(DescriptionError, match=words):
        parsed(text, "yaml")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "x.__class__", "[1, 2]", "(lambda: 1)()", "'a'", "f'{x}'", "x if x else 1",
        "x[0]",
        "open('a')", "9**9**9**9", "(-1)**0.5", "1/0", "log(-1)", "x and x", "x == 1", "print", "sin(1, 2)",
        "((((" * 300, "-" * 3000 + "1", "1" * 200_000, "x\ny", "", "rod(1, 2)", "import os", "y := 3",
        "True + 1j",
    ],
)  # fmt: skip
def test_formulas_run_nothing(text):
    x = bl.Graph().symbol("x")
    with pytest.raises(FormulaError):
        formula(text, {"x": x})


def test_formulas_have_values():
    g = bl.Graph()
    x, y = g.symbols("x leg.y")
    names = {"x": x, "leg.y": y}
    assert formula("-x**2 + leg.y/2 - +3", names) == -(x**2) + y / 2 - 3
    assert formula("where(x < 1, sin(x), abs(leg.y))", names) == bl.where(x < 1, bl.sin(x), abs(y))
    assert formula("deg(180) + 2*pi - atan(0)", {}) == 3 * np.pi
    assert formula("minimum(x, 2) + maximum(1, 3)", names) == bl.minimum(x, 2) + 3
    assert formula("sign(-2) + floor(1.5) + exp(0)", {}) == 1.0


def test_the_schema_is_published_and_takes_the_examples():
    jsonschema = pytest.importorskip("jsonschema")
    published = Path(__file__).parents[2] / "docs" / "_static" / "description.schema.json"
    assert json.loads(published.read_text()) == schema()
    validator = jsonschema.Draft202012Validator(schema())
    jsonschema.Draft202012Validator.check_schema(schema())
    for text, kind in ((FOUR_BAR, "toml"), (EVERYTHING, "yaml")):
        assert list(validator.iter_errors(parsed(text, kind).data)) == []
    errors = list(validator.iter_errors(parsed(TEN, "toml").data))
    bad = {error.absolute_path[0] for error in errors if error.absolute_path}
    assert {"parameters", "bodies", "joints", "loads"} == bad


def test_every_section_and_load_is_read():
    """A row of the table that nothing reads would pass silently."""
    have = set(parsed(EVERYTHING, "yaml").data) | set(parsed(FOUR_BAR, "toml").data)
    assert set(SECTIONS) <= have | {"drives", "constraints"}
    used = {load["type"] for load in parsed(EVERYTHING, "yaml").data["loads"].values()}
    assert set(LOADS) <= used | {"motor", "actuator"}


def test_a_base_that_comes_later_is_told():
    bases = 'a = { parent = "b", axis = "x", angle = 1 }\nb = { axis = "y", angle = 1 }'
    with pytest.raises(DescriptionError, match="line 4: bases 'a': 'b' has a fault, or comes later"):
        described(parsed(f"biela = 1\nname = 'a'\n[bases]\n{bases}", "toml"))


ODD = [
    None, True, -1, 1e308, 10**400, float("nan"), "", "t", "crank", "sin(t)", "1/0", "rod(1, 2)", "revolute",
    "weld", "free", "origin", "block.distance", "9**99", "a.b", [], [1, 2], [1, 2, 3], [[1, 2, 3]] * 3, {},
    {"body": "crank"}, {"a": 1},
]  # fmt: skip


def places(data, at=()):
    rows = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in rows:
        yield (*at, key)
        yield from places(value, (*at, key))


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_wrong_is_a_fault(seed):
    """One odd value anywhere: a system, or a fault that is told; never another error."""
    draw = random.Random(seed)
    outcomes = set()
    for _ in range(150):
        data = parsed(EVERYTHING, "yaml").data if draw.random() < 0.5 else parsed(FOUR_BAR, "toml").data
        *above, last = draw.choice(list(places(data)))
        inner = data
        for key in above:
            inner = inner[key]
        inner[last] = copy.deepcopy(draw.choice(ODD))
        try:
            described(Document("odd", data))
            outcomes.add("read")
        except DescriptionError:
            outcomes.add("told")
    assert outcomes == {"read", "told"}


def test_other_files_are_told(tmp_path):
    with pytest.raises(ValueError, match=r"read from .toml, .yaml, .yml, .urdf, .xml; got 'a.txt'"):
        read("a.txt")
    with pytest.raises(ValueError, match=r"no file 'a.toml'"):
        read("a.toml")
