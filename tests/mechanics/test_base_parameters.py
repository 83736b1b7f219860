"""Base parameters: known counts and groupings, the same efforts, and mechanisms that move alike."""

import numpy as np
import pytest

import biela as bl
from biela.mechanics.inverse import PARAMETERS
from biela.mechanics.sample import null_space, samples
from biela.mechanisms import MECHANISMS

INERTIA = [1.1, 1.2, 1.3, 0.01, 0.02, 0.03]


def arm(axes, gravity=(0, 0, -9.81)):
    """Bodies on hinges, one after the other, with general offsets and inertias."""
    s = bl.System("arm")
    below = s.ground
    for k, axis in enumerate(axes, 1):
        body = s.body(f"b{k}", mass=1.0, first_moment=[0.1, 0.2, 0.3], inertia=INERTIA, about="origin")
        at = [0.0, 0.0, 0.3] if k == 1 else [0.4 + 0.1 * k, 0.2 - 0.1 * k, 0.3 + 0.05 * k]
        s.revolute(below, body, axis=axis, at=at)
        below = body
    s.gravity(gravity)
    return s.model()


@pytest.mark.parametrize(
    ("axes", "gravity", "expected"),
    [
        ("z", (0, 0, -9.81), 1),
        ("z", (0, -9.81, 0), 3),
        ("zz", (0, 0, -9.81), 4),
        ("zz", (0, -9.81, 0), 6),
        ("zyy", (0, 0, -9.81), 15),
        ("zyy", (1, 0, -9.81), 17),
        ("zyyzyz", (0, 0, -9.81), 36),  # the arm with six joints that the PUMA is
        ("zyyzyz", (1, 0, -9.81), 38),
        ("zzyxz", (0, 0, -9.81), 25),
    ],
)
def test_how_many_an_arm_has(axes, gravity, expected):
    """Of n hinges, each parallel or square to the last: 7 n - 4 b, with b parallel ones at the start, and two
    less when gravity is along these (Mayeda, Yoshida and Osuka, 1990).
    """
    first = len(axes) - len(axes.lstrip("z"))
    assert expected == 7 * len(axes) - 4 * first - 2 * (gravity[:2] == (0, 0))
    assert arm(axes, gravity).base_parameters().rank == expected


def test_the_planar_arm_with_two_joints():
    s = bl.System("planar")
    r, g = s.parameters(l1=0.5, g=9.81)
    one = s.body("one", mass=2.0, first_moment=[0.4, 0.1, 0], inertia=[0.3, 0.3, 0.5], about="origin")
    two = s.body("two", mass=3.0, first_moment=[0.6, 0.2, 0], inertia=[0.3, 0.4, 0.6], about="origin")
    s.revolute(s.ground, one)
    s.revolute(one, two, at=[r, 0, 0])
    s.gravity([0, -g, 0])
    found = s.model().base_parameters()
    assert dict(zip(found.groupings, found.values.round(12), strict=True)) == {
        "one.mx + l1*two.m": 0.4 + 0.5 * 3.0,
        "one.my": 0.1,
        "one.Izz + l1**2*two.m": 0.5 + 0.25 * 3.0,
        "two.mx": 0.6,
        "two.my": 0.2,
        "two.Izz": 0.6,
    }
    assert repr(found).splitlines()[0] == "one.mx + l1*two.m = 1.9"
    assert "one.m" in found.without_effect
    assert "two.mz" in found.without_effect
    assert "two.m" not in found.without_effect


@pytest.mark.parametrize("name", ["arm6", "four_bar", "slider_crank", "five_bar", "cart_pole"])
def test_base_parameters_give_the_same_efforts(name):
    """Along the motions that constraints allow, at states that were not used to find them."""
    model = MECHANISMS[name]().model()
    base = model.base_parameters()
    rng = np.random.default_rng(5)
    for sample in samples(model, 4, seed=99):
        K = sample.evaluate(model.functions["K"])
        N = null_space(sample.evaluate(model.functions["Phi_dq"])) if len(model.phi) else np.eye(len(K))
        phi = rng.normal(size=K.shape[1])
        whole = N.T @ K @ phi
        grouped = N.T @ K[:, list(base.columns)] @ (base.matrix @ phi)
        np.testing.assert_allclose(grouped, whole, rtol=1e-8, atol=1e-8 * np.abs(K).max())


