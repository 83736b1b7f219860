"""Matches: two strategies, robots, a field and a referee, played to the end without a screen.

``sumo("mini", left="charge", right="orbiter", seed=7).play()`` gives a `Result`: who won, what the referee
decided, a Record of everybody's motion and a replay. The same seed plays the same match, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from biela.arena.broadcast import Broadcast
from biela.arena.crew import Crew
from biela.arena.kernel import Kernel
from biela.arena.preset.field import BALLS, FOOTBALL_FIELDS, SUMO_RINGS
from biela.arena.preset.material import MATERIALS
from biela.arena.preset.realism import REALISM, Realism
from biela.arena.preset.robot import SUMO_ROBOTS, VSSS_ROBOTS, TwoWheeler
from biela.arena.radio import Radio
from biela.arena.recording import Recorder, Replay
from biela.arena.referee.football import FOOTBALL_RULES, FootballReferee, FootballRules
from biela.arena.referee.referee import SIDES, Referee
from biela.arena.referee.sumo import SumoReferee, SumoRules
from biela.arena.scene.entity import Entity
from biela.arena.scene.fault import known
from biela.arena.scene.scene import Scene
from biela.arena.strategy.registry import strategy
from biela.arena.strategy.strategy import Strategy
from biela.arena.strategy.team import Team
from biela.arena.strategy.view import View
from biela.arena.stream import Streams
from biela.arena.vision import Vision
from biela.simulate.record import Record

Player = str | Path | Strategy | type[Strategy] | Callable[[View], Any]
LONGEST = 3600.0  # simulated seconds that a match may take


@dataclass(frozen=True)
class Result:
    """How a match ended; ``faults`` has what strategies did wrong, by side."""

    winner: str | None
    score: tuple[int, int]
    events: list[tuple[float, str]]
    record: Record
    replay: Replay
    faults: dict[str, list[str]]

    def __repr__(self) -> str:
        seconds = self.record.t[-1] if len(self.record) else 0.0
        won = f"{self.winner} wins" if self.winner else "draw"
        return f"<Result {won} {self.score[0]}:{self.score[1]} after {seconds:.1f} s>"


class Match:
    """A kernel with two teams and a referee, ready to play."""

    def __init__(self, kernel: Kernel, teams: Sequence[Team], referee: Referee, interval: float) -> None:
        self.kernel = kernel
        self.teams = teams
        self.referee = referee
        self.interval = interval
        self.crew: Crew | None = None  # of robots that are told how to move, not how to turn their wheels
        self.recorder = Recorder(kernel)
        for agent in (referee, *teams):
            kernel.join(agent)
        self.begin()

    def play(self, seconds: float = LONGEST) -> Result:
        """Play to the end, or for so much simulated time."""
        end = self.kernel.time + seconds - 1e-9
        self.begin()
        while not self.over and self.kernel.time < end:
            self.step()
        return self.result()

    @property
    def over(self) -> bool:
        """Whether it has been played to the end."""
        return self.referee.over

    def begin(self) -> None:
        """The Record begins here."""
        self._rows: list[tuple[float, ...]] = []
        self._names: list[str] = []
        self._due = self.kernel.time

    def step(self) -> None:
        """One iteration of the kernel, and what is recorded of it."""
        self.kernel.iterate()
        self.recorder.look()
        if self.kernel.time >= self._due - 1e-9:
            seen = self.kernel.broadcast()
            self._names = self._names or _names(seen)
            self._rows.append((seen.time, *_row(seen), *map(float, self.referee.score)))
            self._due += self.interval

    def result(self) -> Result:
        """How it stands, with the Record since it began and the replay."""
        referee, names = self.referee, self._names
        table = np.array(self._rows) if self._rows else np.zeros((0, len(names) + 3))
        columns = {n: table[:, i + 1].copy() for i, n in enumerate([*names, "score.left", "score.right"])}
        units = {n: _UNITS.get(n.rsplit(".", 1)[1], "") for n in columns}
        notes = {"winner": referee.winner, "score": list(referee.score), "events": list(referee.events)}
        record = Record(table[:, 0].copy(), columns, units, notes=dict(notes))
        faults = {team.key: list(team.faults) for team in self.teams}
        score = (referee.score[0], referee.score[1])
        return Result(
            referee.winner, score, list(referee.events), record, self.recorder.done(**notes), faults
        )


_UNITS = {"x": "m", "y": "m", "z": "m", "heading": "rad"}


def _names(seen: Broadcast) -> list[str]:
    return [f"{id_}.{part}" for id_ in seen.entities for part in _UNITS]


def _row(seen: Broadcast) -> list[float]:
    return [value for e in seen.entities.values() for value in (*e.position, e.heading)]


def _drawn(bodies: list[Entity], seed: int) -> list[Entity]:
    """Either team first, by lot: engines favour one side where two blades meet edge to edge."""
    swap = Streams(seed)["order"].integers(2) == 1
    return sorted(bodies, key=lambda e: e.team, reverse=bool(swap))


def _chosen(table: dict[str, Any], name: str, what: str) -> Any:
    if name not in table:
        raise ValueError(f"No {what} '{name}'. {known(name, table)}")
    return table[name]


def _robot(given: str | TwoWheeler, table: dict[str, TwoWheeler]) -> TwoWheeler:
    return _chosen(table, given, "robot") if isinstance(given, str) else given


def _mind(given: Player, kernel: Kernel, side: str) -> Strategy:
    mind = strategy(given)
    mind.random = kernel.streams[f"strategy {side}"]
    return mind


def sumo(
    size: str = "mini",
    *,
    left: Player = "charge",
    right: Player = "orbiter",
    seed: int = 0,
    rules: SumoRules | None = None,
    robots: tuple[str | TwoWheeler, str | TwoWheeler] | None = None,
    backend: str = "mujoco",
    step: float = 0.005,
    interval: float = 0.02,
) -> Match:
    """A sumo match in a class from nano to mega; strategies act every ``interval`` seconds.

    ``robots`` are names of presets or TwoWheelers of your own, those of the class unless given. Raises
    ValueError for unknown names.
    """
    ring = _chosen(SUMO_RINGS, size, "sumo ring")
    pair = [_robot(r, SUMO_ROBOTS) for r in robots or (size, size)]
    spots = ((-ring.diameter / 4, 0.0), (ring.diameter / 4, np.pi))
    bodies = [r.entity(s, x, 0.0, turn, team=s) for r, s, (x, turn) in zip(pair, SIDES, spots, strict=True)]
    scene = Scene(f"sumo {size}", MATERIALS, (*ring.entities(), *_drawn(bodies, seed)))
    kernel = Kernel(scene, backend_name=backend, seed=seed, step=step)
    extent = (ring.diameter, ring.diameter, 0.0)
    minds = [_mind(given, kernel, side) for given, side in zip((left, right), SIDES, strict=True)]
    teams = [Team(s, m, r, extent, interval) for s, m, r in zip(SIDES, minds, pair, strict=True)]
    height = max(b.reference_body.position[2] for b in bodies)
    referee = SumoReferee(ring, height, rules or SumoRules(), kernel.streams["referee"])
    return Match(kernel, (teams[0], teams[1]), referee, interval)


def _impair(kernel: Kernel, realism: Realism) -> None:
    """A camera and a radio between a kernel and its controllers."""
    kernel.filters["controller"] = Vision(realism)
    kernel.radio = Radio(realism, kernel.streams["radio"])


def football(
    field: str = "vsss-3v3",
    *,
    left: Player = "roles",
    right: Player = "swarm",
    seed: int = 0,
    rules: FootballRules | None = None,
    robot: str | TwoWheeler = "rsim",
    players: int = 0,
    backend: str = "mujoco",
    step: float = 1 / 180,
    interval: float = 1 / 60,
    realism: str | Realism = "",
) -> Match:
    """A football match; strategies act 60 times a second, as in the FIRA simulator, and the game waits.

    Three steps of 1/180 s lie between two calls. Rules are those of `FOOTBALL_RULES` for the field unless
    given. With ``realism``, one of `REALISM` by name or one of your own, teams see the world as a camera
    does, and their commands go by radio.

    Raises ValueError for unknown names.
    """
    pitch, kind = _chosen(FOOTBALL_FIELDS, field, "football field"), _robot(robot, VSSS_ROBOTS)
    count = players or (5 if "5v5" in field else 3)
    ball = BALLS["ssl" if field.startswith("ssl") else "vsss"]
    bodies = [
        kind.entity(f"{side}{n}", sign * (0.1 + 0.12 * n), 0.1 * n, 0.0 if sign < 0 else np.pi, side)
        for side, sign in zip(SIDES, (-1, 1), strict=True)
        for n in range(count)
    ]
    scene = Scene(f"football {field}", MATERIALS, (pitch.entity(), ball.entity(), *_drawn(bodies, seed)))
    kernel = Kernel(scene, backend_name=backend, seed=seed, step=step)
    extent = (pitch.length, pitch.width, pitch.goal_width)
    minds = [_mind(given, kernel, side) for given, side in zip((left, right), SIDES, strict=True)]
    teams = [Team(s, m, kind, extent, interval) for s, m in zip(SIDES, minds, strict=True)]
    if realism:
        _impair(kernel, _chosen(REALISM, realism, "realism") if isinstance(realism, str) else realism)
    heights = (bodies[0].reference_body.position[2], ball.radius)
    referee = FootballReferee(pitch, heights, rules or FOOTBALL_RULES[field], kernel.streams["referee"])
    return Match(kernel, (teams[0], teams[1]), referee, interval)
