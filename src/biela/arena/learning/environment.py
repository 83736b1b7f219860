"""Environments: one robot (Gymnasium), teams (PettingZoo, parallel), many worlds (Gymnasium's VectorEnv).

All three are faces of a `Bout` and give the same numbers for the same seed, bit for bit.
"""

from __future__ import annotations

from typing import Any, ClassVar, final

import gymnasium
import numpy as np
import pettingzoo  # pyright: ignore[reportMissingTypeStubs]
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from biela.arena.learning.bout import Bout
from biela.arena.learning.picture import picture

MODES = ("rgb_array",)


def _boxes(bout: Bout) -> tuple[Box, Box]:
    """What one agent sees and does."""
    size = len(bout.game.features(bout.view))
    return Box(-1.0, 1.0, (size,), np.float32), Box(-1.0, 1.0, (2,), np.float32)


def _mode(render_mode: str | None) -> str | None:
    if render_mode not in (None, *MODES):
        told = "Known: rgb_array. Watch a match in its replay (biela.view)."
        raise ValueError(f"No render mode '{render_mode}'. {told}")
    return render_mode


def _frame(bout: Bout, mode: str | None) -> np.ndarray:
    if mode is None:
        raise RuntimeError('Nothing to render: make the environment with render_mode="rgb_array".')
    return picture(bout.game, bout.poses[0])


def _told(bout: Bout, why: str, point: int) -> dict[str, Any]:
    return {"why": why, "point": point, "time": float(bout.time[0])}


@final
class Single(gymnasium.Env[np.ndarray, np.ndarray]):
    """One robot of one team; everybody else has a driver."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 40}  # pyright: ignore

    def __init__(self, bout: Bout, render_mode: str | None = None) -> None:
        self.bout, self.render_mode = bout, _mode(render_mode)
        self.observation_space, self.action_space = _boxes(bout)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; ``options`` may have "start", "poses" or a saved "state"."""
        super().reset(seed=seed)
        self.bout.random[0] = self.np_random
        self.bout.begin(np.array([0]), options)
        return self.bout.observations()[0, 0], _told(self.bout, "", 0)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Act for a control period; the info has ``why`` the episode ended and who has the ``point``."""
        s = self.bout.step(np.asarray(action)[None, None])
        info = _told(self.bout, str(s.verdict.why[0]), int(s.verdict.point[0]))
        return s.observations[0, 0], float(s.rewards[0, 0]), bool(s.terminated[0]), bool(s.truncated[0]), info

    def render(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The world from above; raises RuntimeError without a render mode."""
        return _frame(self.bout, self.render_mode)

    def close(self) -> None:
        """Let the threads go."""
        self.bout.worlds.close()


