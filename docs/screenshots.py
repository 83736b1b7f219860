"""Photograph replays into docs/_static/replay: a part of `make gallery`; wants Chromium and Pillow."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import biela as bl
from biela.observe import Bench, ExtendedKalman, Gyro, Process
from biela.simulate import Record, Simulation, assemble
from biela.view import replay

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
PLACE = Path(__file__).parent / "_static" / "replay"


def four_bar() -> dict[str, Record]:
    """A truth, and an estimate that begins 40 degrees off."""
    model = bl.mechanisms.four_bar().model()
    gyros = [Gyro(body, sigma=bl.deg(0.5), rate=100) for body in ("coupler", "rocker")]
    truth, readings = Bench(Simulation(model, dt=1e-3), gyros).run(assemble(model), 3.0, seed=1)
    process = Process(model, 1e-3, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)
    observer = ExtendedKalman(process, gyros)
    return {
        "truth": truth,
        "estimate": observer.run(readings, assemble(model, crank=bl.deg(50)), [bl.deg(40), 0.01]),
    }


def chain() -> Record:
    """Twenty chains that begin almost alike."""
    model = bl.mechanisms.n_pendulum(4).model()
    q = np.tile(model.start[0][:, None], (1, 20))
    q[0] = np.linspace(0.0, 0.02, 20)
    return Simulation(model, dt=1e-3).batch(q, np.zeros_like(q), 5.0, every=5)


def simulated(name: str, duration: float, dt: float = 1e-3) -> Record:
    """The motion of a mechanism from its start."""
    model = bl.mechanisms.MECHANISMS[name]().model()
    return Simulation(model, dt=dt).run(assemble(model), duration, every=4)


SCENES: dict[str, tuple[Callable[[], Any], str]] = {
    "four_bar": (four_bar, "#t=0.004&light"),
    "n_pendulum": (chain, "#t=4.4&light"),
    "whipple_bicycle": (lambda: simulated("whipple_bicycle", 4.0), "#t=1.6&dark"),
    "hexaglide": (lambda: simulated("hexaglide", 0.3), "#t=0.1&light"),
    "locomotive": (lambda: simulated("locomotive", 2.0, 5e-4), "#t=1&light"),
}


def photograph() -> list[Path]:
    """Take the pictures; return the files."""
    from browser import Browser  # pyright: ignore[reportMissingImports]  # of the tests
    from PIL import Image

    PLACE.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder, "profile"))
        browser.size(1120, 640)
        for name, (make, wish) in SCENES.items():
            browser.open(replay(make(), Path(folder, f"{name}.html")), wish)
            image = Image.open(io.BytesIO(browser.picture())).convert("RGB")
            small = image.resize((896, 512), Image.Resampling.LANCZOS)
            small.save(PLACE / f"{name}.webp", quality=80, method=6)
            taken.append(PLACE / f"{name}.webp")
        browser.close()
    return taken


if __name__ == "__main__":
    for path in photograph():
        print(f"{path.name:30} {path.stat().st_size / 1000:6.1f} kB")
