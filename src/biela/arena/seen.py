"""What an agent sees: `Seen`, an entity as it is, and `Table`, all of them as one array.

The engine's rows are copied once per broadcast and read as `Seen` only by whoever asks; a transport sends
them as they are. `Names` says whose rows they are and is made once per scene.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from biela.arena.physics.backend import Motion, Physics
from biela.arena.scene import pose
from biela.arena.scene.pose import Three

Four = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """An entity as it is now: the pose and velocity of its reference body, the speeds of its motors."""

    id: str
    type: str
    team: str
    position: Three
    turn: Four
    velocity: Three
    spin: Three
    motors: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def heading(self) -> float:
        """Where it points, rad about z."""
        return pose.heading(self.turn)

    @property
    def upright(self) -> float:
        """The cosine of its tilt: 1 upright, 0 on its side, -1 on its head."""
        _, x, y, _ = self.turn
        return 1.0 - 2.0 * (x * x + y * y)


Title = tuple[str, str, str, tuple[str, ...]]  # id, type, team, motors


@dataclass(frozen=True, eq=False)
class Names:
    """Whose rows a table has: titles of entities in their order, and (entity, body) of all that moves."""

    titles: tuple[Title, ...]
    parts: tuple[tuple[str, str], ...] = ()

    @cached_property
    def place(self) -> dict[str, tuple[int, int]]:
        """By entity: its row, and where its motors begin."""
        found: dict[str, tuple[int, int]] = {}
        begin = 0
        for row, (key, _, _, motors) in enumerate(self.titles):
            found[key] = (row, begin)
            begin += len(motors)
        return found

    @cached_property
    def groups(self) -> dict[str, list[tuple[str, int]]]:
        """By entity: its bodies and their rows."""
        found: dict[str, list[tuple[str, int]]] = {}
        for row, (entity, body) in enumerate(self.parts):
            found.setdefault(entity, []).append((body, row))
        return found


@final
class Table(Mapping[str, Seen]):
    """Entities by id; ``rows`` has position, turn, velocity and spin of each, ``motors`` all their speeds."""

    __slots__ = ("_made", "motors", "names", "rows")

    def __init__(self, names: Names, rows: np.ndarray, motors: np.ndarray) -> None:
        self.names, self.rows, self.motors = names, rows, motors
        self._made: dict[str, Seen] = {}

    def __getitem__(self, key: str) -> Seen:
        if key not in self._made:
            row, begin = self.names.place[key]
            id_, kind, team, motors = self.names.titles[row]
            x, y, z, a, b, c, d, vx, vy, vz, wx, wy, wz = self.rows[row].tolist()
            speeds = self.motors[begin : begin + len(motors)].tolist()
            self._made[key] = Seen(
                id_, kind, team, (x, y, z), (a, b, c, d), (vx, vy, vz), (wx, wy, wz),
                dict(zip(motors, speeds, strict=True)),
            )  # fmt: skip
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names.place)

    def __len__(self) -> int:
        return len(self.names.titles)

    def __repr__(self) -> str:
        return repr(dict(self))


Pose = tuple[Three, Four]


@final
class Places(Mapping[str, dict[str, Pose]]):
    """(position, turn) by entity and body; ``rows`` has them in the order of ``names.parts``."""

    __slots__ = ("names", "rows")

    def __init__(self, names: Names, rows: np.ndarray) -> None:
        self.names, self.rows = names, rows

    def __getitem__(self, key: str) -> dict[str, Pose]:
        found: dict[str, Pose] = {}
        for body, row in self.names.groups[key]:
            x, y, z, a, b, c, d = self.rows[row].tolist()
            found[body] = ((x, y, z), (a, b, c, d))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names.groups)

    def __len__(self) -> int:
        return len(self.names.groups)

    def __repr__(self) -> str:
        return repr(dict(self))


@final
class Observer:
    """Reads the motion of one built world as tables. Entities whose reference body stands are not seen."""

    def __init__(self, physics: Physics) -> None:
        self.physics = physics
        places = [(e, physics.bodies.get((e.id, e.reference_body.id))) for e in physics.scene.entities]
        seen = [(e, row) for e, row in places if row is not None]
        titles = tuple((e.id, e.type, e.team, tuple(e.motor)) for e, _ in seen)
        self.names = Names(titles, tuple(physics.bodies))
        self._rows = np.array([row for _, row in seen], int)
        self._motors = np.array([physics.motors[(e.id, m)] for e, _ in seen for m in e.motor], int)

    def tables(self) -> tuple[Table, Places]:
        """Entities and bodies as they are."""
        motion = self.physics.motion()
        whole = _whole(motion)
        entities = Table(self.names, whole[self._rows], motion.motor[self._motors])
        return entities, Places(self.names, whole[:, :7])

    def table(self) -> Table:
        """Entities as they are."""
        motion = self.physics.motion(self._rows)
        return Table(self.names, _whole(motion), motion.motor[self._motors])


def _whole(motion: Motion) -> np.ndarray:
    return np.concatenate((motion.position, motion.turn, motion.velocity, motion.spin), axis=1)
