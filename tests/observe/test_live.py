"""A filter fed as packets come: in order, late, twice, broken, over the network."""

import json
import queue
import socket
import threading
import time

import bench_linkage as rig
import numpy as np
import pytest

from biela.observe import (
    Bench,
    ExtendedKalman,
    Gyro,
    Live,
    Packet,
    from_lines,
    from_queue,
    from_table,
    from_udp,
    paced,
)
from biela.observe.stream import line_of, packet_of
from biela.simulate import Simulation

SENSORS = [Gyro("coupler", sigma=0.01, rate=100.0), Gyro("rocker", sigma=0.01, rate=50.0)]
BENCH = Bench(Simulation(rig.model(), dt=rig.DT), SENSORS)
TRUTH = rig.truth(2.0)
Y, PACKETS = BENCH.readings(TRUTH), BENCH.packets(TRUTH)
OBSERVER = ExtendedKalman(rig.process(), SENSORS)


def live(**options):
    return Live(OBSERVER, rig.guess(), rig.SPREAD, **options)


def offline():
    return OBSERVER.run(Y, rig.guess(), rig.SPREAD)


def same(record):
    return np.array_equal(record["crank"], offline()["crank"][: len(record)]) and len(record) == len(
        offline()
    )


def test_live_is_the_filter_itself():
    one = live()
    record = one.run(PACKETS)
    assert same(record)
    assert np.array_equal(record["sd(crank)"], offline()["sd(crank)"])
    assert one.report.packets == len(PACKETS)
    assert abs(one.t - 2.0) < 1e-12
    assert one.state["crank"] == record["crank"][-1]


def test_late_packets_are_put_where_they_belong():
    rng = np.random.default_rng(1)
    late = sorted(PACKETS, key=lambda p: p.taken + rng.uniform(0.0, 0.2))
    one = live(history=0.5)
    one.run(late)
    assert one.report.late == 0
    assert one.report.reruns > 50
    assert abs(one.state["crank"] - offline()["crank"][-1]) < 1e-12


def test_what_is_later_than_the_history_is_left_out():
    one = live(history=0.05)
    old = PACKETS[3]
    one.run([p for p in PACKETS if p is not old])
    before = one.state["crank"]
    assert not one.feed(old)  # a clock that runs backwards
    assert not one.feed(Packet(-5.0, 0.0, old.sensor, old.values))
    assert one.report.late == 2
    assert one.state["crank"] == before


def test_duplicates_change_nothing():
    one = live()
    assert same(one.run([p for p in PACKETS for _ in (0, 1)]))
    assert one.report.duplicated == len(PACKETS)


HOSTILE = [
    Packet(0.5, 0.5, "wheel", (1.0,)),
    Packet(0.5, 0.5, "gyro.coupler", (1.0, 2.0)),
    Packet(0.5, 0.5, "gyro.coupler", (np.nan,)),
    Packet(0.5, 0.5, "gyro.coupler", (np.inf,)),
    Packet(np.nan, 0.5, "gyro.coupler", (1.0,)),
    Packet(1e9, 0.5, "gyro.coupler", (1.0,)),
]


@pytest.mark.parametrize("packet", HOSTILE)
def test_packets_that_are_none_are_refused_with_a_reason(packet):
    one = live()
    one.run(PACKETS[:20])
    before = one.state
    assert not one.feed(packet)
    assert one.report.refused == 1
    assert len(one.report.reasons) == 1
    assert np.array_equal(one.state.q, before.q)


def test_a_queue_waits_for_data():
    source = queue.Queue()

    def send():
        for packet in PACKETS:
            source.put(packet)
        source.put(None)

    sender = threading.Timer(0.05, send)
    sender.start()
    assert same(live().run(from_queue(source)))
    sender.join()


def broken_lines():
    return [
        b"",
        b"{",
        b"null",
        b"[1, 2]",
        b'{"t": 1}',
        b'{"t": "now", "sensor": "gyro.coupler", "y": [1]}',
        b'{"t": 0.5, "sensor": 7, "y": [1]}',
        b'{"t": 0.5, "sensor": "gyro.coupler", "y": 1}',
        b'{"t": 0.5, "sensor": "gyro.coupler", "y": ["a"]}',
        b'{"t": 0.5, "sensor": "gyro.coupler", "y": [NaN]}',
        b'{"t": 0.5, "sensor": "gyro.coupler", "y": [true]}',
        b'{"t": 1e999, "sensor": "gyro.coupler", "y": [1]}',
        b'{"t": 0.5, "sensor": "gyro.coupler", "y": [' + b"1," * 1500 + b"1]}",
        b'{"t": ' + b"9" * 5000 + b', "sensor": "gyro.coupler", "y": [1]}',
        b"[" * 4000,
        bytes(range(256)),
    ]


