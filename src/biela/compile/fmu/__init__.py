"""FMUs: a `Block` for any simulation tool that knows FMI 2.0 or 3.0 (co-simulation).

`description` writes what tools read, `source` what they compile, `archive` packs both, with a binary for this
machine where there is a C compiler. ``headers`` are those of the Modelica Association (BSD, see each file);
``instance.h`` is what both versions share, ``fmi2.c`` and ``fmi3.c`` are the interface.
"""
