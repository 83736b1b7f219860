"""Matches: presets, strategies, referees, replays."""

import math
import time
from collections import Counter

import numpy as np
import pytest

from biela import arena
from biela.arena import (
    FOOTBALL_FIELDS,
    SUMO_RINGS,
    SUMO_ROBOTS,
    VSSS_ROBOTS,
    FootballRules,
    Replay,
    Scene,
    SumoRules,
)
from biela.arena.preset.material import MATERIALS

BOTH = sorted(arena.BACKENDS)


@pytest.mark.parametrize("name", SUMO_RINGS)
def test_sumo_robots_keep_to_their_class(name):
    ring, robot = SUMO_RINGS[name], SUMO_ROBOTS[name].entity("r")
    assert robot.mass <= ring.mass
    reach = np.array([[*b.position, *b.half_extent()] for b in robot.bodies if b.shape != "wheel"])
    assert np.ptp([*(reach[:, 0] - reach[:, 3]), *(reach[:, 0] + reach[:, 3])]) <= 1.001 * ring.footprint
    wheels = [b for b in robot.bodies if b.shape == "wheel"]
    assert 2 * (abs(wheels[0].position[1]) + wheels[0].length / 2) <= 1.001 * ring.footprint


def test_published_sizes():
    assert (SUMO_RINGS["mini"].diameter, SUMO_RINGS["mega"].diameter) == (0.77, 1.54)
    sizes = {name: (f.length, f.width, f.goal_width) for name, f in FOOTBALL_FIELDS.items()}
    assert sizes["vsss-3v3"] == (1.5, 1.3, 0.4)
    assert sizes["vsss-5v5"] == (2.2, 1.8, 0.4)
    assert sizes["ssl-a"] == (12, 9, 1.8)
    assert sizes["ssl-b"] == (9, 6, 1.0)
    assert VSSS_ROBOTS["rsim"].top_speed * VSSS_ROBOTS["rsim"].wheel_radius == pytest.approx(1.2, abs=0.01)
    assert VSSS_ROBOTS["firasim"].total_mass == pytest.approx(1.4, abs=0.05)
    assert VSSS_ROBOTS["travesim"].total_mass == pytest.approx(0.18, abs=0.01)


@pytest.mark.parametrize("name", FOOTBALL_FIELDS)
def test_a_ball_goes_into_the_goal_and_through_no_wall(name):
    field = FOOTBALL_FIELDS[name]
    for y, inside in ((0.0, True), (0.8 * field.width / 2, False)):
        kernel = arena.Kernel(Scene("f", MATERIALS, (field.entity(), arena.BALLS["vsss"].entity())))
        put = {
            "position": [field.length / 2 - 0.3, y, 0.0214],
            "velocity": [2.0, 0, 0],
            "spin": [0, 2.0 / 0.02135, 0],
        }
        kernel.ask(arena.Request("set_entity_position", put, "ball"))
        furthest = 0.0
        for _ in range(200):
            kernel.iterate()
            furthest = max(furthest, kernel.broadcast().entities["ball"].position[0])
        assert (furthest > field.length / 2 + 0.03) == (inside or field.margin[1] > 0)
        assert furthest < field.length / 2 + max(field.goal_depth, field.margin[1]) + 0.01


@pytest.mark.parametrize("name", BOTH)
def test_a_sumo_match_is_played_and_replayed(name, tmp_path):
    result = arena.sumo("mini", left="charge", right="still", seed=7, backend=name).play()
    assert result.winner == "left"
    assert result.score == (2, 0)
    assert result.faults == {"left": [], "right": []}
    assert result.events[0][0] > SumoRules().hold  # nobody moves for five seconds
    assert "out: right" in result.events[0][1]
    held = result.record.between(1.0, 4.9)
    assert np.ptp(held["left.x"]) < 1e-3
    replay = Replay.load(result.replay.save(tmp_path / "m.replay"))
    assert replay.differences() == []
    again = arena.sumo("mini", left="charge", right="still", seed=7, backend=name).play()
    assert again.replay.keyframes == result.replay.keyframes
    other = arena.sumo("mini", left="charge", right="still", seed=8, backend=name).play()
    assert other.replay.keyframes != result.replay.keyframes


def test_a_replay_notices_what_is_not_the_same():
    replay = arena.sumo("mini", seed=1).play(seconds=8).replay
    place = next(n for n, (_, agent, _) in enumerate(replay.log) if agent == "left")
    iteration, agent, request = replay.log[place]
    speeds = {"speeds": {"left": 1.0, "right": 1.0}}
    replay.log[place] = (iteration, agent, arena.Request(request.command, speeds, request.entity))
    assert replay.differences()


def test_a_replay_begins_anywhere_and_plays_at_any_speed():
    result = arena.sumo("mini", seed=1).play(seconds=12)
    replay = result.replay
    middle = replay.kernel(replay.last - 7)  # from a kept state
    assert middle.iteration == replay.last - 7
    digests = replay.keyframes
    kept = replay.kernel(max(replay.states))
    assert kept.digest() == digests[kept.iteration]
    whole = [b.time for b in replay.frames(rate=10, speed=1.0)]
    fast = [b.time for b in replay.frames(rate=10, speed=4.0)]
    assert len(whole) == pytest.approx(4 * len(fast), rel=0.1)


def play(act_left, act_right, **rules):
    return arena.sumo("mini", left=act_left, right=act_right, seed=2, rules=SumoRules(**rules)).play()


def test_driving_off_loses_the_point():
    result = play(lambda view: view.drive(-0.5, 0.0), lambda view: view.drive(0.02, 0.0), hold=0.5)
    assert result.score == (0, 2)


