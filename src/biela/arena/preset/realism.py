"""How much real cameras and radios get wrong: the presets of the ER-Force simulator.

Facts read from ``config/simulator-realism`` of robotics-erlangen/framework (2025). Of what those files say,
the position error of cameras, the area of the ball and the overlap of cameras have no part here, for we have
one camera that sees the whole field. They give no numbers for kicks.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Realism:
    """Standard deviations in m and rad, times in s, the rest probabilities.

    ``offset`` is how far off every object is told all the time, at most; ``dribbler_ball`` how often a ball
    near a robot is told where its dribbler is.
    """

    ball: float = 0.0
    robot: float = 0.0
    heading: float = 0.0
    command_loss: float = 0.0
    reply_loss: float = 0.0
    missing_ball: float = 0.0
    missing_robot: float = 0.0
    dribbler_ball: float = 0.0
    vision_delay: float = 0.0
    command_delay: float = 0.0
    offset: float = 0.0


REALISM = {
    "none": Realism(vision_delay=0.040),
    "friendly": Realism(0.0004, 0.0003, 0.003, 0.01, 0.01, 0.05, 0.02, 0.001, 0.045, 0.0, 0.02),
    "rc2021": Realism(0.0010, 0.0013, 0.01, 0.03, 0.1, 0.05, 0.0, 0.02, 0.045, 0.0, 0.0),
    "realistic": Realism(0.0014, 0.0013, 0.01, 0.03, 0.1, 0.05, 0.02, 0.05, 0.045, 0.003, 0.02),
}
