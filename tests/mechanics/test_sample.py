"""States at random: on the constraints, away from singular positions, the same for the same seed."""

import numpy as np
import pytest

from biela.mechanics.sample import free_samples, null_space, samples
from biela.mechanisms import MECHANISMS


@pytest.mark.parametrize(
    "name", ["four_bar", "n_four_bar", "bricard", "stewart", "crank_rod_disc", "two_rssu"]
)
def test_states_fulfil_the_constraints_at_every_level(name):
    model = MECHANISMS[name]().model()
    found = samples(model, 4)
    assert len(found) == 4
    for sample in found:
        J, beta, gamma = sample.evaluate(model.functions["Phi_dq|beta|gamma"])
        assert np.abs(sample.evaluate(model.functions["Phi"])).max() < 1e-10
        np.testing.assert_allclose(J @ sample.dq, beta, atol=1e-9 * np.abs(J).max())
        np.testing.assert_allclose(J @ sample.ddq, gamma, atol=1e-8 * max(1.0, np.abs(gamma).max()))


def test_no_state_is_singular():
    """The bars of these parallelograms fall into line wherever Newton's method is let."""
    model = MECHANISMS["n_four_bar"]().model()
    for sample in samples(model, 6):
        J = sample.evaluate(model.functions["Phi_dq"])
        assert np.linalg.svd(J, compute_uv=False).min() > 1e-3


def test_a_seed_decides():
    model = MECHANISMS["four_bar"]().model()
    one, two, other = samples(model, 2, seed=3), samples(model, 2, seed=3), samples(model, 2, seed=4)
    np.testing.assert_array_equal(one[1].q, two[1].q)
    assert np.abs(one[1].q - other[1].q).max() > 1e-3


def test_parameters_vary_together_and_inputs_have_their_defaults():
    model = MECHANISMS["wheelset"]().model()
    one, two = samples(model, 2, vary=0.01)
    np.testing.assert_array_equal(one.p, two.p)
    assert np.abs(one.p - model.p).max() > 0.0
    np.testing.assert_allclose(one.p, model.p, rtol=0.01)
    np.testing.assert_array_equal(one.u, model.u)


def test_free_states_fulfil_nothing():
    model = MECHANISMS["four_bar"]().model()
    (sample,) = free_samples(model, 1)
    assert np.abs(sample.evaluate(model.functions["Phi"])).max() > 1e-3


def test_the_null_space():
    N = null_space(np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]))
    assert N.shape == (3, 2)
    np.testing.assert_allclose(N.T @ N, np.eye(2), atol=1e-15)
    np.testing.assert_allclose([1.0, 1.0, 0.0] @ N, 0.0, atol=1e-15)
    np.testing.assert_array_equal(null_space(np.zeros((0, 2))), np.eye(2))
