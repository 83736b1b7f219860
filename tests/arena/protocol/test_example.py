"""The example client plays against a baseline, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import biela as bl
from biela.arena.protocol.firasim import FiraSim
from tests.arena.protocol.conftest import HERE
from tests.arena.protocol.test_firasim import match

CLIENT = Path(__file__).parents[3] / "examples" / "agents" / "firasim.py"


def test_the_example_client_plays_a_baseline(ear, served):
    link, place = ear()
    link.close()
    game = match(right="swarm", seed=4, rules=bl.arena.FootballRules(half=3.0, halves=1))
    protocol = FiraSim(game, vision=place, commands=HERE, lockstep=["blue"], patience=20.0)
    addresses = [place.host, str(place.port), str(protocol.inlet.port)]
    with subprocess.Popen([sys.executable, str(CLIENT), *addresses]) as client:
        result = served(game, [protocol], speed=0).join()
        client.kill()
    assert not +protocol.faults
    asked = [request.entity for _, agent, request in result.replay.log if agent == "firasim"]
    assert set(asked) == {"left0", "left1", "left2"}
    assert len(CLIENT.read_text().splitlines()) <= 60
    found = result.record
    away = [
        np.hypot(found[f"left{n}.x"] - found["ball.x"], found[f"left{n}.y"] - found["ball.y"]) for n in (1, 2)
    ]
    assert np.min(away) < 0.09  # it gets to the ball
    assert np.hypot(found["ball.x"], found["ball.y"]).max() > 0.1
    assert result.replay.differences() == []
