"""Evolution: a known optimum, the same on any executor, behaviours that improve on seeds not trained on."""

import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from biela import arena
from biela.arena import Fitness, Policy, Shooter, Wrestler, evolve, unseen

EXAMPLE = Path(__file__).parents[2] / "examples" / "evolution.py"


def valley(x, seeds):
    """Rosenbrock's function upside down; its top is at (1, 1)."""
    return -float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)


def noisy(x, seeds):
    """The same candidates meet the same seeds."""
    return valley(x, seeds) + np.random.default_rng(list(seeds)).normal()


def test_it_finds_the_top_of_rosenbrocks_function():
    found = evolve(valley, [-1.0, 2.0], scale=0.5, generations=120)
    assert found.numbers == pytest.approx([1.0, 1.0], abs=1e-3)
    assert found.evaluations == sum(6 for _ in found.generations)


def test_any_executor_gives_the_same():
    alone = evolve(noisy, [0.0, 0.0], generations=5, seed=3)
    with ThreadPoolExecutor(2) as executor:
        other = evolve(noisy, [0.0, 0.0], generations=5, seed=3, executor=executor)
    assert np.array_equal(alone.numbers, other.numbers)
    assert not np.array_equal(alone.numbers, evolve(noisy, [0.0, 0.0], generations=5, seed=4).numbers)


def test_it_runs_on_dask():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as c:
        other = evolve(noisy, [0.0, 0.0], generations=3, executor=c.get_executor())
    assert np.array_equal(other.numbers, evolve(noisy, [0.0, 0.0], generations=3).numbers)


def test_unseen_seeds_are_never_trained_on():
    met = set()

    def score(x, seeds):
        met.update(seeds)
        return 0.0

    evolve(score, [0.0, 0.0], generations=20, episodes=50)
    assert len(met) > 900
    assert not met & set(unseen(1000))


def test_a_sumo_behaviour_improves():
    """A short examples/evolution.py: from a timid guess that loses to a bold one, to one that holds."""
    bold = Policy(Wrestler([1.0, 1.0, 0.0, 0.0, 0.1, 1.0]))
    fitness = Fitness(Wrestler, "sumo-mini", opponent=bold, seconds=4.0)
    found = evolve(fitness, Wrestler.START, scale=Wrestler.SCALE, generations=3, population=6, episodes=12)
    before, after = (fitness(np.asarray(n), unseen(64)) for n in (Wrestler.START, found.numbers))
    assert after > before + 0.2


@pytest.mark.study
@pytest.mark.parametrize("name", ["sumo", "football"])
def test_both_behaviours_of_the_example_improve(name):
    """On a hundred unseen seeds: points won less points lost, per episode."""
    kind, fitness = runpy.run_path(str(EXAMPLE))["CASES"][name]
    options = {"scale": kind.SCALE, "generations": 6, "population": 10, "episodes": 24}
    found = evolve(fitness, kind.START, **options)
    before, after = (fitness.play(np.asarray(n), unseen(100))[0].mean() for n in (kind.START, found.numbers))
    assert after > before + 0.15


def test_points_and_rewards_of_an_episode_each():
    fitness = Fitness(Shooter, "vsss-3v3", mates="still", opponent="still", seconds=4.0)
    points, rewards = fitness.play(np.array(Shooter.START), unseen(12))
    again = fitness.play(np.array(Shooter.START), unseen(12))
    assert np.array_equal(rewards, again[1])
    assert points.shape == rewards.shape == (12,)
    assert (rewards[points > 0] > 5).all()


def test_what_is_learned_plays_in_matches():
    """`Learned` asks the policy with what an environment would have shown."""
    seen = []

    def policy(observations):
        seen.append(observations)
        return Wrestler()(observations)

    game = arena.ENVIRONMENTS["sumo-mini"](seconds=20.0)
    env = arena.make("sumo-mini", "yellow_0", opponent="still")
    mind = arena.Learned(policy, game)
    rules = arena.SumoRules(hold=0.1)
    match = arena.sumo("mini", left="still", right=mind, seed=1, rules=rules, backend="flat")
    match.play(seconds=0.3)
    broadcast = match.kernel.broadcast().entities
    poses = [[*e.position[:2], e.heading] for e in (broadcast["left"], broadcast["right"])]
    first, _ = env.reset(options={"poses": poses})
    assert seen[0].shape == (1, 1, 14)
    assert seen[-1][0, 0, 6:8] == pytest.approx(first[6:8], abs=0.02)


def test_wrong_numbers_are_told():
    with pytest.raises(ValueError, match=r"wants 6 finite numbers \(turning, push"):
        Wrestler([1.0])
    with pytest.raises(ValueError, match="scale positive"):
        evolve(valley, [0.0, 0.0], scale=0.0)
