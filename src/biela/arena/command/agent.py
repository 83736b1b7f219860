"""Commands about agents themselves; they change nothing in the world and are not replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biela.arena.agent import Registration
from biela.arena.command import reading
from biela.arena.message import Request
from biela.arena.scene.fault import known

if TYPE_CHECKING:
    from biela.arena.kernel import Kernel


def register_agent(kernel: Kernel, request: Request, agent: str) -> dict[str, Any]:
    """Make an agent known: ``type``, ``synchronous``, ``broadcasts``, ``interval``, ``address``, ``port``.

    ``entities`` are driven by this agent alone from now on; one that another agent drives is refused.
    """
    kind = reading.text(request, "type", "controller")
    if kind not in kernel.filters:
        raise ValueError(f"register_agent: no agent type '{kind}'. {known(kind, kernel.filters)}")
    interval = None
    if request.data.get("interval") is not None:
        interval = reading.number(request, "interval", 0.0, 1e9)
    data = {"synchronous": False, "broadcasts": True, "port": 0} | request.data
    whole = Request(request.command, data)
    entities = reading.texts(request, "entities")
    for entity in entities:
        owner = kernel.owners.get(entity, agent)
        if entity not in kernel.scene.entity:
            raise ValueError(f"register_agent: no entity '{entity}'. {known(entity, kernel.scene.entity)}")
        if owner != agent:
            raise ValueError(f"register_agent: '{entity}' is driven by agent '{owner}' alone.")
    kernel.agents[agent] = Registration(
        agent,
        kind,
        reading.switch(whole, "synchronous"),
        reading.switch(whole, "broadcasts"),
        interval,
        reading.text(request, "address", ""),
        reading.whole(whole, "port", 0, 65535),
        entities,
    )
    kernel.own()
    return {"key": agent}


def unregister_agent(kernel: Kernel, request: Request, agent: str) -> dict[str, Any]:
    """Take part no more; what the agent drove alone is free again."""
    kernel.leave(agent)
    return {}


def agent_information(kernel: Kernel, request: Request, agent: str) -> dict[str, Any]:
    """Type, address and port of the agent ``key``, so that agents can talk to each other."""
    key = reading.text(request, "key")
    if key not in kernel.agents:
        raise ValueError(f"agent_information: no agent '{key}'. {known(key, kernel.agents)}")
    found = kernel.agents[key]
    return {"key": key, "type": found.type, "address": found.address, "port": found.port}


def synchronise(kernel: Kernel, request: Request, agent: str) -> dict[str, Any]:
    """Done with ``iteration``; one that is awaited no more is discarded."""
    kernel.synchronised(agent, reading.number(request, "iteration"))
    return {}
