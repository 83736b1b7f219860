"""`Bout`: a game played in many worlds at once, some robots by the learner, the others by drivers.

All environments are faces of it. A world depends on its seed and on what was done in it, on nothing else; so
does `digest`, a hash of its state.
"""

from __future__ import annotations

import copy
import hashlib
import os
import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from biela.arena.learning.driver import Driver, driver
from biela.arena.learning.game import TEAMS, Change, Game, Memory, Reward, Sight, Verdict
from biela.arena.physics.worlds import Worlds

VIEWS = ("robot", "field")
STARTS = ("random", "kick-off")
THREADED = 16  # worlds from which threads are worth their while


@dataclass(frozen=True)
class Step:
    """What came of a step: rows are worlds, columns of ``rewards`` are agents."""

    observations: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    verdict: Verdict


@final
class Bout:
    """``count`` worlds of a game. ``agents`` are the learner's robots, as in "blue_0".

    ``blue`` and ``yellow`` drive their teams' other robots. ``control`` is the time between actions, s, a
    multiple of ``step``. ``reward`` replaces the game's own: a function of a `Change`, for either team.
    Raises ValueError for what does not fit.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        agents: tuple[str, ...],
        *,
        blue: Any = "still",
        yellow: Any = "still",
        view: str = "robot",
        start: str = "random",
        reward: Reward | None = None,
        control: float = 0.025,
        step: float = 0.005,
        threads: int | None = None,
    ) -> None:
        self.game, self.count, self.agents, self.view, self.kind = game, count, agents, view, start
        _check(view, VIEWS, "view")
        _check(start, STARTS, "start")
        self.substeps, self.control = round(control / step), control
        if self.substeps < 1 or abs(self.substeps * step - control) > 1e-9:
            raise ValueError(f"The control period of {control} s is no multiple of the step, {step} s.")
        threads = (min(os.cpu_count() or 1, 8) if count >= THREADED else 0) if threads is None else threads
        self.worlds = Worlds(game.scene, step, count, threads=threads, touch=game.touch)
        order = [self.worlds.names.index(e) for e in game.entities]
        self._order, self._memory = np.array(order), Memory()
        robots = game.entities[: 2 * game.players]
        self._motors = np.array([[self.worlds.motors[(r, m)] for m in ("left", "right")] for r in robots])
        self._reward: Reward = reward or game.reward
        names = [f"{team}_{n}" for team in TEAMS for n in range(game.players)]
        self._mine = np.array([names.index(a) for a in agents])
        self._drivers = self._driven(blue, yellow)
        self.ticks = np.zeros(count, int)
        self.random = [np.random.default_rng() for _ in range(count)]
        self.poses = self._seen()

    @property
    def time(self) -> np.ndarray:
        """Since episodes began, s."""
        return self.ticks * self.control

    @property
    def left(self) -> np.ndarray:
        """The share of the time that is left, 1 to 0."""
        return 1.0 - self.time / self.game.seconds

    def sight(self, team: str) -> Sight:
        """All worlds from a team's side."""
        return self.game.sight(self.poses, team)

    def begin(self, worlds: np.ndarray, options: dict[str, Any] | None = None) -> None:
        """Episodes begin in some worlds: at a start of this kind, at given poses, or at a saved state."""
        options = options or {}
        unknown = set(options) - {"start", "poses", "state"}
        if unknown:  # a warning, for PettingZoo's own check resets with an option that nobody knows
            told = f"Unknown options of reset: {sorted(unknown)}. Known: start, poses, state."
            warnings.warn(told, stacklevel=3)
        kind = options.get("start", self.kind)
        _check(kind, STARTS, "start")
        given = options.get("poses")
        for w in map(int, worlds):
            poses = self.game.start(self.random[w], kind) if given is None else self._given(given)
            for entity, pose in zip(self._order.tolist(), poses, strict=True):
                self.worlds.put([w], entity, pose[None])
        self.worlds.state[worlds, 0] = 0.0
        self.worlds.targets[worlds] = 0.0
        self.ticks[worlds] = 0
        self.poses = self._seen()
        self.game.begin(self._memory, worlds, self.poses)
        for one in self._drivers.values():
            one.begin(worlds, self.random)
        if "state" in options:
            for w in map(int, worlds):
                self.restore(w, options["state"])

    def step(self, actions: np.ndarray) -> Step:
        """Act for a control period: (world, agent, left right), shares of the wheels' top speed."""
        n, wanted = self.game.players, (self.count, len(self.agents), 2)
        given = np.asarray(actions, float)
        if given.shape != wanted:
            raise ValueError(f"Actions have shape {given.shape}; {wanted} is wanted: world, agent, wheel.")
        before, left, time = self.poses, self.left, self.time
        shares = np.zeros((self.count, 2 * n, 2))
        for team, one in self._drivers.items():
            k = TEAMS.index(team) * n
            shares[:, k : k + n] = one.act(self.game.sight(before, team), left, time)
        shares[:, self._mine] = np.clip(np.nan_to_num(given), -1.0, 1.0)
        self.worlds.targets[:, self._motors] = shares * self.game.robot.top_speed
        self.worlds.advance(self.substeps)
        self.ticks += 1
        self.poses = self._seen()
        verdict = self.game.judge(self.poses, self.worlds.found, self.time, self._memory)
        rewards = self._rewards(before, verdict, shares)
        return Step(self.observations(), rewards, verdict.over, verdict.cut, verdict)

    def observations(self) -> np.ndarray:
        """(world, agent, feature), numbers from -1 to 1."""
        seen = [self.game.observe(self.sight(team), self.left, self.view) for team in self._teams]
        return np.concatenate(seen, axis=1)[:, self._columns]

    def digest(self, world: int = 0) -> str:
        """A hash of a world's state."""
        return hashlib.sha256(self.worlds.state[world].tobytes()).hexdigest()

    def save(self, world: int = 0) -> dict[str, Any]:
        """A world as it is now, for `restore` and ``reset(options={"state": ...})``.

        What a `Strategy` remembers by itself is not in it.
        """
        return {
            "state": self.worlds.state[world].copy(),
            "ticks": int(self.ticks[world]),
            "memory": {k: v[world].copy() for k, v in self._memory.values.items()},
            "drivers": {team: d.memory(world) for team, d in self._drivers.items()},
            "random": copy.deepcopy(self.random[world].bit_generator.state),
        }

    def restore(self, world: int, saved: dict[str, Any]) -> None:
        """Go back to what `save` gave; raises ValueError for a state of another game."""
        row = np.asarray(saved["state"])
        if row.shape != self.worlds.state[world].shape:
            told = f"has {row.size} numbers; {self.worlds.state.shape[1]} are wanted"
            raise ValueError(f"The saved state {told}: is it of another game?")
        self.worlds.state[world], self.ticks[world] = row, saved["ticks"]
        for name, value in saved["memory"].items():
            self._memory.values[name][world] = value
        for team, one in self._drivers.items():
            if saved["drivers"].get(team) is not None:
                one.recall(world, saved["drivers"][team])
        self.random[world].bit_generator.state = saved["random"]
        self.poses = self._seen()

    def _given(self, poses: Any) -> np.ndarray:
        """Poses of the user's: raises ValueError for another shape."""
        found, many = np.asarray(poses, float), len(self.game.entities)
        if found.shape not in ((many, 3), (many, 6)) or not np.isfinite(found).all():
            raise ValueError(f"Poses have shape {found.shape}; ({many}, 3) or ({many}, 6) is wanted, finite.")
        return np.pad(found, ((0, 0), (0, 6 - found.shape[1])))

    def _driven(self, blue: Any, yellow: Any) -> dict[str, Driver]:
        """Drivers of teams in which not every robot is the learner's; and which columns are the agents'."""
        n, found = self.game.players, dict[str, Driver]()
        for k, (team, given) in enumerate(zip(TEAMS, (blue, yellow), strict=True)):
            if sum(self._mine // n == k) < n:
                found[team] = driver(given)
                found[team].setup(self.game, team, self.count)
        self._teams = [t for k, t in enumerate(TEAMS) if (self._mine // n == k).any()]
        base = {t: i * n for i, t in enumerate(self._teams)}
        self._columns = np.array([base[TEAMS[i // n]] + i % n for i in self._mine.tolist()])
        return found

    def _seen(self) -> np.ndarray:
        return self.worlds.poses()[:, self._order]

    def _rewards(self, before: np.ndarray, verdict: Verdict, shares: np.ndarray) -> np.ndarray:
        n, found = self.game.players, list[np.ndarray]()
        for team in self._teams:
            k, sign = TEAMS.index(team) * n, 1 if team == "blue" else -1
            sights = self.game.sight(before, team), self.sight(team)
            change = Change(*sights, sign * verdict.point, shares[:, k : k + n])
            given = np.asarray(self._reward(change), float)
            given = given[:, None] if given.ndim == 1 else given
            found.append(np.broadcast_to(given, (self.count, n)))
        return np.concatenate(found, axis=1)[:, self._columns]


def _check(given: str, known: tuple[str, ...], what: str) -> None:
    if given not in known:
        raise ValueError(f"No {what} '{given}'. Known: {', '.join(known)}.")
