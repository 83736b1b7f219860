"""Inverse dynamics: the efforts a motion asks for, and how they depend on the inertia parameters.

``e = M ddq - delta`` comes from the recursion of `biela.mechanics.formalism.bias` with accelerations, in a
number of operations that grows with the number of bodies, without M. What inertia and weight contribute is
linear in the parameters phi = (m, m x, m y, m z, Ixx, Iyy, Izz, Ixy, Ixz, Iyz) of each body about its
reference, so the observation matrix is its Jacobian: e = K phi - (power of loads).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from biela.expr.expression import Expr
from biela.expr.matrix import Matrix, vector
from biela.mechanics.body import inertia_matrix
from biela.mechanics.formalism.bias import bias
from biela.mechanics.formalism.bodies import load_powers
from biela.mechanics.formalism.natural import asked
from biela.mechanics.formalism.problem import Problem
from biela.mechanics.natural_body import NaturalBody
from biela.mechanics.rate import slopes

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.model import Model

PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def efforts(model: Model) -> Matrix:
    """M ddq - delta, in the positive sign, over all coordinates; joint unknowns apart."""
    problem = model.problem
    moving = [problem.effort(k) + term for k, term in enumerate(bias(problem, accelerations=True))]
    beside = asked(model.space, model.natural_bodies, model.q, model.weight, accelerations=True)
    return model.without_unknowns(_spread(model, [-term for term in moving]) + beside - _light(model))


def _light(model: Model) -> Matrix:
    """The efforts on coordinates without inertia, over all coordinates."""
    terms = [model.zero() for _ in model.placements]
    places = {p.symbols.position.ref: k for k, p in enumerate(model.placements) if not p.inertia}
    for coordinate, effort, _ in model.efforts:
        if coordinate.ref in places:
            terms[places[coordinate.ref]] += effort
    return vector(terms, model.graph)


def observation_matrix(model: Model) -> Matrix:
    """K, with a column for each of the `PARAMETERS` of each body, body after body, natural bodies last."""
    symbols, bodies, natural = inertia_symbols(model)
    bare = replace(model.problem, bodies=tuple(bodies), loads=(), efforts={})
    e = _spread(model, [-term for term in bias(bare, accelerations=True)])
    e = e + asked(model.space, natural, model.q, model.weight, accelerations=True)
    return slopes(e, symbols)


def inertia_symbols(model: Model) -> tuple[list[Expr], list[Body], list[NaturalBody]]:
    """A symbol for each inertia parameter, 'body.m' ..., and the bodies made of them.

    The names begin with ``phi.`` so that they cannot be those of the model.
    """
    symbols: list[Expr] = []
    bodies: list[Body] = []
    natural: list[NaturalBody] = []
    for body in (*model.problem.bodies, *model.natural_bodies):
        own = [model.graph.symbol(f"phi.{body.name}.{name}") for name in PARAMETERS]
        symbols += own
        mass, s, tensor = own[0], vector(own[1:4]), inertia_matrix(model.space, vector(own[4:]), body.name)
        if isinstance(body, NaturalBody):
            natural.append(body.with_inertia(mass, s, tensor))
        else:
            bodies.append(replace(body, mass=mass, first_moment=s, inertia=tensor))
    return symbols, bodies, natural


def inertia_values(model: Model) -> Matrix:
    """The expressions that the inertia parameters stand for, in the order of `inertia_symbols`."""
    entries: list[Expr] = []
    for body in (*model.problem.bodies, *model.natural_bodies):
        T = body.inertia
        entries += [body.mass, *body.first_moment]
        entries += [T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]]
    return vector(entries, model.graph)


def unknown_powers(model: Model) -> Matrix:
    """V: how much each joint unknown takes from the power of each speed, one row an unknown."""
    problem: Problem = replace(model.problem, bodies=(), efforts={})
    powers = _spread(model, load_powers(problem))
    return -slopes(powers, [u.symbol for u in model.unknowns]).T


def _spread(model: Model, terms: list[Expr]) -> Matrix:
    """Terms of the coordinates with inertia, over all coordinates."""
    waiting = iter(terms)
    entries = [next(waiting) if placement.inertia else model.zero() for placement in model.placements]
    return vector(entries, model.graph)