@pytest.mark.parametrize("name", ["four_bar", "arm6"])
def test_they_are_as_few_as_the_rank_says(name):
    """By singular values, at other states."""
    model = MECHANISMS[name]().model()
    rows = []
    for sample in samples(model, 80, seed=17):
        K = sample.evaluate(model.functions["K"])
        N = null_space(sample.evaluate(model.functions["Phi_dq"])) if len(model.phi) else np.eye(len(K))
        rows.append(N.T @ K)
    W = np.vstack(rows)
    sizes = np.linalg.norm(W, axis=0)
    W = W / np.where(sizes > 1e-9, sizes, 1.0)
    assert model.base_parameters().rank == np.linalg.matrix_rank(W, tol=1e-8)


LENGTHS = {"general": (0.12, 0.54, 0.455, 0.8), "parallelogram": (0.2, 0.7, 0.2, 0.7)}


def four_bar(shape):
    """A planar four-bar whose parameters are those of inertia of its bodies, about their joints."""
    a, b, c, d = LENGTHS[shape]
    s = bl.System("bars")
    values = dict(zip(PARAMETERS, [5.0, 0.4, 0.1, 0, 2, 2, 2, 0, 0, 0], strict=True))

    def body(name):
        p = {k: s.parameter(f"{name}_{k}", value) for k, value in values.items()}
        moment, tensor = [p[k] for k in PARAMETERS[1:4]], [p[k] for k in PARAMETERS[4:]]
        return s.body(name, mass=p["m"], first_moment=moment, inertia=tensor, about="origin")

    crank, coupler, rocker = body("crank"), body("coupler"), body("rocker")
    q = s.revolute(s.ground, crank).coordinates[0]
    s.revolute(crank, coupler, at=[a, 0, 0])
    s.revolute(s.ground, rocker, at=[d, 0, 0])
    if shape == "parallelogram":  # its other branch crosses: stay on this one
        s.constrain("parallel", s.coordinates_by_name["rocker.angle"].symbols.position - q)
        s.constrain("level", s.coordinates_by_name["coupler.angle"].symbols.position + q)
    else:
        s.close(coupler.point([b, 0, 0]), rocker.point([c, 0, 0]))
    s.gravity([0, -9.81, 0])
    return s.model()


def test_how_many_a_four_bar_has():
    """Crank and rocker each have Izz, mx and my. Of the coupler's mass, two points on its pins go to them; my
    and Izz are left. In a parallelogram the coupler does not turn, so crank and rocker move as one.
    """
    assert four_bar("general").base_parameters().rank == 8
    assert four_bar("parallelogram").base_parameters().rank == 3


@pytest.mark.parametrize("shape", LENGTHS)
def test_mechanisms_with_equal_base_parameters_move_alike(shape):
    model = four_bar(shape)
    base, forward = model.base_parameters(), model.functions["ddq"]
    change = np.random.default_rng(0).normal(size=30)
    change -= np.linalg.pinv(base.matrix) @ (base.matrix @ change)
    assert np.linalg.norm(change) > 1.0
    for sample in samples(model, 5, seed=4):
        one, two, other = (
            forward.evaluate(sample.q, sample.dq, p).ddq
            for p in (model.p, model.p + change, model.p * np.linspace(1, 1.5, 30))
        )
        np.testing.assert_allclose(two, one, rtol=1e-7, atol=1e-7)
        assert np.abs(other - one).max() > 1e-3


def test_a_model_without_inertia_has_none():
    s = bl.System("ghost")
    s.coordinate("x", inertia=False)
    with pytest.raises(ValueError, match=r"Model 'ghost': no body has inertia\."):
        s.model().base_parameters()


def test_a_loop_that_cannot_be_closed():
    s = bl.System("torn")
    a, b = s.body("a", mass=1.0), s.body("b", mass=1.0)
    s.revolute(s.ground, a)
    s.revolute(s.ground, b, at=[10.0, 0, 0])
    s.close(a.point([1, 0, 0]), b.point([2, 0, 0]))
    with pytest.raises(ValueError, match="Model 'torn': no random state could be assembled"):
        s.model().base_parameters()
