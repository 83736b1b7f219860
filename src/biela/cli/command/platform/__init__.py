"""`biela platform`: motion platforms; each command below it is one file here, with a row in `BELOW`."""

from __future__ import annotations

from biela.cli.command.command import Command
from biela.cli.command.platform import characterise, drive, fit, omct, serve, tune, validate

BELOW = (
    characterise.COMMAND,
    fit.COMMAND,
    validate.COMMAND,
    drive.COMMAND,
    tune.COMMAND,
    omct.COMMAND,
    serve.COMMAND,
)

SUMMARY = "motion platforms: characterise, fit, validate, drive, tune, omct, serve"

COMMAND = Command("platform", SUMMARY, below=BELOW)

__all__ = ["BELOW", "COMMAND"]
