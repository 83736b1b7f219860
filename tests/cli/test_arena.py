"""`biela arena` in this process: matches, strategies that go wrong, recordings, leagues, and wrong calls."""

import signal
import threading
from pathlib import Path

import numpy as np
import pytest

from biela import arena
from biela.arena.learning.evolution import Evolution, Generation
from biela.cli import playing
from biela.simulate import Record

pytest.importorskip("mujoco")

GOOD = '''
from biela import arena

class Pusher(arena.Strategy):
    """Straight ahead."""

    def act(self, view):
        return view.drive(view.top_speed, 0.0)
'''
RAISES = """
def act(view):
    here = view.me
    return here.nothing
"""


def test_a_match_of_two_baselines(biela):
    found = biela(
        "arena",
        "run",
        "sumo",
        "--agents",
        "charge",
        "orbit",
        "-o",
        "m.replay",
        "-o",
        "m.csv",
        "--replay",
        "m.html",
    )
    assert found.code == 0, found.err
    told = arena.sumo("mini", left="charge", right="orbiter", seed=0).play()
    for moment, text in told.events:
        assert f"{moment:8.2f} s  {text}" in found.out
    assert f"charge {told.score[0]} : {told.score[1]} orbiter" in found.out
    assert Path("m.html").stat().st_size > 500_000
    assert arena.Replay.load("m.replay").notes["players"] == ["charge", "orbiter"]
    assert Path("m.csv").read_text().startswith("t [s],")


def test_json_has_the_same_whatever_the_wall_clock(biela):
    words = (
        "arena",
        "run",
        "sumo-mini",
        "charge",
        "searcher",
        "--seed",
        "3",
        "--points",
        "1",
        "--json",
    )
    one, other = biela(*words).data, biela(*words).data
    for data in (one, other):
        assert data.pop("wall") > 0
    assert one == other
    assert one["over"]
    assert max(one["score"]) == 1
    assert one["engine"] == "mujoco"
    assert one["faults"] == {"left": [], "right": []}


def test_football_for_a_while(biela):
    found = biela(
        "arena",
        "run",
        "vsss-5v5",
        "--for",
        "1.5s",
        "--size",
        "2",
        "--robots",
        "travesim",
        "-o",
        "m.npz",
        "--json",
    )
    data = found.data
    assert data["players"] == ["roles", "swarm"]
    assert not data["over"]
    assert data["seconds"] == pytest.approx(1.5, abs=0.02)
    record = Record.load("m.npz")
    assert {"left0.x", "left1.x", "right1.heading", "ball.y", "score.left"} <= set(record)
    assert "left2.x" not in record
    assert (record.t[1:] > record.t[:-1]).all()


