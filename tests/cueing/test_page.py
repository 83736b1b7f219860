"""The page of a tuning: all of its numbers, nothing from elsewhere, no text that could be a tag."""

import re
from xml.etree import ElementTree

import pytest

from biela.cueing import WASHOUTS, ClassicalWashout, Ride, Simulator, drive, felt, pareto, report, tune

ROWS = drive.town(10.0)
OVER = {"tilt.rate": (0.01, 0.3), "sway.gain": (0.2, 1.0)}


@pytest.fixture(scope="module")
def tuned():
    return tune(
        Ride.on(Simulator.source_002(), ClassicalWashout.preset("delft")), ROWS, OVER, size=8, budget=40
    )


@pytest.fixture(scope="module")
def page(tuned, tmp_path_factory):
    return report(tmp_path_factory.mktemp("page") / "tuned.html", tuned, ROWS).read_text()


def test_the_page_says_what_was_found(tuned, tmp_path):
    front = pareto(tuned.start, ROWS, OVER, size=8, budget=40)
    text = report(
        tmp_path / "out" / "tuned.html", tuned, ROWS, front=front, title="A <town> & more"
    ).read_text()
    assert "<h1>A &lt;town&gt; &amp; more</h1>" in text
    for name, value in tuned.values.items():
        assert f"<td>{name}</td><td>{tuned.start.washout.values[name]:.4g}</td><td>{value:.4g}</td>" in text
    assert f"{tuned.before:.4g} before, <b>{tuned.cost:.4g}</b> now" in text
    assert f"<td>fx</td><td>{felt(tuned.start, ROWS).errors['fx']:.2f}</td>" in text
    assert text.count("<svg") == 5
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["tuned.html"]


def test_the_page_needs_nothing_else(page):
    assert "<script" not in page
    assert not re.findall(r"<(?:img|link|iframe|object)\b", page)
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert all(link.startswith(("#", "data:")) for link in links)
    for drawn in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(drawn)


def test_the_same_tuning_gives_the_same_page(tuned, page, tmp_path):
    assert report(tmp_path / "again.html", tuned, ROWS).read_text() == page


def test_a_washout_that_looks_ahead_has_no_chart(tmp_path):
    washout = WASHOUTS["predictive"].preset("begin", ahead="oracle", stages=3, length=0.6, iterations=1)
    ride = Ride.on(Simulator.source_002(), washout)
    rows = drive.town(2.0)
    text = report(
        tmp_path / "tuned.html", tune(ride, rows, ["surge.gain"], size=4, budget=4), rows
    ).read_text()
    assert "Sinacori" not in text
