"""`Match`: a recorded match as a motion, with its clock, score and decisions, and curves of who is where.

A recording keeps commands and not poses, so that the match is run again, on the engine that it was played
on; that takes a few hundredths of the time that it lasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biela.arena.broadcast import Broadcast
from biela.arena.match import Result
from biela.arena.preset.field import FootballField, SumoRing
from biela.arena.recording import Replay
from biela.arena.seen import Places, Table
from biela.simulate.record import Record
from biela.view.motion import RATE, Motion
from biela.view.pitch import TEAMS, Key, Pitch
from biela.view.stage import Stage

NUMBERS = 1_500_000  # of places and turns in all; as base64 8 MB
FORM = 7  # of a body: place and turn
RUNS = ("play", "hold")  # phases in which the clock runs


@dataclass(frozen=True, eq=False)
class Match:
    """Everything that a page shows of a match."""

    motion: Motion
    stage: Stage
    record: Record
    title: str
    marks: list[dict[str, Any]]
    board: dict[str, Any]
    first: list[str]


def recording_of(given: Any) -> Replay:
    """The recording of a match, or of its result; raises TypeError for anything else."""
    found = given.replay if isinstance(given, Result) else given
    if not isinstance(found, Replay):
        raise TypeError(
            f"A replay plays a Record, several by name, or a match: its Result or Replay; got a "
            f"{type(given).__name__}. To draw a model: view.picture."
        )
    return found


def of_match(replay: Replay, rate: float = RATE) -> Match:
    """A match from its recording; raises ValueError for one that has not begun.

    ``rate`` is how many frames are kept a second, fewer where there would be too many.
    """
    if not replay.last:
        raise ValueError("The recording is empty: it ends where it begins.")
    scene = replay.kernel(replay.last).scene
    frames = list(replay.frames(_rate(replay, len(scene.entities), rate)))
    told = tuple(dict.fromkeys(key for frame in frames for key in _parts(frame).names.parts))
    pitch = Pitch(scene, told)
    motion = _motion(pitch, frames)
    record, first = _record(frames)
    title = str(replay.notes.get("title") or _title(pitch, replay))
    return Match(motion, staged(motion, pitch), record, title, _marks(replay), _board(frames, replay), first)


def _rate(replay: Replay, entities: int, rate: float) -> float:
    settings = replay.start["settings"]
    lasts = replay.last * settings["step"] * settings["steps_per_iteration"]
    return min(rate, max(1.0, NUMBERS / (3 * FORM * entities * lasts)))


def _parts(frame: Broadcast) -> Places:
    assert isinstance(frame.bodies, Places)
    return frame.bodies


def _motion(pitch: Pitch, frames: list[Broadcast]) -> Motion:
    places = np.full((len(frames), 1, 1 + len(pitch.moving), 3), np.nan)
    turns = np.full((*places.shape[:3], 4), np.nan)
    places[:, :, 0], turns[:, :, 0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    rows: dict[tuple[Key, ...], tuple[list[int], list[int]]] = {}
    for k, frame in enumerate(frames):
        bodies = _parts(frame)
        if bodies.names.parts not in rows:
            pairs = [(1 + n, bodies.names.parts.index(key)) for n, key in enumerate(pitch.moving)
                     if key in bodies.names.parts]  # fmt: skip
            rows[bodies.names.parts] = [n for n, _ in pairs], [row for _, row in pairs]
        to, of = rows[bodies.names.parts]
        places[k, 0, to], turns[k, 0, to] = bodies.rows[of, :3], bodies.rows[of, 3:7]
    dots = np.nan_to_num((turns[1:] * turns[:-1]).sum(axis=-1, keepdims=True), nan=1.0)
    turns[1:] *= np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    t = np.array([frame.time for frame in frames])
    return Motion(pitch, t, places.astype(np.float32), turns.astype(np.float32))


def staged(motion: Motion, pitch: Pitch) -> Stage:
    """The field or ring as a whole, or all that moves where there is neither."""
    half = _half(motion, pitch)
    balls = [1 + k for k, (entity, _) in enumerate(pitch.moving) if pitch.arena.entity[entity].type == "ball"]
    shells = [1 + k for k, (entity, body) in enumerate(pitch.moving)
              if pitch.arena.entity[entity].reference_body.id == body]  # fmt: skip
    moving = tuple(balls[:1] or shells)
    middle = motion.places[0, 0, list(moving)].astype(float).mean(axis=0) if moving else np.zeros(3)
    x, z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    size = float(np.linalg.norm(half))
    return Stage(x, z, np.cross(x, z), np.zeros(3), half, middle, moving, size, _floor(pitch), False, False)


def _half(motion: Motion, pitch: Pitch) -> np.ndarray:
    """Half of the box around what matters: along x, along z, along y."""
    ground = pitch.ground
    if isinstance(ground, SumoRing):
        return np.array([1.15, 0.1, 1.15]) * ground.diameter / 2
    if isinstance(ground, FootballField):
        wide = 2 * ground.wall_thickness + max(ground.margin[1], ground.goal_depth)
        sides = ground.length / 2 + wide, ground.width / 2 + ground.margin[0]
        return np.array([sides[0], 0.03 * ground.length, sides[1]])
    flat = np.nan_to_num(motion.places.astype(float)).reshape(-1, 3)
    x, y, z = np.maximum(np.quantile(np.abs(flat), 0.99, axis=0), 0.1)
    return np.array([1.1 * x, z, 1.1 * y])


def _floor(pitch: Pitch) -> float:
    """Where the grid lies: on the ground around a ring, or a little below a field."""
    still = [shape for shape in pitch.shapes if not shape["turn"]]
    lows = [np.asarray(shape["points"])[:, 2].min() for shape in still]
    field = pitch.ground.length if isinstance(pitch.ground, FootballField) else 0.0
    return float(min(lows, default=0.0)) - 0.004 * field


def _record(frames: list[Broadcast]) -> tuple[Record, list[str]]:
    """Speeds, and distances to the ball, or of the two robots where there is none; and what to show first."""
    seen = [frame.entities for frame in frames]
    last = seen[-1]
    names = [e for e in last if last[e].type in ("robot", "ball")]
    balls = [e for e in names if last[e].type == "ball"]
    robots = sorted(e for e in names if last[e].type == "robot")
    x = {name: _columns(seen, name) for name in names}
    columns = {f"{name}.speed": np.hypot(*x[name][:, 7:9].T) for name in (*balls, *robots)}
    units = dict.fromkeys(columns, "m/s")
    apart = [(f"{robot} to {balls[0]}", robot, balls[0]) for robot in robots if balls]
    if not balls and len(robots) == 2:
        apart = [(f"{robots[0]} to {robots[1]}", *robots)]
    for label, one, other in apart:
        columns[label] = np.hypot(*(x[one][:, :2] - x[other][:, :2]).T)
    if not balls:
        columns |= {f"{robot} from the middle": np.hypot(*x[robot][:, :2].T) for robot in robots}
    units |= {name: "m" for name in columns if name not in units}
    distances = [name for name in columns if units[name] == "m"]
    first = [*list(units)[:3], *distances[:3]]
    return Record(np.array([frame.time for frame in frames]), columns, units), first


def _columns(seen: list[Any], name: str) -> np.ndarray:
    """(moment, number) of an entity, nan where it is not there."""
    found = np.full((len(seen), 13), np.nan)
    for k, table in enumerate(seen):
        assert isinstance(table, Table)
        if name in table.names.place:
            found[k] = table.rows[table.names.place[name][0]]
    return found


def _title(pitch: Pitch, replay: Replay) -> str:
    players = replay.notes.get("players")
    return f"{pitch.name}: {players[0]} against {players[1]}" if players else pitch.name


def _marks(replay: Replay) -> list[dict[str, Any]]:
    """What the referee decided, on the slider."""
    events: list[tuple[float, str]] = replay.notes.get("events", [])
    return [{"t": float(t), "text": str(text)} for t, text in events]


def _board(frames: list[Broadcast], replay: Replay) -> dict[str, Any]:
    """The score and the phase whenever either changes, and the clock then."""
    rows: list[list[Any]] = []
    before: Any = None
    for frame in frames:
        told = frame.notices.get("referee")
        if told is not None and told != before:
            phase = str(told["phase"])
            rows.append([frame.time, phase, *told["score"], float(told.get("clock", 0.0)), phase in RUNS])
            before = told
    if "score" in replay.notes:  # what was announced last may not have been heard
        rows.append([frames[-1].time, "end", *map(int, replay.notes["score"]), 0.0, False])
    names = [str(name) for name in replay.notes.get("players", ("left", "right"))]
    return {"names": names, "colors": list(TEAMS.values()), "rows": rows}
