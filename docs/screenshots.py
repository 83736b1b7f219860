"""Photograph replays and live pages into docs/_static: part of `make gallery`; wants Chromium and Pillow."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import biela as bl
from biela.observe import Bench, Bootstrap, ExtendedKalman, Gyro, Prior, Process
from biela.simulate import Record, Simulation, assemble
from biela.view import Live, live, replay

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
PLACE = Path(__file__).parent / "_static" / "replay"
LIVE = PLACE.parent / "live"


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


def match(game: str, field: str, **options: Any) -> Any:
    """A short match."""
    played = getattr(bl.arena, game)(field, seed=7, **options)
    return played.play(20.0)


SCENES: dict[str, tuple[Callable[[], Any], str]] = {
    "four_bar": (four_bar, "#t=0.004&light"),
    "n_pendulum": (chain, "#t=4.4&light"),
    "whipple_bicycle": (lambda: simulated("whipple_bicycle", 4.0), "#t=1.6&dark"),
    "hexaglide": (lambda: simulated("hexaglide", 0.3), "#t=0.1&light"),
    "sumo": (lambda: match("sumo", "mini", right="searcher"), "#t=5.6&light"),
    "vsss": (lambda: match("football", "vsss-3v3"), "#t=4.2&light"),
    "ssl": (lambda: match("football", "ssl-b", players=5), "#t=6&light"),
    "locomotive": (lambda: simulated("locomotive", 2.0, 5e-4), "#t=1&light"),
}


def observed() -> Live:
    """Particles that look for a four-bar by its gyroscopes."""
    model = bl.mechanisms.four_bar().model()
    gyros = [Gyro(body, sigma=bl.deg(0.5), rate=100) for body in ("coupler", "rocker")]
    bench = Bench(Simulation(model, dt=1e-3), gyros)
    process = Process(model, 1e-2, "rk4", independent=["crank"], position=2e-4, velocity=4e-3)
    swarm = Bootstrap(process, gyros, 2000, seed=3)
    return live(
        swarm,
        bench=bench,
        start=assemble(model, crank=bl.deg(90)),
        guess=Prior(),
        title="Particles",
        play=False,
    )


def ridden() -> Live:
    """A hexapod on a drive through town."""
    platform = bl.cueing.Hexapod()
    rig = bl.cueing.Simulator(platform, tuple(bl.cueing.Channel() for _ in platform.dofs))
    return live(
        bl.cueing.Ride.on(rig, bl.cueing.ClassicalWashout.preset("delft")), vehicle="town", play=False
    )


LIVES: dict[str, tuple[Callable[[], Live], float, str]] = {
    "four_bar": (
        lambda: live(bl.mechanisms.four_bar(), sliders={"torque": (-9.0, 9.0)}, play=False),
        2.0,
        "#light",
    ),
    "particles": (observed, 0.02, "#light"),
    "hexapod": (ridden, 6.0, "#light"),
    "locomotive": (
        lambda: live(Simulation(bl.mechanisms.locomotive().model(), dt=5e-4), play=False),
        1.0,
        "#dark",
    ),
    "match": (lambda: live(bl.arena.football(seed=4), play=False), 3.0, "#light"),
}


def photograph(names: Sequence[str] = ()) -> list[Path]:
    """Take the pictures, or those named; return the files."""
    from browser import Browser  # pyright: ignore[reportMissingImports]  # of the tests

    taken: list[Path] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder, "profile"))
        browser.size(1120, 640)
        for name, (make, wish) in SCENES.items():
            if not names or f"replay/{name}" in names:
                browser.open(replay(make(), Path(folder, f"{name}.html")), wish)
                taken.append(kept(browser.picture(), PLACE / f"{name}.webp"))
        for name, (serve, until, wish) in LIVES.items():
            if not names or f"live/{name}" in names:
                with serve() as page:  # which waits until it is looked at
                    browser.visit(page.url + wish)
                    for _ in range(5 * (until < 0.1)):
                        browser.press("-")  # or it is over before one looks
                    browser.press(" ")
                    browser.wait(f"replay.clock.t > {until}", 1000)
                    browser.press(" ")
                    taken.append(kept(browser.picture(), LIVE / f"{name}.webp"))
        browser.close()
    return taken


def kept(png: bytes, path: Path) -> Path:
    """A picture, made small."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.resize((896, 512), Image.Resampling.LANCZOS).save(path, quality=80, method=6)
    return path


if __name__ == "__main__":
    for path in photograph(sys.argv[1:]):
        print(f"{path.name:30} {path.stat().st_size / 1000:6.1f} kB")
