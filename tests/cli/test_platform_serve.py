"""`biela platform serve` over sockets, with the example of a game as its client."""

import re
import runpy
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "telemetry.py"


@pytest.fixture
def served(cache, monkeypatch):
    """The command in a process of its own, and its port."""
    monkeypatch.setenv("BIELA_CACHE", str(cache))
    words = ["platform", "serve", "--port", "0", "--settling", "100ms", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "biela", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = next(line for line in process.stderr if "telemetry to" in line)
    yield process, int(re.search(r"telemetry to 127\.0\.0\.1:(\d+)", line)[1])
    process.kill()
    process.communicate()


def test_a_game_is_answered_and_the_end_is_told(served, capsys):
    import json

    process, port = served
    game = runpy.run_path(str(EXAMPLE))
    last = game["drive"](port, seconds=0.6, period=0.02)
    assert last.startswith("riding")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.sendto(b"what is that", ("127.0.0.1", port))
        other.sendto(game["telemetry"](3, 0.0), ("127.0.0.1", port))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    told = json.loads(out)
    assert told["packets"]["taken"] == 30
    assert told["packets"]["size"] == 1
    assert told["packets"]["foreign"] == 1
    assert told["state"] == "rest"
    assert told["latency"]["worst"] >= told["latency"]["median"] > 0.0
    assert "going to rest" in err


def test_it_ends_after_a_time_and_says_so(biela):
    found = biela("platform", "serve", "--port", "0", "--for", "50ms", "--washout", "adaptive")
    assert found.code == 0
    assert re.search(r"^[234] periods, \d+ missed, 0 poses not sent", found.out)
    assert "telemetry to 127.0.0.1:" in found.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--port", "70000"), "'70000' is no port"),
        (("--to", "5556"), "expected HOST:PORT"),
        (("--patience", "0s"), "patience"),
        (("--washout", "clasical"), "Did you mean 'classical'"),
    ],
)
def test_wrong_calls(biela, words, told):
    found = biela("platform", "serve", *words)
    assert found.code == 2
    assert told in found.err


def test_a_port_that_is_taken_is_told(biela):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        found = biela("platform", "serve", "--port", other.getsockname()[1])
        assert found.code == 1
        assert "Telemetry cannot come to 127.0.0.1" in found.err
