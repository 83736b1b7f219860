"""Batches: each lane is the run it would be alone; scattered starts close; records tell their size."""

import io

import numpy as np
import pytest
from scipy import stats
from thrown_ball import thrown_ball

import biela as bl
from biela.simulate import (
    AssemblyError,
    Choice,
    Normal,
    Simulation,
    Uniform,
    assemble,
    recording,
    scatter,
)
from biela.simulate.progress import Printer


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


@pytest.fixture(scope="module")
def simulation(four_bar):
    return Simulation(four_bar, dt=1e-3)


def test_lanes_are_the_runs_they_would_be_alone(four_bar, simulation):
    starts = [assemble(four_bar, crank=angle) for angle in (0.3, 1.1, 2.0, 4.4, 5.0)]
    for threads in (0, 1, 2):
        many = simulation.batch(starts, duration=0.5, every=50, threads=threads)
        for lane, start in enumerate(starts):
            alone = simulation.run(start, 0.5, every=50)
            for name in ("crank", "rocker'", "gap"):
                assert np.array_equal(many[name][:, lane], alone[name])
            assert np.array_equal(many.state(-1, lane).q, alone.state().q)


def test_columns_of_parameters_and_inputs(four_bar, simulation):
    starts = [assemble(four_bar, crank=1.0)] * 3
    masses, torques = np.array([8.0, 11.1, 14.0]), np.array([[0.0, 1.0, 2.0]])
    many = simulation.batch(starts, duration=0.2, p={"m1": masses}, u=torques)
    assert many.p.shape == (len(four_bar.parameters), 3)
    for lane in range(3):
        p = many.p[:, lane]
        alone = simulation.run(starts[0].changed(p=p), 0.2, u=torques[:, lane])
        assert np.array_equal(many["crank"][:, lane], alone["crank"])
        assert many.energy[:, lane] == pytest.approx(alone.energy, abs=1e-13)


def test_a_lane_that_is_lost_does_not_take_others_along(four_bar, simulation):
    start = assemble(four_bar, crank=1.0)
    q = np.repeat(start.q[:, None], 3, axis=1)
    dq = np.repeat(start.dq[:, None], 3, axis=1)
    dq[:, 1] = start.dq + 1e300 * np.array([1.0, 1.0, 1.0])
    run = simulation.batch(q, dq, 0.1)
    assert run.ok
    assert run.notes["lanes lost"] == 1
    assert np.isnan(run["crank"][-1, 1])
    assert np.isfinite(run["crank"][:, [0, 2]]).all()


def test_scattered_cranks_are_uniform_and_closed(four_bar):
    starts = scatter(four_bar, 20_000, crank=Uniform(0.0, 2 * np.pi), seed=3)
    assert len(starts) == 20_000
    assert not starts.failed
    assert stats.kstest(starts.q[0], stats.uniform(0.0, 2 * np.pi).cdf).pvalue > 1e-3
    for lane in (0, 777, 19_999):
        state = starts[lane]
        assert np.abs(state.value("Phi")).max() < 1e-12
        near = assemble(four_bar, state, crank=state["crank"])
        assert state.q == pytest.approx(near.q, abs=1e-12)


def test_scattered_starts_stay_on_their_branch(four_bar):
    """The rocker is on the same side of the line from coupler to ground for every crank angle."""
    signs = []
    for rocker in (2.3, -2.3):
        guess = assemble(four_bar, {"rocker": rocker, "coupler": -rocker}, crank=np.pi / 2)
        starts = scatter(four_bar, 500, crank=Uniform(0.0, 2 * np.pi), guess=guess)
        lean = np.sin(starts.q[2] - starts.q[0] - starts.q[1])
        assert (np.sign(lean) == np.sign(lean[0])).all()
        signs.append(np.sign(lean[0]))
    assert signs[0] == -signs[1]


def test_scattered_speeds_and_parameters_fulfil_the_constraints(four_bar):
    starts = scatter(
        four_bar, 50, crank=Uniform(0, 6), speeds={"crank": Normal(3.0, 0.1)}, p={"l2": Uniform(0.53, 0.55)}
    )
    assert np.std(starts.dq[0]) == pytest.approx(0.1, rel=0.4)
    for lane in range(0, 50, 7):
        J, beta = starts[lane].value("Phi_dq|beta")
        assert J @ starts.dq[:, lane] == pytest.approx(beta, abs=1e-12)
        assert np.abs(starts[lane].value("Phi")).max() < 1e-9
    assert len(set(starts.p[1])) == 50


