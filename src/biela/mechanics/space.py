"""The space of a system: its trees of bases and points, and the rule by which operations choose a base.

A `Base` is an orientation and a `Point` a place; any point and any base together are a frame, so there
is no tree of frames. Vectors of different bases meet in one chosen by the rule (Plaza, 2015, section 4.2):

* ``up``, the default: in the operand's base farther from the root, and chains are combined from the root;
* ``down``: in the one nearer the root, and chains are combined from their far end;
* ``extended``: sums keep one column for each base and never change a base (section 5.3).

Operands of different branches meet in their last common base.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, get_args

from biela.expr.derivative import tangent
from biela.expr.expression import Expr
from biela.expr.graph import Graph
from biela.expr.matrix import Matrix, vector
from biela.expr.pattern import identity
from biela.mechanics.rotation import Rotation, turn

Rule = Literal["up", "down", "extended"]
RULES: tuple[str, ...] = get_args(Rule)
NodeType = TypeVar("NodeType", "Base", "Point")


class Base:
    """A node of the tree of bases: three directions, given by a rotation from the parent base."""

    __slots__ = ("_parent", "_path", "name", "rotation", "space")

    def __init__(self, space: Space, name: str) -> None:
        self.space = space
        self.name = name
        self._parent: Base | None = None
        self.rotation: Rotation | None = None
        self._path: tuple[Base, ...] = ()

    def __repr__(self) -> str:
        return f"<Base {self.name}>"

    @property
    def parent(self) -> Base | None:
        """The base below; raises ValueError when it is set after paths that lead by it were asked for."""
        return self._parent

    @parent.setter
    def parent(self, below: Base) -> None:
        _check_loose(self)
        self._parent = below

    @property
    def path(self) -> tuple[Base, ...]:
        """The bases from the root to this one; raises ValueError if it does not hang on the root."""
        if not self._path:
            _find_paths(self, self.space.root)
        return self._path

    def edge(self) -> Rotation:
        """The rotation from the parent; raises ValueError for a base that has none."""
        if self.rotation is None:
            raise ValueError(f"Base '{self.name}' has no parent.")
        return self.rotation


class Point:
    """A node of the tree of points: the parent's place plus a vector given in a base."""

    __slots__ = ("_parent", "_path", "base", "name", "r", "space")

    def __init__(self, space: Space, name: str) -> None:
        self.space = space
        self.name = name
        self._parent: Point | None = None
        self.base: Base = space.root
        self.r: Matrix | None = None
        self._path: tuple[Point, ...] = ()

    def __repr__(self) -> str:
        return f"<Point {self.name}>"

    @property
    def parent(self) -> Point | None:
        """The point below; raises ValueError when it is set after paths that lead by it were asked for."""
        return self._parent

    @parent.setter
    def parent(self, below: Point) -> None:
        _check_loose(self)
        self._parent = below

    @property
    def path(self) -> tuple[Point, ...]:
        """The points from the origin to this one; raises ValueError if it does not hang on the origin."""
        if not self._path:
            _find_paths(self, self.space.origin)
        return self._path

    def edge(self) -> Matrix:
        """The components, in `base`, of the vector from the parent; raises ValueError without one."""
        if self.r is None:
            raise ValueError(f"Point '{self.name}' has no parent.")
        return self.r


