"""Spaces of the source's figures 12 to 14, and files whose bodies overlap."""

import os
import resource

import pytest

from biela import arena
from biela.arena import Body, Entity, Request, Scene, SceneError
from biela.arena.physics.conformance import FLOOR, MATERIALS

BOTH = sorted(arena.BACKENDS)


def pillar(key, x, y):
    return Body(key, "cylinder", 1.0, (x, y, 0.05), radius=0.05, length=0.1)


def figure(green):
    """Three spaces: two of two bodies far apart, one of one; ``green`` is where the green ones are."""
    entities = (
        Entity("blue", "free", (pillar("a", 0.0, 0.0), pillar("b", 0.4, 0.0)),
               (arena.Joint("j", "fixed", "a", "b"),)),
        Entity("green", "free", (pillar("a", *green), pillar("b", green[0] + 0.3, green[1])),
               (arena.Joint("j", "fixed", "a", "b"),)),
        Entity("red", "free", (pillar("a", 0.2, 1.5),)),
    )  # fmt: skip
    return Scene("figure", MATERIALS, (FLOOR, *entities))


@pytest.mark.parametrize("name", BOTH)
def test_figures_12_to_14(name):
    """No spaces overlap; then those of green and blue do, and of their bodies only two cylinders touch."""

    def pairs(world):
        return [pair for pair in arena.overlapping(world) if "floor" not in pair]

    apart = arena.backend(name)(figure((0.2, 0.8)), 0.005)
    assert pairs(apart) == []
    world = arena.backend(name)(figure((0.2, 0.09)), 0.005)
    assert pairs(world) == [("blue", "green")]
    world.advance(1)
    near = arena.backend(name)(figure((0.48, 0.055)), 0.005)
    assert pairs(near) == [("blue", "green")]
    near.advance(1)
    assert [p for p in near.touching() if "floor" not in p] == [("blue", "green")]


def test_spaces_follow_what_moves():
    kernel = arena.Kernel(figure((0.2, 0.8)), backend_name="flat")
    data = {"position": [0.3, 0.0, 0.05]}
    assert kernel.ask(Request("set_entity_position", data, "red")).ok
    assert ("blue", "red") in arena.overlapping(kernel.physics)


def test_files_with_buried_bodies_are_refused(tmp_path):
    inner = Entity("in", "ball", (Body("b", "sphere", 0.1, (0.21, 1.5, 0.05), radius=0.02),))
    scene = Scene("s", MATERIALS, (FLOOR, figure((0.2, 0.8)).entity["red"], inner))
    path = arena.save(scene, tmp_path / "s.json")
    with pytest.raises(SceneError) as caught:
        arena.load(path)
    assert "entity 'in', body 'b': its middle is inside entity 'red', body 'a'. Move it." in str(caught.value)
    good = arena.save(figure((0.2, 0.09)), tmp_path / "good.json")
    assert arena.load(good).entities


def test_massless_bodies_are_refused(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text('[[entities]]\nid="b"\ntype="ball"\n[[entities.bodies]]\nid="b"\nshape="sphere"\nmass=0\n'
                    "radius=0.1\n", encoding="utf-8")  # fmt: skip
    with pytest.raises(SceneError, match="it must be positive, or -1"):
        arena.load(path)


@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are POSIX")
def test_a_full_disk_leaves_whole_files_or_none(tmp_path):
    """The limit of file sizes stands for the disk; what was saved before stays as it was."""
    result = arena.sumo("mini", seed=1, rules=arena.SumoRules(hold=0.1)).play(seconds=1.0)
    kept = result.replay.save(tmp_path / "kept.replay")
    before, soft = kept.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    kernel = result.replay.kernel()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, soft[1]))
    try:
        for save in (result.replay.save, kernel.save, lambda p: arena.save(kernel.scene, p)):
            for name in ("new", "kept.replay"):
                with pytest.raises(OSError, match="File too large"):
                    save(tmp_path / name)
        assert not kernel.ask(Request("save_simulation", {"path": str(tmp_path / "new")})).ok
        kernel.run(0.1)  # and the simulation goes on
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, soft)
    assert kept.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["kept.replay"]