def test_starts_out_of_reach_are_left_out_and_told(four_bar):
    """A rocker moves within two ranges only; the limits are those of the closed form."""
    starts = scatter(four_bar, 400, rocker=Uniform(0.0, np.pi))
    l1, l2, l3, ground = 0.12, 0.54, 0.455, 0.8
    limit = [np.pi - np.arccos((ground**2 + l3**2 - r**2) / (2 * ground * l3)) for r in (l2 + l1, l2 - l1)]
    p = dict(zip((q.name for q in four_bar.parameters), four_bar.p, strict=True))
    assert (p["l1"], p["l2"], p["l3"]) == (l1, l2, l3)
    low, high = sorted(limit)
    inside = (starts.q[2] > low - 1e-6) & (starts.q[2] < high + 1e-6)
    assert inside.all()
    out = starts.failed["rocker"]
    assert len(out) + len(starts) == 400
    assert ((out < low + 1e-3) | (out > high - 1e-3)).all()
    assert "more did not close" in repr(starts)
    with pytest.raises(AssemblyError, match="none of 10 starts closes"):
        scatter(four_bar, 10, rocker=0.1)


@pytest.mark.parametrize("name", ["stewart", "bricard", "rolling_disc", "wheelset", "four_bar_rod", "arm6"])
def test_scattering_suits_mechanisms_of_every_kind(name):
    model = bl.mechanisms.MECHANISMS[name]().model()
    first = model.placements[0].name
    near = assemble(model, velocities=np.zeros(len(model.q))).q[0]
    starts = scatter(model, 20, **{first.replace(".", "_"): Uniform(near - 0.01, near + 0.01)})
    assert len(starts) == 20
    if len(model.phi):
        assert max(np.abs(starts[k].value("Phi")).max() for k in range(20)) < 1e-9


def test_the_same_seed_draws_the_same(four_bar):
    one, two, other = (scatter(four_bar, 9, crank=Choice((1.0, 2.0, 3.0)), seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.q, two.q)
    assert not np.array_equal(one.q, other.q)
    assert set(one.q[0]) <= {1.0, 2.0, 3.0}


def test_a_record_that_is_too_large_is_refused(four_bar, simulation, monkeypatch):
    monkeypatch.setattr(recording, "MEMORY", 10_000)
    starts = [assemble(four_bar, crank=1.0)] * 4
    with pytest.raises(MemoryError, match=r"1001 moments and 4 lanes would take .* with every=\d+ or more"):
        simulation.batch(starts, duration=1.0)
    assert simulation.batch(starts, duration=1.0, every=200).ok


def test_progress_is_told_and_printed(four_bar, simulation, capsys):
    seen = []
    starts = [assemble(four_bar, crank=1.0)] * 4
    simulation.batch(starts, duration=0.1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (100, 100)
    simulation.batch(starts, duration=0.1, progress=True)
    assert "steps 100 %" in capsys.readouterr().err


def test_a_printer_does_not_print_too_often():
    times, page = iter([0.0, 0.01, 0.05, 0.3, 0.4, 0.45]), io.StringIO()
    show = Printer("steps", page, lambda: next(times))
    for done in range(1, 6):
        show(done, 5)
    assert page.getvalue().count("\r") == 3  # at 0.01, at 0.3 and at the end


def test_bad_batches_are_told(four_bar, simulation):
    q, dq = (np.repeat(v[:, None], 2, axis=1) for v in four_bar.start)
    with pytest.raises(ValueError, match=r"shape \(3, lanes\)"):
        simulation.batch(q[:2], dq[:2], 1.0)
    with pytest.raises(ValueError, match="q is not finite in lane 1"):
        simulation.batch(q * [1.0, np.nan], dq, 1.0)
    with pytest.raises(ValueError, match="parameters have 3 lanes, the starts 2"):
        simulation.batch(q, dq, 1.0, p={"m1": np.ones(3)})
    with pytest.raises(ValueError, match="at least one state"):
        simulation.batch([], duration=1.0)
    start = assemble(four_bar)
    with pytest.raises(ValueError, match="have the same time"):
        simulation.batch([start, start.changed(t=1.0)], duration=1.0)
    with pytest.raises(ValueError, match="'m1' has shape"):
        scatter(four_bar, 3, p={"m1": np.ones(2)})
    with pytest.raises(KeyError, match="Did you mean 'crank'"):
        scatter(four_bar, 3, cranc=1.0)
    ball = thrown_ball()
    with pytest.raises(ValueError, match=r"\(1, 2\) with a column for each lane"):
        Simulation(ball).batch(np.ones((2, 2)), np.ones((2, 2)), 1.0, u=np.ones((1, 3)))
