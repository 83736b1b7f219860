"""Omnidirectional robots: they drive as commanded within their limits, kick, chip and dribble."""

import itertools
import math

import pytest

import biela as bl
from biela.arena.crew import HOLD, Order
from biela.arena.preset.omni import SSL_ROBOTS
from biela.arena.small_size import small_size

STEP = 0.005


def game(robot="tigers", ball=None, velocity=(0.0, 0.0, 0.0), **options):
    """A robot at the origin that looks along x, its opponent far away, the ball somewhere."""
    match = small_size(players=1, robot=robot, **options)
    height = match.kernel.scene.entity["left0"].reference_body.position[2]
    place(match, "left0", [0.0, 0.0, height], velocity)
    place(match, "ball", [*(ball or (3.0, 2.0)), 0.0215])
    match.step()
    return match


def place(match, key, position, velocity=(0.0, 0.0, 0.0)):
    data = {"position": list(position), "heading": 0.0, "velocity": list(velocity)}
    assert match.kernel.ask(bl.arena.Request("set_entity_position", data, key)).ok


def drive(match, order, seconds):
    """Command it in every step; what was seen of robot and ball, a row a step."""
    found = []
    for _ in range(round(seconds / STEP)):
        match.crew.order("left0", order, match.kernel.time)
        match.step()
        seen = match.kernel.broadcast().entities
        found.append((seen["left0"], seen["ball"]))
    return found


def at_front(robot):
    kind = SSL_ROBOTS[robot]
    return kind.front + 0.0215 + 0.001, 0.0


@pytest.mark.parametrize("robot", SSL_ROBOTS)
@pytest.mark.parametrize("heading", [(1.0, 0.0), (0.0, 1.0), (-0.6, -0.8)])
def test_robots_drive_within_their_accelerations(robot, heading):
    kind = SSL_ROBOTS[robot]
    rows = drive(game(robot), Order((2 * heading[0], 2 * heading[1], 0.0)), 0.8)
    speeds = [math.hypot(*r.velocity[:2]) for r, _ in rows]
    assert speeds[-1] == pytest.approx(2.0, abs=0.005)
    assert rows[-1][0].velocity[:2] == pytest.approx((2 * heading[0], 2 * heading[1]), abs=0.005)
    gains = [(b - a) / STEP for a, b in itertools.pairwise(speeds)]
    assert max(gains) == pytest.approx(kind.speed_up, rel=0.02)


def test_robots_turn_and_keep_to_their_top_speeds():
    kind = SSL_ROBOTS["tigers"]
    rows = drive(game(), Order((9.0, 0.0, 99.0), world=True), 1.0)
    assert rows[-1][0].spin[2] == pytest.approx(kind.top_spin, rel=0.01)
    assert rows[-1][0].velocity[0] == pytest.approx(kind.top_speed, rel=0.01)
    assert rows[-1][0].upright > 0.999


def test_robots_without_command_stop():
    match = game()
    drive(match, Order((1.0, 0.0, 0.0)), 0.5)
    for _ in range(round((HOLD + 0.3) / STEP)):
        match.step()
    assert math.hypot(*match.kernel.broadcast().entities["left0"].velocity) < 0.01


@pytest.mark.parametrize(("robot", "speed", "wanted"), [("tigers", 5.0, 5.0), ("erforce", 9.0, 6.5)])
def test_flat_kicks_have_their_speed(robot, speed, wanted):
    rows = drive(game(robot, at_front(robot)), Order(kick=speed), 0.03)
    fastest = max(math.hypot(*ball.velocity) for _, ball in rows)
    assert fastest == pytest.approx(wanted, rel=0.02)
    assert abs(rows[-1][1].velocity[1]) < 0.01


def test_chips_fly_as_a_thrown_ball():
    rows = drive(game(ball=at_front("tigers")), Order(kick=4.0, chip=math.radians(45)), 0.7)
    height = max(ball.position[2] for _, ball in rows) - 0.0215
    assert height == pytest.approx((4.0 * math.sin(math.pi / 4)) ** 2 / (2 * 9.81), rel=0.03)
    first = next(ball for _, ball in rows if ball.velocity[2] > 1)
    assert math.atan2(first.velocity[2], first.velocity[0]) == pytest.approx(math.radians(45), abs=0.02)


def test_a_dribbled_ball_goes_along_and_hard_braking_loses_it():
    match = game(ball=at_front("tigers"))
    drive(match, Order((-0.5, 0.0, 0.0), dribble=True), 1.0)
    robot, ball = drive(match, Order((-0.5, 0.3, 1.0), dribble=True), 1.0)[-1]
    assert "left0" in match.crew.at_dribbler
    assert math.dist(robot.position[:2], ball.position[:2]) == pytest.approx(at_front("tigers")[0], abs=0.006)
    drive(match, Order((0.0, 0.0, 25.0), dribble=True), 1.0)
    assert "left0" not in match.crew.at_dribbler


def test_without_the_dribbler_the_ball_stays_behind():
    match = game(ball=at_front("tigers"))
    robot, ball = drive(match, Order((-0.5, 0.0, 0.0)), 1.0)[-1]
    assert ball.position[0] - robot.position[0] > 0.4


def test_robots_push_each_other_and_stay_upright():
    match = game()
    place(match, "right0", [0.25, 0.0, match.kernel.scene.entity["right0"].reference_body.position[2]])
    rows = drive(match, Order((2.0, 0.0, 0.0)), 1.0)
    other = match.kernel.broadcast().entities["right0"]
    assert rows[-1][0].position[0] < other.position[0]
    assert rows[-1][0].upright > 0.99
    assert other.upright > 0.99


def test_goals_count():
    match = game(ball=(4.3, 0.0))
    place(match, "right0", [2.0, 2.0, match.kernel.scene.entity["right0"].reference_body.position[2]])
    place(match, "ball", [4.3, 0.0, 0.0215], (3.0, 0.0, 0.0))
    for _ in range(100):
        match.step()
    assert match.referee.score == [1, 0]


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match="Did you mean 'ssl-b'"):
        small_size("ssl-c")
    with pytest.raises(ValueError, match="Did you mean 'tigers'"):
        small_size(robot="tiger")
    with pytest.raises(ValueError, match="1 to 16"):
        small_size(players=17)
