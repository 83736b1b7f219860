"""`biela arena`: robot competitions; each command below it is one file here, with a row in `BELOW`."""

from __future__ import annotations

from biela.cli.command.arena import calibrate, commander, evolve, league, replay, run, serve, watch
from biela.cli.command.command import Command

BELOW = (
    run.COMMAND,
    watch.COMMAND,
    replay.COMMAND,
    league.COMMAND,
    evolve.COMMAND,
    calibrate.COMMAND,
    serve.COMMAND,
    commander.COMMAND,
)

SUMMARY = "robot competitions: run, watch, replay, league, evolve, calibrate, serve, commander"

COMMAND = Command("arena", SUMMARY, below=BELOW)

__all__ = ["BELOW", "COMMAND"]
