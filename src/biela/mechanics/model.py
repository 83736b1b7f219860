"""`Model`: a frozen system and its equations, each a Function made when it is first asked for.

The equations of motion are ``M ddq + Phi_dq^T lambda = delta`` with the constraints ``Phi = 0`` (positions),
``Phi_dot = Phi_dq dq - beta = 0`` (velocities, rolling included) and ``Phi_dq ddq = gamma``. Inputs of all
Functions are, as far as they matter: ``q``, ``dq``, ``ddq``, the multipliers ``lambda_``, ``t``, the
parameters ``p`` and the inputs ``u``, always in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from biela.expr.expression import Expr
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import block, zeros
from biela.mechanics import rate, reaction
from biela.mechanics.base_parameter import BaseParameters, base_parameters
from biela.mechanics.constraint import Constraint
from biela.mechanics.formalism import FORMALISMS, Equations, Problem
from biela.mechanics.formalism.natural import joined
from biela.mechanics.frozen import Frozen
from biela.mechanics.functions import Functions
from biela.mechanics.rank import generic_rank
from biela.mechanics.rate import slopes
from biela.mechanics.space import Rule

if TYPE_CHECKING:
    from biela.mechanics.system import System


class Model(Frozen):
    """A mechanism, frozen; made by `System.model`."""

    def __init__(
        self, system: System, formalism: str, rule: Rule, sign: int, constraints: str = "smaller"
    ) -> None:
        super().__init__(system, formalism, rule, sign, constraints)
        self.functions = Functions(self)

    def __repr__(self) -> str:
        def counted(n: int, what: str) -> str:
            return f"{n} {what}" if n == 1 else f"{n} {what[:-1]}ies" if what[-1] == "y" else f"{n} {what}s"

        n, c = len(self.placements), self.phi_dot.shape[0]
        parts = [counted(n, "coordinate")]
        if c:
            parts.append(counted(c, "constraint equation"))
        parts.append(self._freedom(n, c))
        return f"<Model {self.name}: {', '.join(parts)}>"

    def _freedom(self, n: int, c: int) -> str:
        free = self.freedom
        told = f"{free} degree{'s' * (free != 1)} of freedom"
        redundant = c - (n - free)
        return told + (f", {redundant} redundant equation{'s' * (redundant != 1)}" if redundant else "")

    # dynamics

    @cached_property
    def problem(self) -> Problem:
        """What the formalisms are given."""
        moving = [placement.symbols for placement in self.placements if placement.inertia]
        index = {c.position.ref: k for k, c in enumerate(moving)}
        efforts: dict[int, Expr] = {}
        for coordinate, effort, _ in self.efforts:
            if coordinate.ref in index:
                k = index[coordinate.ref]
                efforts[k] = efforts[k] + effort if k in efforts else effort
        heavy = tuple(body for body in self.bodies.values() if body.has_inertia)
        return Problem(self.space, tuple(moving), heavy, self.loads, self.weight, efforts)

    @cached_property
    def equations(self) -> Equations:
        """M and delta over all coordinates, in the model's sign."""
        with self.space.using(self.rule):
            found = self._padded(*FORMALISMS[self.formalism](self.problem))
            found = joined(found, self.space, self.natural_bodies, self.q, self.weight)
        found = Equations(found.M, self.without_unknowns(found.delta))
        return found if self.sign > 0 else Equations(-found.M, -found.delta)

    def without_unknowns(self, values: Matrix) -> Matrix:
        """Expressions as they are when the joint unknowns are zero; what these do is in ``V``."""
        return values.substitute(dict.fromkeys([u.symbol for u in self.unknowns], 0.0))

    @property
    def mass_matrix(self) -> Matrix:
        """M, positive on the motions that constraints allow (negative with ``sign=-1``)."""
        return self.equations.M

    @property
    def delta(self) -> Matrix:
        """The right-hand side: applied forces less the inertia that remains without acceleration."""
        return self.equations.delta

    def _padded(self, M: Matrix, delta: Matrix) -> Equations:
        """Rows and columns of zeros for coordinates without inertia."""
        places = [k for k, placement in enumerate(self.placements) if placement.inertia]
        n, zero = len(self.placements), self.graph.ZERO
        refs, terms = [zero] * (n * n), [zero] * n
        for a, i in enumerate(places):
            terms[i] = delta.refs[a]
            for b, j in enumerate(places):
                refs[i * n + j] = M.refs[a * len(places) + b]
        for coordinate, effort, _ in self.efforts:
            i = self._index[coordinate.ref]
            if i not in places:
                terms[i] = self.graph.add(terms[i], effort.ref)
        return Equations(Matrix(self.graph, (n, n), tuple(refs)), Matrix(self.graph, (n,), tuple(terms)))

    @cached_property
    def _index(self) -> dict[int, int]:
        return {q.ref: k for k, q in enumerate(self.q)}

    # constraints

    @cached_property
    def phi(self) -> Matrix:
        """The equations of position, all zero on the constraint manifold."""
        return self._stack(c for c in self.constraints if c.level != "velocity")

    @cached_property
    def phi_dot(self) -> Matrix:
        """The equations of velocity: the rates of `phi`, then what rolls."""
        rates, rolling = self._rates[0], self._rolling
        return Matrix(self.graph, (len(rates) + len(rolling),), rates.refs + rolling.refs)

    @cached_property
    def phi_q(self) -> Matrix:
        """The Jacobian of `phi` by the coordinates."""
        return slopes(self.phi, self.q)

    @cached_property
    def phi_dq(self) -> Matrix:
        """The Jacobian of `phi_dot` by the velocities: that of `phi`, then what rolls."""
        below = slopes(self._rolling, self.dq)
        return Matrix(self.graph, (len(self.phi_dot), len(self.q)), self.phi_q.refs + below.refs)

    @cached_property
    def beta(self) -> Matrix:
        """The right-hand side of the velocity equations, ``Phi_dq dq = beta``."""
        return -self.phi_dot.substitute(dict.fromkeys(self.dq, 0.0)) if len(self.phi_dot) else self.phi_dot

    @cached_property
    def gamma(self) -> Matrix:
        """The right-hand side of the acceleration equations, ``Phi_dq ddq = gamma``."""
        rolling = self.space.rate(self._rolling, accelerations=False)
        return -Matrix(self.graph, self.phi_dot.shape, self._rates[1].refs + rolling.refs)

    @cached_property
    def _rates(self) -> tuple[Matrix, Matrix]:
        """The rates of `phi` and their rates without accelerations, by the way that was asked for."""
        return rate.WAYS[self.rates_by](self)

    @cached_property
    def _rolling(self) -> Matrix:
        return self._stack(c for c in self.constraints if c.level == "velocity")

    @cached_property
    def equation_names(self) -> list[str]:
        """A name for every row of `phi_dot`."""
        positions = [c for c in self.constraints if c.level != "velocity"]
        rolling = [c for c in self.constraints if c.level == "velocity"]
        return [label for c in (*positions, *rolling) for label in c.labels()]

    @cached_property
    def freedom(self) -> int:
        """Degrees of freedom at a state in general position: coordinates less independent equations."""
        return len(self.q) - (generic_rank(self) if len(self.phi_dot) else 0)

    @property
    def sizes(self) -> dict[str, int]:
        """p coordinates, g equations of position, r of velocity only, c = g + r, m = p - g, n = p - c."""
        p, g, c = len(self.q), len(self.phi), len(self.phi_dot)
        return {"p": p, "g": g, "r": c - g, "c": c, "m": p - g, "n": p - c}

    def _stack(self, constraints: Iterable[Constraint]) -> Matrix:
        refs = tuple(equation.ref for c in constraints for equation in c.equations)
        return Matrix(self.graph, (len(refs),), refs)

    # Functions

    def function(
        self, name: str, outputs: Mapping[str, Any], level: str = "acceleration", multipliers: bool = False
    ) -> Function:
        """A Function of this model's symbols.

        ``level`` says which of them are inputs: 'constant', 'position', 'velocity', 'force' (velocities and
        inputs u) or 'acceleration'; ``multipliers`` whether those of the constraints are too.
        """
        return Function(f"{self.name}_{name}", self.ports(level, multipliers), outputs)

    def reaction(self, name: str) -> Function:
        """The force and moment that one joint or loop transmits, parent on child; see `Model.functions`.

        Raises ValueError for an unknown name, or when the forces of a constraint are not known.
        """
        wrench = reaction.reaction(self, name)
        outputs = {"force": wrench[:3], "moment": wrench[3:]}
        return self.function(f"reaction_{reaction.output_names([name])[0]}", outputs, multipliers=True)

    def base_parameters(self, seed: int = 1) -> BaseParameters:
        """The combinations of inertia parameters that motion depends on, found at random states."""
        return base_parameters(self, seed)

    def kkt(self) -> tuple[Matrix, Matrix]:
        """The matrix and right-hand side of the equations for (ddq, lambda)."""
        J = self.phi_dq
        if not len(J):
            return self.mass_matrix, self.delta
        nothing = zeros(self.graph, (len(J), len(J)))
        return block([[self.mass_matrix, J.T], [J, nothing]]), block([self.delta, self.gamma])


def expected(model: Any, who: str) -> Model:
    """A model as it is; raises TypeError, saying how to get one, for anything else."""
    if isinstance(model, Model):
        return model
    given = f"a {type(model).__name__}"
    if hasattr(model, "ground"):
        given += f", '{model.name}', which is not frozen yet: give it as .model()"
    elif callable(model):
        given += f", '{getattr(model, '__name__', '')}': call it, and freeze what it returns, by .model()"
    raise TypeError(f"{who} wants a Model; got {given}.")
