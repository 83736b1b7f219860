"""Pictures: what is drawn, in which order, and that the gallery has one of every mechanism."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import biela as bl
from biela.simulate import Simulation, assemble
from biela.view import picture
from biela.view.motion import of_state
from biela.view.painting import Eye, painted, rounded
from biela.view.stage import set_for

GALLERY = Path(__file__).parents[2] / "docs" / "_static" / "gallery"
DRAWN = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def model():
    return bl.mechanisms.four_bar().model()


def outlines_of(state, view="front", size=(480, 320)):
    motion = of_state(state)
    stage = set_for([motion])
    return painted(motion, stage, Eye(stage, view, *size))


def test_the_gallery_has_every_mechanism_and_small():
    files = {path.stem: path for path in GALLERY.glob("*.svg")}
    assert sorted(files) == sorted(bl.mechanisms.MECHANISMS)
    assert [name for name, path in files.items() if path.stat().st_size > 30_000] == []


@pytest.mark.parametrize("name", ["four_bar", "stewart", "car_axis"])
def test_a_picture_is_svg_within_its_edges(name, tmp_path):
    path = picture(getattr(bl.mechanisms, name)().model(), tmp_path / "x.svg", size=(400, 300))
    root = ElementTree.parse(path).getroot()
    assert root.find(f"{DRAWN}title").text == name
    solid = list(root.iter(f"{DRAWN}polygon"))
    points = [float(x) for e in solid for x in re.split("[ ,]", e.get("points"))]
    assert solid
    assert min(points) > 0
    assert max(points[::2]) < 400
    assert max(points[1::2]) < 300


def test_places_on_paper_are_similar_to_those_in_the_plane(model):
    start = assemble(model)
    stage = set_for([of_state(start)])
    eye = Eye(stage, "front", 480, 320)
    places = np.asarray(start.value("frames").places)
    (paper, depth) = eye(places)
    assert np.ptp(depth) < 1e-9 * depth.max()
    scale = np.linalg.norm(paper[1] - paper[2]) / np.linalg.norm(places[1] - places[2])
    assert np.abs((paper - paper[0]) * [1, -1] - scale * (places - places[0])[:, :2]).max() < 1e-9 * scale


def test_what_is_near_is_drawn_last():
    s = bl.System("two")
    for name, y, color in (("far", 2.0, "#ff0000"), ("near", -2.0, "#0000ff")):
        body = s.body(name, mass=1.0)
        s.prismatic(s.ground, body, at=[0, y, y / 4], axis="x")
        s.draw(bl.Solid("sphere", body.origin, body.base, (1.0,), color=color))
    fills = [outline.fill for outline in outlines_of(assemble(s.model())) if outline.fill]
    assert fills == ["#ff0000", "#0000ff"]


def test_a_record_shows_where_a_trace_has_been(model, tmp_path):
    run = Simulation(model, dt=1e-3).run(assemble(model), 0.5)
    ways = [
        max(
            len(e.get("points").split())
            for e in ElementTree.parse(picture(of, tmp_path / "x.svg")).iter(f"{DRAWN}polyline")
        )
        for of in (run, run.state())
    ]
    assert ways[0] > 100 > ways[1]


def test_png_is_drawn_by_matplotlib(model, tmp_path):
    image = pytest.importorskip("matplotlib.image")
    pixels = image.imread(picture(model, tmp_path / "x.png", view="iso", size=(200, 150)))
    assert pixels.shape[:2] == (300, 400)
    assert (np.ptp(pixels[..., :3], axis=-1) > 0.2).mean() > 0.02


def test_round_lengths():
    assert [rounded(x) for x in (0.9, 1.0, 3.0, 49.0, 0.02)] == pytest.approx([0.5, 1.0, 2.0, 20.0, 0.02])


@pytest.mark.parametrize(
    ("path", "options", "told"),
    [
        ("x.jpg", {}, r"an \.svg or a \.png file; got '\.jpg'"),
        ("x.svg", {"view": "back"}, "Unknown view 'back'"),
    ],
)
def test_pictures_that_cannot_be(model, tmp_path, path, options, told):
    with pytest.raises(ValueError, match=told):
        picture(model, tmp_path / path, **options)
