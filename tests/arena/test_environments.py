"""Learning environments: public checkers, seeds, lanes, rules against the referees, bad input."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.test import parallel_api_test

from biela import arena
from biela.arena import ENVIRONMENTS, Policy, Strategy
from biela.arena.physics.conformance import conformance
from biela.arena.physics.flat import Flat

pytestmark = pytest.mark.filterwarnings("ignore:.*spec:UserWarning", "ignore:Unknown options:UserWarning")


def rollout(env, seed, steps=60, agent_shape=(2,)):
    """Digests and rewards of random play."""
    random = np.random.default_rng(seed)
    first, _ = env.reset(seed=seed)
    found = [env.bout.digest(), first.tobytes()]
    for _ in range(steps):
        seen, reward, over, cut, _ = env.step(random.uniform(-1, 1, agent_shape).astype(np.float32))
        found += [env.bout.digest(), seen.tobytes(), reward]
        if over or cut:
            env.reset()
    return found


def test_what_is_stepped_drives_spins_and_rolls_as_it_should():
    """At the step that environments use."""
    assert [str(c) for c in conformance(Flat, 0.005) if not c.ok] == []


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_public_checkers(name):
    for view in ("robot", "field"):
        env = arena.make(name, "blue_0", view=view, opponent="noise", render_mode="rgb_array")
        check_env(env)
        assert env.observation_space.shape == (len(env.bout.game.features(view)),)
    parallel_api_test(arena.make(name, "both"), num_cycles=60)


@pytest.mark.parametrize("name", ["vsss-3v3", "sumo-mini"])
@pytest.mark.parametrize("opponent", ["noise", "charge"])
def test_the_same_seed_plays_the_same(name, opponent):
    one, two = (rollout(arena.make(name, "blue_0", opponent=opponent), 7) for _ in range(2))
    assert one == two
    assert rollout(arena.make(name, "blue_0", opponent=opponent), 8) != one


@pytest.mark.parametrize("name", ["vsss-3v3", "sumo-mini"])
@pytest.mark.parametrize("threads", [0, 2])
def test_a_vector_is_its_single_environments_bit_for_bit(name, threads):
    """Against Gymnasium's own vector of single environments, through ends of episodes."""
    count, options = 5, {"opponent": "noise", "game": {"seconds": 0.6}}
    ours = arena.make(name, "blue_0", worlds=count, threads=threads, **options)
    theirs = SyncVectorEnv([lambda: arena.make(name, "blue_0", **options) for _ in range(count)])
    assert ours.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    random, ends = np.random.default_rng(0), 0
    assert np.array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    for _ in range(60):
        actions = random.uniform(-1, 1, (count, 2)).astype(np.float32)
        one, two = ours.step(actions), theirs.step(actions)
        for a, b in zip(one[:4], two[:4], strict=True):
            assert np.array_equal(a, b)
        ends += int((one[2] | one[3]).sum())
    assert ends > count


def test_same_step_autoreset_hands_out_the_last_observations():
    env = arena.make("sumo-mini", worlds=4, autoreset="same-step", opponent="noise", game={"seconds": 0.1})
    env.reset(seed=1)
    for _ in range(3):
        env.step(np.zeros((4, 1, 2) if len(env.single_action_space.shape) == 2 else (4, 2)))
    seen, _, _, cut, infos = env.step(np.zeros((4, 2)))
    assert cut.all()
    assert infos["_final_obs"].all()
    assert (infos["final_obs"][:, -1] == 0).all()  # no time left
    assert (seen[:, -1] == 1).all()
    assert set(infos["why"]) == {"time"}


def test_several_agents_in_a_vector():
    env = arena.make("vsss-3v3", "both", worlds=3)
    seen, _ = env.reset(seed=0)
    assert seen.shape == (3, 6, 36)
    alone = arena.make("vsss-3v3", "both")
    first, _ = alone.reset(seed=1)
    assert np.array_equal(np.stack(list(first.values())), seen[1])


def test_both_sides_see_alike():
    """The picture turned by half a turn is yellow's picture."""
    env = arena.make("vsss-3v3", "both")
    poses = np.random.default_rng(3).uniform(-0.5, 0.5, (7, 6))
    turned = np.concatenate([poses[3:6], poses[:3], poses[6:]]) * [-1, -1, 1, -1, -1, 1]
    turned[:, 2] += np.pi
    one, _ = env.reset(options={"poses": poses})
    two, _ = env.reset(options={"poses": turned})
    for n in range(3):
        assert one[f"blue_{n}"] == pytest.approx(two[f"yellow_{n}"], abs=1e-6)
        assert one[f"yellow_{n}"] == pytest.approx(two[f"blue_{n}"], abs=1e-6)


