"""Meshes enclose the volumes of their bodies, every face seen from outside."""

import numpy as np
import pytest

from biela.view import mesh

CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (0, 3)]


def volume(of):
    """By the divergence theorem: right only if no face is missing and each is oriented outwards."""
    triangles = [(f[0], f[k], f[k + 1]) for f in of.faces for k in range(1, len(f) - 1)]
    return sum(np.linalg.det(of.points[list(t)]) for t in triangles) / 6


def around(corners):
    """The area of a regular polygon in a circle of radius one."""
    return corners / 2 * np.sin(2 * np.pi / corners)


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (mesh.box((1, 2, 3)), 6.0),
        (mesh.drum(2.0, 3.0, 32), around(32) * 4 * 3),
        (mesh.hull(CUBE), 12.0),
        (mesh.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), 1 / 6),
        (mesh.joined([mesh.box((1, 1, 1)), mesh.box((1, 1, 1)).at((5, 0, 0))]), 2.0),
    ],
)
def test_volumes(made, wanted):
    assert volume(made) == pytest.approx(wanted, rel=1e-12)


def test_round_ones_come_near_as_corners_grow():
    ball, long = (volume(mesh.capsule(1.0, length, 96)) for length in (0.0, 2.0))
    assert ball == pytest.approx(4 / 3 * np.pi, rel=3e-3)
    assert long - ball == pytest.approx(around(96) * 2, rel=3e-2)


def test_moved_and_turned():
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    moved = mesh.box((2, 4, 6)).at((10, 0, 0), turn)
    assert np.ptp(moved.points, axis=0) == pytest.approx([4, 2, 6])
    assert volume(moved) == pytest.approx(48)


def area(flat):
    corners = flat.points
    return sum(
        np.cross(corners[f[k]] - corners[f[0]], corners[f[k + 1]] - corners[f[0]])[2] / 2
        for f in flat.faces
        for k in range(1, len(f) - 1)
    )


def test_flat_things_look_up():
    assert area(mesh.patch((3, 1), (0, 2))) == pytest.approx(4)
    assert area(mesh.line(0, 0, 0, 2, width=0.1)) == pytest.approx(0.21)
    assert area(mesh.ring(2.0, 1.0, 64)) == pytest.approx(3 * around(64))


def test_numbers_stand_upright_for_who_looks_forward():
    one, seven = (mesh.number(n, 2.0) for n in (1, 17))
    assert one.points[:, 1].max() < 0  # its strokes are on the right
    assert np.ptp(one.points[:, 0]) == pytest.approx(2.3)
    assert np.ptp(seven.points[:, 1]) > 2 * np.ptp(one.points[:, 1])
    assert len(mesh.number(8, 1.0).faces) == 7
