"""Tables of the documentation, read from the registries of the code so that they cannot lag behind."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import biela
from biela.compile import TARGETS
from biela.compile.elementary import ACCURACY
from biela.expr import OPERATIONS, Operation
from biela.mechanics import FORMALISMS, JOINTS
from biela.mechanics.catalogue import FUNCTIONS
from biela.mechanisms import MECHANISMS
from biela.observe import FILTERS, RESAMPLERS, SENSORS, SMOOTHERS
from biela.observe.particle import PARTICLE_FILTERS
from biela.simulate import FORMULATIONS, INTEGRATORS


def accuracy() -> str:
    """The stated error of every elementary function."""
    rows = [(f"`{name}`", f"{bound:g}") for name, bound in ACCURACY.items()]
    return table(("function", "largest error, ulp"), rows)


def targets() -> str:
    """The registry of source targets."""
    rows = [
        (f"`{t.name}`", t.description, f"`{t.suffix}`", ", ".join(f"`{real}`" for real in t.reals))
        for t in TARGETS.values()
    ]
    return table(("target", "what is written", "files", "`real`"), rows)


def operations() -> str:
    """The table of operations with its spellings."""
    rows = [
        [f"`{text}`" for text in (row.name, *_spelt(row, row.c, row.python, row.matlab, row.javascript))]
        for row in OPERATIONS.values()
    ]
    return table(("operation", "C99", "Python", "MATLAB", "JavaScript"), rows)


def functions() -> str:
    """The registry of the Functions of a model."""
    states = {"position": "q", "velocity": "q, dq", "force": "q, dq, u", "acceleration": "q, dq, ddq, u"}
    rows: list[tuple[str, str, str]] = []
    for name, row in FUNCTIONS.items():
        taken = states[row.level].replace("ddq", "ddq, lambda_" if row.multipliers else "ddq")
        rows.append((f"`{name}`", row.description, taken))
    return table(("name", "what it computes", "from (besides t and p)"), rows)


def joints() -> str:
    """The registry of joints."""
    rows = [
        (f"`{kind.name}`", kind.description, ", ".join(f"`{name}`" for _, _, name in kind.motions))
        for kind in JOINTS.values()
    ]
    return table(("joint", "what it lets a body do", "coordinates"), rows)


def formalisms() -> str:
    """The registry of formalisms, each with the first sentence of its chapter."""
    rows = [
        (f"`{name}`", _first_sentence(inspect.getdoc(inspect.getmodule(function))))
        for name, function in FORMALISMS.items()
    ]
    return table(("formalism", "its chapter"), rows)


def formulations() -> str:
    """The registry of formulations."""
    rows = [(f"`{row.name}`", row.description) for row in FORMULATIONS.values()]
    return table(("formulation", "what becomes of the equations"), rows)


def integrators() -> str:
    """The registry of integrators with what each demands."""
    rows: list[tuple[str, ...]] = []
    for row in INTEGRATORS.values():
        traits = {"error control": row.adaptive, "implicit": row.implicit, "closes": row.closes}
        told = ", ".join(trait for trait, has in traits.items() if has)
        rows.append((f"`{row.name}`", row.description, str(row.order), told))
    return table(("integrator", "what it is", "order", "traits"), rows)


def sensors() -> str:
    """The registry of sensors."""
    rows = [(f"`{name}`", _first_sentence(inspect.getdoc(kind))) for name, kind in SENSORS.items()]
    return table(("sensor", "what it reads"), rows)


def filters() -> str:
    """The registries of Kalman filters, particle filters and smoothers, each with its chapter."""
    rows = [
        (f"`{kind.__name__}`", f"`{key}`", _first_sentence(inspect.getdoc(inspect.getmodule(kind))))
        for registry in (FILTERS, PARTICLE_FILTERS, SMOOTHERS)
        for key, kind in registry.items()
    ]
    return table(("class", "key", "its chapter"), rows)


def resamplers() -> str:
    """The registry of resamplers."""
    rows = [(f"`{name}`", _first_sentence(inspect.getdoc(row))) for name, row in RESAMPLERS.items()]
    return table(("resampler", "how it chooses"), rows)


def mechanisms() -> str:
    """The registry of mechanisms with the sizes of their equations."""
    rows: list[tuple[str, ...]] = []
    for name, function in MECHANISMS.items():
        model = function().model()
        sizes = (model.sizes["p"], model.sizes["g"], model.sizes["r"], model.freedom)
        operations = model.functions["M|delta"].operations.total
        rows.append((f"`{name}`", _described(function)[0], *map(str, (*sizes, operations))))
    return table(("name", "what it is", "p", "g", "r", "freedom", "operations of M, delta"), rows)


def mechanism_sources() -> str:
    """The paragraph on its source of every mechanism."""
    found: list[str] = []
    for name, function in MECHANISMS.items():
        source = next(p for p in _described(function) if p.startswith("Source: "))
        found.append(f"* `{name}`: {source.removeprefix('Source: ')}")
    return "\n".join(found)


def gallery() -> str:
    """A picture of every mechanism with what it is; `make gallery` draws them."""
    figures = [
        f'<figure><img src="_static/gallery/{name}.svg" alt="{name}" loading="lazy">'
        f"<figcaption><code>{name}</code>{_plain(_described(function)[0])}</figcaption></figure>"
        for name, function in MECHANISMS.items()
    ]
    return "\n".join(["```{raw} html", '<div class="gallery">', *figures, "</div>", "```"])


def _plain(sentence: str) -> str:
    """A sentence of a docstring for HTML, without its marks."""
    return escape(sentence.replace("``", "").rstrip("."))


def modules(room: str) -> str:
    """The modules of a room, each with the first sentence of its documentation."""
    place = Path(biela.__file__).parent / room
    rows: list[tuple[str, str]] = []
    for path in sorted([*place.glob("[a-z]*.py"), *place.glob("*/__init__.py")]):
        name = path.parent.name + "/" if path.stem == "__init__" else path.name
        chapter = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        rows.append((f"`{name}`", _first_sentence(chapter)))
    return table(("module", "its chapter"), rows)


def _first_sentence(text: str | None) -> str:
    """The first sentence of a docstring, on one line, without its full stop."""
    paragraph = " ".join((text or "").split("\n\n")[0].split())
    return re.split(r"(?<=\.)(?<!al\.)\s", paragraph)[0].rstrip(".")


def _described(function: Callable[..., object]) -> list[str]:
    """The paragraphs of a docstring, each on one line."""
    return [" ".join(paragraph.split()) for paragraph in (inspect.getdoc(function) or "").split("\n\n")]


def _spelt(row: Operation, *templates: str) -> list[str]:
    return [template.format(*"abc"[: row.arity], f="", p="...") for template in templates]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows under a head, in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
