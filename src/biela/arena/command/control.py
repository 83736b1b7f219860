"""Commands to the simulation as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from biela.arena.command import reading
from biela.arena.message import Request
from biela.arena.scene.document import entity_from, from_document
from biela.arena.scene.fault import Faults
from biela.arena.settings import RECOMMENDED

if TYPE_CHECKING:
    from biela.arena.kernel import Kernel


def create_entity(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Add an entity: ``entity`` is its document; refused if its id is taken."""
    given: Any = request.data.get("entity")
    if not isinstance(given, dict):
        raise ValueError(f"create_entity: entity is {type(given).__name__}; a table is wanted.")
    faults = Faults()
    entity = entity_from(cast("dict[str, Any]", given), "entity", faults)
    faults.raise_if_any("The entity")
    assert entity is not None
    kernel.rebuild(scene=kernel.scene.adding(entity))
    return {"id": entity.id}


def register_materials_interactions(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Add ``materials`` (id = name) and ``interactions`` (materials = two ids, and their numbers)."""
    names = dict(kernel.scene.materials.names) | dict(request.data.get("materials", {}))
    rows = request.data.get("interactions", [])
    found = from_document({"materials": names, "interactions": [dict(r) for r in rows]}).materials
    kernel.rebuild(scene=kernel.scene.registering(found))
    return {}


def set_gravity(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Another ``gravity``, m/s^2."""
    value = reading.numbers(request, "gravity", 3)
    if value is None:
        raise ValueError("set_gravity: gravity is missing; three numbers are wanted.")
    kernel.rebuild(scene=replace(kernel.scene, gravity=(value[0], value[1], value[2])))
    return {}


def set_automatic_adjustment(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Let step and steps per iteration follow the wall clock: ``on``, ``largest_step`` (s), ``window``."""
    settings = kernel.settings
    settings.adjusting = reading.switch(request, "on")
    if "largest_step" in request.data:
        settings.largest_step = reading.number(request, "largest_step", 1e-6, 1.0)
    if "window" in request.data:
        settings.window = reading.whole(request, "window", 1, 1_000_000)
    return {}


def set_time_step_mode(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Step by step (``stepping`` true: the world waits for step flags) or on and on."""
    kernel.settings.stepping = reading.switch(request, "stepping")
    kernel.flags = 0
    return {}


def set_step_flag(kernel: Kernel, request: Request) -> dict[str, Any]:
    """One step, if the mode is step by step."""
    kernel.flags += kernel.settings.stepping
    return {}


def set_communication_mode(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Wait for synchronous agents (``synchronous`` true) or for nobody."""
    kernel.settings.synchronous = reading.switch(request, "synchronous")
    return {}


def set_sync_wait_time(kernel: Kernel, request: Request) -> dict[str, Any]:
    """How long agents are waited for at most, ``seconds``."""
    kernel.settings.wait = reading.number(request, "seconds", 0.0, 3600.0)
    return {}


def set_step_size(kernel: Kernel, request: Request) -> dict[str, Any]:
    """The step, ``seconds``; the reply warns outside the range that the source recommends."""
    step = reading.number(request, "seconds", 1e-6, 1.0)
    kernel.rebuild(step=step)
    low, high = RECOMMENDED
    good = low <= step <= high
    return {} if good else {"warning": f"A step of {step:g} s; the source recommends {low:g} to {high:g} s."}


def set_fast_mode(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Faster and less precise steps (``on``)."""
    kernel.rebuild(fast=reading.switch(request, "on"))
    return {}


def set_steps_per_iteration(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Physics steps between two rounds of messages, ``steps``."""
    kernel.settings.steps_per_iteration = reading.whole(request, "steps", 1, 1_000_000)
    return {}


def save_simulation(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Everything but the agents into the file ``path``."""
    return {"path": str(kernel.save(reading.text(request, "path")))}


def load_simulation(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Everything but the agents from the file ``path``."""
    kernel.resume(reading.text(request, "path"))
    return {}


def announce(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Tell all agents something: ``about`` and ``what``, in every broadcast until it is replaced."""
    what: Any = request.data.get("what", {})
    if not isinstance(what, dict):
        raise ValueError(f"announce: what is {type(what).__name__}; a table is wanted.")
    kernel.notices[reading.text(request, "about")] = cast("dict[str, Any]", what)
    return {}
