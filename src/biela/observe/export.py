"""A filter as C99 for a microcontroller: its step without malloc, and an example that runs it.

The example reads a CSV file of readings, an empty field or ``nan`` where none is due, and prints the
coordinates and velocities after each step.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biela.compile.block import Block, Signal
from biela.compile.targets import export
from biela.expr.expression import maximum, sqrt
from biela.expr.matrix import vector
from biela.simulate.assembly import assemble
from biela.simulate.block import inputs_of, of_state, parameters_of, residual
from biela.simulate.recording import units
from biela.simulate.state import State

if TYPE_CHECKING:
    from biela.observe.filter.filter import Filter

MAIN = """/* Runs the filter over a file of readings: {name} readings.csv > estimates.csv
 *
 * A line of the file has {m} readings: {channels}.
 * An empty field or "nan" says that none is due. A first line of names is skipped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{name}.h"

#define STATES {states}
#define READINGS {m}
#define SHOWN {shown}

static double x[STATES] = {{
{start}
}};
{constants}
static int is_header(const char *line)
{{
    char *end;
    (void)strtod(line, &end);
    return end == line && strchr(",\\r\\n", *line) == NULL;
}}

static int split(char *line, double *y)
{{
    int k;
    for (k = 0; k < READINGS; ++k) {{
        char *end;
        y[k] = strtod(line, &end);
        if (end == line)
            y[k] = NAN;
        end += strcspn(end, ",\\n");
        if (*end != ',' && k + 1 < READINGS)
            return 0;
        line = end + 1;
    }}
    return 1;
}}

int main(int argc, char **argv)
{{
    char line[4096];
    double y[READINGS], next[STATES], nis, likelihood;
    long row = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) {{
        fprintf(stderr, "usage: %s readings.csv\\n", argv[0]);
        return 2;
    }}
    puts("{header}");
    while (fgets(line, sizeof line, file) != NULL) {{
        int k;
        if (row++ == 0 && is_header(line))
            continue;
        if (!split(line, y)) {{
            fprintf(stderr, "%s, line %ld: expected %d fields\\n", argv[1], row, READINGS);
            return 1;
        }}
        {call};
        memcpy(x, next, sizeof x);
        for (k = 0; k < SHOWN; ++k)
            printf(k ? ",%.17g" : "%.17g", x[k]);
        putchar('\\n');
    }}
    fclose(file);
    return 0;
}}
"""


def export_c(observer: Filter, folder: Path, start: State | None = None, P: object = None) -> list[Path]:
    """The files of the step, and ``main.c`` that begins from a state and a covariance.

    Without them the example begins at the model's own start, with deviations of 0.1.
    """
    function = observer.function
    paths = export(function, "c99", folder)
    main = folder / "main.c"
    main.write_text(_main(observer, start, P), encoding="utf-8", newline="\n")
    return [*paths, main]


def block(observer: Filter, start: State | None = None, P: object = None, name: str = "") -> Block:
    """The filter as a `Block`: readings are taken once in a communication step, at its end."""
    model, step = observer.model, observer.function
    state = assemble(model) if start is None else start
    x = observer.start(state, _spread(observer, P))
    places = [c.name for c in model.placements]
    time = [] if model.time is None else ["t"]
    shown = [*places, *(f"{name}'" for name in places), *time, *observer.augmented]
    told = units(model)
    names = [*shown, *(f"covariance.{k}" for k in range(len(x) - len(shown)))]
    channels = observer.instruments.units
    readings = tuple(Signal(name, math.nan, unit, "reading") for name, unit in channels.items())
    deviations = [sqrt(maximum(value, 0.0)) for value in observer.variances()]
    look = of_state(step, f"{step.name}_outputs", {"y": vector(deviations, model.graph)})
    return Block(
        name or step.name, step, observer.process.dt,
        tuple(Signal(k, float(v), told.get(k, "")) for k, v in zip(names, x, strict=True)), len(shown),
        {"y": readings, **inputs_of(model, step, state)}, parameters_of(model, step, state), look,
        tuple(Signal(f"sd({name})", 0.0, told.get(name, "")) for name in observer.names),
        (Signal("nis", 0.0, "", "of the last update"), Signal("likelihood", 0.0, "", "of the last update")),
        frozenset(["y"]), len(places) * 2 if time else None, residual(model, step),
        description=f"{observer.key} of {model.name}, dt={observer.process.dt:g} s",
    )  # fmt: skip


def _spread(observer: Filter, P: object) -> object:
    return [0.1] * len(observer.process.manifold.names) if P is None else P


def _main(observer: Filter, start: State | None, P: object) -> str:
    model, function = observer.model, observer.function
    state = assemble(model) if start is None else start
    x = observer.start(state, _spread(observer, P))
    names = [c.name for c in model.placements]
    given = {"h": np.array([observer.process.dt]), "p": state.p, "u": state.u}
    ports = [port.name for port in function.inputs]
    constants = "".join(
        f"static const double {name}[{len(v)}] = {{\n{_numbers(v)}\n}};\n"
        for name, v in given.items()
        if name in ports
    )
    call = f"biela_{function.name}({', '.join([*ports, 'next', '&nis', '&likelihood'])})"
    return MAIN.format(
        name=function.name, m=len(observer.readings), channels=", ".join(observer.instruments.channels),
        states=len(x), shown=2 * len(names), start=_numbers(x), constants=constants, call=call,
        header=",".join([*names, *(f"{name}'" for name in names)]),
    )  # fmt: skip


def _numbers(values: np.ndarray) -> str:
    return ",\n".join(f"    {float(v)!r}" for v in values)
