"""`Kernel`: the world, its time, and the agents around it.

One iteration is the source's cycle: take the messages that have come, run their requests in the order of
arrival, advance by ``steps_per_iteration`` steps, tell the agents, and wait for those that want to be waited
for. Nothing reads the wall clock but the waiting and the automatic adjustment, and what the latter decides is
logged like a request; so a run is given by its scene, its seed and its requests, and repeats bit for bit.
"""

from __future__ import annotations

import hashlib
import queue
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from biela.arena import saving
from biela.arena.agent import Agent, Channel, Direct, Registration
from biela.arena.broadcast import FILTERS, Broadcast, Seen
from biela.arena.command.registry import COMMANDS
from biela.arena.message import Message, Reply, Request
from biela.arena.physics.backend import Physics
from biela.arena.physics.registry import backend
from biela.arena.scene.fault import known
from biela.arena.scene.scene import Scene
from biela.arena.settings import Adjustment, Settings
from biela.arena.stream import Streams

ITSELF = "kernel"  # who decides on automatic adjustments
Logged = tuple[int, str, Request]


class Kernel:
    """A simulation with agents. ``wall`` is the clock that the automatic adjustment and the waiting read."""

    def __init__(
        self,
        scene: Scene | None = None,
        *,
        backend_name: str = "mujoco",
        seed: int = 0,
        wall: Callable[[], float] = time.perf_counter,
        **settings: Any,
    ) -> None:
        self.scene: Scene = (scene or Scene()).checked()
        self.settings = Settings(**settings)
        self.backend_name = backend_name
        self.physics: Physics = backend(backend_name)(self.scene, self.settings.step, self.settings.fast)
        self.streams = Streams(seed)
        self.wall = wall
        self.iteration, self.steps, self.time, self.flags = 0, 0, 0.0, 0
        self.agents: dict[str, Registration] = {}
        self.filters = dict(FILTERS)
        self.notices: dict[str, dict[str, Any]] = {}
        self.log: list[Logged] = []
        self.adjustment = Adjustment()
        self._channels: dict[str, Channel] = {}
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._waiting: list[Message] = []
        self._awaited: set[str] = set()

    # agents

    def join(self, agent: Agent) -> None:
        """Let an agent of this process take part, from the next iteration on.

        Raises ValueError for a key that is taken.
        """
        if agent.key in self._channels:
            raise ValueError(f"There is an agent '{agent.key}' already. Give this one another key.")
        data = {"type": agent.type, "synchronous": agent.synchronous, "broadcasts": agent.broadcasts}
        self.connect(agent.key, Direct(agent, self.post))
        self.post(Message(agent.key, (Request("register_agent", data | {"interval": agent.interval}),)))

    def connect(self, key: str, channel: Channel) -> None:
        """The way to an agent that posts its messages itself."""
        self._channels[key] = channel

    def leave(self, key: str) -> None:
        """Forget an agent; nobody waits for it any more."""
        self.agents.pop(key, None)
        self._channels.pop(key, None)
        self._awaited.discard(key)

    def post(self, message: Message) -> None:
        """Hand in a message; any thread may. It is run in the next iteration."""
        self._inbox.put(message)

    def ask(self, request: Request, agent: str = "") -> Reply:
        """Run a request now, between iterations, and return the reply."""
        return self._run(agent, request)

    # the cycle

    def iterate(self) -> bool:
        """One iteration; returns whether the world moved (it does not while it is paused)."""
        begin = self.wall()
        for message in self._messages():
            for request in message.requests:
                self._answer(message.agent, request)
        if self.settings.stepping and self.flags == 0:
            return False
        self.flags -= self.settings.stepping
        before = self.wall()
        self.advance()
        after = self.wall()
        self._tell()
        self._adjust(self.wall() - begin, after - before)
        return True

    def run(self, seconds: float) -> None:
        """Iterate for so much simulated time."""
        end = self.time + seconds - 1e-9
        while self.time < end:
            if not self.iterate():
                raise RuntimeError(
                    "The simulation is paused: switch the step-by-step mode off, or set step flags."
                )

    def advance(self) -> None:
        """Move the world by one iteration's steps."""
        count = 1 if self.settings.stepping else self.settings.steps_per_iteration
        self.physics.advance(count)
        self.iteration += 1
        self.steps += count
        self.time += count * self.settings.step

    def _messages(self) -> list[Message]:
        found, self._waiting = self._waiting, []
        while True:
            try:
                found.append(self._inbox.get_nowait())
            except queue.Empty:
                return found

    def _answer(self, agent: str, request: Request) -> None:
        reply = self._run(agent, request)
        if (request.response or not reply.ok) and agent in self._channels:
            self._channels[agent].reply(reply)

    def _run(self, agent: str, request: Request) -> Reply:
        """Carry a request out; whatever is wrong with it is in the reply."""
        command = COMMANDS.get(request.command)
        if command is None:
            return Reply(
                request.command, error=f"No command '{request.command}'. {known(request.command, COMMANDS)}"
            )
        more = (agent,) if command.kind == "agent" else ()
        try:
            data = command.run(self, request, *more)
        except (ValueError, TypeError, OSError, AttributeError) as error:
            return Reply(request.command, error=str(error))
        if command.kind != "agent":
            self.log.append((self.iteration, agent, request))
        return Reply(request.command, data)

    # telling

    def broadcast(self) -> Broadcast:
        """The world as it is now."""
        motion, places = self.physics.motion(), self.physics.bodies
        entities: dict[str, Seen] = {}
        rows: list[list[Any]] = [
            [tuple(r) for r in a.tolist()]
            for a in (motion.position, motion.turn, motion.velocity, motion.spin)
        ]
        speeds = motion.motor.tolist()
        for e in self.scene.entities:
            row = places.get((e.id, e.reference_body.id))
            if row is not None:
                motors = {m: speeds[self.physics.motors[(e.id, m)]] for m in e.motor}
                entities[e.id] = Seen(
                    e.id, e.type, e.team, rows[0][row], rows[1][row], rows[2][row], rows[3][row], motors
                )
        bodies: dict[str, dict[str, Any]] = {}
        for (entity, body), row in places.items():
            bodies.setdefault(entity, {})[body] = (rows[0][row], rows[1][row])
        touching = frozenset(self.physics.touching())
        return Broadcast(self.iteration, self.time, self.mode, entities, bodies, touching, dict(self.notices))

    @property
    def mode(self) -> dict[str, Any]:
        """The execution mode that broadcasts carry."""
        wanted = ("step", "steps_per_iteration", "fast", "stepping", "synchronous")
        return {name: getattr(self.settings, name) for name in wanted}

    def _tell(self) -> None:
        due = [a for a in self.agents.values() if a.key in self._channels and a.due(self.time)]
        if not due:
            return
        told, heard = self.broadcast(), dict[str, Broadcast]()
        self._awaited = {a.key for a in due if a.synchronous and self.settings.synchronous}
        for agent in due:
            agent.last = self.time
            if agent.type not in heard:
                heard[agent.type] = self.filters[agent.type](told, self.streams[f"filter {agent.type}"])
            self._channels[agent.key].send(heard[agent.type])
        self._wait()

    def _wait(self) -> None:
        """Until all who are awaited have synchronised with this iteration, or the time is over."""
        end = self.wall() + self.settings.wait
        while self._awaited:
            try:
                message = self._inbox.get(timeout=max(0.0, end - self.wall()))
            except queue.Empty:
                break
            for request in message.requests:
                if request.command == "synchronise":
                    self._answer(message.agent, request)
            rest = tuple(r for r in message.requests if r.command != "synchronise")
            if rest:
                self._waiting.append(Message(message.agent, rest))
        self._awaited.clear()

    def synchronised(self, agent: str, iteration: float) -> None:
        """An agent is done with an iteration; another iteration than this is discarded."""
        if iteration == self.iteration:
            self._awaited.discard(agent)

    def _adjust(self, total: float, physics: float) -> None:
        settings = self.settings
        if not settings.adjusting:
            return
        self.adjustment.add(total, physics, settings.steps_per_iteration)
        if self.adjustment.iterations >= settings.window:
            found = self.adjustment.settle(settings.largest_step)
            self.notices[ITSELF] = {"infeasible": self.adjustment.infeasible}
            if found:
                self._run(ITSELF, Request("set_step_size", {"seconds": max(found[0], 1e-6)}))
                self._run(ITSELF, Request("set_steps_per_iteration", {"steps": found[1]}))

    # changing and keeping

    def rebuild(self, **changes: Any) -> None:
        """Another scene, step or mode of the engine; what was there goes on as it is."""
        self.physics = self.physics.again(**changes)
        self.scene = self.physics.scene
        self.settings.step, self.settings.fast = self.physics.step, self.physics.fast

    def digest(self) -> str:
        """A hash of the engine's state and the time; equal hashes are equal worlds."""
        found = hashlib.sha256(self.physics.snapshot().tobytes())
        found.update(repr((self.iteration, self.time)).encode())
        return found.hexdigest()

    def document(self) -> dict[str, Any]:
        """Everything but the agents, as plain data."""
        return saving.document(self)

    def restore(self, document: dict[str, Any]) -> None:
        """Go back to a document; agents stay."""
        saving.restore(self, document)

    def save(self, path: str | Path) -> Path:
        """Write `document` into a file."""
        return saving.write(self.document(), Path(path))

    def resume(self, path: str | Path) -> None:
        """Go back to what `save` wrote; raises ValueError for a foreign or truncated file."""
        self.restore(saving.read(Path(path)))

    @staticmethod
    def load(path: str | Path) -> Kernel:
        """A kernel from what `save` wrote."""
        found = saving.read(Path(path))
        kernel = Kernel(backend_name=found["backend"], seed=found["seed"])
        kernel.restore(found)
        return kernel

    def settled(self) -> dict[str, Any]:
        """The settings as plain data."""
        return asdict(self.settings)
