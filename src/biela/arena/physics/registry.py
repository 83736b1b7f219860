"""`BACKENDS`: name -> class, imported when it is asked for, because engines are extras."""

from __future__ import annotations

from importlib import import_module

from biela.arena.physics.backend import Physics
from biela.arena.scene.fault import known

BACKENDS = {
    "mujoco": ("biela.arena.physics.spatial", "Spatial"),
    "pymunk": ("biela.arena.physics.planar", "Planar"),
    "flat": ("biela.arena.physics.flat", "Flat"),
}
ENGINES = ("mujoco", "pymunk")  # packages


def backend(name: str) -> type[Physics]:
    """The class of a backend; raises ValueError for an unknown one, ImportError for one not installed."""
    if name not in BACKENDS:
        raise ValueError(f"No physics backend '{name}'. {known(name, BACKENDS)}")
    module, kind = BACKENDS[name]
    try:
        return getattr(import_module(module), kind)
    except ModuleNotFoundError as error:
        if error.name not in ENGINES:
            raise
        raise ImportError(
            f"Backend '{name}' wants the package {error.name}: pip install 'biela[arena]'.", name=error.name
        ) from error
