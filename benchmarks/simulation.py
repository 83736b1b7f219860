"""``python -m benchmarks.simulation [--quick] [--table] [subject ...]``: speed of simulations against peers.

One JSON object a line; `benchmarks.line` tells what its keys mean. ``ratio`` is how many times as fast we
are.
``--quick`` runs everything once and shortly: its times mean nothing, but it shows that all follow the same
trajectory. ``--table`` measures every formulation with every integrator and writes the table of
``docs/formulations.md``.
"""

from __future__ import annotations

import argparse

from benchmarks import arm, engines, pairing, real_time

SUBJECTS = {"four-bar": engines, "arm": arm, "real-time": real_time, "pairs": pairing}


def main(arguments: list[str] | None = None) -> None:
    known = ", ".join(SUBJECTS)
    parser = argparse.ArgumentParser("python -m benchmarks.simulation", description="Speed of simulations.")
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"one of {known}; all if none")
    parser.add_argument("--quick", action="store_true", help="once each, to see that it runs")
    parser.add_argument("--table", action="store_true", help="write the table of docs/formulations.md")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {known}")
    if options.table:
        print(pairing.write(options.quick))
        return
    for name in options.subjects or SUBJECTS:
        for line in SUBJECTS[name].lines(options.quick):
            print(line, flush=True)


if __name__ == "__main__":
    main()
