"""Agents that are not Python: the examples in C and JavaScript drive a robot as one of ours does."""

import os
import subprocess
from pathlib import Path

import pytest
from languages import run, tool

EXAMPLES = Path(__file__).parents[3] / "examples" / "agents"
LAST = 60


def driven(running, port, *command, **environment):
    """What an agent prints that drives the cart, and the kernel's hash afterwards."""
    one = running(last=LAST)
    arguments = [str(one.server.ports[port]), "driver", "cart", str(LAST)]
    told = run(*command, *arguments, env=os.environ | environment)
    return told.split(), one


def check(told, one):
    from tests.arena.wire.test_server import alone

    assert told[0] == str(LAST)
    one.stop()
    one.kernel.attend()
    x, y, _ = one.kernel.broadcast().entities["cart"].position
    assert [float(told[1]), float(told[2])] == [x, y]
    assert one.kernel.digest() == alone(LAST)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    gcc = tool("gcc", "cc", package="gcc")
    made = tmp_path_factory.mktemp("agents") / "driver"
    strict = ["-std=c11", "-D_DEFAULT_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror"]
    run(gcc, *strict, str(EXAMPLES / "driver.c"), "-o", str(made), "-lm")
    return str(made)


def test_c_over_udp(running, driver):
    check(*driven(running, "udp", driver))


def test_javascript_over_tcp(running):
    node = tool("node", package="nodejs")
    check(*driven(running, "tcp", node, str(EXAMPLES / "driver.mjs"), ARENA_TCP="1"))


def test_javascript_over_websocket(running):
    node = tool("node", package="nodejs")
    flag = "--experimental-websocket"
    asked = [node, flag, "-e", "new WebSocket('ws://x').close()"]
    knows = subprocess.run(asked, capture_output=True, check=False)
    if knows.returncode:
        pytest.skip("needs a Node with WebSocket, from version 20.10 on")
    check(*driven(running, "websocket", node, flag, str(EXAMPLES / "driver.mjs")))


def test_refusals_are_told_in_c(running, driver):
    one = running(last=5)
    asked = [driver, str(one.server.ports["udp"]), "x" * 250, "cart", "1"]
    done = subprocess.run(asked, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"refused" in done.stderr
