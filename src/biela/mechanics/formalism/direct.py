"""Direct virtual power, collected along the trees: M from composite bodies, delta from bias forces.

The default. Both are the sums of the direct method (Plaza, 2015, eqs 4.54 and 4.62) in another order, in
which nothing that several coordinates need is computed twice, and no vector is projected beyond the bases
where it is needed, so that no removable trigonometry arises.
"""

from __future__ import annotations

from biela.expr.matrix import vector
from biela.mechanics.formalism.bias import bias
from biela.mechanics.formalism.composite import mass_matrix
from biela.mechanics.formalism.problem import Equations, Problem


def equations(problem: Problem) -> Equations:
    """M and delta of a problem."""
    terms = [term + problem.effort(k) for k, term in enumerate(bias(problem))]
    return Equations(mass_matrix(problem), vector(terms, problem.space.graph))