class Space:
    """The graph, the roots of both trees and the rule in force.

    >>> space = Space(Graph())
    >>> space.root.name, space.origin.name, space.rule
    ('ground', 'origin', 'up')
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.rule: Rule = "up"
        self.base_changes = 0  # projections through an edge, since the beginning
        self.root = Base(self, "ground")
        self.root._path = (self.root,)  # pyright: ignore[reportPrivateUsage]
        self.origin = Point(self, "origin")
        self.origin._path = (self.origin,)  # pyright: ignore[reportPrivateUsage]

    @contextmanager
    def using(self, rule: Rule) -> Generator[None]:
        """Another rule for a while; raises ValueError for an unknown one."""
        if rule not in RULES:
            raise ValueError(f"Unknown rule {rule!r}: expected one of {', '.join(RULES)}.")
        before, self.rule = self.rule, rule
        try:
            yield
        finally:
            self.rule = before

    # bases

    def common(self, a: Base, b: Base) -> Base:
        """The last base that both paths share."""
        return last_common(a.path, b.path)

    def meeting(self, a: Base, b: Base) -> Base:
        """The base in which the rule lets two operands meet."""
        if a is b:
            return a
        low = self.common(a, b)
        if low is not a and low is not b:
            return low
        high = b if low is a else a
        return low if self.rule == "down" else high

    def rotation(self, a: Base, b: Base) -> Matrix:
        """The matrix that gives components in ``a`` from components in ``b``.

        It is a product from left to right along the path; that of the opposite direction is the transpose.
        """
        low = self.common(a, b)
        to_a, to_b = self._product(low, a), self._product(low, b)
        if a is low:
            return to_b
        return to_a.T if b is low else to_a.T @ to_b

    def _product(self, low: Base, high: Base) -> Matrix:
        edges = [base.edge().matrix for base in high.path[len(low.path) :]]
        result = identity(self.graph, 3)
        for edge in edges:
            result = result @ edge
        return result

    def project(self, v: Matrix, source: Base, target: Base, merge: bool = False) -> Matrix:
        """Components in ``target`` of a vector (or of the columns of a matrix) given in ``source``.

        It goes edge by edge; with ``merge``, neighbouring turns about one axis are one turn by the sum.
        """
        if source is target or is_zero(v):
            return v
        low = self.common(source, target)
        steps = [(base.edge(), True) for base in reversed(source.path[len(low.path) :])]
        steps += [(base.edge(), False) for base in target.path[len(low.path) :]]
        for axis, angle, rotation, downwards in _merged(steps) if merge else _single(steps):
            self.base_changes += 1
            if axis is not None and angle is not None:
                v = turn(axis, angle, v)
            else:
                v = rotation.down(v) if downwards else rotation.up(v)
        return v

    def project_tensor(self, tensor: Matrix, source: Base, target: Base) -> Matrix:
        """Components in ``target`` of a Cartesian tensor given in ``source``: two-sided."""
        return self.project(self.project(tensor, source, target).T, source, target).T

    # rates

    def rate(self, v: Matrix, accelerations: bool = True) -> Matrix:
        """The time derivative of components; without ``accelerations``, as if all of them were zero."""
        if accelerations:
            return v.dt()
        graph = self.graph
        velocities = set(graph.rates.values())
        seeds = {i: rate for i, rate in graph.rates.items() if i not in velocities}
        memo: dict[int, int] = graph.memo.setdefault(("convective", len(graph.rates)), {})
        return Matrix(graph, v.shape, tuple(tangent(graph, v.refs, seeds, memo)))

    def zero(self) -> Matrix:
        """The components of the zero vector."""
        return vector([0, 0, 0], self.graph)


def last_common(one: Sequence[NodeType], other: Sequence[NodeType]) -> NodeType:
    """The last node that two paths from one root share."""
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a is not b:
            break
        shared += 1
    return one[shared - 1]


def is_zero(v: Matrix) -> bool:
    """Whether all entries are zero by the normal form."""
    return all(abs(ref) == Graph.ZERO for ref in v.refs)


def _check_loose(node: Any) -> None:
    if node._path:
        kind, below = type(node).__name__, f" on '{node.parent.name}'" if node.parent else ""
        raise ValueError(
            f"{kind} '{node.name}' hangs{below} already, and paths lead by it. Make another one."
        )


def _find_paths(node: Any, root: Any) -> None:
    """Keep the path of a node and of all that it leads by."""
    kind, path = type(node).__name__, [node]
    seen = {id(node)}
    while path[-1] is not root:
        parent = path[-1].parent
        if parent is None:
            raise ValueError(
                f"{kind} '{node.name}' does not hang on '{root.name}': '{path[-1].name}' has no parent. "
                "Give its body a joint, or create it with a parent."
            )
        if id(parent) in seen:
            loop = " -> ".join(n.name for n in [*path, parent])
            raise ValueError(f"{kind} '{node.name}' lies on a loop of the tree: {loop}.")
        seen.add(id(parent))
        path.append(parent)
    path.reverse()
    for length, one in enumerate(path, 1):
        one._path = tuple(path[:length])


Step = tuple[int | None, Expr | None, Rotation, bool]


def _single(steps: Sequence[tuple[Rotation, bool]]) -> Iterator[Step]:
    for rotation, downwards in steps:
        angle = rotation.angle if downwards or rotation.angle is None else -rotation.angle
        yield rotation.axis, angle, rotation, downwards


def _merged(steps: Sequence[tuple[Rotation, bool]]) -> Iterator[Step]:
    pending: Step | None = None
    for step in _single(steps):
        if pending is not None and step[0] is not None and pending[0] == step[0]:
            assert pending[1] is not None
            assert step[1] is not None
            pending = (step[0], step[1] + pending[1], step[2], True)
            continue
        if pending is not None:
            yield pending
        pending = step
    if pending is not None:
        yield pending
