"""``python -m benchmarks.accuracy [--quick] [subject ...]``: motions against published and closed solutions.

One JSON object a line; `benchmarks.deviation` tells what its keys mean. ``--quick`` leaves out what takes
minutes and shortens what is long; all that it prints is as accurate.
"""

from __future__ import annotations

from benchmarks import bench_kinematics, bench_motion, command, endurance, reference_solutions, two_ways

SUBJECTS = {
    "kinematics": bench_kinematics.lines,
    "motion": bench_motion.lines,
    "references": reference_solutions.lines,
    "two-ways": two_ways.lines,
    "endurance": endurance.lines,
}


def main(arguments: list[str] | None = None) -> None:
    command.run("accuracy", "Accuracy of motions.", SUBJECTS, arguments, quick="leave out what takes minutes")


if __name__ == "__main__":
    main()
