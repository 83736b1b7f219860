"""Simulations in files: the whole state of a kernel without its agents, as JSON.

Arrays are base64 of their bytes, because a continuation is to be exact. The format has a number; a file of
another is refused.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biela.arena.scene.document import from_document, to_document
from biela.arena.settings import Settings
from biela.simulate.storage import whole

if TYPE_CHECKING:
    from biela.arena.kernel import Kernel

FORMAT = "biela.arena simulation 1"


def encode(values: np.ndarray) -> str:
    """The bytes of an array of floats as text."""
    return base64.b64encode(np.ascontiguousarray(values, "<f8").tobytes()).decode()


def decode(text: str) -> np.ndarray:
    """The array again."""
    return np.frombuffer(base64.b64decode(text), "<f8").copy()


def document(kernel: Kernel) -> dict[str, Any]:
    """Everything but the agents, as plain data."""
    return {
        "format": FORMAT,
        "backend": kernel.backend_name,
        "seed": kernel.streams.seed,
        "scene": to_document(kernel.scene),
        "settings": kernel.settled(),
        "iteration": kernel.iteration,
        "steps": kernel.steps,
        "time": kernel.time.hex(),
        "flags": kernel.flags,
        "notices": dict(kernel.notices),
        "streams": kernel.streams.state(),
        "sensing": kernel.sensing.state() if kernel.sensing.mounted else {},
        "physics": encode(kernel.physics.snapshot()),
    }


def restore(kernel: Kernel, found: dict[str, Any]) -> None:
    """Go back to a document; raises ValueError for one of another backend."""
    if found["backend"] != kernel.backend_name:
        raise ValueError(f"Saved with backend '{found['backend']}'; this kernel has '{kernel.backend_name}'.")
    kernel.settings = Settings(**found["settings"])
    changes = {"scene": from_document(found["scene"])}
    kernel.rebuild(**changes, step=kernel.settings.step, fast=kernel.settings.fast)
    kernel.physics.restore(decode(found["physics"]))
    kernel.iteration, kernel.steps, kernel.flags = found["iteration"], found["steps"], found["flags"]
    kernel.time = float.fromhex(found["time"])
    kernel.notices = dict(found["notices"])
    kernel.streams.seed = found["seed"]
    kernel.streams.resume(found["streams"])
    kernel.sensing.resume(found.get("sensing", {}))


def write(found: dict[str, Any], path: Path) -> Path:
    """A document into a file, whole or not at all."""
    return whole(path, lambda aside: aside.write_text(json.dumps(found), encoding="utf-8"))


def read(path: Path, wanted: str = FORMAT) -> dict[str, Any]:
    """A document from a file; raises ValueError for a foreign or truncated one."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is truncated or no simulation: {error}.") from error
    told: Any = found.get("format") if isinstance(found, dict) else None  # pyright: ignore
    if told != wanted:
        raise ValueError(f"{path.name} says '{told}'; '{wanted}' is wanted.")
    return found  # pyright: ignore
