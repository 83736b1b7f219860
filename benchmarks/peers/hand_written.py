"""The four-bar in C by hand (`four_bar.c`): the practical limit of the machine.

Several widths and two sets of flags are tried, and the fastest runs: that is what an expert would ship.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import four_bar
from benchmarks.peers.native import CALM, FAST, Runner, fastest, library, runner

SOURCE = Path(__file__).with_name("four_bar.c")
WIDTHS = (4, 8, 16, 32)
REGISTER = 8  # doubles in the widest register of today


class HandWritten:
    """Runs `four_bar.c`."""

    def __init__(self, scalars: list[Runner], widths: list[Runner], registers: list[Runner]) -> None:
        states = four_bar.lanes(1024)
        self.run = fastest(scalars, four_bar.start(), 2000)
        self.run_batch = fastest(widths, states, 20)
        self.run_register = fastest(registers, states, 20)  # one register at a time


def load(quick: bool) -> HandWritten:
    """The contender; raises `MissingPeerError` without gcc."""
    libraries = [library(SOURCE, flags) for flags in ((CALM,) if quick else (CALM, FAST))]
    return HandWritten(
        [runner(loaded, "run_1") for loaded in libraries],
        [runner(loaded, f"run_{width}") for loaded in libraries for width in WIDTHS],
        [runner(loaded, f"run_{REGISTER}") for loaded in libraries],
    )
