"""Compiling C with the machine's gcc and calling it through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.peers import MissingPeerError

FLAGS = ("-O3", "-march=native", "-mprefer-vector-width=512", "-Wno-psabi", "-fPIC")
CALM = ("-fno-math-errno", "-fno-trapping-math")
FAST = ("-ffast-math", "-fno-associative-math")  # reassociation would undo the rounding by 1.5 2**52

Runner = Callable[[np.ndarray, int], np.ndarray]


def gcc() -> str:
    """The compiler; raises `MissingPeerError` without it."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise MissingPeerError("gcc is not installed")
    return compiler


def program(source: Path, folder: Path) -> Path:
    """A C file as a program in a folder; raises `MissingPeerError` without gcc."""
    made = folder / source.stem
    done = subprocess.run([gcc(), "-O2", str(source), "-o", str(made), "-lm"], capture_output=True, text=True)
    if done.returncode:
        raise MissingPeerError(f"gcc fails on {source.name}: {done.stderr.strip()[:200]}")
    return made


def library(source: Path, flags: Sequence[str] = ()) -> ctypes.CDLL:
    """A C file as a loaded library; raises `MissingPeerError` without gcc."""
    compiler = gcc()
    with tempfile.TemporaryDirectory() as folder:
        code, target = Path(folder) / "peer.o", Path(folder) / "peer.so"
        # linked without the flags: -ffast-math would flush subnormal numbers to zero in the whole process
        for command in (
            [compiler, *FLAGS, *flags, "-c", str(source), "-o", str(code)],
            [compiler, "-shared", str(code), "-o", str(target), "-lm"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise MissingPeerError(f"gcc fails on {source.name}: {done.stderr.strip()[:200]}")
        return ctypes.CDLL(str(target))


def runner(loaded: ctypes.CDLL, name: str) -> Runner:
    """A C function ``void name(double *x, long lanes, long steps)`` as one of new arrays."""
    native = loaded[name]
    native.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    native.restype = None

    def run(states: np.ndarray, steps: int) -> np.ndarray:
        result = np.array(states, order="C")
        native(result.ctypes.data, result.size // 4, steps)
        return result

    return run


def fastest(runners: Sequence[Runner], states: np.ndarray, steps: int) -> Runner:
    """The runner that is the quickest here and now."""
    from benchmarks.timing import interleave

    best = interleave({str(k): lambda r=r: r(states, steps) for k, r in enumerate(runners)}, rounds=5)
    return runners[int(min(best, key=lambda name: best[name]))]
