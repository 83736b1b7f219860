"""`Replay`: a run in a file: how it began, what was asked for and when, and hashes to check it by.

Replaying runs the requests again at their iterations; on the same machine with the same versions every
keyframe has its hash, bit for bit. Every few keyframes the whole state is kept, so that one can begin in the
middle, or go on elsewhere although the last digit differs.
"""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from biela.arena import saving
from biela.arena.broadcast import Broadcast
from biela.arena.kernel import Kernel, Logged
from biela.arena.message import Request

FORMAT = "biela.arena replay 1"
ENGINES = ("mujoco", "pymunk")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine(), "numpy": version("numpy")}
    return found | {name: version(name) for name in ENGINES}


@dataclass
class Replay:
    """A recorded run. ``keyframes`` has hashes by iteration, ``states`` whole documents of some of them."""

    start: dict[str, Any]
    log: list[Logged] = field(default_factory=list[Logged])
    keyframes: dict[int, str] = field(default_factory=dict[int, str])
    states: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    last: int = 0
    notes: dict[str, Any] = field(default_factory=dict[str, Any])

    def kernel(self, iteration: int = 0) -> Kernel:
        """A kernel at an iteration, from the last state before it."""
        before = max((i for i in self.states if i <= iteration), default=None)
        document = self.start if before is None else self.states[before]
        kernel = Kernel(backend_name=document["backend"], seed=document["seed"])
        kernel.restore(document)
        for _ in self._steps(kernel, iteration):
            pass
        return kernel

    def _steps(self, kernel: Kernel, until: int) -> Iterator[int]:
        asked: dict[int, list[tuple[str, Request]]] = defaultdict(list)
        for iteration, agent, request in self.log:
            asked[iteration].append((agent, request))
        while kernel.iteration < until:
            for agent, request in asked[kernel.iteration]:
                _again(kernel, agent, request)
            kernel.advance()
            if kernel.iteration in self.keyframes:
                self._touch(kernel)
            yield kernel.iteration

    def _touch(self, kernel: Kernel) -> None:
        """What recording a keyframe does to the engine is done again."""
        kernel.physics.snapshot()

    def differences(self) -> list[int]:
        """The keyframes whose hash is another now; none is a perfect repeat."""
        kernel = Kernel(backend_name=self.start["backend"], seed=self.start["seed"])
        kernel.restore(self.start)
        found: list[int] = []
        for iteration in self._steps(kernel, self.last):
            if iteration in self.keyframes and kernel.digest() != self.keyframes[iteration]:
                found.append(iteration)
        return found

    def frames(self, rate: float = 25.0, speed: float = 1.0, begin: float = 0.0) -> Iterator[Broadcast]:
        """The world ``rate`` times a second of watching, at ``speed`` times its own pace."""
        kernel = self.kernel()
        due = begin
        for _ in self._steps(kernel, self.last):
            if kernel.time >= due - 1e-9:
                yield kernel.broadcast()
                due = kernel.time + speed / rate

    def save(self, path: str | Path) -> Path:
        """Write it into a file."""
        log = [[i, agent, r.command, r.entity, r.data] for i, agent, r in self.log]
        found = {"format": FORMAT, "versions": _versions(), "start": self.start, "log": log}
        found |= {"keyframes": self.keyframes, "states": self.states, "last": self.last, "notes": self.notes}
        return saving.write(found, Path(path))

    @staticmethod
    def load(path: str | Path) -> Replay:
        """Read what `save` wrote; raises ValueError for a foreign or truncated file."""
        found = saving.read(Path(path), FORMAT)
        log = [(i, agent, Request(command, data, entity)) for i, agent, command, entity, data in found["log"]]
        keyframes = {int(i): digest for i, digest in found["keyframes"].items()}
        states = {int(i): state for i, state in found["states"].items()}
        return Replay(found["start"], log, keyframes, states, found["last"], found["notes"])


def _again(kernel: Kernel, agent: str, request: Request) -> None:
    """A logged request; files are not written or read twice."""
    if request.command == "save_simulation":
        kernel.physics.snapshot()
    else:
        kernel.ask(request, agent)


class Recorder:
    """Watches a kernel from its beginning and makes the `Replay`."""

    def __init__(self, kernel: Kernel, every: int = 200, states: int = 10) -> None:
        self.kernel = kernel
        self.every = every
        self.states = states
        self.replay = Replay(kernel.document())
        self._begin = len(kernel.log)

    def look(self) -> None:
        """After an iteration: a hash if one is due, and sometimes the whole state."""
        kernel, replay = self.kernel, self.replay
        replay.last = kernel.iteration
        if kernel.iteration % self.every == 0:
            replay.keyframes[kernel.iteration] = kernel.digest()
            if kernel.iteration % (self.every * self.states) == 0:
                replay.states[kernel.iteration] = kernel.document()

    def done(self, **notes: Any) -> Replay:
        """The replay, with a last keyframe."""
        self.replay.keyframes[self.kernel.iteration] = self.kernel.digest()
        self.replay.last, self.replay.notes = self.kernel.iteration, notes
        self.replay.log = self.kernel.log[self._begin :]
        return self.replay
