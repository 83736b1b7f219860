"""`biela export`: the equations of a mechanism as source code."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from biela.cli import description
from biela.cli.command.command import Command
from biela.cli.page import Page


def arguments(parser: ArgumentParser) -> None:
    """The mechanism, which of its Functions, in which language, where."""
    description.arguments(parser)
    parser.add_argument(
        "--function", metavar="NAME", action="append", dest="function",
        help="one of `biela list functions`, joined by | to share what they have in common, in quotes; may "
        "be given again (all)",
    )  # fmt: skip
    parser.add_argument("--target", metavar="NAME", default="c99", help="see `biela list targets` (c99)")
    parser.add_argument("--real", choices=("double", "float"), default="double", help="numbers (double)")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="where to (the name of the model)")


def run(args: Namespace, page: Page) -> dict[str, Any]:
    """Write the files."""
    from biela.cli.fault import chosen
    from biela.compile.targets import TARGETS, export

    chosen(args.target, TARGETS, "target")
    with page.stage("deriving the equations"):
        model = description.model_of(args)
        names: list[str] = args.function or ["all"]
        for name in "|".join(names).split("|"):
            chosen(name, model.functions, f"function of model '{model.name}'")
        functions = [model.functions[name] for name in names]
    files = export(functions, args.target, args.output or model.name, real=args.real)
    for function in functions:
        page.say(f"{function}: {function.operations}")
    for path in files:
        page.say(f"wrote  {path}")
    return {
        "functions": {f.name: {"signature": str(f), "operations": f.operations.total} for f in functions},
        "files": list(map(str, files)),
    }


COMMAND = Command(
    "export", "write equations as C99, MATLAB, Python or JavaScript", run, arguments,
    examples=(
        'biela export four_bar --function "M|delta" --target c99 -o four_bar_c',
        "biela export arm6 --function e --target matlab",
    ),
)  # fmt: skip
