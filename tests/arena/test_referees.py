"""Every rule of the referees, brought about by public commands only."""

import itertools
import math

import numpy as np
import pytest

from biela import arena
from biela.arena import FOOTBALL_FIELDS, FOOTBALL_RULES, FootballRules, Request, SumoRules
from biela.arena.referee.set_piece import free_kick, goal_kick, in_area, penalty

FAST = {"pause": 0.1, "area_time": 0.3, "keeper_time": 1.0}


def football(field="vsss-3v3", **rules):
    """A match in play in which nobody moves by itself."""
    match = arena.football(
        field, left="still", right="still", seed=0, backend="flat", rules=FootballRules(**FAST | rules)
    )
    match.kernel.run(0.2)
    assert match.referee.phase == "play"
    return match


def put(match, entity, x, y, velocity=(0.0, 0.0, 0.0)):
    z = match.kernel.scene.entity[entity].reference_body.position[2]
    data = {"position": [x, y, z], "velocity": list(velocity)}
    assert match.kernel.ask(Request("set_entity_position", data, entity)).ok


def last(match):
    return match.referee.events[-1][1]


def places(match):
    return {key: e.position[:2] for key, e in match.kernel.broadcast().entities.items()}


def test_two_defenders_in_their_area_with_the_ball_give_a_penalty():
    match = football()
    put(match, "ball", 0.7, 0.0)
    put(match, "right0", 0.68, 0.2)
    match.kernel.run(0.4)
    assert len(match.referee.events) == 1  # one defender may
    put(match, "right1", 0.68, -0.2)
    match.kernel.run(0.25)
    assert len(match.referee.events) == 1  # two may for a while
    match.kernel.run(0.1)
    assert last(match) == "penalty of left"
    seen = places(match)
    assert seen["ball"] == pytest.approx((0.375, 0.0), abs=1e-3)
    assert seen["right0"] == pytest.approx((0.7125, 0.0), abs=1e-3)
    ahead = [key for key, (x, _) in seen.items() if x > 0.1]
    assert sorted(ahead) == ["ball", "left1", "right0"]
    assert seen["left1"][0] < 0.375
    match.kernel.run(0.2)
    assert match.referee.phase == "play"


def test_a_keeper_who_keeps_the_ball_gives_a_penalty():
    match = football(stuck_time=9.0)
    put(match, "ball", -0.7, 0.1)
    match.kernel.run(0.9)
    assert len(match.referee.events) == 1
    match.kernel.run(0.2)
    assert last(match) == "penalty of right"


def test_the_ball_out_of_the_area_begins_the_time_anew():
    match = football(stuck_time=9.0)
    for x in (-0.7, 0.0, -0.7):
        put(match, "ball", x, 0.1)
        match.kernel.run(0.8)
    assert len(match.referee.events) == 1


def test_two_attackers_in_an_area_with_the_ball_give_a_goal_kick():
    match = football()
    put(match, "ball", -0.68, 0.1)
    put(match, "right0", -0.68, 0.2)
    put(match, "right1", -0.68, -0.2)
    match.kernel.run(0.4)
    assert last(match) == "goal kick of left"
    seen = places(match)
    assert math.dist(seen["left0"], seen["ball"]) < 0.09
    assert seen["left0"][0] < seen["ball"][0] < -0.5
    assert all(seen[f"right{n}"][0] > 0 for n in range(3))


@pytest.mark.parametrize(
    ("x", "y", "number"), [(0.5, 0.4, 1), (-0.5, 0.4, 2), (-0.5, -0.4, 3), (0.5, -0.4, 4)]
)
def test_a_stuck_ball_is_set_free_on_the_mark_of_its_quadrant(x, y, number):
    match = football(stuck_time=0.5)
    put(match, "ball", x, y)
    match.kernel.run(0.6)
    assert last(match) == f"free ball, quadrant {number}"
    seen = places(match)
    mark = (math.copysign(0.375, x), math.copysign(0.4, y))
    assert seen["ball"] == pytest.approx(mark, abs=1e-3)
    near = sorted(key for key in seen if key != "ball" and math.dist(seen[key], mark) < 0.21)
    assert [key[:-1] for key in near] == ["left", "right"]


def test_a_slow_ball_is_stuck_and_a_faster_one_is_not():
    for speed, text in ((0.05, "free ball"), (0.4, "kick-off")):
        match = football(stuck_time=0.5)
        put(match, "ball", 0.0, 0.4, (speed, 0, 0))
        match.kernel.run(0.6)
        assert last(match).startswith(text)


def test_a_stuck_ball_in_an_area_is_a_penalty_by_the_rules_of_firasim():
    rules = FOOTBALL_RULES["firasim"]
    assert (rules.stuck_time, rules.stuck_penalty) == (10.0, True)
    match = football(stuck_penalty=True, stuck_time=0.5)
    put(match, "ball", 0.65, 0.3)
    match.kernel.run(0.6)
    assert last(match) == "penalty of left"


def crash(speed, other=0.0, **rules):
    match = football(crash_speed=1.5, **rules)
    put(match, "ball", 0.0, 0.5)
    put(match, "left1", -0.2, -0.3, (speed, 0, 0))
    put(match, "right1", 0.0, -0.3, (-other, 0, 0))
    match.kernel.ask(Request("control_entity_motors", {"speeds": [speed / 0.026] * 2}, "left1"))
    match.kernel.run(0.25)
    return match


