"""CasADi: the step as an SX function, its generated C in a loop over steps and lanes, compiled by gcc.

The loops are in the same file as the generated function, so that gcc inlines it: one over the steps of one
lane after the other, one over blocks of lanes, offered to the vectoriser. CasADi has no way of its own to
run many steps without returning to Python or to its interpreter.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks import four_bar
from benchmarks.peers.native import CALM, FAST, Runner, fastest, library, runner

SIMD = ("-ffast-math", "-fopenmp-simd")
DRIVER = """
static inline void advance(double *x, long lanes)
{
    double state[4], next[4];
    const double *arguments[1] = {state};
    double *results[1] = {next};
    for (int k = 0; k < 4; k++)
        state[k] = x[k * lanes];
    casadi_four_bar(arguments, results, 0, 0, 0);
    for (int k = 0; k < 4; k++)
        x[k * lanes] = next[k];
}

void run_lanes(double *x, long lanes, long steps)
{
    for (long lane = 0; lane < lanes; lane++)
        for (long n = 0; n < steps; n++)
            advance(x + lane, lanes);
}

void run_blocks(double *x, long lanes, long steps)
{
    for (long block = 0; block < lanes; block += 64) {
        long end = block + 64 < lanes ? block + 64 : lanes;
        for (long n = 0; n < steps; n++) {
            #pragma omp simd
            for (long lane = block; lane < end; lane++)
                advance(x + lane, lanes);
        }
    }
}
"""


class Casadi:
    """Runs the C that CasADi generates."""

    def __init__(self, lanes: list[Runner], blocks: list[Runner]) -> None:
        self.run = fastest(lanes, four_bar.start(), 2000)
        self.run_batch = fastest([*lanes, *blocks], four_bar.lanes(256), 10)


def load(quick: bool) -> Casadi:
    """The contender; raises ImportError without CasADi, `MissingPeerError` without gcc."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "casadi_four_bar.c"
        source.write_text(generate() + DRIVER)
        libraries = [library(source, flags) for flags in ((CALM,) if quick else (CALM, FAST, SIMD))]
    return Casadi(*([runner(loaded, name) for loaded in libraries] for name in ("run_lanes", "run_blocks")))


def generate() -> str:
    """The C source of the step as CasADi writes it."""
    import casadi

    x: Any = casadi.SX.sym("x", 4)
    following = casadi.vertcat(*four_bar.advance(casadi.vertsplit(x), casadi.sin, casadi.cos))
    step = casadi.Function("casadi_four_bar", [x], [following], {"cse": True})
    generator = casadi.CodeGenerator("casadi_four_bar.c")
    generator.add(step)
    return generator.dump()