def test_egocentric_numbers_are_what_they_are_called():
    env = arena.make("vsss-3v3", "blue_0", opponent="still")
    poses = np.zeros((7, 6))
    poses[:6, 0], poses[:6, 1] = np.linspace(-0.6, 0.6, 6), 0.3
    poses[0, :3] = 0.2, 0.0, np.pi / 2  # looks to the left side line
    poses[6, :5] = 0.2, 0.1, 0.0, 0.5, 0.0  # the ball before it, rolling to its right
    seen, _ = env.reset(options={"poses": poses})
    told = dict(zip(env.bout.game.features("robot"), seen.tolist(), strict=True))
    far, fast = np.hypot(1.5, 1.3), 2 * env.bout.game.top_speed
    assert told["ball.x"] == pytest.approx(0.1 / far, abs=1e-6)
    assert told["ball.y"] == pytest.approx(0.0, abs=1e-6)
    assert told["ball.vy"] == pytest.approx(-0.5 / fast, abs=1e-6)
    assert told["goal.y"] == pytest.approx(-0.55 / far, abs=1e-6)
    assert (told["me.cos"], told["me.sin"]) == pytest.approx((0.0, 1.0), abs=1e-6)
    assert told["left"] == 1.0


def test_football_ends_as_the_referee_ends_it():
    """The same ball into the same goal, here and under `FootballReferee`."""
    env = arena.make("vsss-3v3", "blue", opponent="still", mates="still")
    start = [0.5, 0.1, 0.0, 1.0, 0.05, 0.0]
    poses = np.zeros((7, 6))
    poses[:6, 0], poses[:6, 1] = np.linspace(-0.6, 0.6, 6), -0.5
    poses[6] = start
    env.reset(options={"poses": poses})
    still = dict.fromkeys(env.agents, np.zeros(2))
    while env.agents:
        *_, over, cut, info = env.step(still)
    assert over["blue_0"]
    assert not cut["blue_0"]
    assert info["blue_0"]["point"] == 1
    match = arena.football("vsss-3v3", left="still", right="still", backend="flat")
    match.kernel.run(1.2)
    began = match.kernel.time
    put = {"position": [*start[:2], 0.02135], "velocity": [*start[3:5], 0.0]}
    for n, row in enumerate(poses[:6]):
        where = {"position": [*row[:2], 0.03], "heading": 0.0}
        robot = f"{'left' if n < 3 else 'right'}{n % 3}"
        match.kernel.ask(arena.Request("set_entity_position", where, robot))
    assert match.kernel.ask(arena.Request("set_entity_position", put, "ball")).ok
    match.kernel.run(1.0)
    goal = next(t for t, text in match.referee.events if text.startswith("goal of left"))
    assert info["blue_0"]["time"] == pytest.approx(goal - began, abs=0.026)


def test_a_ball_that_lies_still_cuts_the_episode():
    env = arena.make("vsss-3v3", "blue_0", opponent="still")
    env.reset(seed=0, options={"start": "kick-off"})
    for _ in range(1000):
        *_, over, cut, info = env.step(np.zeros(2))
        if over or cut:
            break
    assert (over, cut, info["why"]) == (False, True, "free ball")
    assert info["time"] == pytest.approx(5.0, abs=0.03)