def test_running_into_an_opponent_is_a_foul_of_the_faster():
    match = crash(2.5)
    assert last(match) == "free kick of right"
    seen = places(match)
    taker = min((key for key in seen if key[:5] == "right"), key=lambda k: math.dist(seen[k], seen["ball"]))
    assert math.dist(seen[taker], seen["ball"]) < 0.1
    assert min(math.dist(seen[f"left{n}"], seen["ball"]) for n in range(3)) > 0.2
    assert last(crash(1.0)).startswith("kick-off")
    assert last(crash(2.0, crash_margin=9.0)).startswith("kick-off")


def test_halves_change_the_kick_off_and_end_the_match():
    match = football(half=0.5)
    first = match.referee.events[0][1]
    match.kernel.run(0.7)
    told = [text for _, text in match.referee.events]
    assert told[1] == "end of half 1, 0:0"
    assert {first, told[2]} == {"kick-off of left", "kick-off of right"}
    put(match, "ball", 0.7, 0.0, (1.5, 0, 0))
    match.kernel.run(0.3)
    assert match.referee.score == [1, 0]
    assert last(match) == "kick-off of right"
    match.kernel.run(0.6)
    assert match.referee.over
    assert match.referee.winner == "left"


@pytest.mark.parametrize("field", FOOTBALL_FIELDS)
@pytest.mark.parametrize("side", [-1, 1])
def test_pieces_keep_robots_apart_and_on_the_field(field, side):
    pitch, count = FOOTBALL_FIELDS[field], 3 if "3v3" in field else 5 if "5v5" in field else 11
    distance = FOOTBALL_RULES[field].free_distance
    wide = 0.075 if field.startswith("vsss") else 0.18
    random = np.random.default_rng(1)
    kicks = [
        free_kick(pitch, (x * pitch.length / 2, y * pitch.width / 2), side, count, count, distance)
        for x, y in random.uniform(-1, 1, (40, 2))
    ]
    for piece in (penalty(pitch, side, count, count), goal_kick(pitch, side, count, count), *kicks):
        spots = [s[:2] for s in (*piece.takers, *piece.others)]
        assert len(spots) == 2 * count
        assert all(abs(x) < pitch.length / 2 and abs(y) < pitch.width / 2 for x, y in [*spots, piece.ball])
        assert min(itertools.starmap(math.dist, itertools.combinations(spots, 2))) > wide
        assert min(math.dist(s, piece.ball) for s in spots) > wide / 2 + 0.0215
    for piece in kicks:
        assert min(math.dist(s[:2], piece.ball) for s in piece.others) > distance - 1e-9


def test_areas():
    field = FOOTBALL_FIELDS["vsss-3v3"]
    assert in_area(field, (0.61, 0.34, 0), 1)
    assert not in_area(field, (0.59, 0.0, 0), 1)
    assert not in_area(field, (0.61, 0.36, 0), 1)
    assert not in_area(field, (0.61, 0.0, 0), -1)


# sumo


def sumo(**rules):
    match = arena.sumo("mini", left="still", right="still", seed=0, backend="flat", rules=SumoRules(**rules))
    match.kernel.run(0.05)
    return match


def middle_of_hold(match):
    match.kernel.run(0.6 * match.referee.rules.hold)
    assert match.referee.phase == "hold"


def test_a_false_start_loses_the_point():
    match = sumo(hold=1.0)
    middle_of_hold(match)
    put(match, "left", 0.0, 0.1)
    match.kernel.run(0.05)
    assert last(match) == "false start of left; point for right, 0:1"


def test_warnings_come_before_points_and_two_points_win():
    match = sumo(hold=1.0, warnings=1, rematches=9)
    for event in ("false start of left: rematch", "false start of left; point for right, 0:1"):
        middle_of_hold(match)
        put(match, "left", 0.0, 0.1)
        match.kernel.run(0.05)
        assert last(match) == event
    middle_of_hold(match)
    put(match, "left", 0.0, 0.1)
    match.kernel.run(0.05)
    assert last(match) == "match over: right, 0:2"


def test_both_too_early_is_a_rematch():
    match = sumo(hold=1.0)
    middle_of_hold(match)
    put(match, "left", -0.05, 0.1)
    put(match, "right", 0.05, -0.1)
    match.kernel.run(0.05)
    assert last(match) == "false start of left and right: rematch"


def test_whoever_is_out_loses_and_both_out_is_a_rematch():
    match = sumo(hold=0.2)
    match.kernel.run(0.3)
    put(match, "right", 0.5, 0.0)
    match.kernel.run(0.02)
    assert last(match) == "out: right; point for left, 1:0"
    match.kernel.run(0.4)
    put(match, "left", -0.5, 0.0)
    put(match, "right", 0.5, 0.0)
    match.kernel.run(0.02)
    assert last(match) == "both out: rematch"


def test_robots_that_lean_on_each_other_without_progress_begin_again():
    match = sumo(hold=0.2, stall=1.0)
    match.kernel.run(0.3)
    put(match, "left", -0.02, 0.0)
    put(match, "right", 0.02, 0.0)
    match.kernel.run(0.5)
    assert len(match.referee.events) == 0
    match.kernel.run(1.0)
    assert last(match) == "no progress: rematch"


def test_an_even_match_is_extended_once():
    match = sumo(hold=0.1, round_time=0.5, rounds=1, extension=0.3, stall=9.0)
    match.kernel.run(0.7)
    assert last(match) == "extension"
    match.kernel.run(0.5)
    assert last(match) == "match over: draw, 0:0"
    assert not sumo(extension=0.0).referee.extended
