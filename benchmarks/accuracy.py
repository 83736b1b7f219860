"""``python -m benchmarks.accuracy [--quick] [subject ...]``: motions against published and closed solutions.

One JSON object a line; `benchmarks.deviation` tells what its keys mean. ``--quick`` leaves out what takes
minutes and shortens what is long; all that it prints is as accurate.
"""

from __future__ import annotations

import argparse

from benchmarks import bench_kinematics, bench_motion, endurance, reference_solutions, two_ways

SUBJECTS = {
    "kinematics": bench_kinematics,
    "motion": bench_motion,
    "references": reference_solutions,
    "two-ways": two_ways,
    "endurance": endurance,
}


def main(arguments: list[str] | None = None) -> None:
    known = ", ".join(SUBJECTS)
    parser = argparse.ArgumentParser("python -m benchmarks.accuracy", description="Accuracy of motions.")
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"one of {known}; all if none")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {known}")
    for name in options.subjects or SUBJECTS:
        for line in SUBJECTS[name].lines(options.quick):
            print(line, flush=True)


if __name__ == "__main__":
    main()
