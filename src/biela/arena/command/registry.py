"""`COMMANDS`: name -> `Command`. A new one is a function and its line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from biela.arena.command import agent, control, entity


@dataclass(frozen=True)
class Command:
    """A function of the kernel and a request (and the asking agent's key, of agent commands)."""

    kind: str  # 'agent', 'control' or 'entity'
    run: Callable[..., dict[str, Any]]


def _all(kind: str, *functions: Callable[..., dict[str, Any]]) -> dict[str, Command]:
    return {f.__name__: Command(kind, f) for f in functions}


COMMANDS: dict[str, Command] = {
    **_all(
        "agent",
        agent.register_agent,
        agent.unregister_agent,
        agent.agent_information,
        agent.synchronise,
    ),
    **_all(
        "control",
        control.create_entity,
        control.register_materials_interactions,
        control.set_automatic_adjustment,
        control.set_time_step_mode,
        control.set_step_flag,
        control.set_communication_mode,
        control.set_sync_wait_time,
        control.set_step_size,
        control.set_fast_mode,
        control.set_steps_per_iteration,
        control.save_simulation,
        control.load_simulation,
        control.set_gravity,
        control.announce,
    ),
    **_all("entity", entity.set_entity_position, entity.control_entity_motors, entity.say),
}
