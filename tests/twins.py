"""Two models of one mechanism in different coordinates: the accelerations of one are those of the other."""

import numpy as np


def assembled(model, guess):
    """Positions near a guess at which all constraints hold (Gauss-Newton)."""
    q = np.array(guess, dtype=float)
    if not len(model.phi):
        return q
    f = model.functions["Phi|Phi_q"]
    for _ in range(30):
        phi, slopes = evaluated(f, model, q)
        if np.abs(phi).max() < 1e-13:
            break
        q = q - np.linalg.lstsq(slopes, phi, rcond=None)[0]
    assert np.abs(phi).max() < 1e-11
    return q


def moving(model, q, rng):
    """Random velocities that the constraints allow."""
    dq = rng.normal(size=len(q))
    if len(model.phi_dot):
        J = evaluated(model.functions["Phi_dq"], model, q)
        dq = dq - np.linalg.pinv(J) @ (J @ dq)
    return dq


def accelerations(model, q, dq):
    """The accelerations of the coordinates and the multipliers."""
    parts = evaluated(model.functions["M|delta"], model, q, dq)
    M, delta = parts
    if not len(model.phi_dot):
        return np.linalg.solve(M, delta)
    J, gamma = evaluated(model.functions["Phi_dq|gamma"], model, q, dq)
    c = len(J)
    kkt = np.block([[M, J.T], [J, np.zeros((c, c))]])
    return np.linalg.solve(kkt, np.concatenate([delta, gamma]))[: len(q)]


def evaluated(function, model, q, dq=None, ddq=None):
    """The outputs of a Function of a model, as arrays, with the default parameters."""
    known = {"q": q, "dq": dq, "ddq": ddq, "p": model.p if model.parameters else None, "t": 0.0, "u": model.u}
    found = function.evaluate(*[known[port.name] for port in function.inputs])
    return np.asarray(found) if len(function.outputs) == 1 else [np.asarray(f) for f in found]


def assert_twins(one, other, places, q, dq, tolerance=1e-10):
    """The accelerations of ``other`` are those of its coordinates in ``one``, where they are ``places``.

    ``places`` maps the name of a coordinate, point or vector to an expression or vector of ``one``.
    """
    rows = [_place(one, places, placement.name) for placement in other.placements]
    first = [e.dt() for e in rows]
    f = one.function("twin", {"e": rows, "de": first, "dde": [e.dt() for e in first]}, "acceleration")
    e, de, dde = evaluated(f, one, q, dq, accelerations(one, q, dq))
    if len(other.phi):
        assert np.abs(evaluated(other.functions["Phi"], other, e)).max() < 1e-10
        assert np.abs(evaluated(other.functions["Phi_dot"], other, e, de)).max() < 1e-9
    got = accelerations(other, e, de)
    np.testing.assert_allclose(got, dde, rtol=0, atol=tolerance * max(1.0, np.abs(dde).max()))
    assert one.freedom == other.freedom
    return e, de


def _place(model, places, name):
    if name in places:
        return places[name]
    entity, letter = name.rsplit(".", 1)
    return places[entity].at(model.space.root)["xyz".index(letter)]
