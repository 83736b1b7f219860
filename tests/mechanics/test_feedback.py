"""Feedback: a closed loop is the model that one would have described with the law in it."""

import numpy as np
import pytest

import biela as bl
from biela.mechanics.feedback import closed_loop


def swing(law=None):
    """A slider with a hanging bar: a force between two points, a motor, and a moment."""
    s = bl.System("swing")
    cart = s.body("cart", mass=2.0)
    bar = s.body("bar", mass=1.0, com=[0, -0.5, 0], inertia=bl.rod(1.0, 1.0, axis="y"))
    x, a = s.coordinate("x", unit="m"), s.coordinate("a", 0.3, unit="rad")
    s.prismatic(s.ground, cart, axis="x", coordinates=x)
    s.revolute(cart, bar, axis="z", coordinates=a)
    s.gravity([0, -9.81, 0])
    inputs = [s.input("push"), s.input("pull")] if law is None else law(x, a, x.dt(), a.dt())
    s.effort(x, inputs[0])
    s.force(bar, [inputs[1], 0, 0], at=[0, -1, 0])
    return s.model()


def law(x, a, dx, da):
    return [-3.0 * x - dx * dx, 2.0 * bl.sin(a) + da]


def test_a_closed_loop_is_the_model_described_with_its_law():
    model, wanted = swing(), swing(law)
    symbols = [quantity.symbol for quantity in model.inputs]
    closed = closed_loop(model, dict(zip(symbols, law(*model.q, *model.dq), strict=True)))
    assert closed.inputs == ()
    rng = np.random.default_rng(1)
    for name in ("delta", "ddq", "M"):
        for _ in range(3):
            have = {"q": rng.normal(size=2), "dq": rng.normal(size=2)}
            one, other = (m.functions[name] for m in (closed, wanted))
            given = {port.name: have[port.name] for port in one.inputs}
            assert one.evaluate(**given) == pytest.approx(other.evaluate(**given), abs=1e-12)


def test_the_law_is_in_the_reactions_too():
    model, wanted = swing(), swing(law)
    symbols = [quantity.symbol for quantity in model.inputs]
    closed = closed_loop(model, dict(zip(symbols, law(*model.q, *model.dq), strict=True)))
    have = {"q": np.array([0.2, 0.7]), "dq": np.array([0.5, -1.0]), "ddq": np.array([1.0, 2.0])}
    one, other = (m.functions["reactions"].evaluate(**have) for m in (closed, wanted))
    assert np.concatenate([np.ravel(v) for v in one]) == pytest.approx(
        np.concatenate([np.ravel(v) for v in other]), abs=1e-12
    )


def test_the_open_model_stays_as_it_was():
    model = swing()
    before = model.functions["delta"].evaluate(q=[0.1, 0.2], dq=[0, 0], u=[1.0, 2.0])
    closed_loop(model, dict.fromkeys((q.symbol for q in model.inputs), model.q[0]))
    assert len(model.inputs) == 2
    assert np.array_equal(model.functions["delta"].evaluate(q=[0.1, 0.2], dq=[0, 0], u=[1.0, 2.0]), before)