def test_strategies_of_files(biela):
    Path("good.py").write_text(GOOD)
    Path("raises.py").write_text(RAISES)
    found = biela("arena", "run", "sumo", "good.py", "raises.py", "--for", "7s")
    assert found.code == 0, found.err
    assert "good.py 0 : 0 raises.py" in found.out or "good.py 1 : 0 raises.py" in found.out
    assert "fault of right, raises.py: t=" in found.out
    assert "raises.py, line 4: AttributeError: 'Thing' object has no attribute 'nothing'" in found.out
    assert "... and 15 more" in found.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("return None", "act returned None for 'left'; (left, right) in rad/s is wanted"),
        ("return (1, 2, 3)", "act returned (1, 2, 3) for 'left'"),
        ("return 'ab'", "act returned 'ab' for 'left'"),
        ("return (float('nan'), 1)", "speeds of 'left' are (nan, 1.0)"),
        ("return {'lefty': (1, 1)}", "act drives 'lefty'; its robots are left."),
        ("return view.drive('fast', 0)", "mine.py, line 2: TypeError"),
    ],
)
def test_what_a_strategy_returns_wrongly_is_told(biela, text, told):
    Path("mine.py").write_text(f"def act(view):\n    {text}\n")
    data = biela("arena", "run", "sumo", "mine.py", "still", "--for", "5.1s", "--json").data
    assert told in data["faults"]["left"][0]
    assert data["faults"]["right"] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def act(view:\n", "mine.py, line 1: "),
        ("x = 1\ny = 1 / 0\n", "mine.py, line 2: ZeroDivisionError: division by zero."),
        (
            "class Mine:\n    pass\n",
            "no subclass of Strategy and no function act(view). It has Mine: derive from",
        ),
        (GOOD + GOOD.replace("Pusher", "Puller"), "mine.py has 2 strategies: Pusher, Puller."),
        (
            GOOD + "    def __init__(self, gain):\n        pass\n",
            "Strategy Pusher cannot be made: TypeError: ",
        ),
        ("", "mine.py has no subclass of Strategy and no function act(view)."),
    ],
)
def test_files_that_hold_no_strategy(biela, text, told):
    Path("mine.py").write_text(text)
    found = biela("arena", "run", "sumo", "mine.py", "still")
    assert (found.code, found.out) == (1, "")
    assert told in found.err
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "sumoo"), "Did you mean 'sumo'?"),
        (("run", "sumo", "chrage", "still"), "There is no strategy 'chrage'. Known: anchor, charge"),
        (("run", "sumo", "s", "still"), "There is no strategy 's'."),
        (("run", "sumo", "nowhere.py", "still"), "There is no file 'nowhere.py'"),
        (("run", "sumo", "charge"), "A match has two players; got 1: charge."),
        (("run", "sumo", "charge", "still", "--agents", "still", "still"), "got 4"),
        (("run", "sumo", "--engine", "mujco"), "Did you mean 'mujoco'?"),
        (("run", "sumo", "--robots", "rsim"), "no robot of this game 'rsim'"),
        (("run", "sumo", "--half", "3s"), "--half is no option of sumo."),
        (("run", "football", "--points", "3"), "--points is no option of football."),
        (("run", "sumo", "-o", "x.zip"), "--output x.zip: expected .replay, .npz"),
        (("run", "sumo", "--replay", "x.gif"), "--replay x.gif: expected .html"),
        (("run", "sumo", "--film", "x.mp4"), "--film x.mp4: expected .gif, .webp"),
        (("run", "sumo", "--film", "x.gif", "--view", "left"), "no view 'left'"),
        (("league", "sumo", "charge"), "two or more players of different names"),
        (("league", "sumo", "charge", "charge"), "of different names"),
        (("evolve", "ssl-a"), "nothing to learn in for 'ssl-a'"),
        (("evolve", "sumo", "-o", "x.json"), "expected .py"),
        (("serve", "sumo", "--port", "99999"), "'99999' is no port"),
        (("serve", "none.toml"), "There is no file 'none.toml'."),
    ],
)
def test_wrong_calls(biela, words, told):
    found = biela("arena", *words)
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    assert not list(Path().iterdir())


def test_ctrl_c_leaves_whole_files(biela):
    """It is pressed while the second half second is played; what was played is written."""
    pressed = []

    def press(view):
        if not pressed and view.time > 5.5:
            pressed.append(view.time)
            signal.raise_signal(signal.SIGINT)
        return 0.0, 0.0

    original = playing.player_of
    try:
        playing.player_of = lambda given: press if given == "still" else original(given)
        found = biela("arena", "run", "sumo", "still", "charge", "-o", "m.replay", "--json")
    finally:
        playing.player_of = original
    assert found.code == 130
    assert "stopping; Ctrl-C again" in found.err
    assert found.data["over"] is False
    assert found.data["seconds"] < 6.6
    assert arena.Replay.load("m.replay").differences() == []


def test_the_second_ctrl_c_ends_at_once():
    before = signal.getsignal(signal.SIGINT)
    said = []
    with playing.Stop(said.append) as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert len(said) == 1
    assert signal.getsignal(signal.SIGINT) is before


