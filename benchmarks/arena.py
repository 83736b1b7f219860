"""``python -m benchmarks.arena [--quick] [subject ...]``: the arena with agents in processes of their own.

One JSON object a line, with the keys bench, case, ours, reference, unit; ``must`` and ``aim`` are bounds that
we have set ourselves. ``reference`` is what source 004 prints (section 12.1, without drawing), measured on an
AMD Sempron 2200. ``--quick`` runs everything shortly: its times mean nothing.

Load cases are the source's: one ball, its field, SumBots of its annex; every agent is a process, hears every
iteration over UDP and answers with the speeds of its robots; the kernel waits for all of them. The figure is
the mean of iterations 1 to 1,000, and of 3,001 to 4,000 in case 2, in the best of six runs, which take turns.

Agents are in Python. The source's were native programs, so cases 3 and 5, whose agents are compared, run with
those of ``examples/agents/driver.c`` too where there is a gcc.
"""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks import calibration, command, environments
from benchmarks.peers import MissingPeerError
from benchmarks.peers.native import program
from biela.arena import Body, Client, Drive, Entity, Kernel, Limits, Request, Scene, Server
from biela.arena.preset import sumbot

TOLD = "ms per iteration, less is better"
STEP = 0.01
IN_C = ", agents in C"
Run = tuple[int, str]  # a case, and "" or `IN_C`
DRIVER = Path(__file__).parents[1] / "examples" / "agents" / "driver.c"
End = Callable[[], object]
Start = Callable[[int, str, list[str]], End]  # of port, key, robots: starts an agent, returns what ends it


class Case(NamedTuple):
    """A load case of the source: agents, robots, iterations before the timing, ms per iteration."""

    agents: int
    robots: int
    before: int
    reference: float


CASES = {
    1: Case(5, 5, 0, 13.1), 2: Case(5, 5, 3000, 13.2), 3: Case(1, 10, 0, 15.1), 4: Case(5, 10, 0, 26.0),
    5: Case(10, 10, 0, 48.2), 6: Case(20, 20, 0, 124.1),
}  # fmt: skip


def line(case: str, ours: float, reference: float | None, unit: str, **more: Any) -> str:
    """One figure as JSON."""
    figures = {"bench": "arena", "case": case, "ours": ours, "reference": reference, "unit": unit} | more
    short = {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in figures.items()}
    return json.dumps(short)


