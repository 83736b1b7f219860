"""Baselines: what each decides in a situation, that they play without faults, and who beats whom."""

import math

import pytest

from biela import arena
from biela.arena.preset.robot import VSSS_ROBOTS
from biela.arena.strategy.club import Club
from biela.arena.strategy.view import Thing, View

RSIM = VSSS_ROBOTS["rsim"]
FOOTBALL = ("club", "roles", "swarm", "wander")
SUMO = ("anchor", "charge", "orbiter", "searcher")


def thing(key, x, y, heading=0.0, vx=0.0, vy=0.0):
    return Thing(key, x, y, heading, vx, vy, 0.0, 1.0)


def football(keeper, attacker, ball, time=0.0):
    """A keeper, an attacker and one far away; nobody against them."""
    mine = (keeper, attacker, thing("c", -0.4, 0.5))
    return View(time, time, mine, (), ball, 1.5, 1.3, 0.4, RSIM)


def ahead(speeds):
    """The forward speed of wheel speeds, m/s."""
    return sum(speeds) / 2 * RSIM.wheel_radius


@pytest.mark.parametrize("name", [*FOOTBALL, *SUMO])
def test_every_baseline_plays_without_faults(name):
    if name in SUMO:
        match = arena.sumo(left=name, right="charge", rules=arena.SumoRules(hold=0.2), seed=3)
    else:
        match = arena.football(left=name, right=name, rules=arena.FootballRules(half=1.0, halves=1), seed=3)
    result = match.play(seconds=2.0)
    assert result.faults == {"left": [], "right": []}
    assert result.record["left0.x" if name in FOOTBALL else "left.x"].std() > 0.005


@pytest.mark.parametrize("y", [-0.1, 0.1])
def test_the_keeper_goes_where_the_ball_will_cross_the_line(y):
    """The ball is on the other side yet."""
    shot = thing("ball", -0.205, -y, vx=-1.0, vy=4 * y)  # half a second later at y
    keeper = thing("k", -0.705, 0.0, math.pi / 2)
    speeds = Club().act(football(keeper, thing("a", 0.5, 0.0), shot))["k"]
    assert ahead(speeds) * y > 0.01


@pytest.mark.parametrize("y", [-0.05, 0.05])
def test_the_keeper_strikes_a_ball_within_reach_away_from_the_goal(y):
    """The side of a spinning robot moves at spin times arm: towards the field where the ball is."""
    keeper = thing("k", -0.7, 0.0, math.pi / 2)
    left, right = Club().act(football(keeper, thing("a", 0.5, 0.0), thing("ball", -0.66, y)))["k"]
    spin = (right - left) * RSIM.wheel_radius / RSIM.track
    assert -spin * y > 0.5


def test_the_attacker_drives_through_the_ball_only_from_behind():
    ball, keeper = thing("ball", 0.2, 0.0), thing("k", -0.7, 0.0)
    behind = Club().act(football(keeper, thing("a", 0.0, 0.0), ball))["a"]
    assert ahead(behind) > 0.9 * RSIM.top_speed * RSIM.wheel_radius
    before = Club().act(football(keeper, thing("a", 0.4, 0.0, math.pi), ball))["a"]
    assert abs(before[0] - before[1]) > 5.0 > abs(behind[0] - behind[1])  # past it, not through it


def test_whoever_pushes_in_vain_backs_off_for_a_moment():
    team, ball = Club(), thing("ball", 0.2, 0.0)
    told = []
    for tick in range(60):
        view = football(thing("k", -0.7, 0.0), thing("a", 0.0, 0.0), ball, tick / 60)
        told.append(ahead(team.act(view)["a"]))
    assert min(told[:20]) > 0.5
    assert min(told[24:40]) < -0.3
    assert told[45] > 0.5


def test_the_anchor_keeps_its_blade_to_the_opponent_and_the_middle():
    robot = arena.SUMO_ROBOTS["mini"]

    def act(me, other):
        return arena.STRATEGIES["anchor"]().act(View(0.0, 0.0, (me,), (other,), None, 0.77, 0.77, 0.0, robot))

    left, right = act(thing("m", 0.0, 0.0), thing("o", 0.0, 0.25))
    assert right > 0 > left  # turns where it is
    near = act(thing("m", 0.0, 0.0), thing("o", 0.12, 0.0))
    assert near == (robot.top_speed, robot.top_speed)
    home = act(thing("m", 0.2, 0.0), thing("o", -0.1, 0.2))
    assert sum(home) < 0  # backwards, the middle being behind


@pytest.mark.study
@pytest.mark.parametrize("engine", ["flat", "mujoco"])
def test_the_club_beats_noise(engine):
    rules = arena.FootballRules(half=20.0, halves=1)
    contest = arena.Contest("football", {"backend": engine, "rules": rules})
    table = arena.league({"club": "club", "wander": "wander"}, contest, seeds=3, seed=100)
    assert table.points[0].sum() >= 5.0
