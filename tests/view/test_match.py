"""Matches as scenes, motions and pages: everything is where the engine had it, and the referee is heard."""

import dataclasses
import io

import numpy as np
import pytest
from browser import Browser

import biela as bl
from biela.arena.preset.sumbot import scene as annex
from biela.arena.recording import Recorder
from biela.view.match import of_match
from biela.view.motion import matrices
from biela.view.pitch import PAINTS, TEAMS

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def sumo():
    return bl.arena.sumo("mini", left="charge", right="orbiter", seed=7).play()


@pytest.fixture(scope="module")
def football():
    rules = bl.arena.FootballRules(half=2.0)
    return bl.arena.football("vsss-3v3", left="roles", right="swarm", seed=1, rules=rules).play()


def column(match, entity, body):
    return 1 + match.motion.scene.moving.index((entity, body))


def test_robots_are_where_they_were_recorded_during_the_match(sumo):
    """The record was made while the match was played; the motion, when it was run again."""
    match = of_match(sumo.replay, rate=50.0)
    for side in ("left", "right"):
        k = column(match, side, "shell")
        for axis, name in enumerate("xyz"):
            told = np.interp(match.motion.t, sumo.record.t, sumo.record[f"{side}.{name}"])
            placed = np.abs(np.gradient(told)) > 0.05  # between two rounds they are put elsewhere
            off = np.abs(match.motion.places[:, 0, k, axis] - told)[~placed]
            assert off.max() < 0.01  # half of what it drives between two rows
            assert np.median(off) < 2e-4
    assert len(match.motion.t) == pytest.approx(50 * sumo.record.t[-1], abs=2)


def test_what_is_tied_to_a_robot_is_drawn_where_the_engine_has_it(sumo):
    frames = list(sumo.replay.frames(10.0))
    match = of_match(sumo.replay, rate=10.0)
    entity = sumo.replay.kernel().scene.entity["left"]
    shell = column(match, "left", "shell")
    tied = [s for s in match.motion.scene.shapes if s["places"] == [shell] and "points" in s]
    blade = next(s for s in tied if s["color"] != PAINTS["number"])
    wedge = np.array(entity.body["blade"].points)
    for k in (0, len(frames) // 2, len(frames) - 1):
        place, turn = frames[k].bodies["left"]["blade"]
        wanted = np.array(place) + wedge @ matrices(np.array(turn)).T
        R = matrices(match.motion.turns[k, 0, shell].astype(float))
        drawn = match.motion.places[k, 0, shell] + np.array(blade["points"]) @ R.T
        nearest = np.linalg.norm(drawn[:, None] - wanted[None], axis=-1).min(axis=0)
        assert nearest.max() < 1e-4


def test_the_referee_is_told(sumo, football):
    for result in (sumo, football):
        match = of_match(result.replay)
        assert [(m["t"], m["text"]) for m in match.marks] == result.events
        rows = match.board["rows"]
        assert tuple(rows[-1][2:4]) == result.score
        assert rows[-1][1] == "end"
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_a_field_has_its_lines_goals_and_teams(football):
    match = of_match(football.replay)
    shapes = match.motion.scene.shapes
    lines = np.array(next(s for s in shapes if s["name"] == "line")["points"])
    assert np.ptp(lines, axis=0)[:2] == pytest.approx([1.5, 1.3], abs=0.01)
    goals = [np.array(s["points"])[:, 0].mean() for s in shapes if s["name"].startswith("goal")]
    assert goals[0] < -0.75 < 0.75 < goals[1]
    shells = {s["name"]: s["color"] for s in shapes if s.get("form") == "box"}
    assert {shells[f"{side}0"] for side in TEAMS} == set(TEAMS.values())
    assert match.stage.half[0] > 0.85
    assert match.stage.moving == (column(match, "ball", "ball"),)


def test_curves_agree_with_the_motion(football):
    match = of_match(football.replay, rate=180.0)
    ball = match.motion.places[:, 0, column(match, "ball", "ball")].astype(float)
    keeper = match.motion.places[:, 0, column(match, "left0", "shell")].astype(float)
    apart = np.hypot(*(ball - keeper)[:, :2].T)
    assert match.record["left0 to ball"] == pytest.approx(apart, abs=1e-6)
    way = np.hypot(*np.diff(ball[:, :2], axis=0).T) / np.diff(match.motion.t)
    speed = match.record["ball.speed"]
    assert np.median(np.abs(way - (speed[1:] + speed[:-1]) / 2)) < 0.01
    assert match.record.units["ball.speed"] == "m/s"


@pytest.mark.parametrize("backend", ["pymunk", "flat"])
def test_planar_engines_are_drawn_whole(backend):
    result = bl.arena.sumo("mini", backend=backend, seed=2).play(1.0)
    match = of_match(result.replay, rate=20.0)
    assert np.isfinite(match.motion.places).all()
    assert {s["name"] for s in match.motion.scene.shapes} >= {"left", "right", "border"}


def test_any_scene_of_robots():
    """One that no field is known of: the robot of the source on its floor."""
    kernel = bl.arena.Kernel(annex("annex"), step=0.01)
    recorder = Recorder(kernel)
    for _ in range(50):
        kernel.iterate()
        recorder.look()
    match = of_match(recorder.done())
    assert match.marks == match.board["rows"] == []
    assert match.stage.size > 0.1


def test_few_frames_of_long_matches(sumo, monkeypatch):
    monkeypatch.setattr("biela.view.match.NUMBERS", 20_000)
    match = of_match(sumo.replay)
    assert 100 < match.motion.places.size + match.motion.turns.size < 30_000


def test_what_cannot_be_replayed(sumo, tmp_path):
    with pytest.raises(TypeError, match="got a str"):
        bl.view.replay("match.replay", tmp_path / "x.html")
    empty = dataclasses.replace(sumo.replay, last=0)
    with pytest.raises(ValueError, match="ends where it begins"):
        bl.view.replay(empty, tmp_path / "x.html")
    with pytest.raises(KeyError, match="sped"):
        bl.view.replay(sumo, tmp_path / "x.html", columns=["left.sped"])
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def pages(sumo, football, tmp_path_factory):
    folder = tmp_path_factory.mktemp("matches")
    both = {"sumo": sumo, "football": football.replay}
    return {name: bl.view.replay(match, folder / f"{name}.html") for name, match in both.items()}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    opened.size(900, 600)
    yield opened
    opened.close()


def pixels(png):
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png))
    return np.asarray(image.convert("RGB")).astype(int)


