"""Films: as many pictures as asked for, each of its moment, and nothing half written."""

from itertools import pairwise

import numpy as np
import pytest

import biela as bl
from biela.simulate import Simulation, assemble
from biela.view import film
from biela.view.pitch import TEAMS

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def run():
    model = bl.mechanisms.four_bar().model()
    return Simulation(model, dt=1e-3).run(assemble(model, crank=bl.deg(90)), 1.0)


def frames(path):
    image = Image.open(path)
    found = []
    for k in range(image.n_frames):
        image.seek(k)
        found.append(np.asarray(image.convert("RGB")).astype(int))
    return found


@pytest.mark.parametrize("suffix", [".webp", ".gif"])
def test_one_file(run, tmp_path, suffix):
    done = []
    path = film(
        run, tmp_path / f"run{suffix}", rate=10, size=(160, 120), progress=lambda *so_far: done.append(so_far)
    )
    found = frames(path)
    assert len(found) == 11
    assert found[0].shape == (120, 160, 3)
    assert all((np.abs(a - b).max(axis=-1) > 40).mean() > 0.001 for a, b in pairwise(found))
    assert done[-1] == (11, 11)


def test_a_folder_at_half_the_speed(run, tmp_path):
    path = film(run, tmp_path / "frames", rate=10, speed=0.5, begin=0.2, end=0.7, size=(160, 120))
    names = sorted(file.name for file in path.iterdir())
    assert names == [f"{k:04d}.png" for k in range(11)]
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_match(tmp_path):
    pytest.importorskip("mujoco")
    result = bl.arena.sumo("mini", left="charge", right="orbiter", seed=7).play(6.0)
    image = frames(film(result, tmp_path / "m.webp", rate=1, size=(320, 200)))[0]
    for color in TEAMS.values():
        wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
        assert (np.abs(image - np.array(wanted)).max(axis=-1) < 60).mean() > 1e-3


@pytest.mark.parametrize(
    ("path", "options", "told"),
    [
        ("x.mp4", {}, "Write a folder of PNGs"),
        ("x.gif", {"view": "left"}, "Unknown view 'left'"),
        ("x.gif", {"rate": 0.0}, "above zero"),
        ("x.gif", {"speed": float("inf")}, "above zero"),
        ("x.gif", {"begin": 2.0}, "lasts from 0 s to 1 s; got begin=2, end=1"),
        ("x.gif", {"rate": 1e4}, "10001 pictures; at most 3000"),
    ],
)
def test_wrong_calls(run, tmp_path, path, options, told):
    with pytest.raises(ValueError, match=told):
        film(run, tmp_path / path, **options)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_is_left_alone(run, tmp_path):
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(ValueError, match="something in it"):
        film(run, tmp_path.with_suffix(""), rate=1)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
