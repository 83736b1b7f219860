"""Cameras and radios that get things wrong, by the presets of the ER-Force simulator."""

import math
from dataclasses import replace

import numpy as np
import pytest

from biela import arena
from biela.arena import (
    REALISM,
    Broadcast,
    FootballRules,
    Kernel,
    Message,
    Realism,
    Request,
    Scene,
    Seen,
    Vision,
)
from biela.arena.physics.conformance import FLOOR, MATERIALS, cart
from biela.arena.radio import Radio

ROBOT = Seen("r", "robot", "left", (1.0, 2.0, 0.03), (1, 0, 0, 0), (0, 0, 0), (0, 0, 0))
BALL = Seen("b", "ball", "", (0.0, 0.0, 0.02), (1, 0, 0, 0), (1, 0, 0), (0, 0, 0))


def told(vision, count, random=None, step=0.005, ball=BALL):
    random = random or np.random.default_rng(1)
    return [
        vision(
            Broadcast(n, n * step, {}, {"r": ROBOT, "b": replace(ball, position=(n * step, 0.0, 0.02))}),
            random,
        )
        for n in range(count)
    ]


def test_presets_are_those_of_er_force():
    assert set(REALISM) == {"none", "friendly", "rc2021", "realistic"}
    real = REALISM["realistic"]
    assert (real.ball, real.robot, real.heading, real.command_loss) == (0.0014, 0.0013, 0.01, 0.03)
    assert (real.missing_ball, real.missing_robot, real.dribbler_ball) == (0.05, 0.02, 0.05)
    assert REALISM["none"].vision_delay == pytest.approx(0.035 + 0.005)
    assert REALISM["rc2021"].missing_robot == 0


def test_noise_has_its_size():
    found = told(Vision(replace(REALISM["realistic"], vision_delay=0.0, offset=0.0, missing_robot=0.0)), 3000)
    places = np.array([f.entities["r"].position for f in found])
    headings = np.array([f.entities["r"].heading for f in found])
    assert places[:, :2].mean(axis=0) == pytest.approx([1, 2], abs=1e-4)
    assert places[:, :2].std(axis=0) == pytest.approx([0.0013] * 2, rel=0.06)
    assert headings.std() == pytest.approx(0.01, rel=0.06)
    assert (places[:, 2] == 0.03).all()


def test_offsets_stay_and_are_bounded():
    offsets = []
    for seed in range(200):
        vision = Vision(Realism(offset=0.02))
        one, two = told(vision, 2, np.random.default_rng(seed))
        assert one.entities["r"] == two.entities["r"]
        offsets.append(math.dist(one.entities["r"].position, ROBOT.position))
    assert max(offsets) < 0.02
    assert np.mean(offsets) == pytest.approx(0.02 * 2 / 3, rel=0.1)  # even over a disc


def test_pictures_come_late():
    found = told(Vision(Realism(vision_delay=0.045)), 40)
    assert found[8].entities == {}  # nothing has arrived yet
    late = [f.entities["b"].position[0] for f in found[9:]]
    assert late == pytest.approx([n * 0.005 - 0.045 for n in range(9, 40)], abs=1e-9)
    assert [f.iteration for f in found] == list(range(40))
    assert found[30].time == pytest.approx(0.15 - 0.045)


def test_what_is_missed_is_held_or_left_out():
    held = told(Vision(Realism(missing_ball=0.3)), 2000)[10:]
    stale = np.mean([f.entities["b"].position[0] < f.time - 1e-9 for f in held])
    assert stale == pytest.approx(0.3, abs=0.045)
    gone = told(Vision(Realism(missing_ball=0.3), hold=False), 2000)
    assert np.mean(["b" not in f.entities for f in gone]) == pytest.approx(0.3, abs=0.045)
    assert all("r" in f.entities for f in gone)


def test_balls_near_robots_are_seen_at_their_dribblers_at_times():
    ball, random = replace(BALL, position=(1.1, 2.0, 0.02)), np.random.default_rng(3)
    vision = Vision(Realism(dribbler_ball=0.2))
    xs = [
        vision(Broadcast(n, n, {}, {"r": ROBOT, "b": ball}), random).entities["b"].position[0]
        for n in range(2000)
    ]
    assert {round(x, 6) for x in xs} == {1.1, 1.09}
    assert np.mean(np.array(xs) < 1.095) == pytest.approx(0.2, abs=0.04)


