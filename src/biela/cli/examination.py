"""What `biela doctor` looks at: versions, processor, cache, extras, and a kernel to be timed."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Callable
from importlib import metadata
from time import perf_counter
from typing import Any

import numpy as np

import biela
from biela.compile import cache
from biela.compile.engine import processor
from biela.compile.kernel import Kernel
from biela.mechanics.model import Model
from biela.mechanisms import four_bar
from biela.simulate.step import step

NEED = re.compile(r"([\w.-]+).*extra == ['\"](\w+)['\"]")
FOR_MAKERS = ("bench", "docs", "test")  # extras for work on the library itself
TOOLS = {
    "gcc": "makes binaries of FMUs, checks exported C",
    "cmake": "builds C packages",
    "octave": "checks exported MATLAB",
    "node": "checks exported JavaScript",
    "chromium": "checks replays",
}
STEPS, LANES = 20_000, 20_000


def versions() -> dict[str, str]:
    """Python, the system, this library and what it stands on."""
    found = {"biela": biela.__version__, "python": f"{platform.python_version()} ({sys.executable})"}
    found["system"] = f"{platform.system()} {platform.release()}, {platform.machine()}"
    return found | {name: metadata.version(name) for name in ("numpy", "scipy", "llvmlite")}


def hardware() -> dict[str, str]:
    """What the compiler knows of the processor."""
    cpu = processor()
    wide = [
        name for name in ("sse4.2", "avx", "avx2", "fma", "avx512f", "neon") if f"+{name}" in cpu.features
    ]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "name": cpu.name,
        "cores": str(cores),
        "features": ", ".join(wide) or "none that are used",
        "lanes": f"{cpu.lanes} doubles, {cpu.registers} registers",
        "fused multiply-add": "yes" if cpu.fused else "no",
    }


def cached() -> dict[str, str]:
    """Where compiled code is kept, and how much."""
    place = cache.folder()
    if place is None:
        return {"folder": "off (BIELA_CACHE)"}
    entries = list(place.glob("*.biela-o")) if place.is_dir() else []
    size = sum(entry.stat().st_size for entry in entries) / 2**20
    able = os.access(place if place.is_dir() else place.parent, os.W_OK)
    return {
        "folder": f"{place}{'' if able or not place.exists() else ' (cannot be written)'}",
        "content": f"{len(entries)} entries, {size:.1f} MB of {cache.LIMIT_BYTES / 2**20:.0f} MB",
    }


def needs() -> dict[str, list[str]]:
    """The packages of each extra for users, as the installed metadata tells; none where there is none."""
    found: dict[str, list[str]] = {}
    try:
        told = metadata.requires("biela") or []
    except metadata.PackageNotFoundError:
        return found
    for name, extra in (match.groups() for match in map(NEED.match, told) if match):
        if extra not in FOR_MAKERS:
            found.setdefault(extra, []).append(name)
    return found


def extras() -> dict[str, str]:
    """Which extras are installed, and how to get the others."""
    found: dict[str, str] = {}
    for extra, packages in needs().items():
        have = {name: version for name in packages if (version := _version(name))}
        missing = [name for name in packages if name not in have]
        lack = [f"without {', '.join(missing)}: pip install 'biela[{extra}]'"] if missing else []
        found[extra] = "; ".join([", ".join(map(" ".join, have.items()))] * bool(have) + lack)
    return found or {"unknown": "biela runs from a folder, it is not installed as a package"}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def tools() -> dict[str, str]:
    """Programs beside Python that tests run where they are found."""
    return {name: f"{shutil.which(name) or 'not found'} ({told})" for name, told in TOOLS.items()}


EXAMINED: dict[str, Callable[[], dict[str, str]]] = {
    "versions": versions,
    "processor": hardware,
    "cache": cached,
    "extras": extras,
    "tools": tools,
}


def kernel() -> dict[str, float]:
    """Compile the step of a four-bar without the cache, and time it.

    Raises RuntimeError where the native step and its evaluation in Python differ.
    """
    model = four_bar().model()
    began = perf_counter()
    made = step(model, "multipliers", "rk4")
    derived = perf_counter()
    native = Kernel(made.function, cache=False)
    x = made.pack(*model.start, 0.0)
    given: dict[str, Any] = {port.name: _value(port.name, model) for port in made.function.inputs[1:]}
    first = native(x=x, **given)
    compiled = perf_counter()
    wanted = np.asarray(made.function.evaluate(x=x, **given), float)
    apart = float(np.abs(np.asarray(first, float) - wanted).max())
    if not apart < 1e-12:
        raise RuntimeError(f"The compiled step differs from its evaluation in Python by {apart:.3g}.")
    many = np.ascontiguousarray(np.repeat(x[:, None], LANES, axis=1))
    native.iterate(x, 1, **given)  # the loops are compiled before they count
    native.iterate(many, 1, **given)
    alone = perf_counter()
    native.iterate(x, STEPS, every=STEPS, **given)
    beside = perf_counter()
    native.iterate(many, 20, every=20, **given)
    end = perf_counter()
    return {
        "operations": float(made.function.operations.total),
        "derived in, ms": 1e3 * (derived - began),
        "compiled in, ms": 1e3 * (compiled - derived),
        "a step, ns": 1e9 * (beside - alone) / STEPS,
        "steps a second, one state": STEPS / (beside - alone),
        "steps a second, all lanes and cores": 20 * LANES / (end - beside),
        "differs from Python by": apart,
    }


def _value(name: str, model: Model) -> Any:
    return 1e-3 if name == "h" else getattr(model, name)
