"""The commands; each is one file with a `Command`. Adding one is adding a file and a row here."""

from __future__ import annotations

from biela.cli.command import (
    arena,
    bench,
    completion,
    demo,
    describe,
    doctor,
    estimate,
    export,
    imu,
    list,  # noqa: A004 - the command
    pf,
    platform,
    simulate,
    view,
)
from biela.cli.command.command import Command

COMMANDS: dict[str, Command] = {
    row.name: row
    for row in (
        demo.COMMAND,
        list.COMMAND,
        describe.COMMAND,
        simulate.COMMAND,
        estimate.COMMAND,
        view.COMMAND,
        export.COMMAND,
        pf.COMMAND,
        imu.COMMAND,
        platform.COMMAND,
        arena.COMMAND,
        doctor.COMMAND,
        bench.COMMAND,
        completion.COMMAND,
    )
}

__all__ = ["COMMANDS", "Command"]
