"""Numbers out of models in plain Python: their equations solved, assembled and integrated for tests."""

import numpy as np
from scipy.integrate import solve_ivp

from biela.mechanisms import MECHANISMS


def model_of(name, *args, **options):
    """The model of a mechanism of the registry."""
    return MECHANISMS[name](*args, **options).model()


def evaluate(model, name, q, dq=None, t=0.0, u=None, p=None):
    """A Function of a model by its name."""
    function = model.functions[name]
    given = {"q": q, "dq": dq, "t": t, "p": model.p if p is None else p, "u": model.u if u is None else u}
    return function.evaluate(*[given[port.name] for port in function.inputs])


def solved(model, q, dq, t=0.0, u=None, p=None):
    """Accelerations and multipliers of the whole system of equations."""
    M, delta = evaluate(model, "M|delta", q, dq, t, u, p)
    if not len(model.phi_dot):
        return np.linalg.solve(M, delta), np.zeros(0)
    J, gamma = evaluate(model, "Phi_dq", q, dq, t, p=p), evaluate(model, "gamma", q, dq, t, p=p)
    rows = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.split(np.linalg.solve(rows, np.concatenate([delta, gamma])), [len(q)])


def run(model, until):
    """The state after a while, without projection."""
    n = len(model.q)
    start = np.concatenate(model.start)
    rates = lambda t, x: np.concatenate([x[n:], solved(model, x[:n], x[n:], t)[0]])  # noqa: E731
    return solve_ivp(rates, (0.0, until), start, "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]


def assembled(model, q, fixed):
    """The state near ``q`` on the constraints, with one coordinate held."""
    others = [i for i in range(len(q)) if i != fixed]
    q = np.array(q, float)
    for _ in range(30):
        J, phi = evaluate(model, "Phi_q", q), evaluate(model, "Phi", q)
        q[others] -= np.linalg.lstsq(J[:, others], phi, rcond=None)[0]
    assert np.abs(evaluate(model, "Phi", q)).max() < 1e-13
    return q


def tangent(model, q, fixed):
    """The velocities of a mechanism of one degree of freedom for the unit speed of a coordinate."""
    J = evaluate(model, "Phi_dq", q)
    others = [i for i in range(len(q)) if i != fixed]
    dq = np.ones(len(q))
    dq[others] = np.linalg.lstsq(J[:, others], -J[:, fixed], rcond=None)[0]
    assert np.abs(J @ dq).max() < 1e-12
    return dq
