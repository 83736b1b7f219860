"""What a pose does to a head: closed forms of rotation, and rates and forces by SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biela.cueing import Hexapod, TwoRSSU
from biela.cueing.head import shown

G, T = 9.80665, 0.02
t = T * np.arange(1500)
INSIDE = slice(100, -10)  # without the jerk at the begin, and what the end does not know


def waves(amplitudes, rates, phases):
    return np.stack(
        [a * np.sin(w * t + f) for a, w, f in zip(amplitudes, rates, phases, strict=True)], axis=1
    )


def test_turning_evenly_pulls_the_head_inwards():
    """A yaw rate w and a head r ahead: the specific force is -w^2 r ahead, w r' = 0 aside."""
    pose = np.zeros((1500, 6))
    pose[:, 5] = 0.7 * t
    found = shown(Hexapod(), pose, T, (0.5, 0.0, 0.0))[INSIDE]
    assert found[:, 0] == pytest.approx(-(0.7**2) * 0.5, abs=1e-6)
    assert found[:, [1, 3, 4]] == pytest.approx(0.0, abs=1e-6)
    assert found[:, 5] == pytest.approx(0.7, abs=1e-9)


def test_any_motion_is_that_of_scipys_rotations():
    pose = waves([0.1, 0.2, 0.05, 0.3, 0.2, 0.4], [2, 1.5, 3, 1, 2, 0.7], [0.3, 1, 2, 0, 1.5, 0.4])
    found = shown(Hexapod(), pose, T)[INSIDE]
    fine = 1e-4
    w = np.array([2, 1.5, 3, 1, 2, 0.7])
    pushed = -(w[:3] ** 2) * pose[:, :3] + [0, 0, G]

    def turn(at):
        f = [0.4, 1.5, 0]
        return Rotation.from_euler("ZYX", np.stack(
            [a * np.sin(v * at + b) for a, v, b in zip([0.4, 0.2, 0.3], [0.7, 2, 1], f, strict=True)], axis=1
        ))  # fmt: skip

    force = turn(t).inv().apply(pushed)
    rates = (turn(t - fine).inv() * turn(t + fine)).as_rotvec() / (2 * fine)
    assert found[:, :3] == pytest.approx(force[INSIDE], abs=2e-5)
    assert found[:, 3:] == pytest.approx(rates[INSIDE], abs=2e-6)


def test_a_platform_counts_its_pitch_as_it_likes():
    """The 2-RSSU counts nose up as positive; a seat that leans back pushes ahead."""
    pose = np.tile([np.radians(10.0), 0.0], (50, 1))
    assert shown(TwoRSSU.source_002(), pose, T)[-1] == pytest.approx(
        [G * np.sin(np.radians(10.0)), 0, G * np.cos(np.radians(10.0)), 0, 0, 0], abs=1e-9
    )


def test_poses_that_are_none():
    with pytest.raises(ValueError, match="poses have 6 columns"):
        shown(Hexapod(), np.zeros((4, 2)), T)
    with pytest.raises(ValueError, match="row 1 is"):
        shown(Hexapod(), [[0.0] * 6, [np.nan] * 6], T)
