"""The serial arms against Pinocchio, built there from their tables of links."""

import importlib

import numpy as np
import pytest

pinocchio = pytest.importorskip("pinocchio")
STATES = 5


@pytest.fixture(scope="module", params=["arm6", "arm7"])
def arm(request):
    """The module of an arm and its model."""
    module = importlib.import_module(f"biela.mechanisms.{request.param}")
    return module.LINKS, getattr(module, request.param)().model()


def peer(links):
    """The same arm in Pinocchio."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    last = 0
    for n, link in enumerate(links, 1):
        twist = np.deg2rad(link.twist)
        place = np.array([link.a, -link.d * np.sin(twist), link.d * np.cos(twist)])
        frame = pinocchio.SE3(pinocchio.utils.rotate("x", twist), place)
        last = model.addJoint(last, pinocchio.JointModelRZ(), frame, f"joint{n}")
        xx, yy, zz, xy, xz, yz = link.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pinocchio.Inertia(link.mass, np.array(link.com), inertia)
        model.appendBodyToJoint(last, body, pinocchio.SE3.Identity())
    return model, model.createData()


def test_has_a_coordinate_a_joint(arm):
    links, model = arm
    assert model.sizes == {"p": len(links), "g": 0, "r": 0, "c": 0, "m": len(links), "n": len(links)}
    assert model.freedom == len(links)


def test_moves_like_its_peer(arm):
    links, model = arm
    other, data = peer(links)
    rng = np.random.default_rng(3)
    for _ in range(STATES):
        q, dq, torque = rng.uniform(-3.0, 3.0, (3, len(links)))
        M, delta = model.functions["M|delta"].evaluate(q, dq, model.p, torque)
        expected = pinocchio.crba(other, data, q)
        expected = np.triu(expected) + np.triu(expected, 1).T
        np.testing.assert_allclose(M, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
        bias = torque - pinocchio.nonLinearEffects(other, data, q, dq)
        np.testing.assert_allclose(delta, bias, rtol=0.0, atol=1e-12 * np.abs(bias).max())


def test_needs_the_torques_its_peer_needs(arm):
    links, model = arm
    other, data = peer(links)
    q, dq, ddq = np.random.default_rng(4).uniform(-3.0, 3.0, (3, len(links)))
    e = model.functions["e"].evaluate(q, dq, ddq, model.p, np.zeros(len(links)))
    expected = pinocchio.rnea(other, data, q, dq, ddq)
    np.testing.assert_allclose(e, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
