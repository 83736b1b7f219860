"""`Kernel`: the world, its time, and the agents around it.

One iteration is the source's cycle: take the messages that have come, run their requests in the order of
arrival, advance by ``steps_per_iteration`` steps, tell the agents, and wait for those that want to be waited
for. Nothing reads the wall clock but the waiting and the automatic adjustment, and what the latter decides is
logged like a request; so a run is given by its scene, its seed and its requests, and repeats bit for bit.

Agents of other processes are served by a `Source` (`biela.arena.wire`): it is asked for what has come at the
beginning of an iteration and while the kernel waits, so that everything happens in one thread.
"""

from __future__ import annotations

import hashlib
import queue
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from biela.arena import saving
from biela.arena.agent import Agent, Channel, Direct, Registration, Source
from biela.arena.broadcast import FILTERS, Broadcast, without_bodies
from biela.arena.command import entity
from biela.arena.command.registry import COMMANDS
from biela.arena.log import Log, Logged
from biela.arena.message import Asked, Done, Drive, Message, Reply, Request
from biela.arena.physics.backend import Physics
from biela.arena.physics.registry import backend
from biela.arena.radio import Radio
from biela.arena.scene.fault import known
from biela.arena.scene.scene import Scene
from biela.arena.seen import Observer
from biela.arena.sensor.sensing import Sensing
from biela.arena.settings import Adjustment, Settings
from biela.arena.stream import Streams

ITSELF = "kernel"  # who decides on automatic adjustments
MOTORS = "control_entity_motors"
OWN = (MOTORS, "say")  # for whoever drives the entity alone