@final
class Parallel(pettingzoo.ParallelEnv[str, np.ndarray, np.ndarray]):
    """A team or both, every robot an agent."""

    metadata: ClassVar[dict[str, Any]] = {  # pyright: ignore[reportIncompatibleVariableOverride]
        "name": "biela_arena", "render_modes": list(MODES), "render_fps": 40,
    }  # fmt: skip

    def __init__(self, bout: Bout, render_mode: str | None = None) -> None:
        self.bout, self.render_mode = bout, _mode(render_mode)
        self.possible_agents, self.agents = list(bout.agents), list[str]()
        seen, done = _boxes(bout)
        self.observation_spaces = dict.fromkeys(bout.agents, seen)
        self.action_spaces = dict.fromkeys(bout.agents, done)

    def observation_space(self, agent: str) -> Box:
        """The same object for every agent at every call."""
        return self.observation_spaces[agent]  # pyright: ignore

    def action_space(self, agent: str) -> Box:
        """Shares of the wheels' top speed, left and right."""
        return self.action_spaces[agent]  # pyright: ignore

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin an episode; ``options`` as for `Single`."""
        if seed is not None:
            self.bout.random[0], _ = seeding.np_random(seed)
        self.bout.begin(np.array([0]), options)
        self.agents = list(self.possible_agents)
        return self._by_agent(self.bout.observations()[0]), {a: _told(self.bout, "", 0) for a in self.agents}

    def step(self, actions: dict[str, np.ndarray]) -> tuple[Any, Any, Any, Any, Any]:
        """Act for a control period; robots without an action stop."""
        still = np.zeros(2)
        s = self.bout.step(np.array([[actions.get(a, still) for a in self.possible_agents]]))
        over, cut = bool(s.terminated[0]), bool(s.truncated[0])
        info = _told(self.bout, str(s.verdict.why[0]), int(s.verdict.point[0]))
        names = self.agents
        rewards = {a: float(r) for a, r in zip(names, s.rewards[0], strict=False)}
        found = (self._by_agent(s.observations[0]), rewards, dict.fromkeys(names, over))
        self.agents = [] if over or cut else names
        return *found, dict.fromkeys(names, cut), {a: dict(info) for a in names}

    def render(self) -> np.ndarray:
        """The world from above; raises RuntimeError without a render mode."""
        return _frame(self.bout, self.render_mode)

    def close(self) -> None:
        """Let the threads go."""
        self.bout.worlds.close()

    def _by_agent(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(self.agents, rows, strict=False))


@final
class Vector(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many worlds, stepped together. One agent has rows of features; several have a matrix a world.

    World i is seeded with ``seed + i`` and goes the way of a `Single` with that seed. Ended episodes begin
    again in the step after their end, or in the same step (``autoreset="same-step"``), with the last
    observations of those that ended in ``infos["final_obs"]``.
    """

    def __init__(self, bout: Bout, autoreset: str = "next-step") -> None:
        modes = {"next-step": AutoresetMode.NEXT_STEP, "same-step": AutoresetMode.SAME_STEP}
        if autoreset not in modes:
            raise ValueError(f"No autoreset '{autoreset}'. Known: {', '.join(modes)}.")
        self.bout, self.num_envs, self._same = bout, bout.count, autoreset == "same-step"
        self.metadata = {"autoreset_mode": modes[autoreset], "render_modes": []}
        seen, done = _boxes(bout)
        many = len(bout.agents)
        self._alone = many == 1
        alone: tuple[Any, Any] = (seen, done)
        both = alone if self._alone else tuple(batch_space(space, many) for space in alone)
        self.single_observation_space, self.single_action_space = both
        self.observation_space, self.action_space = (batch_space(space, self.num_envs) for space in both)
        self._ended = np.zeros(self.num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin everywhere; ``options`` as for `Single`, the same for all worlds."""
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        for world, one in enumerate(seeds or []):
            if one is not None:
                self.bout.random[world], _ = seeding.np_random(one)
        self.bout.begin(np.arange(self.num_envs), options)
        self._ended[:] = False
        return self._shaped(self.bout.observations()), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Act everywhere; one agent's rewards are one number a world, several agents' the mean."""
        given = np.asarray(actions)
        s = self.bout.step(given[:, None] if self._alone else given)
        rewards, over, cut = s.rewards.mean(axis=1), s.terminated.copy(), s.truncated.copy()
        infos: dict[str, Any] = {"why": s.verdict.why, "point": s.verdict.point}
        again = np.flatnonzero(self._ended)
        if self._same:
            again = np.flatnonzero(over | cut)
            if len(again):
                infos["final_obs"], infos["_final_obs"] = self._shaped(s.observations).copy(), over | cut
        elif len(again):
            rewards[again], over[again], cut[again] = 0.0, False, False
        if not len(again):
            self._ended = over | cut
            return self._shaped(s.observations), rewards, over, cut, infos
        self.bout.begin(again)
        self._ended = (over | cut) & (not self._same)
        return self._shaped(self.bout.observations()), rewards, over, cut, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self.bout.worlds.close()

    def _shaped(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, 0] if self._alone else rows
