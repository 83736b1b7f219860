"""`biela view`: says where the page is, ends by Ctrl-C or after a while, refuses what cannot be meant."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from biela.cli import main

pytest.importorskip("websockets")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (["four_bar", "--lock", "crank=90deg"], "four_bar"),
        (["four_bar", "--filter", "ekf", "--sensor", "gyro:coupler:0.5deg/s"], "four_bar: ekf"),
        (
            ["four_bar", "--filter", "sir", "--sensor", "gyro:coupler:0.5deg/s", "--dt", "6ms"],
            "four_bar: sir",
        ),
        (["platform:two_rssu"], "two_rssu: classical washout"),
        (["sumo:mega"], "sumo mega"),
    ],
)
def test_each_kind_is_served_for_a_while(capsys, words, title):
    assert main(["view", *words, "--for", "0.1s", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["title"] == title
    assert told["url"].startswith("http://127.0.0.1:")
    assert told["browsers"] == 0


def test_ctrl_c_ends_it_cleanly():
    command = [sys.executable, "-m", "biela", "view", "pendulum", "--json"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = running.stderr.readline()
        url = next(word for word in line.split() if word.startswith("http"))
        with urllib.request.urlopen(url, timeout=10) as page:
            assert b"pendulum" in page.read()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    finally:
        running.kill()
    assert running.returncode == 0
    assert "Traceback" not in err
    assert json.loads(out)["url"] == url


def test_what_cannot_be_meant_is_told(capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["view", "pendulum", "--port", str(port)]) == 1
        assert f"Port {port} of 127.0.0.1 is in use. Port " in capsys.readouterr().err
    for words, told in (
        (["pendulum", "--port", "70000"], "ports go up to 65535"),
        (["pendulum", "--filter", "ekf"], "belong together"),
        (["hexapod", "--washout", "classic"], "no washout 'classic'"),
        (["four_bra"], "Did you mean 'four_bar'"),
    ):
        assert main(["view", *words]) == 2
        assert told in capsys.readouterr().err
