"""The `biela` command: the rooms on a command line.

`main` parses, runs one command and returns an exit code: 0 all went well, 1 something failed, 2 it was called
wrongly, 130 interrupted. A command is one file in `biela.cli.command` with a `Command`, and a row of the
registry there; beside them stand what several share:

* `page`: what is printed where, as text or as JSON, and how far a long run is;
* `quantity`: numbers with units, ``90deg``; inside, all is SI;
* `description`: mechanisms by name, or from a Python file;
* `sensing`, `table`: sensors in a few characters, and tables of readings;
* `listing`: the registries, with a line for each row;
* `completion`: the scripts for shells.

A command imports what it runs with when it runs, so that ``--help`` costs next to nothing.
"""

from biela.cli.program import main

__all__ = ["main"]