def test_standing_still_together_is_a_rematch_and_alone_a_point():
    both = play("still", "still", hold=0.5, stall=1.0, rematches=2)
    assert both.winner is None
    assert [e for _, e in both.events].count("no progress: rematch") == 3
    alone = play(
        "still",
        lambda view: view.drive(0.2, 3.0 * math.copysign(1, math.sin(view.time))),
        hold=0.5,
        stall=1.0,
    )
    assert alone.events[0][1].startswith("stands still: left")


def test_rounds_end_in_time():
    result = play(
        lambda v: v.drive(0.1, 2.0), lambda v: v.drive(0.1, 2.0), hold=0.2, round_time=1.0, stall=9.0
    )
    assert result.events[0][1] == "time: rematch"
    assert result.winner is None


def test_both_sides_are_alike():
    """The same strategy wins about as often on either side, however small the engine's own preference."""
    quick = SumoRules(points=1, hold=0.3)
    won = Counter(
        arena.sumo("mini", left="charge", right="charge", seed=s, rules=quick).play().winner
        for s in range(16)
    )
    assert won["left"] >= 3
    assert won["right"] >= 3


def test_strategies_that_fail_stop_their_robot_and_are_told():
    def broken(view):
        raise KeyError("sensor")

    result = play(broken, "charge", hold=0.2)
    assert "KeyError" in result.faults["left"][0]
    assert len(result.faults["left"]) <= 20
    assert result.winner == "right"
    mad = play(lambda view: (math.nan, 0.0), "charge", hold=0.2)
    assert "nan" in mad.faults["left"][0]


def test_strategies_from_files(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def act(view):\n    return view.drive(0.3, 0.0)\n", encoding="utf-8")
    assert arena.sumo("mini", left=str(path), right="still", seed=1, rules=SumoRules(hold=0.2)).play().winner
    path.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no subclass of Strategy"):
        arena.strategy(path)
    with pytest.raises(ValueError, match="Did you mean 'charge'"):
        arena.strategy("chrage")
    with pytest.raises(ValueError, match="No file"):
        arena.strategy("nowhere.py")
    with pytest.raises(ValueError, match="Did you mean 'mini'"):
        arena.sumo("mni")


@pytest.mark.parametrize("side", ["left", "right"])
def test_every_side_plays_towards_x(side):
    seen = []

    def look(view):
        seen.append((view.me.x, view.me.heading, view.opponent.x))
        return 0.0, 0.0

    arena.sumo(
        "mini", **{side: look, "left" if side == "right" else "right": "still"}, rules=SumoRules(hold=0.1)
    ).play(seconds=0.5)
    x, heading, other = seen[0]
    assert x < 0 < other
    assert abs(heading) < 0.2


@pytest.mark.parametrize("name", BOTH)
def test_a_football_match(name):
    rules = FootballRules(half=5.0)
    result = arena.football(left="roles", right="still", seed=4, rules=rules, backend=name).play()
    told = [text for _, text in result.events]
    assert told[0].startswith("kick-off")
    assert any(t.startswith("end of half 1") for t in told)
    assert told[-1].startswith("end of half 2")
    assert sum(t.startswith("goal") for t in told) == sum(result.score)
    assert result.score[1] == 0
    assert result.replay.differences() == []
    goals = [t for t, text in result.events if text.startswith("goal")]
    for t in goals:  # back in the middle after every goal
        after = result.record.between(t + 0.5, t + 0.9)
        assert np.abs(after["ball.x"]).max() < 0.01


def test_goals_count_and_stuck_balls_are_freed():
    match = arena.football(
        left="still", right="still", seed=0, rules=FootballRules(half=20.0, stuck_time=2.0)
    )
    kernel = match.kernel
    kernel.run(1.5)
    put = {"position": [0.7, 0.1, 0.0214], "velocity": [1.5, 0.0, 0.0]}
    assert kernel.ask(arena.Request("set_entity_position", put, "ball")).ok
    kernel.run(0.5)
    assert match.referee.score == [1, 0]
    kernel.run(4.0)
    assert any(text.startswith("free ball, quadrant") for _, text in match.referee.events)
    assert match.referee.events[1][1].startswith("goal of left")
    ball = kernel.broadcast().entities["ball"].position
    assert (abs(ball[0]), abs(ball[1])) == pytest.approx((0.375, 0.4), abs=0.02)


def test_strategies_are_called_sixty_times_a_second_and_waited_for():
    """Each call sees the world one period after the last, however long the strategy thinks."""
    moments = []

    def slow(view):
        moments.append(view.time)
        if len(moments) % 40 == 0:
            time.sleep(0.02)
        return {}

    arena.football(left=slow, right="still", seed=1).play(seconds=3.0)
    played = moments[1:]  # the first was before the referee came
    assert len(played) == pytest.approx(120, abs=1)  # play begins after a second
    assert np.diff(played) == pytest.approx(1 / 60, abs=1e-9)


@pytest.mark.parametrize(("field", "players"), [("vsss-5v5", 5), ("ssl-b", 6), ("ssl-a", 11)])
def test_at_a_kick_off_everybody_has_a_place(field, players):
    match = arena.football(field, left="nobody", right="nobody", players=players, backend="flat")
    record = match.play(0.05).record
    columns = [name for name in record.columns if name.endswith(".x")]
    places = np.array([[record[name][-1], record[f"{name[:-1]}y"][-1]] for name in columns])
    gaps = np.linalg.norm(places[:, None] - places, axis=-1)[np.triu_indices(len(places), 1)]
    assert gaps.min() > 0.08
    assert np.abs(places[:, 0]).max() < FOOTBALL_FIELDS[field].length / 2