def share(png, color):
    """How much of a picture has nearly the hue of a colour."""
    wanted = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)], float)
    image = pixels(png).astype(float)
    bright = image.sum(axis=-1, keepdims=True) / wanted.sum()
    return float(((np.abs(image - bright * wanted).max(axis=-1) < 25) & (bright[..., 0] > 0.4)).mean())


@pytest.mark.parametrize("wish", ["", "&flat"])
@pytest.mark.parametrize("name", ["sumo", "football"])
def test_a_page_shows_the_match(browser, pages, name, wish):
    browser.open(pages[name], "#t=1&light&view=top" + wish)
    first = browser.picture("#scene")
    assert min(share(first, TEAMS[side]) for side in TEAMS) > 0.002
    assert (share(first, PAINTS["ball"]) > 1e-4) == (name == "football")
    browser.press("End")
    last = browser.picture("#scene")
    assert (np.abs(pixels(first) - pixels(last)).max(axis=-1) > 24).mean() > 0.002
    assert browser.complaints() == []
    assert browser.requests() == []


def test_the_score_is_told_and_marks_lead_to_decisions(browser, pages, sumo):
    browser.open(pages["sumo"], "#t=0&light")
    told = "document.querySelector('#board').innerText.replaceAll(/\\s+/g, ' ')"
    assert browser.ask(told).startswith("left 0 : 0 right hold 0.0 s")
    assert browser.ask("document.querySelectorAll('#marks button').length") == len(sumo.events)
    at, text = sumo.events[0]
    browser.drag(browser.middle("#marks button"))
    assert browser.ask("replay.clock.t") == pytest.approx(at - 1.5)
    browser.press("n")
    assert browser.ask("replay.clock.t") == pytest.approx(at)
    assert browser.ask("document.querySelector('#decision').textContent") == text
    browser.press("End")
    assert browser.ask(told).startswith("left 2 : 0 right")
    browser.press("p")
    assert browser.ask("replay.clock.t") == pytest.approx(sumo.events[0][0])


def test_the_camera_follows_the_ball(browser, pages):
    browser.open(pages["football"], "#t=0.5&light")
    browser.press("End")
    still = browser.ask("replay.eye.offset")
    browser.press("l")
    assert still == [0, 0, 0]
    way = "replay.stage.moving.flatMap((k) => replay.motions[0].place(0, k))"
    ball, begin = browser.ask(way), browser.ask("replay.stage.middle")
    assert browser.ask("replay.eye.offset") == pytest.approx(np.subtract(ball, begin).tolist(), abs=1e-5)