__all__ = ["ITSELF", "Kernel", "Logged"]


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
        self.sensing = Sensing(self.physics, self.streams)
        self.wall = wall
        self.iteration, self.steps, self.time, self.flags = 0, 0, 0.0, 0
        self.agents: dict[str, Registration] = {}
        self.filters = dict(FILTERS)
        self.notices: dict[str, dict[str, Any]] = {}
        self.owners: dict[str, str] = {}
        self.log = Log()
        self.adjustment = Adjustment()
        self.source: Source | None = None
        self.radio: Radio | None = None
        self._observer = Observer(self.physics)
        self._channels: dict[str, Channel] = {}
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._held: list[tuple[str, Request | Drive, Channel | None]] = []
        self._awaited: set[str] = set()
        self._asleep = False

    # agents

    def join(self, agent: Agent) -> None:
        """Let an agent of this process take part, from the next iteration on.

        Raises ValueError for a key that is taken.
        """
        if agent.key in self._channels:
            raise ValueError(f"There is an agent '{agent.key}' already. Give this one another key.")
        self.connect(agent.key, Direct(agent, self.post))
        self.post(Message(agent.key, (Request("register_agent", agent.registration),)))

    def connect(self, key: str, channel: Channel) -> None:
        """The way to an agent that posts its messages itself."""
        self._channels[key] = channel

    def connected(self, key: str) -> bool:
        """Whether there is a way to an agent of this key."""
        return key in self._channels

    def leave(self, key: str) -> None:
        """Forget an agent; nobody waits for it any more."""
        self.agents.pop(key, None)
        self._channels.pop(key, None)
        self._awaited.discard(key)
        self.own()

    def own(self) -> None:
        """Find out anew who drives which entity alone."""
        self.owners = {e: a.key for a in self.agents.values() for e in a.entities}

    def post(self, message: Message) -> None:
        """Hand in a message; any thread may. It is run in the next iteration."""
        self._inbox.put(message)
        if self._asleep and self.source is not None:
            self.source.wake()

    def receive(self, agent: str, asked: Asked, channel: Channel | None = None) -> None:
        """What a source hands over. It is run in the next iteration, but who is done is done at once.

        Replies go to ``channel``, or to the agent of that key.
        """
        if isinstance(asked, Done):
            self.synchronised(agent, asked.iteration)
        elif isinstance(asked, Request) and asked.command == "synchronise":
            self._answer(agent, asked, channel)
        else:
            self._held.append((agent, asked, channel))

    def ask(self, request: Request, agent: str = "") -> Reply:
        """Run a request now, between iterations, and return the reply."""
        return self._run(agent, request)

    # the cycle

    def iterate(self) -> bool:
        """One iteration; returns whether the world moved (it does not while it is paused)."""
        begin = self.wall()
        self.attend()
        if self.settings.stepping and self.flags == 0:
            return False
        self.flags -= self.settings.stepping
        before = self.wall()
        self.advance()
        after = self.wall()
        self._tell()
        self._adjust(self.wall() - begin, after - before)
        return True

    def attend(self) -> None:
        """Run what has been asked for, without moving the world."""
        self._receive()
        held, self._held = self._held, []
        if self.radio is not None:
            held = self.radio.passed(held, self.time, self._wired)
        for agent, asked, channel in held:
            self._answer(agent, asked, channel)

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
        self.sensing.advance(count, self.time)
        self.iteration += 1
        self.steps += count
        self.time += count * self.settings.step

    def _receive(self) -> None:
        """Take what has come, from this process and from others."""
        while not self._inbox.empty():
            self._hand(self._inbox.get_nowait())
        if self.source is not None:
            self.source.take()

    def _hand(self, message: Message) -> None:
        for asked in message.requests:
            self.receive(message.agent, asked)

    def _answer(self, agent: str, asked: Request | Drive, channel: Channel | None) -> None:
        if isinstance(asked, Drive):
            reply, wanted = self._drive(agent, asked), False
        else:
            reply, wanted = replace(self._run(agent, asked), tag=asked.tag), asked.response
        way = channel or self._channels.get(agent)
        if reply is not None and (wanted or not reply.ok) and way and not self._lost(agent):
            way.reply(reply)

    def _lost(self, agent: str) -> bool:
        """Whether a reply to an agent gets lost by radio."""
        return self.radio is not None and not self._wired(agent) and self.radio.loses()

    def _wired(self, agent: str) -> bool:
        """Whether an agent reaches robots without a radio."""
        return agent not in self.agents or self.agents[agent].type == "referee"

    def _drive(self, agent: str, asked: Drive) -> Reply | None:
        """Carry the short form out; a reply says what is wrong with it."""
        try:
            self._own(agent, asked.entity)
            motors = entity.drive(self, asked)
        except ValueError as error:
            return Reply(MOTORS, error=str(error))
        self.log.add(self.iteration, agent, asked, motors)
        return None

    def _own(self, agent: str, driven: str, command: str = MOTORS) -> None:
        """Refuse to let an agent drive what another drives alone; referees may."""
        owner = self.owners.get(driven, agent)
        if owner != agent and not (agent in self.agents and self.agents[agent].type == "referee"):
            raise ValueError(f"{command}: '{driven}' is driven by agent '{owner}' alone.")

    def _run(self, agent: str, request: Request) -> Reply:
        """Carry a request out; whatever is wrong with it is in the reply."""
        command = COMMANDS.get(request.command)
        if command is None:
            return Reply(
                request.command, error=f"No command '{request.command}'. {known(request.command, COMMANDS)}"
            )
        more = (agent,) if command.kind == "agent" else ()
        try:
            if request.command in OWN:
                self._own(agent, request.entity, request.command)
            data = command.run(self, request, *more)
        except ValueError as error:
            return Reply(request.command, error=str(error))
        except Exception as error:  # whatever one agent sends, the others go on
            return Reply(request.command, error=f"{request.command}: {type(error).__name__}: {error}")
        if command.kind != "agent":
            self.log.add(self.iteration, agent, request)
        return Reply(request.command, data)

    # telling

    def broadcast(self, parts: bool = True) -> Broadcast:
        """The world as it is now; the single bodies among it only if ``parts`` is true."""
        if self._observer.physics is not self.physics:
            self._observer = Observer(self.physics)
        entities, bodies = self._observer.tables() if parts else (self._observer.table(), None)
        rest = (frozenset(self.physics.touching()), dict(self.notices), self.sensing.heard())
        return Broadcast(self.iteration, self.time, self.mode, entities, bodies or {}, *rest)

    @property
    def mode(self) -> dict[str, Any]:
        """The execution mode that broadcasts carry."""
        wanted = ("step", "steps_per_iteration", "fast", "stepping", "synchronous")
        return {name: getattr(self.settings, name) for name in wanted}

    def _tell(self) -> None:
        due = [a for a in self.agents.values() if a.key in self._channels and a.due(self.time)]
        if not due:
            return
        parts = any(self.filters[kind] is not without_bodies for kind in {a.type for a in due})
        told, heard = self.broadcast(parts), dict[str, Broadcast]()
        patience = self.settings.patience if self.settings.synchronous else 0
        self._awaited = {a.key for a in due if a.synchronous and a.missed < patience}
        for agent in due:
            agent.last = self.time
            if agent.type not in heard:
                heard[agent.type] = self.filters[agent.type](told, self.streams[f"filter {agent.type}"])
            self._channels[agent.key].send(heard[agent.type])
        self._wait()

    def _wait(self) -> None:
        """Until all who are awaited have synchronised with this iteration, or the time is over."""
        end = self.wall() + self.settings.wait
        self._receive()
        while self._awaited:
            left = end - self.wall()
            if left <= 0:
                break
            self._sleep(left)
            self._receive()
        for key in self._awaited:
            self.agents[key].missed += 1
        self._awaited.clear()

    def _sleep(self, seconds: float) -> None:
        """Until something comes."""
        if self.source is None:
            with suppress(queue.Empty):
                self._hand(self._inbox.get(timeout=seconds))
            return
        self._asleep = True
        if self._inbox.empty():
            self.source.wait(seconds)
        self._asleep = False

    def awaits(self, agent: str) -> bool:
        """Whether the kernel is waiting for an agent now."""
        return agent in self._awaited

    def synchronised(self, agent: str, iteration: float) -> None:
        """An agent is done with an iteration; another iteration than this is discarded.

        Whoever gets on, however late, is waited for again.
        """
        if iteration == self.iteration:
            self._awaited.discard(agent)
        known = self.agents.get(agent)
        if known and (known.answered < iteration <= self.iteration or iteration == self.iteration):
            known.answered, known.missed = iteration, 0

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
        self.sensing.mount(self.physics)
        self.scene = self.physics.scene
        self.settings.step, self.settings.fast = self.physics.step, self.physics.fast

    def digest(self) -> str:
        """A hash of the engine's state and the time; equal hashes are equal worlds."""
        found = hashlib.sha256(self.physics.snapshot().tobytes())
        found.update(repr((self.iteration, self.time)).encode())
        if self.sensing.mounted:
            found.update(repr(self.sensing.state()).encode())
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
