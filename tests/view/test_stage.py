"""Where one looks from: the box of all that is shown, the plane it moves in, and whether it goes away."""

import numpy as np
import pytest

import biela as bl
from biela.simulate import Simulation, assemble
from biela.view.motion import of_record, of_state
from biela.view.stage import set_for


def stage_of(name, duration=0.0, **options):
    model = getattr(bl.mechanisms, name)().model()
    start = assemble(model)
    return set_for(
        [of_record(Simulation(model, dt=1e-3).run(start, duration)) if duration else of_state(start)]
    )


@pytest.mark.parametrize(
    ("name", "planar", "toward"),
    [("four_bar", True, [0, 0, 1]), ("block_pendulum", True, [0, -1, 0]), ("n_pendulum", True, [0, 0, 1]),
     ("andrews_squeezer", True, [0, 0, 1]), ("hexaglide", False, [0, -1, 0]),
     ("whipple_bicycle", False, [0, 1, 0])],
)  # fmt: skip
def test_the_viewer_stands_in_front(name, planar, toward):
    stage = stage_of(name)
    assert (stage.planar, stage.toward.tolist()) == (planar, toward)
    assert np.linalg.det([stage.right, stage.up, stage.toward]) == pytest.approx(1)


@pytest.mark.parametrize("name", ["hexaglide", "locomotive", "whipple_bicycle", "rolling_disc", "wheelset"])
def test_what_rolls_and_slides_stands_on_the_floor(name):
    assert stage_of(name).floor == 0.0


def test_a_bicycle_goes_away_and_a_pendulum_does_not():
    rides, hangs = stage_of("whipple_bicycle", 2.0), stage_of("n_pendulum", 2.0)
    assert (rides.travels, hangs.travels) == (True, False)
    assert rides.size < 1.2  # of the bicycle, not of its 9 m of road
    assert hangs.size > 2.5  # of all that five rods reach


def test_the_box_holds_a_turned_box_and_a_wheel():
    s = bl.System("turned")
    body = s.body("body", mass=1.0)
    s.revolute(s.ground, body, axis="z", coordinates=s.coordinate("a", np.pi / 4))
    s.draw(bl.Solid("box", body.origin, body.base, (2.0, 2.0, 1.0)))
    stage = set_for([of_state(assemble(s.model()))])
    assert stage.half == pytest.approx([2**0.5, 2**0.5, 0.5], rel=1e-6)  # right, up, toward
    wheel = bl.System("wheel")
    body = wheel.body("body", mass=1.0)
    wheel.revolute(wheel.ground, body, axis="x", coordinates=wheel.coordinate("a", 0.3))
    wheel.draw(bl.Solid("cylinder", body.origin, body.base, (1.0, 0.5), axis="x"))
    assert set_for([of_state(assemble(wheel.model()))]).half == pytest.approx([1, 1, 0.25], rel=1e-6)


def test_lost_values_do_not_move_the_stage():
    model = bl.mechanisms.four_bar().model()
    run = Simulation(model, dt=1e-3).run(assemble(model), 0.5)
    columns = {name: np.where(run.t > 0.4, np.nan, column) for name, column in run.columns.items()}
    whole, lost = (set_for([of_record(r)]) for r in (run.between(0, 0.4), run.replaced(columns=columns)))
    assert np.abs(whole.centre - lost.centre).max() < 1e-3
    assert lost.planar
