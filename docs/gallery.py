"""Draw every mechanism into docs/_static/gallery: `make gallery`, after a change of one or of the drawing.

Mechanisms whose traces tell something are shown after some motion, from their start and without inputs;
the others as they are assembled.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biela.mechanics.model import Model
from biela.mechanisms import MECHANISMS
from biela.simulate import Record, Simulation, State, assemble
from biela.view import picture

PLACE = Path(__file__).parent / "_static" / "gallery"
SIZE = (420, 280)
MOTIONS = {  # seconds of motion, and the step
    "andrews_squeezer": (0.03, 1e-5),
    "bricard": (2.0, 1e-3),
    "cart_pole": (1.0, 1e-3),
    "crank_rod_disc": (0.6, 1e-3),
    "double_four_bar": (2.0, 1e-3),
    "double_pendulum": (1.45, 1e-3),
    "five_bar": (0.7, 1e-3),
    "four_bar": (1.5, 1e-3),
    "four_bar_general": (0.6, 1e-3),
    "four_bar_natural": (1.5, 1e-3),
    "n_pendulum": (1.35, 1e-3),
    "pendulum": (0.5, 1e-3),
    "rolling_disc": (1.2, 1e-3),
    "slider_crank": (0.2, 1e-3),
    "spatial_slider_crank": (0.5, 1e-3),
}


def shown(name: str, model: Model) -> State | Record:
    """What the gallery shows of a mechanism."""
    start = assemble(model)
    if name not in MOTIONS:
        return start
    duration, dt = MOTIONS[name]
    return Simulation(model, dt=dt).run(start, duration)


def draw(names: Sequence[str] = tuple(MECHANISMS)) -> list[Path]:
    """Draw mechanisms; return the files."""
    PLACE.mkdir(parents=True, exist_ok=True)
    models = {name: MECHANISMS[name]().model() for name in names}
    return [picture(shown(name, m), PLACE / f"{name}.svg", size=SIZE) for name, m in models.items()]


if __name__ == "__main__":
    for path in draw():
        print(f"{path.name:30} {path.stat().st_size / 1000:6.1f} kB")