def test_a_recording_is_told_checked_and_filmed(biela):
    biela("arena", "run", "sumo-micro", "--for", "2s", "-o", "m.replay")
    found = biela("arena", "replay", "m.replay", "--check", "-o", "m.csv", "--replay", "m.html")
    assert found.code == 0, found.err
    assert "sumo micro: charge 0 : 0 orbiter after 2.0 s on mujoco" in found.out
    assert "kept states repeat bit for bit" in found.out
    head = Path("m.csv").read_text().splitlines()[0]
    assert "left.x [m]" in head
    assert Path("m.html").exists()


def test_recordings_that_are_none_or_do_not_repeat(biela):
    assert "nothing.replay" in biela("arena", "replay", "nothing.replay").err
    Path("bad.replay").write_text('{"format": "biela.arena rep')
    found = biela("arena", "replay", "bad.replay")
    assert found.code == 1
    assert "bad.replay is truncated" in found.err
    biela("arena", "run", "sumo", "--for", "1s", "-o", "m.replay")
    replay = arena.Replay.load("m.replay")
    replay.keyframes[200] = "0" * 64
    replay.save("m.replay")
    found = biela("arena", "replay", "m.replay", "--check")
    assert found.code == 1
    assert "kept states differ, the first at iteration 200" in found.err


def test_watching_without_a_screen_keeps_the_pace(biela):
    found = biela(
        "arena", "watch", "sumo", "still", "still", "--headless", "--pace", "200", "--for", "6s", "--json"
    )
    assert found.code == 0, found.err
    assert found.data["seconds"] == pytest.approx(6.0, abs=0.02)


def test_a_league_goes_on_where_it_ended(biela):
    words = (
        "arena",
        "league",
        "sumo",
        "charge",
        "orbiter",
        "--matches",
        "1",
        "--log",
        "l.json",
        "--json",
    )
    first = biela(*words).data
    assert len(first["results"]) == 2
    assert sum(rating["rating"] for rating in first["ratings"].values()) == pytest.approx(3000)
    before = Path("l.json").stat().st_mtime_ns
    assert biela(*words).data == first
    assert Path("l.json").stat().st_mtime_ns == before
    other = biela(*words[:4], "still", *words[5:])
    assert other.code == 1
    assert "is wanted" in other.err


@pytest.mark.study
def test_evolving_for_a_moment(biela, monkeypatch):
    monkeypatch.setattr("biela.cli.command.arena.evolve.JUDGED", 2)
    short = ("--generations", "1", "--episodes", "1", "--for", "1s")
    data = biela("arena", "evolve", "sumo-mini", *short, "-o", "fit.py", "--json").data
    assert data["evaluations"] == 9
    assert len(data["numbers"]) == 6
    assert Path("fit.py").exists()


def test_what_was_evolved_plays(biela, monkeypatch):
    """The search itself is another test's; here its end is known."""
    numbers = np.array(arena.Wrestler.START) + 0.01

    def search(score, start, *, told, **more):
        told(Generation(0.5, 0.25, numbers))
        return Evolution(numbers, [], 9)

    monkeypatch.setattr("biela.arena.learning.evolution.evolve", search)
    monkeypatch.setattr(arena.Fitness, "__call__", lambda self, numbers, seeds: float(numbers.sum()))
    found = biela("arena", "evolve", "sumo", "-o", "fit.py", "--json")
    assert found.data["now"] - found.data["before"] == pytest.approx(0.06)
    assert found.data["numbers"]["push"] == pytest.approx(0.31)
    assert "[0.31, 0.31, 0.01, 0.01, 0.11, 0.21]" in Path("fit.py").read_text()
    played = biela("arena", "run", "sumo-mini", "fit.py", "still", "--for", "5.2s", "--json").data
    assert played["faults"]["left"] == []


