"""`Model`: a frozen system and its equations, each a Function made when it is first asked for.

The equations of motion are ``M ddq + Phi_dq^T lambda = delta`` with the constraints ``Phi = 0`` (positions),
``Phi_dot = Phi_dq dq - beta = 0`` (velocities, rolling included) and ``Phi_dq ddq = gamma``. Inputs of all
Functions are, as far as they matter: ``q``, ``dq``, ``ddq``, ``t``, the parameters ``p`` and the inputs
``u``, always in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.expr.derivative import jacobian
from biela.expr.expression import Expr, constant
from biela.expr.function import Function
from biela.expr.matrix import Matrix
from biela.expr.pattern import block
from biela.mechanics import catalogue
from biela.mechanics.constraint import Constraint
from biela.mechanics.formalism import FORMALISMS, Equations, Problem
from biela.mechanics.space import RULES, Rule

if TYPE_CHECKING:
    from biela.mechanics.body import Body
    from biela.mechanics.system import System


class Model:
    """A mechanism, frozen; made by `System.model`."""

    def __init__(self, system: System, formalism: str, rule: Rule, sign: int) -> None:
        self.name = system.name
        self.graph, self.space = system.graph, system.space
        self.formalism = _known(formalism, FORMALISMS, "formalism")
        self.rule: Rule = _known(rule, RULES, "rule")  # type: ignore[assignment]
        if sign not in (1, -1):
            raise ValueError(f"sign={sign!r}: expected 1, for a positive mass matrix, or -1.")
        self.sign = sign
        self.placements = tuple(system.coordinates_by_name.values())
        self.parameters = tuple(system.parameters_by_name.values())
        self.inputs = tuple(system.inputs_by_name.values())
        self.unknowns = tuple(system.unknowns_by_name.values())
        self.time = system.time if system.uses_time else None
        self.bodies: dict[str, Body] = {
            name: b for name, b in system.bodies.items() if b is not system.ground
        }
        self.points, self.bases = dict(system.points), dict(system.bases)
        self.joints = tuple(system.joints)
        self.loads = tuple(make() for make in system.loads)
        self.efforts = tuple(system.efforts)
        self.constraints: tuple[Constraint, ...] = tuple(make() for make in system.constraints)
        self.starts = {level: tuple(equations) for level, equations in system.starts.items()}
        self.weight = system.weight
        self.drawing = tuple(system.drawing)
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

    # symbols and values

    @property
    def q(self) -> list[Expr]:
        """The coordinates."""
        return [placement.symbols.position for placement in self.placements]

    @property
    def dq(self) -> list[Expr]:
        """Their velocities."""
        return [placement.symbols.velocity for placement in self.placements]

    @property
    def ddq(self) -> list[Expr]:
        """Their accelerations."""
        return [placement.symbols.acceleration for placement in self.placements]

    @property
    def p(self) -> np.ndarray:
        """The default values of the parameters.

        Raises ValueError naming those that have none.
        """
        missing = [quantity.name for quantity in self.parameters if quantity.value != quantity.value]
        if missing:
            raise ValueError(f"Model '{self.name}': no value for parameter {', '.join(missing)}.")
        return np.array([quantity.value for quantity in self.parameters])

    @property
    def u(self) -> np.ndarray:
        """The default values of the inputs."""
        return np.array([quantity.value for quantity in self.inputs])

    @property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """The positions and velocities given with the coordinates; not assembled."""
        q = np.array([placement.value for placement in self.placements])
        return q, np.array([placement.speed for placement in self.placements])

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
        return found if self.sign > 0 else Equations(-found.M, -found.delta)

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
        rates = self.space.rate(self.phi)
        rolling = self._stack(c for c in self.constraints if c.level == "velocity")
        return Matrix(self.graph, (len(rates) + len(rolling),), rates.refs + rolling.refs)

    @cached_property
    def phi_q(self) -> Matrix:
        """The Jacobian of `phi` by the coordinates."""
        return self._jacobian(self.phi, self.q)

    @cached_property
    def phi_dq(self) -> Matrix:
        """The Jacobian of `phi_dot` by the velocities: that of `phi`, then what rolls."""
        rolling = Matrix(self.graph, (len(self.phi_dot) - len(self.phi),), self.phi_dot.refs[len(self.phi) :])
        below = self._jacobian(rolling, self.dq)
        return Matrix(self.graph, (len(self.phi_dot), len(self.q)), self.phi_q.refs + below.refs)

    @cached_property
    def beta(self) -> Matrix:
        """The right-hand side of the velocity equations, ``Phi_dq dq = beta``."""
        return -self.phi_dot.substitute(dict.fromkeys(self.dq, 0.0)) if len(self.phi_dot) else self.phi_dot

    @cached_property
    def gamma(self) -> Matrix:
        """The right-hand side of the acceleration equations, ``Phi_dq ddq = gamma``."""
        return -self.space.rate(self.phi_dot, accelerations=False)

    @cached_property
    def equation_names(self) -> list[str]:
        """A name for every row of `phi_dot`."""
        positions = [c for c in self.constraints if c.level != "velocity"]
        rolling = [c for c in self.constraints if c.level == "velocity"]
        return [label for c in (*positions, *rolling) for label in c.labels()]

    @cached_property
    def freedom(self) -> int:
        """Degrees of freedom at a state in general position: coordinates less independent equations."""
        from biela.mechanics.rank import generic_rank

        return len(self.q) - (generic_rank(self) if len(self.phi_dot) else 0)

    @property
    def sizes(self) -> dict[str, int]:
        """p coordinates, g equations of position, r of velocity only, c = g + r, m = p - g, n = p - c."""
        p, g, c = len(self.q), len(self.phi), len(self.phi_dot)
        return {"p": p, "g": g, "r": c - g, "c": c, "m": p - g, "n": p - c}

    def _stack(self, constraints: Iterable[Constraint]) -> Matrix:
        refs = tuple(equation.ref for c in constraints for equation in c.equations)
        return Matrix(self.graph, (len(refs),), refs)

    def _jacobian(self, rows: Matrix, symbols: Sequence[Expr]) -> Matrix:
        width = len(symbols)
        refs = [self.graph.ZERO] * (len(rows) * width)
        if refs:
            for (i, j), slope in jacobian(rows.expressions, symbols).items():
                refs[i * width + j] = slope.ref
        return Matrix(self.graph, (len(rows), width), tuple(refs))

    # Functions

    def function(self, name: str, outputs: Mapping[str, Any], level: str = "acceleration") -> Function:
        """A Function of this model's symbols.

        ``level`` says which of them are inputs: 'constant', 'position', 'velocity', 'force' (velocities and
        inputs u) or 'acceleration'.
        """
        return Function(f"{self.name}_{name}", self.ports(level), outputs)

    def ports(self, level: str) -> dict[str, Any]:
        """The inputs of Functions of a level, by name."""
        levels = ("constant", "position", "velocity", "force", "acceleration")
        rank = levels.index(_known(level, levels, "level"))
        ports: dict[str, Any] = {}
        if rank >= 1:
            ports["q"] = self.q
        if rank >= 2:
            ports["dq"] = self.dq
        if rank >= 4:
            ports["ddq"] = self.ddq
        if rank >= 1 and self.time is not None:
            ports["t"] = self.time
        if self.parameters:
            ports["p"] = [quantity.symbol for quantity in self.parameters]
        if rank >= 3 and self.inputs:
            ports["u"] = [quantity.symbol for quantity in self.inputs]
        return ports

    def zero(self) -> Expr:
        """The number 0 in the model's graph."""
        return constant(self.graph, 0.0)

    def kkt(self) -> tuple[Matrix, Matrix]:
        """The matrix and right-hand side of the equations for (ddq, lambda)."""
        J = self.phi_dq
        if not len(J):
            return self.mass_matrix, self.delta
        matrix = block(
            [[self.mass_matrix, J.T], [J, Matrix(self.graph, (len(J), len(J)), (1,) * len(J) ** 2)]]
        )
        return matrix, block([self.delta, self.gamma])


class Functions(Mapping[str, Function]):
    """The Functions of a model by name, each made when it is first asked for.

    Names joined by ``|`` give one Function that computes both and shares what they have in common.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._made: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, row in catalogue.FUNCTIONS.items() if row.applies(self._model))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _make(self, name: str) -> Function:
        outputs: dict[str, Any] = {}
        level = 0
        for part in name.split("|"):
            row = catalogue.FUNCTIONS.get(part)
            if row is None or not row.applies(self._model):
                known = list(self)
                close = get_close_matches(part, known, 1)
                hint = f" Did you mean '{close[0]}'?" if close else ""
                raise KeyError(
                    f"Model '{self._model.name}' has no function '{part}'. It has {', '.join(known)}; "
                    f"names may be joined by '|'.{hint}"
                )
            outputs |= row.outputs(self._model)
            level = max(level, catalogue.LEVELS.index(row.level))
        plain = name.replace("|", "_")
        return self._model.function(plain, outputs, catalogue.LEVELS[level])


def _known(name: str, table: Iterable[str], what: str) -> str:
    known = list(table)
    if name not in known:
        raise ValueError(f"Unknown {what} {name!r}. Known: {', '.join(known)}.")
    return name
