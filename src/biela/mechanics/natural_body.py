"""`NaturalBody`: a rigid body that moves with points and unit vectors, and the inertia it spreads on them.

Every place of such a body is a fixed combination of its *entities*, points and vectors e_i, so its velocity
is the same combination of theirs and the kinetic energy is T = 1/2 sum of m_ij e_i' . e_j', with m_ij the
integral over the mass of the product of two weights (Garcia de Jalon and Bayo, 1994, chapter 4). With the
moments s_i, the integrals of single weights, m r_G = sum of s_i e_i.

The entities are the base point and up to three axes, or the two ends of a bar. In the plane the second axis
is the first one turned by a right angle, so that two points or a point and a vector are enough. In space
the third may be the vector product of two; it is no coordinate, and the mass matrix is then not constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biela.expr.expression import Expr
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix, vector
from biela.expr.pattern import identity
from biela.mechanics.rotation import AXES
from biela.mechanics.space import Base, Point, Space

Products = dict[tuple[int, int], Expr]  # m_ij, once for each pair
Spread = tuple[tuple[Expr, ...], Products]  # the moments s_i and the products
Recipe = Callable[[Expr, Matrix, Matrix], Spread]  # of mass, first moment and inertia about the base point


@dataclass(frozen=True, eq=False, repr=False)
class NaturalBody:
    """A rigid body in natural coordinates; made by `Natural.bar` and `Natural.body`.

    Its own frame is the one in which its places were given, for a bar that along x from its first point.
    ``first_moment`` and ``inertia`` are about the base point, in that frame. ``base`` turns with the body;
    a bar in space, which may spin unseen, has none.
    """

    name: str
    space: Space
    letters: str  # the axes along which its places are given
    place: Matrix  # of the base point, in the body's frame
    origin: Matrix  # the base point, by components in the ground
    axes: tuple[Matrix, ...]  # by components in the ground
    duals: tuple[Matrix, ...]  # in the body's frame: how much of each axis a vector has
    base: Base | None
    mass: Expr
    first_moment: Matrix
    inertia: Matrix
    recipe: Recipe
    entities: tuple[Matrix, ...]
    spread: Spread

    def __repr__(self) -> str:
        return f"<NaturalBody {self.name}>"

    def carried(self, components: Matrix) -> Matrix:
        """The components in the ground of a vector fixed in the body, given in the body's frame."""
        return combined(self.space, [dual.dot(components) for dual in self.duals], self.axes)

    def point(self, r: Any, name: str = "") -> Point:
        """A point fixed on the body, at ``r`` in its frame; on a bar, at a distance from the first point.

        It is a combination of the body's entities and adds no coordinates.

        Raises ValueError for a place with another number of components than the frame has.
        """
        local = components(r, self.letters, self.space.graph, f"A place on '{self.name}'")
        made = Point(self.space, name or f"{self.name}.point({r})".replace(" ", ""))
        made.parent, made.base = self.space.origin, self.space.root
        made.r = self.origin + self.carried(local - self.place)
        return made

    def with_inertia(self, mass: Expr, first_moment: Matrix, inertia: Matrix) -> NaturalBody:
        """The same body with another mass, first moment and inertia about its base point."""
        return replace(
            self,
            mass=mass,
            first_moment=first_moment,
            inertia=inertia,
            entities=(self.origin, *self.axes),
            spread=self.recipe(mass, first_moment, inertia),
        )

    def moments(self) -> Iterator[tuple[Matrix, Expr]]:
        """The entities with their moments, where these are not zero."""
        for e, moment in zip(self.entities, self.spread[0], strict=False):
            if moment.number != 0.0:
                yield e, moment

    def products(self) -> Iterator[tuple[Matrix, Matrix, Expr]]:
        """The pairs of entities that share inertia, with it; once for a pair."""
        for (i, j), mass in self.spread[1].items():
            if mass.number != 0.0:
                yield self.entities[i], self.entities[j], mass


def components(values: Any, letters: str, graph: Graph, where: str) -> Matrix:
    """Values along some of the axes x, y and z, as a vector of three.

    Raises ValueError for another number of them.
    """
    if isinstance(values, Matrix) and values.shape == (3,):
        return values
    given = [values] if isinstance(values, (int, float, Expr)) else list(values)
    if len(given) != len(letters):
        raise ValueError(
            f"{where}: expected {len(letters)} component{'s' * (len(letters) > 1)}, along "
            f"{', '.join(letters)}; got {len(given)}."
        )
    row: list[Any] = [0.0, 0.0, 0.0]
    for letter, value in zip(letters, given, strict=True):
        row[AXES[letter]] = value
    return vector(row, graph)


def combined(space: Space, weights: Sequence[Expr], vectors: Sequence[Matrix]) -> Matrix:
    """The sum of vectors by their weights."""
    total = space.zero()
    for weight, v in zip(weights, vectors, strict=True):
        total = total + v * weight
    return total


def on_a_line(length: Expr) -> Recipe:
    """How a bar spreads its inertia on its first point and the vector to the other."""

    def recipe(mass: Expr, first_moment: Matrix, inertia: Matrix) -> Spread:
        s = first_moment[0] / length
        along = (inertia[1, 1] + inertia[2, 2] - inertia[0, 0]) / 2
        return (mass, s), {(0, 0): mass, (0, 1): s, (1, 1): along / (length * length)}

    return recipe


def between_ends(mass: Expr, length: Expr, com: Any, inertia: Any) -> Spread:
    """How a bar spreads its inertia on its two ends: m/6 [2 1; 1 2] if nothing else is said.

    ``com`` is the distance of the mass centre from the first end, ``inertia`` the moment about it, across.
    """
    if com is None and inertia is None:
        return (mass / 2, mass / 2), {(0, 0): mass / 3, (0, 1): mass / 6, (1, 1): mass / 3}
    part = mass / 2 if com is None else mass * com / length
    central = mass / 12 if inertia is None else inertia / (length * length)
    second = central + (mass / 4 if com is None else mass * com * com / (length * length))
    first = mass - part - part + second
    return (mass - part, part), {(0, 0): first, (0, 1): part - second, (1, 1): second}


def in_a_plane(duals: Sequence[Matrix], normal: Matrix) -> Recipe:
    """How a body spreads its inertia on a point, a vector and that vector turned by a right angle.

    The last two have equal speeds, always across each other, so that one square stands for both.
    """

    def recipe(mass: Expr, first_moment: Matrix, inertia: Matrix) -> Spread:
        along, across = (dual.dot(first_moment) for dual in duals)
        square = normal.dot(inertia @ normal) * duals[0].dot(duals[0])
        return (mass, along, across), {(0, 0): mass, (0, 1): along, (0, 2): across, (1, 1): square}

    return recipe


def in_space(duals: Sequence[Matrix]) -> Recipe:
    """How a body spreads its inertia on a point and three vectors, through the integral of r r^T."""

    def recipe(mass: Expr, first_moment: Matrix, inertia: Matrix) -> Spread:
        trace = inertia[0, 0] + inertia[1, 1] + inertia[2, 2]
        second = identity(mass.graph, 3) * (trace / 2) - inertia
        s = [dual.dot(first_moment) for dual in duals]
        products = {(0, 0): mass, **{(0, k): part for k, part in enumerate(s, 1)}}
        for i, a in enumerate(duals):
            for j in range(i, 3):
                products[i + 1, j + 1] = a.dot(second @ duals[j])
        return (mass, *s), products

    return recipe