def test_commands_are_lost_and_late():
    kernel = Kernel(Scene("s", MATERIALS, (FLOOR, cart())), backend_name="flat")
    kernel.radio = Radio(Realism(command_loss=0.3, command_delay=0.02), kernel.streams["radio"])
    kernel.ask(Request("register_agent"), "driver")
    sent, count = [], 600
    for n in range(count):
        drive = Request("control_entity_motors", {"speeds": [float(n), 0.0]}, "cart")
        kernel.post(Message("driver", (drive,)))
        sent.append(kernel.iteration)
        kernel.iterate()
    arrived = [(i, r.data["speeds"][0]) for i, agent, r in kernel.log if agent == "driver"]
    assert len(arrived) / count == pytest.approx(0.7, abs=4 * math.sqrt(0.21 / count))
    assert {i - sent[int(n)] for i, n in arrived} == {4}  # 0.02 s are four steps


def test_referees_and_other_commands_have_a_wire():
    kernel = Kernel(Scene("s", MATERIALS, (FLOOR, cart())), backend_name="flat")
    kernel.radio = Radio(Realism(command_loss=1.0, reply_loss=1.0), kernel.streams["radio"])
    kernel.ask(Request("register_agent", {"type": "referee"}), "judge")
    kernel.ask(Request("register_agent"), "driver")
    drive = Request("control_entity_motors", {"speeds": [1.0, 1.0]}, "cart")
    kernel.post(Message("judge", (drive,)))
    kernel.post(Message("driver", (drive, Request("say", {"text": "hello"}, "cart"))))
    kernel.iterate()
    done = [(agent, r.command) for _, agent, r in kernel.log]
    assert done == [("judge", "control_entity_motors"), ("driver", "say")]


def test_a_match_under_realistic_conditions_repeats_and_replays():
    def play():
        rules = FootballRules(half=2.0)
        return arena.football(left="roles", right="swarm", seed=5, rules=rules, realism="realistic").play()

    one, two = play(), play()
    assert one.replay.keyframes == two.replay.keyframes
    assert one.replay.differences() == []
    with pytest.raises(ValueError, match="Did you mean 'realistic'"):
        arena.football(realism="realistik")


# every kind of thing that can be added, added by registering one


def test_one_row_adds_each_kind():
    """An entity type, a command, a kind of agents, an engine, a sensor and a strategy, from outside."""
    from biela.arena.command.registry import COMMANDS, Command
    from biela.arena.physics.registry import BACKENDS
    from biela.arena.strategy.registry import STRATEGIES

    def light(entity, where, faults):
        faults.check(entity.mass < 0.1, where, "a puck weighs less than 0.1 kg.")

    def kick(kernel, request):
        put = {"velocity": [1.0, 0.0, 0.0]}
        return COMMANDS["set_entity_position"].run(kernel, Request("kick", put, request.entity))


    class Tilt(arena.Sensor):
        kind, units = "tilt", {"cosine": ""}

        def read(self, station, random):
            return {"cosine": float(station.axes[2, 2])}

    class Waltz(arena.Strategy):
        def act(self, view):
            return view.drive(0.1, 3.0)

    rows = [
        (arena.ENTITIES, "puck", light),
        (COMMANDS, "kick", Command("entity", kick)),
        (arena.FILTERS, "blind", lambda told, random: replace(told, entities={})),
        (BACKENDS, "other", ("biela.arena.physics.flat", "Flat")),
        (arena.SENSORS, "tilt", Tilt),
        (STRATEGIES, "waltz", Waltz),
    ]
    for registry, name, row in rows:
        registry[name] = row
    try:
        body = {"id": "b", "shape": "sphere", "mass": 0.05, "radius": 0.02, "position": [0, 0, 0.02]}
        puck = {"id": "p", "type": "puck", "bodies": [body], "sensors": [{"kind": "tilt", "id": "t"}]}
        kernel = Kernel(Scene("s", MATERIALS, (FLOOR,)), backend_name="other")
        assert kernel.ask(Request("create_entity", {"entity": puck})).ok
        heavy = puck | {"id": "q", "bodies": [body | {"mass": 1.0}]}
        assert "a puck weighs less" in kernel.ask(Request("create_entity", {"entity": heavy})).error
        kernel.run(0.01)
        assert kernel.broadcast().readings["p"]["t"].values == {"cosine": 1.0}
        assert "no such command" in kernel.ask(Request("kick", entity="p")).error  # it is no ball
        assert kernel.ask(Request("register_agent", {"type": "blind"}), "mole").ok
        rules = arena.SumoRules(hold=0.1)
        match = arena.sumo("mini", left="waltz", right="still", rules=rules, backend="other")
        assert match.play(seconds=1.0).faults == {"left": [], "right": []}
    finally:
        for registry, name, _ in rows:
            del registry[name]