def test_rounds_of_sumo_end_as_the_referee_ends_them():
    outcomes = {}
    for action in (-1.0, 0.0):
        env = arena.make("sumo-mini", "blue_0", opponent="still")
        env.reset(seed=0, options={"start": "kick-off"})
        over = cut = False
        while not (over or cut):
            _, reward, over, cut, info = env.step(np.full(2, action))
        outcomes[action] = (info["why"], info["point"], reward < -5)
    assert outcomes == {-1.0: ("out", -1, True), 0.0: ("no progress", 0, False)}
    spinner = arena.make("sumo-mini", "blue_0", opponent="still")
    spinner.reset(seed=0, options={"start": "kick-off"})
    for n in range(400):
        *_, over, cut, info = spinner.step(np.full(2, 0.3) * (-1) ** (n // 20))
        if over or cut:
            break
    assert (info["why"], info["point"]) == ("stands still", 1)


def test_a_baseline_is_the_same_mind_here_and_in_a_match():
    """What a Strategy sees in an environment is what it sees in a match with the same poses."""
    views = []

    class Looker(Strategy):
        def act(self, view):
            views.append(view)
            return {}

    env = arena.make("vsss-3v3", "blue", opponent=Looker())
    env.reset(seed=0, options={"start": "kick-off"})
    env.step({})
    view = views[0]
    assert [t.id for t in view.mine] == ["right0", "right1", "right2"]
    assert view.me.x == pytest.approx(-0.67, abs=1e-9)  # its own goal is on its own left
    assert abs(view.me.heading) < 1e-9
    assert (view.length, view.width, view.goal) == (1.5, 1.3, 0.4)


def test_saved_states_go_on_alike():
    env = arena.make("vsss-3v3", "blue_0", opponent="noise")
    env.reset(seed=3)
    for _ in range(30):
        env.step(np.array([0.5, 0.2]))
    saved = env.bout.save()
    ends = []
    for seed in (1, 2):
        env.reset(seed=seed, options={"state": saved})
        for _ in range(30):
            env.step(np.array([-0.5, 0.2]))
        ends.append(env.bout.digest())
    assert ends[0] == ends[1]
    other = arena.make("sumo-mini", "blue_0")
    with pytest.raises(ValueError, match="another game"):
        other.reset(options={"state": saved})


def test_rewards_can_be_the_users_own():
    env = arena.make("vsss-3v3", "blue", opponent="still", reward=lambda change: change.actions.sum(axis=2))
    env.reset(seed=0)
    _, rewards, *_ = env.step({"blue_1": np.array([0.5, 0.25])})
    assert rewards == {"blue_0": 0.0, "blue_1": 0.75, "blue_2": 0.0}


def test_self_play_by_a_policy():
    """A policy that drives both teams in the same way ends where it began, seen from either side."""
    seen = []

    def forward(observations):
        seen.append(observations.shape)
        return np.full((*observations.shape[:2], 2), 0.5)

    env = arena.make("sumo-mini", "blue_0", opponent=Policy(forward))
    poses = np.array([[-0.2, 0.0, 0.0], [0.2, 0.0, np.pi]])
    env.reset(options={"poses": poses})
    for _ in range(10):
        env.step(np.full(2, 0.5))
    assert seen[0] == (1, 1, 14)
    assert env.bout.poses[0, 0, 0] == pytest.approx(-env.bout.poses[0, 1, 0], abs=1e-9)
    wrong = arena.make("sumo-mini", "blue_0", opponent=Policy(lambda o: np.zeros(3)))
    wrong.reset(seed=0)
    with pytest.raises(ValueError, match="shape"):
        wrong.step(np.zeros(2))


def test_pictures():
    env = arena.make("vsss-3v3", "blue_0", render_mode="rgb_array")
    env.reset(seed=0)
    image = env.render()
    assert image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) >= 6
    with pytest.raises(RuntimeError, match="rgb_array"):
        arena.make("sumo-mini", "blue_0").render()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"name": "vss-3v3"}, "Did you mean 'vsss-3v3'"),
        ({"name": "vsss-3v3", "agents": "blue_3"}, "No agents 'blue_3'"),
        ({"name": "vsss-3v3", "agents": []}, "one or more"),
        ({"name": "vsss-3v3", "opponent": "rolls"}, "Did you mean 'roles'"),
        ({"name": "vsss-3v3", "view": "bird"}, "No view 'bird'"),
        ({"name": "vsss-3v3", "start": "middle"}, "No start 'middle'"),
        ({"name": "vsss-3v3", "control": 0.012}, "no multiple"),
        ({"name": "vsss-3v3", "agents": "blue_0", "render_mode": "human"}, "No render mode 'human'"),
        ({"name": "vsss-3v3", "worlds": 2, "autoreset": "never"}, "No autoreset 'never'"),
    ],
)
def test_bad_arguments(arguments, told):
    with pytest.raises(ValueError, match=told):
        arena.make(**arguments)


def test_bad_actions_and_poses():
    env = arena.make("sumo-mini", "blue_0", opponent="still")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="world, agent, wheel"):
        env.step(np.zeros(3))
    with pytest.raises(ValueError, match="Poses"):
        env.reset(options={"poses": np.zeros((3, 3))})
    with pytest.warns(UserWarning, match="Unknown options"):
        env.reset(options={"pose": 1})
    env.step(np.array([np.nan, np.inf]))
    assert np.isfinite(env.bout.worlds.state).all()
