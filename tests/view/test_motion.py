"""Where things are at the moments of a record: against Functions of the model and SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import biela as bl
from biela.simulate import Record, Simulation, assemble
from biela.view.motion import fewer, matrices, of_record, of_state, quaternions, spread


@pytest.fixture(scope="module")
def run():
    model = bl.mechanisms.four_bar().model()
    return Simulation(model, dt=1e-3).run(assemble(model), 2.0)


def test_quaternions_turn_as_their_matrices():
    turns = Rotation.random(200, rng=1)
    q = quaternions(turns.as_matrix())
    assert np.abs(matrices(q) - turns.as_matrix()).max() < 1e-14
    assert np.abs(Rotation.from_quat(q, scalar_first=True).as_matrix() - turns.as_matrix()).max() < 1e-14


def test_quaternions_do_not_jump():
    angles = np.linspace(0, 20, 400)
    q = quaternions(Rotation.from_rotvec(angles[:, None] * [0.6, 0, 0.8]).as_matrix())
    assert np.linalg.norm(np.diff(q, axis=0), axis=1).max() < 0.03


def test_places_are_those_of_the_model(run):
    motion = of_record(run)
    crank = run["crank"][np.searchsorted(run.t, motion.t)]
    shape = next(s for s in motion.scene.shapes if s["kind"] == "bar" and s["name"] == "crank")
    tip = motion.places[:, 0, shape["places"][1]]
    l1 = run.model.p[[p.name for p in run.model.parameters].index("l1")]
    assert np.abs(tip - l1 * np.stack([np.cos(crank), np.sin(crank), 0 * crank], axis=1)).max() < 1e-6


def test_moments_are_thinned_and_both_ends_kept(run):
    motion = of_record(run, rate=60)
    assert len(run) == 2001
    assert len(motion.t) == 600  # a short record keeps more than 60 a second
    assert (motion.t[0], motion.t[-1]) == (run.t[0], run.t[-1])
    assert len(of_record(run, rate=400).t) == 801


def test_lanes_are_chosen_evenly_with_their_parameters():
    model = bl.mechanisms.n_pendulum(2).model()
    lengths = np.linspace(0.5, 1.5, 30)
    p = np.tile(model.p[:, None], (1, 30))
    p[[q.name for q in model.parameters].index("l")] = lengths
    start = np.tile(model.start[0][:, None], (1, 30))
    run = Simulation(model, dt=1e-2).batch(start, np.zeros_like(start), 0.1, p=p)
    motion = of_record(run, lanes=4)
    reach = np.linalg.norm(motion.places[0], axis=-1).max(axis=-1)
    assert reach == pytest.approx(2 * lengths[[0, 10, 19, 29]], rel=1e-6)
    assert fewer(run, 40) is run


def test_a_state_is_a_motion_of_one_moment():
    model = bl.mechanisms.stewart().model()
    motion = of_state(assemble(model))
    assert motion.places.shape[:2] == (1, 1)
    assert np.abs(np.linalg.norm(motion.turns, axis=-1) - 1).max() < 1e-6


def test_spread_keeps_both_ends():
    assert spread(5, 9).tolist() == [0, 1, 2, 3, 4]
    assert spread(101, 3).tolist() == [0, 50, 100]
    assert spread(1, 3).tolist() == [0]


def test_records_that_cannot_be_shown(run):
    with pytest.raises(ValueError, match=r"belongs to no model.*attached"):
        of_record(Record(run.t, run.columns, run.units))
    with pytest.raises(ValueError, match="no moment to show"):
        of_record(run.taken(slice(0, 0)))
