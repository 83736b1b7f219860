"""Real time by a clock of our own: deadlines, policies, statuses. No test waits."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from thrown_ball import G, thrown_ball

from biela.simulate import Clock, RealTime, Simulation, Status, assemble

MS = 1_000_000  # ns


class Fake:
    """A clock that moves when it is told to, and a little when it is read."""

    def __init__(self):
        self.t, self.slept = 0, 0.0

    def now(self):
        self.t += 100
        return self.t

    def sleep(self, seconds):
        self.slept += seconds
        self.t += round(seconds * 1e9)

    @property
    def clock(self):
        return Clock(self.now, self.sleep)


@pytest.fixture(scope="module")
def simulation():
    return Simulation(thrown_ball(), dt=1e-2)


def ran(simulation, policy="catch-up", slow=None, duration=0.2, exchange=None):
    """A loop in which some periods take long: {number: ms}."""
    fake, slow = Fake(), slow or {}

    def meet(k, state, u):
        fake.t += slow.get(k, 0) * MS
        return exchange(k, state, u) if exchange else None

    loop = RealTime(simulation, meet, policy=policy, clock=fake.clock)
    record, timing = loop.run(assemble(simulation.model), duration)
    return record, timing, fake


def test_an_undisturbed_loop_is_the_plain_run(simulation):
    record, timing, fake = ran(simulation)
    plain = simulation.run(assemble(simulation.model), 0.2)
    assert np.array_equal(record["z"], plain["z"])
    assert record.t == pytest.approx(plain.t)
    assert timing.counts() == {"OK": 20}
    assert 0.19 < fake.t * 1e-9 < 0.21  # it kept time
    assert fake.slept > 0.15  # asleep mostly
    assert timing.factor > 100


def test_a_callback_reads_states_and_writes_inputs(simulation):
    seen = []

    def push(k, state, u):
        seen.append(state.copy())
        u[0] = 2.0 * k

    record, _, _ = ran(simulation, exchange=push)
    assert np.array([s[0] for s in seen]) == pytest.approx(record["z"][:-1])
    assert record.u[:-1, 0] == pytest.approx(2.0 * np.arange(20))
    assert record["x'"][-1] == pytest.approx(1.0 + np.sum(np.arange(20.0)) * 0.01)


def test_a_callback_cannot_change_the_state(simulation):
    def spoil(k, state, u):
        state[0] = 0.0

    record, timing, _ = ran(simulation, exchange=spoil)
    assert timing.counts() == {"FAILED": 1}
    assert isinstance(timing.error, ValueError)
    assert len(record) == 1


def test_late_periods_are_caught_up(simulation):
    """25 ms in the 10 ms of period 3: that one, 4 and 5 end late, and all steps are made."""
    record, timing, fake = ran(simulation, "catch-up", {3: 25})
    assert list(np.flatnonzero(timing.statuses == Status.LATE)) == [3, 4]
    assert len(record) == 21
    assert timing.latencies[3:6] == pytest.approx([25e3, 15e3, 5e3], rel=0.01)
    assert timing.work[3] == pytest.approx(25e3, rel=0.01)
    assert timing.work[4] < 1.0
    assert fake.t * 1e-9 < 0.21


def test_late_periods_are_skipped(simulation):
    record, timing, _ = ran(simulation, "skip", {3: 25})
    assert timing.counts() == {"OK": 17, "LATE": 1, "SKIPPED": 2}
    assert list(np.flatnonzero(timing.statuses == Status.SKIPPED)) == [4, 5]
    z = record["z"]
    assert z[4] == z[5] == z[6]
    steps = 18
    assert z[-1] == pytest.approx(1 - G * (steps * 0.01) ** 2 / 2)
    assert record.t[-1] == pytest.approx(0.2)


def test_a_late_period_stops_the_loop(simulation):
    record, timing, _ = ran(simulation, "stop", {3: 25})
    assert timing.counts() == {"OK": 3, "LATE": 1}
    assert record.t[-1] == pytest.approx(0.04)
    assert not record.ok


def test_a_callback_stops_the_loop(simulation):
    record, timing, _ = ran(simulation, exchange=lambda k, state, u: k == 7)
    assert timing.counts() == {"OK": 7, "STOPPED": 1}
    assert record.status == "stopped at t=0.07 s"
    assert len(record) == 8


def test_a_callback_that_raises_is_a_status(simulation):
    def fail(k, state, u):
        if k == 2:
            raise OSError("sensor gone")

    record, timing, _ = ran(simulation, exchange=fail)
    assert timing.counts() == {"OK": 2, "FAILED": 1}
    assert str(timing.error) == "sensor gone"
    assert record.status == "failed at t=0.02 s"


def test_a_state_that_diverges_is_a_status_and_the_last_good_one_is_kept(simulation):
    def spoil(k, state, u):
        u[0] = np.nan if k == 4 else 0.0

    record, timing, _ = ran(simulation, exchange=spoil)
    assert timing.counts() == {"OK": 4, "DIVERGED": 1}
    assert record.t[-1] == pytest.approx(0.04)
    assert np.isfinite(record["x"]).all()


def test_the_histogram_counts_every_step(simulation):
    _, timing, _ = ran(simulation, "catch-up", {3: 3, 4: 3, 9: 7})
    text = timing.histogram()
    rows = [line.split() for line in text.splitlines()[:-1]]
    assert sum(int(row[4]) for row in rows) == 20
    assert {row[0]: int(row[4]) for row in rows}["2000"] == 2
    assert "worst 7000 us" in text.replace("7001", "7000")


def test_the_example_balances_its_pole(capsys, monkeypatch):
    """By the true clock, so nothing is said about time here."""
    monkeypatch.setattr("sys.argv", ["real_time.py", "0.3"])
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "real_time.py"))
    printed = capsys.readouterr().out
    assert "<Record t=0..0.3 s, 301 moments" in printed
    assert "times real time" in printed


def test_bad_loops_are_told(simulation):
    with pytest.raises(ValueError, match="Unknown policy 'hurry'"):
        RealTime(simulation, policy="hurry")
    with pytest.raises(ValueError, match="'merson' chooses its steps itself"):
        RealTime(Simulation(simulation.model, integrator="merson"))
    with pytest.raises(ValueError, match="positive number of seconds"):
        RealTime(simulation).run(assemble(simulation.model), -1.0)
