"""``python -m benchmarks.simulation [--quick] [--table] [subject ...]``: speed of simulations against peers.

One JSON object a line; `benchmarks.line` tells what its keys mean. ``ratio`` is how many times as fast we
are.
``--quick`` runs everything once and shortly: its times mean nothing, but it shows that all follow the same
trajectory. ``--table`` measures every formulation with every integrator and writes the table of
``docs/formulations.md``.
"""

from __future__ import annotations

from benchmarks import arm, command, engines, pairing, real_time

SUBJECTS = {"four-bar": engines.lines, "arm": arm.lines, "real-time": real_time.lines, "pairs": pairing.lines}


def main(arguments: list[str] | None = None) -> None:
    made = command.parser("simulation", "Speed of simulations.", SUBJECTS, "once each, to see that it runs")
    made.add_argument("--table", action="store_true", help="write the table of docs/formulations.md")
    options = command.parsed(made, SUBJECTS, arguments)
    if options.table:
        print(pairing.write(options.quick))
    else:
        command.show(SUBJECTS, options)


if __name__ == "__main__":
    main()
