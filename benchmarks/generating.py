"""Equations of the five models of the thesis: how large, and how long to write (its tables 6.1 to 6.13).

Every timed run starts from nothing: the system is described, frozen, its equations written, and the Function
lowered to instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks import published
from benchmarks.figure import Figure
from benchmarks.timing import Job, interleave, seconds
from biela.expr.function import Function
from biela.mechanics.formalism import FORMALISMS
from biela.mechanics.model import Model
from biela.mechanics.space import RULES, Rule
from biela.mechanics.system import System
from biela.mechanisms import MECHANISMS, four_bar_general

FUNCTIONS = ("M", "delta", "M|delta", "Phi", "Phi_q", "Phi|Phi_q", "Phi_dq", "Phi_dot", "gamma", "all")
ROUNDS = 5


def modelled(name: str, exploiting: bool = True, **options: Any) -> Model:
    """A model from nothing; not ``exploiting`` that some of its coordinates have no inertia, if asked."""
    system: System = MECHANISMS[name]()
    if not exploiting:
        for key, placement in system.coordinates_by_name.items():
            system.coordinates_by_name[key] = replace(placement, inertia=True)
    return system.model(**options)


def models(quick: bool) -> tuple[str, ...]:
    """The models of the thesis; the locomotive, whose older ways are slow, only if there is time."""
    return published.MODELS[:-1] if quick else published.MODELS


def lowered(model: Model, function: str) -> Function:
    """A Function ready to be compiled or written."""
    made = model.functions[function]
    assert made.program is not None
    return made


def timed(jobs: dict[str, Job], quick: bool) -> dict[str, float]:
    """The best of several turns, or, quickly, the only one."""
    return {name: seconds(job) for name, job in jobs.items()} if quick else interleave(jobs, ROUNDS)


def lines(quick: bool) -> Iterator[Figure]:
    """The table: every Function next to what the thesis printed."""
    for name in published.MODELS:
        model = modelled(name)
        known = set(model.functions)
        functions = [f for f in FUNCTIONS if set(f.split("|")) <= known]
        jobs: dict[str, Job] = {f: lambda n=name, f=f: lowered(modelled(n), f) for f in functions}
        best = timed(jobs, quick)
        for function in functions:
            yield compared(model, function, best[function])


def compared(model: Model, function: str, time: float | None = None) -> Figure:
    """A Function next to what the thesis printed, and to its bounds; those of time need a time."""
    name, key, everything = model.name, (model.name, function), function == "all"
    figure = Figure.of("table", name, function, model.functions[function].operations, time)
    bound = published.BOUNDS_SECONDS.get(name) if everything else published.BOUNDS.get(key)
    figure = figure._replace(source_ops=published.OPERATIONS.get(key))
    figure = figure.adding(
        source_atoms=published.ATOMS.get(key),
        source_seconds=published.SECONDS[name] if everything else None,
    )
    reached = time if everything else figure.ops
    if bound is None or reached is None:
        return figure
    of = "seconds" if everything else "ops"
    return figure.adding(of=of, must=bound.must, aim=bound.aim, holds=reached <= bound.must)


def rules(quick: bool) -> Iterator[Figure]:
    """Where operations meet: nearer the leaves, nearer the root, or nowhere until the end."""
    yield from tip()
    source = {"up": published.JOINT, "down": published.DOWN}
    for name in models(quick):
        for formalism in ("bodies", "direct"):
            options = {rule: {"formalism": formalism, "rule": rule} for rule in RULES}
            for rule, figure in _written("rules", name, options, quick):
                known = source.get(rule, {}).get(name) if formalism == "bodies" else None
                yield figure._replace(source_ops=known).adding(way=f"{formalism}, {rule}")


def tip() -> Iterator[Figure]:
    """The position of the four-bar's point C, in the base of the last bar and in the ground."""
    bound = published.BOUNDS["four_bar_general", "r_O^C"]
    bases: dict[Rule, str] = {"up": "B3", "down": "ground", "extended": "ground"}
    for rule, base in bases.items():
        system = four_bar_general()
        with system.using(rule):
            place = system.position("C").at(system.bases[base])
        model = system.model()
        count = model.function("r", {"r": place}, "position").operations
        figure = Figure.of("rules", "four_bar_general", "r_O^C", count)
        figure = figure._replace(source_ops=published.TIP.get(rule)).adding(
            way=f"{rule}, components in {base}"
        )
        if rule == "up":
            figure = figure.adding(of="ops", must=bound.must, aim=bound.aim, holds=count.total <= bound.must)
        yield figure


def joint(quick: bool) -> Iterator[Figure]:
    """One Function for M and delta against two."""
    for name in models(quick):
        functions = modelled(name).functions
        together = functions["M|delta"].operations
        apart = [functions[part].operations for part in ("M", "delta")]
        total, atoms = sum(count.total for count in apart), sum(count.atoms for count in apart)
        figure = Figure.of("joint", name, "M|delta", together)._replace(source_ops=published.JOINT[name])
        yield figure.adding(way="joint", ratio=together.total / total)
        figure = Figure("joint", name, "M, delta", total, atoms, source_ops=published.SEPARATE[name])
        yield figure.adding(way="separate")


def classic(quick: bool) -> Iterator[Figure]:
    """The formalisms against each other: M written directly, by differentiating powers, energies, stacks."""
    times = {"direct": published.SECONDS_DIRECT, "classic": published.SECONDS_CLASSIC}
    source = {"bodies": published.JOINT, "classic": published.CLASSIC}
    for name in models(quick):
        options: dict[str, dict[str, Any]] = {way: {"formalism": way} for way in FORMALISMS}
        for way, figure in _written("classic", name, options, quick):
            yield figure._replace(source_ops=source.get(way, {}).get(name)).adding(
                way=way, source_seconds=times.get(way, {}).get(name)
            )


def inertialess(quick: bool) -> Iterator[Figure]:
    """Coordinates that move no body, treated like all others or passed over."""
    for name in published.SECONDS_EXPLOITING:
        for formalism in ("direct",) if quick else ("bodies", "direct"):
            options: dict[str, dict[str, Any]] = {
                way: {"formalism": formalism, "exploiting": way == "exploiting"}
                for way in ("ignoring", "exploiting")
            }
            figures = dict(_written("inertialess", name, options, quick))
            slow, fast = (figures[way].seconds for way in options)
            assert slow
            assert fast
            source = {
                "ignoring": published.SECONDS_DIRECT[name],
                "exploiting": published.SECONDS_EXPLOITING[name],
            }
            for way, figure in figures.items():
                ratio = slow / fast if way == "exploiting" else None
                yield figure.adding(way=f"{formalism}, {way}", source_seconds=source[way], ratio=ratio)


def _written(
    bench: str, name: str, options: dict[str, dict[str, Any]], quick: bool
) -> Iterator[tuple[str, Figure]]:
    """M and delta with several options, in turns."""
    made: dict[str, Function] = {}

    def job(way: str) -> None:
        made[way] = lowered(modelled(name, **options[way]), "M|delta")

    jobs: dict[str, Job] = {way: lambda way=way: job(way) for way in options}
    best = timed(jobs, quick)
    for way in options:
        yield way, Figure.of(bench, name, "M|delta", made[way].operations, best[way])
