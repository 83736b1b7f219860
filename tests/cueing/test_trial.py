"""The lanes of a trial against the detailed judgements of each ride alone, which are made another way."""

import numpy as np
import pytest

from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator, drive, felt, used
from biela.cueing.perception import SENSES
from biela.cueing.trial import TOLD, Trial

RATES = np.linspace(0.02, 0.3, 5)


def ride(simulator, rate):
    return Ride.on(simulator, ClassicalWashout.preset("delft").changed({"tilt.rate": rate}))


@pytest.mark.parametrize(
    ("make", "senses", "head"),
    [
        (Simulator.source_002, "young-meiry", (0.0, 0.0, 0.0)),
        (lambda: Simulator(Hexapod(), (Channel(),) * 6), "telban", (0.1, 0.2, 0.9)),
    ],
)
def test_lanes_are_what_is_judged_one_by_one(make, senses, head):
    simulator, rows = make(), drive.town(20.0)
    first = ride(simulator, RATES[0])
    trial = Trial(first, SENSES[senses], head)
    many = trial.batch(rows, first.settings({"tilt.rate": RATES}))
    assert set(many) == set(TOLD)
    for k in (0, 4):
        alone = ride(simulator, RATES[k])
        one, use = felt(alone, rows, SENSES[senses], head), used(alone, rows)
        assert many["felt"][k] == pytest.approx(one.error, abs=1e-10)
        for name, error in one.errors.items():
            assert many[f"felt.{name}"][k] == pytest.approx(error, abs=1e-10)
        assert many["false"][k] == pytest.approx(np.mean(list(one.false.values())), abs=1e-12)
        share = np.mean([shown for _, shown in one.noticed.values()]) / (0.02 * len(one.platform))
        assert many["noticed"][k] == pytest.approx(share, abs=1e-12)
        alike = [one.correlations[name] for name in one.correlations if np.ptp(one.vehicle, axis=0).any()]
        assert many["likeness"][k] == pytest.approx(np.nansum(alike) / 6, abs=1e-9)
        assert (many["room"][k], many["speed"][k], many["acceleration"][k]) == pytest.approx(
            (use.room, use.speed, use.acceleration), abs=1e-9
        )
        told = alone.endure(rows, 1)
        assert (many["clipped"][k], many["force"][k]) == pytest.approx((told["clipped"], told["force"]))


def test_a_still_vehicle_has_no_errors():
    simple = ride(Simulator.source_002(), 0.05)
    told = Trial(simple).batch(
        np.tile([0, 0, 9.80665, 0, 0, 0], (50, 1)), simple.settings({"tilt.rate": [0.1]})
    )
    assert {name: float(value[0]) for name, value in told.items()} == dict.fromkeys(TOLD, 0.0)


def test_drives_that_are_too_short():
    simple = ride(Simulator.source_002(), 0.05)
    with pytest.raises(ValueError, match="more than 3 rows; got 2"):
        Trial(simple).batch(drive.town(1.0)[:2], simple.settings({"tilt.rate": [0.1]}))