def test_the_tables_of_the_source(biela):
    found = biela("arena", "calibrate", "--tables")
    assert found.out.count("\nturn ") == 3
    assert "anomalous in the source" in found.out
    data = biela("arena", "calibrate", "--tables", "--json").data
    assert data["worst"]["straight"] == pytest.approx(4.4, abs=0.05)


@pytest.mark.parametrize("given", ["sumo", "scene.json"])
def test_serving_and_commanding(biela, given, monkeypatch):
    """A commander in another thread drives a robot, and then what is served is stopped."""
    if given.endswith(".json"):
        arena.save(arena.sumo("nano").kernel.scene, given)
    heard, done, enter = [], threading.Event(), arena.Server.__enter__

    def command(port):
        with arena.Commander(port) as commander:
            heard.append(commander.say("control_entity_motors left speeds=[3,4]"))
            heard.append(commander.say("fly_away left"))
        done.set()

    def entered(self):
        threading.Thread(target=command, args=(self.ports["udp"],)).start()
        return enter(self)

    monkeypatch.setattr(arena.Server, "__enter__", entered)
    monkeypatch.setattr(playing.Stop, "__call__", lambda self: done.is_set())
    found = biela("arena", "serve", given, "--port", "0", "-o", "s.replay", "--json")
    assert found.code == 0, found.err
    assert heard[0] == "done"
    assert "No command 'fly_away'" in heard[1]
    assert found.data["received"] == 1
    assert "udp" in found.err
    replay = arena.Replay.load("s.replay")
    assert "left" in [request.entity for _, agent, request in replay.log if agent != "referee"]
    assert replay.differences() == []


def test_a_scene_is_served_for_a_time_whoever_comes(biela):
    arena.save(arena.sumo("nano").kernel.scene, "scene.json")
    words = ("--port", "0", "--tcp", "0", "--pace", "0", "--for", "0.1s", "--step", "10ms")
    found = biela("arena", "serve", "scene.json", *words)
    assert found.code == 0, found.err
    assert "0 messages, 0 refused, 10 iterations" in found.out
    assert "tcp" in found.err
    Path("scene.json").write_text('{"entities": [{"id": "b", "type": "ball", "bodies": []}]}')
    found = biela("arena", "serve", "scene.json", *words)
    assert found.code == 1
    assert "entity 'b': has no bodies." in found.err


@pytest.mark.parametrize(
    ("game", "protocols", "robots"),
    [("vsss-3v3", ["firasim"], 6), ("ssl-b", ["ssl-vision", "ssl-control"], 12)],
)
def test_clients_of_leagues_are_served_in_their_own_protocols(biela, monkeypatch, game, protocols, robots):
    served = {}

    def serve(match, names, **options):
        served.update(options, names=names, robots=len(match.kernel.scene.entities) - 2)
        return match.play(0.1)

    monkeypatch.setattr("biela.arena.protocol.serve.serve", serve)  # the leagues' ports are for real clients
    words = [word for name in protocols for word in ("--protocol", name)]
    found = biela("arena", "serve", game, *words, "--for", "2s", "--pace", "0", "-o", "s.replay", "--json")
    assert found.code == 0, found.err
    assert (served["names"], served["robots"], served["seconds"]) == (protocols, robots, 2.0)
    assert arena.Replay.load("s.replay").differences() == []


def test_protocols_that_do_not_go_with_a_game_are_refused(biela):
    found = biela("arena", "serve", "vsss-3v3", "--protocol", "ssl-vision")
    assert found.code == 2
    assert "serve ssl-a or ssl-b" in found.err
    found = biela("arena", "serve", "vsss-3v3", "--protocol", "firasin")
    assert (found.code, "firasim" in found.err) == (2, True)


def test_the_commander_lists_commands_and_misses_who_is_not_there(biela):
    found = biela("arena", "commander", "--commands")
    assert len(found.out.splitlines()) == len(arena.commands())
    found = biela("arena", "commander", "set_fast_mode on=true", "--port", "9", "--timeout", "50ms")
    assert found.code == 1
    assert "set_fast_mode" in found.err
