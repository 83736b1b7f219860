"""Logs of the small size league and MCAP: what is read is the match that was played."""

import gzip
import json
import struct

import numpy as np
import pytest

import biela as bl
from biela.arena.protocol.export import to_mcap, to_ssl_log
from biela.arena.protocol.ssl_log import Entry, read_ssl_log, write_ssl_log
from tests.arena.protocol.plain import read

RULES = bl.arena.FootballRules(half=1.0, halves=1, pause=0.2)


@pytest.fixture(scope="module")
def played():
    return bl.arena.football("vsss-3v3", seed=2, rules=RULES, backend="flat").play()


def frames(entries):
    """Time, ball, and the first blue robot of every packet, read by field number; mm and rad."""
    for entry in entries:
        told = read(read(entry.data)[1][0])
        ball, robot = read(told[5][0]), read(told[7][0])
        yield entry.time, *(ball[n][0] for n in (3, 4)), *(robot[n][0] for n in (3, 4, 5))


@pytest.mark.parametrize("name", ["match.log", "match.log.gz"])
def test_a_log_is_the_match_and_its_replay(played, tmp_path, name):
    path = to_ssl_log(played.replay, tmp_path / name, rate=180)  # every iteration
    rows, record = np.array(list(frames(read_ssl_log(path)))), played.record
    assert len(rows) == played.replay.last
    rows = rows[np.isin(np.round(rows[:, 0] / 1e3), np.round(record.t * 1e6))]
    assert len(rows) == len(record.t)
    keys = ("ball.x", "ball.y", "left0.x", "left0.y", "left0.heading")
    wanted = np.stack([record[k] * (1 if k.endswith("g") else 1000) for k in keys], axis=1)
    assert rows[:, 1:] == pytest.approx(wanted, abs=1e-3)
    replay = bl.arena.Replay.load(played.replay.save(tmp_path / "match.replay"))
    again = to_ssl_log(replay, tmp_path / f"again.{name}", rate=180)
    assert again.read_bytes() == path.read_bytes()


def test_the_bytes_of_a_log(tmp_path):
    path = write_ssl_log([Entry(7, 4, b"abc"), Entry(8, 2, b"")], tmp_path / "a.log")
    wanted = b"SSL_LOG_FILE" + struct.pack(">i", 1) + struct.pack(">qii", 7, 4, 3) + b"abc"
    assert path.read_bytes() == wanted + struct.pack(">qii", 8, 2, 0)
    assert list(read_ssl_log(path)) == [Entry(7, 4, b"abc"), Entry(8, 2, b"")]
    with pytest.raises(ValueError, match="kind 2; vision is kind 4"):
        _ = Entry(8, 2, b"").vision


def test_packets_are_read_as_messages(played, tmp_path):
    path = to_ssl_log(played.replay, tmp_path / "match.log", rate=10)
    first, second, *_ = (entry.vision for entry in read_ssl_log(path))
    assert first.geometry.field.field_length == 1500
    assert not second.HasField("geometry")
    assert len(first.detection.robots_yellow) == 3


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"what is this", "no log"),
        (b"SSL_LOG_FILE\0\0\0\2", "another version"),
        (b"SSL_LOG_FILE\0\0\0\1" + b"\0" * 7, "message 1 is truncated"),
        (b"SSL_LOG_FILE\0\0\0\1" + struct.pack(">qii", 0, 4, 9) + b"abc", "3 of its 9 bytes"),
        (b"SSL_LOG_FILE\0\0\0\1" + struct.pack(">qii", 0, 4, -1), "broken"),
        (b"SSL_LOG_FILE\0\0\0\1" + struct.pack(">qii", 0, 4, 2**31 - 1), "broken"),
        (gzip.compress(b"SSL_LOG_FILE\0\0\0\1" * 99, mtime=0)[:40], "truncated"),
        (b"\x1f\x8brubbish", "gzip"),
    ],
)
def test_broken_logs_are_told(tmp_path, data, told):
    path = tmp_path / "broken.log"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=told):
        list(read_ssl_log(path))


def test_mcap_has_the_same_packets_with_their_schema(played, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    pool = pytest.importorskip("google.protobuf.descriptor_pb2")
    path = to_mcap(played.replay, tmp_path / "match.mcap", rate=60)
    log = list(read_ssl_log(to_ssl_log(played.replay, tmp_path / "match.log", rate=60)))
    with path.open("rb") as file:
        found = list(reader.make_reader(file).iter_messages())
        file.seek(0)
        metadata = list(reader.make_reader(file).iter_metadata())
    vision = [(m.log_time, m.data) for s, c, m in found if c.topic == "/vision"]
    assert vision == [(entry.time, entry.data) for entry in log]
    schema = next(s for s, c, _ in found if c.topic == "/vision")
    names = [m.name for m in pool.FileDescriptorSet.FromString(schema.data).file[0].message_type]
    assert schema.name.split(".")[1] in names
    events = [json.loads(m.data)["event"] for s, c, m in found if c.topic == "/referee"]
    assert events == [text for _, text in played.events]
    assert json.loads(metadata[0].metadata["score"]) == list(played.score)
