"""`biela platform`: motion platforms; each command below it is one file here, with a row in `BELOW`."""

from __future__ import annotations

from biela.cli.command.command import Command
from biela.cli.command.platform import characterise, drive, fit, serve, validate

BELOW = (
    characterise.COMMAND,
    fit.COMMAND,
    validate.COMMAND,
    drive.COMMAND,
    serve.COMMAND,
)

COMMAND = Command("platform", "motion platforms: characterise, fit, validate, drive, serve", below=BELOW)

__all__ = ["BELOW", "COMMAND"]