@pytest.mark.parametrize("line", broken_lines(), ids=range(len(broken_lines())))
def test_lines_that_are_no_packets(line):
    assert packet_of(line) is None


def test_a_line_goes_there_and_back():
    packet = Packet(1.25, 1.25, "gyro.coupler", (0.1, -2e-9))
    assert packet_of(line_of(packet)) == packet


def test_udp_with_hostile_datagrams_between():
    port = queue.Queue()

    def send():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            to = ("127.0.0.1", port.get(timeout=5.0))
            for k, packet in enumerate(PACKETS[:100]):
                sock.sendto(line_of(packet).encode(), to)
                if k % 10 == 0:
                    sock.sendto(broken_lines()[k % 16], to)
                if k % 20 == 19:
                    threading.Event().wait(0.002)
            sock.sendto(b'{"end": true}', to)

    sender = threading.Thread(target=send)
    sender.start()
    source = from_udp(wait=5.0, opened=port.put)
    one = live()
    record = one.run(source)
    sender.join()
    assert source.skipped == 10
    assert one.report.packets == 100
    assert np.array_equal(record["crank"], offline()["crank"][: len(record)])


def test_udp_gives_up_after_a_while():
    assert list(from_udp(wait=0.02)) == []


def test_recorded_lines(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(
        "\n".join([line_of(p) for p in PACKETS] + ["{broken", '{"end": true}', line_of(PACKETS[0])])
    )
    source = from_lines(path)
    assert same(live().run(source))
    assert source.skipped == 1


def table():
    names = OBSERVER.instruments.channels
    return {"t": TRUTH.t[1:], **{name: Y[:, k] for k, name in enumerate(names)}}


def write(path):
    columns = table()
    if path.suffix == ".npz":
        np.savez(path, **columns)
    elif path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(columns), path)
    else:
        rows = zip(*columns.values(), strict=True)
        lines = [",".join("" if np.isnan(v) else repr(float(v)) for v in row) for row in rows]
        path.write_text("\n".join([",".join(columns), *lines]) + "\n")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_recorded_tables(suffix, tmp_path):
    path = write(tmp_path / f"log{suffix}")
    one = live()
    one.run(from_table(path, OBSERVER.instruments))
    assert abs(one.state["crank"] - offline()["crank"][-1]) < 1e-13


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_truncated_tables(suffix, tmp_path):
    path = write(tmp_path / f"log{suffix}")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3].rstrip(b"0123456789.,\n") + b"\n0.5" * (suffix == ".csv"))
    with pytest.raises(ValueError, match="whole"):
        from_table(path, OBSERVER.instruments)


def test_a_table_cut_within_its_last_number_loses_that_row(tmp_path):
    path = write(tmp_path / "log.csv")
    lines = path.read_text().splitlines()
    there = max(k for k, line in enumerate(lines) if not line.endswith(",") and k < 600)
    path.write_text("\n".join(lines[: there + 1])[:-3])  # still a number, but not the one that was written
    with pytest.warns(UserWarning, match="in the middle of a line: its last row is left out"):
        packets = list(from_table(path, OBSERVER.instruments))
    assert max(p.taken for p in packets) < float(lines[there].split(",")[0])
    path.write_text("\n".join(lines[: there + 1]) + "\n")
    assert len(list(from_table(path, OBSERVER.instruments))) == len(packets) + 2


def test_wrong_tables(tmp_path):
    path = tmp_path / "log.csv"
    for text, told in [
        ("", "is empty"),
        ("t,a\n1,2\n", "no column 'gyro.coupler'"),
        ("t,a\n1,x\n", "'x' is no number"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=told):
            from_table(path, OBSERVER.instruments)
    with pytest.raises(ValueError, match="expected one of"):
        from_table(tmp_path / "log.xls", OBSERVER.instruments)
    with pytest.raises(FileNotFoundError):
        from_table(tmp_path / "none.csv", OBSERVER.instruments)


def test_paced_packets_come_no_earlier_than_they_arrived():
    began = time.monotonic()
    assert len(list(paced(PACKETS[:10], speed=1.0))) == 10
    assert time.monotonic() - began >= PACKETS[9].arrived - PACKETS[0].arrived - 1e-3


def test_a_history_below_a_step_is_refused():
    with pytest.raises(ValueError, match="at least a step"):
        live(history=1e-4)


def test_the_protocol_is_json():
    assert json.loads(line_of(PACKETS[0])).keys() == {"t", "sensor", "y"}
