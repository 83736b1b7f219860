"""`SOURCES`: the registry: what can be shown live, by its class, and the `Source` that shows it.

Classes are named, not imported, so a page of a mechanism brings no robots along.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from biela.view.live_page.source import Source

SOURCES = {
    "biela.simulate.simulation.Simulation": "biela.view.live_page.simulation.Simulated",
    "biela.mechanics.model.Model": "biela.view.live_page.simulation.Simulated",
    "biela.mechanics.system.System": "biela.view.live_page.simulation.Simulated",
    "biela.observe.filter.filter.Filter": "biela.view.live_page.observation.Observed",
    "biela.observe.particle.filter.ParticleFilter": "biela.view.live_page.observation.Observed",
    "biela.cueing.ride.Ride": "biela.view.live_page.ride.Driven",
    "biela.arena.match.Match": "biela.view.live_page.match.Played",
}


def source_of(given: Any, **options: Any) -> Source:
    """The source that shows something; one that is a source already is taken as it is.

    Raises TypeError for what cannot be shown.
    """
    if isinstance(given, Source):
        if options:
            raise TypeError(f"A source takes no further options; got {', '.join(options)}.")
        return given
    for kind in type(given).__mro__:
        home = SOURCES.get(f"{kind.__module__}.{kind.__qualname__}")
        if home is not None:
            module, _, name = home.rpartition(".")
            return getattr(import_module(module), name)(given, **options)
    known = ", ".join(sorted({name.rpartition(".")[2] for name in SOURCES}))
    raise TypeError(f"{type(given).__name__} cannot be shown live. What can be: {known}, or a Source.")