def scene(robots: int) -> Scene:
    """Robots in rows on the field of the source, and a ball."""
    places = [(-0.8 + 0.35 * (n % 5), -0.55 + 0.35 * (n // 5), 0.112) for n in range(robots)]
    made = [sumbot.sumbot(key=f"r{n}").placed(place, 0.1 * n) for n, place in enumerate(places)]
    ball = Entity("ball", "ball", (Body("b", "sphere", 0.046, (0.95, 0.6, 0.08), radius=0.02, material="0"),))
    return Scene("load", sumbot.MATERIALS, (sumbot.source_field(), ball, *made)).checked()


def drive(port: int, key: str, robots: list[str]) -> None:
    """An agent: whatever it hears, it sends other speeds to all of its robots."""
    with Client(port) as client:
        client.register(key, synchronous=True, entities=robots)
        while (told := client.hear(3.0)) is not None:
            seconds = told.time
            client.done(*[Drive(r, (3.0 + seconds % 1.0, 4.0 - n)) for n, r in enumerate(robots)])


def in_python(port: int, key: str, robots: list[str]) -> End:
    """Start an agent in Python."""
    process = multiprocessing.get_context("fork").Process(target=drive, args=(port, key, robots))
    process.start()
    return lambda: (process.kill(), process.join())


def in_c(made: Path) -> Start:
    """What starts agents in C."""

    def start(port: int, key: str, robots: list[str]) -> End:
        process = subprocess.Popen([made, str(port), key, ",".join(robots), "1000000000"])
        return lambda: (process.kill(), process.wait())

    return start


def load(case: Case, iterations: int, start: Start = in_python) -> float:
    """Milliseconds per iteration."""
    kernel = Kernel(scene(case.robots), step=STEP, wait=10.0)
    kernel.log.keeping = False  # nobody records
    with Server(kernel, limits=Limits()) as server:
        robots = [f"r{n}" for n in range(case.robots)]
        ends = [start(server.ports["udp"], f"a{n}", robots[n :: case.agents]) for n in range(case.agents)]
        server.run(0.0, agents=case.agents)
        for _ in range(min(case.before, iterations)):
            kernel.iterate()
        heard, begin = server.received, perf_counter()
        for _ in range(iterations):
            kernel.iterate()
        took = perf_counter() - begin
        assert server.received - heard >= case.agents * iterations, "an agent has not kept up"
        for end in ends:
            end()
    return 1e3 * took / iterations


def loads(quick: bool) -> Iterator[str]:
    """The six cases, and what agents and length cost."""
    runs: dict[Run, Start] = {(number, ""): in_python for number in CASES}
    with TemporaryDirectory() as folder:
        try:
            native = in_c(program(DRIVER, Path(folder)))
            runs |= {(number, IN_C): native for number in (3, 5)}
        except MissingPeerError as error:
            print(f"agents in C: {error}", file=sys.stderr)
        best = fastest(runs, *((1, 50) if quick else (6, 1000)))
    for (number, tongue), took in best.items():
        case = CASES[number]
        told = f"load {number}: {case.agents} agents, {case.robots} robots{tongue}"
        bounds = {"must": case.reference / 25, "aim": case.reference / 100}
        yield line(told, took, case.reference, TOLD, **bounds)
    for tongue in sorted({tongue for _, tongue in best}):
        told, ratio = f"ten agents against one, ten robots{tongue}", best[5, tongue] / best[3, tongue]
        yield line(told, ratio, 48.2 / 15.1, "x", must=1.5, aim=1.1)
    longer = best[2, ""] / best[1, ""]
    yield line("iterations 3,000 to 4,000 against 1 to 1,000", longer, 13.2 / 13.1, "x", must=1.05)


def fastest(runs: dict[Run, Start], rounds: int, iterations: int) -> dict[Run, float]:
    """The best of some rounds, in which all runs take turns."""
    turns = [
        {run: load(CASES[run[0]], iterations, start) for run, start in runs.items()} for _ in range(rounds)
    ]
    return {run: min(turn[run] for turn in turns) for run in runs}


def paced(kernel: Kernel, seconds: float) -> float:
    """Seconds of the wall for one that is simulated."""
    begin = perf_counter()
    kernel.run(seconds)
    return (perf_counter() - begin) / seconds


def headless(quick: bool) -> Iterator[str]:
    """Simulated over real time without agents, and what the fast mode gains, by the number of robots."""
    for robots in (1, 5, 10, 20):
        seconds: dict[bool, float] = {}
        for fast in (False, True):
            kernel = Kernel(scene(robots), step=STEP, fast=fast)
            for n in range(robots):
                kernel.ask(Request("control_entity_motors", {"speeds": [3.0, 4.0 - n % 3]}, f"r{n}"))
            seconds[fast] = min(paced(kernel, 0.1 if quick else 4.0) for _ in range(5))
        yield line(f"headless, {robots} robots", 1 / seconds[False], None, "times real time, more is better")
        yield line(f"fast mode, {robots} robots", seconds[False] / seconds[True], None, "x, more is better")


SUBJECTS: dict[str, command.Subject] = {
    "load": loads,
    "headless": headless,
    "environments": environments.lines,
    "calibration": calibration.lines,
}


def main(arguments: list[str] | None = None) -> None:
    command.run("arena", "The arena under load.", SUBJECTS, arguments)


if __name__ == "__main__":
    main()
