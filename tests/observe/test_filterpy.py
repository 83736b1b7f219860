"""filterpy as an oracle: its extended and unscented filters on the four-bar's one degree of freedom."""

import bench_linkage as rig
import numpy as np
import pytest

from biela.observe import ExtendedKalman, UnscentedKalman
from biela.observe.observability import slopes
from biela.simulate import assemble

kalman = pytest.importorskip("filterpy.kalman")
STEPS = 300


def step_of(observer):
    """The process and the readings of (z, dz), by the compiled Functions of the model."""
    process, model = observer.process, rig.model()
    advance = process.advance
    readings = observer.instruments.function

    def whole(z):
        state = assemble(model, rig.guess(), crank=z[0])
        J = state.value("Phi_dq")
        return state.changed(dq=np.array([z[1], *np.linalg.solve(J[:, 1:], -J[:, 0] * z[1])]))

    def f(z, dt=rig.DT):
        state = whole(z)
        have = {"q": state.q, "dq": state.dq, "h": dt, "p": state.p, "u": state.u}
        moved = advance.evaluate(**{port.name: have[port.name] for port in advance.inputs})
        return np.array([moved.q_next[0], moved.dq_next[0]])

    def h(z):
        state = whole(z)
        return readings.evaluate(**{port.name: getattr(state, port.name) for port in readings.inputs})

    return f, h


def test_extended_filter():
    observer = ExtendedKalman(rig.process("rk4"), rig.gyros())
    f, h = step_of(observer)
    run = observer.run(rig.noisy(1)[:STEPS], rig.guess(), rig.SPREAD)
    P, z = np.diag(rig.SPREAD**2), np.array([run["crank"][0], run["crank'"][0]])
    ekf = kalman.ExtendedKalmanFilter(dim_x=2, dim_z=2)
    ekf.x, ekf.P, ekf.Q, ekf.R = z, P, observer.process.covariance, observer.instruments.covariance

    def difference(g, z, e=1e-6):
        steps = np.diag([e, e])
        return np.stack([(g(z + d) - g(z - d)) / (2 * e) for d in steps], axis=1)

    for k, y in enumerate(rig.noisy(1)[:STEPS]):
        ekf.F = difference(f, ekf.x)
        ekf.predict_x = lambda u=0: setattr(ekf, "x", f(ekf.x))
        ekf.predict()
        if np.isfinite(y).all():
            ekf.update(y, lambda z: difference(h, z), h)
        assert abs(ekf.x[0] - run["crank"][k + 1]) < 1e-8
    assert abs(np.sqrt(ekf.P[0, 0]) - run["sd(crank)"][-1]) < 1e-8
    assert slopes(observer, run)[0].shape == (STEPS + 1, 2, 2)


def test_unscented_filter():
    observer = UnscentedKalman(rig.process("rk4"), rig.gyros())
    f, h = step_of(observer)
    points = kalman.JulierSigmaPoints(2, kappa=1.0)
    ukf = kalman.UnscentedKalmanFilter(dim_x=2, dim_z=2, dt=rig.DT, fx=f, hx=h, points=points)
    run = observer.run(rig.noisy(1)[:STEPS], rig.guess(), rig.SPREAD)
    ukf.x, ukf.P = np.array([run["crank"][0], run["crank'"][0]]), np.diag(rig.SPREAD**2)
    ukf.Q, ukf.R = observer.process.covariance, observer.instruments.covariance
    for k, y in enumerate(rig.noisy(1)[:STEPS]):
        ukf.predict()
        if np.isfinite(y).all():
            # the sigma points of the readings are drawn anew, which release 1.4.5 does not do by itself
            ukf.sigmas_f = points.sigma_points(ukf.x, ukf.P)
            ukf.update(y)
        assert abs(ukf.x[0] - run["crank"][k + 1]) < 1e-9
    assert abs(np.sqrt(ukf.P[0, 0]) - run["sd(crank)"][-1]) < 1e-9
