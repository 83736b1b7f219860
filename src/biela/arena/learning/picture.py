"""A world seen from above as an image: enough to see who does what. Replays show more (`biela.view`)."""

from __future__ import annotations

import numpy as np

from biela.arena.learning.game import Game

GROUND, FLOOR, LINE = (28, 30, 34), (52, 92, 68), (190, 200, 195)
COLOURS = {"left": (60, 120, 230), "right": (240, 200, 50), "ball": (240, 120, 40)}


def picture(game: Game, poses: np.ndarray, height: int = 360) -> np.ndarray:
    """Rows of pixels, red green blue, of the poses in one world."""
    long, wide, goal = game.extent
    margin = 0.15 if goal else 0.05
    span = (long / 2 + margin, wide / 2 + margin)
    across = round(height * span[0] / span[1])
    x, y = np.meshgrid(np.linspace(-span[0], span[0], across), np.linspace(span[1], -span[1], height))
    image = np.full((height, across, 3), GROUND, np.uint8)
    if goal:
        inside = (abs(x) < long / 2) & (abs(y) < wide / 2) | (abs(y) < goal / 2) & (abs(x) < long / 2 + 0.1)
        line = (abs(x) < 0.005) & (abs(y) < wide / 2) | (abs(abs(x) - long / 2) < 0.005) & (abs(y) < goal / 2)
    else:
        inside, line = np.hypot(x, y) < long / 2, abs(np.hypot(x, y) - long / 2) < 0.012
    image[inside], image[line] = FLOOR, LINE
    for name, (px, py, heading, *_) in zip(game.entities, poses.tolist(), strict=True):
        _draw(image, name, game, (x - px, y - py), heading)
    return image


def _draw(
    image: np.ndarray, name: str, game: Game, gap: tuple[np.ndarray, np.ndarray], heading: float
) -> None:
    """A ball, or a robot with a light front."""
    if name == "ball":
        image[np.hypot(*gap) < 0.022] = COLOURS["ball"]
        return
    c, s = np.cos(heading), np.sin(heading)
    ahead, aside = c * gap[0] + s * gap[1], c * gap[1] - s * gap[0]
    body = (abs(ahead) < game.robot.length / 2) & (abs(aside) < game.robot.width / 2)
    image[body] = COLOURS[name.rstrip("0123456789")]
    image[body & (ahead > 0.6 * game.robot.length / 2)] = (235, 235, 235)
