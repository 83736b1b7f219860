"""Sweeps: one function over many cases, on any executor, with seeds of their own, interrupted and resumed.

    def miss(case, rng):
        ...
        return {"miss": value}

    table = sweep(miss, grid(m1=[10, 11, 12], sigma=np.logspace(-3, 0, 10)), seed=1, folder="miss_sweep")

Cases go to the workers in chunks. Each case has a random generator of its own, spawned from one seed, so the
results do not depend on chunks, workers or order. Results come in the order of the cases. With a ``folder``
every chunk is kept in a file as soon as it is done; the same sweep started again does the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from biela.simulate.progress import Progress, shown
from biela.simulate.storage import whole

Case = Mapping[str, Any]
Work = Callable[[Case, np.random.Generator], Mapping[str, Any]]
CHUNKS = 64  # into about so many is a sweep cut


@dataclass(frozen=True)
class Sweep:
    """What a sweep came to: ``columns`` by name, a row for each case, the cases' own values first.

    ``done`` tells which cases have results; it is not all of them after an interruption.
    """

    columns: dict[str, np.ndarray]
    done: np.ndarray
    failed: dict[int, str] = field(default_factory=dict[int, str])

    def __repr__(self) -> str:
        left = "" if self.done.all() else f", {int((~self.done).sum())} without result"
        return f"<Sweep of {len(self)} cases: {', '.join(self.columns)}{left}>"

    def __len__(self) -> int:
        return len(self.done)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"The sweep has no column '{name}'. It has {', '.join(self.columns)}.")
        return self.columns[name]


def grid(**values: Any) -> list[dict[str, Any]]:
    """All combinations of some values by name, the last varying fastest.

    >>> grid(a=[1, 2], b=[3.0])
    [{'a': 1, 'b': 3.0}, {'a': 2, 'b': 3.0}]
    """
    columns = [np.atleast_1d(np.asarray(column)).tolist() for column in values.values()]
    return [dict(zip(values, row, strict=True)) for row in product(*columns)]


def sweep(
    work: Work, cases: Iterable[Case], *, seed: int = 1, executor: Executor | None = None,
    chunk: int = 0, folder: str | Path | None = None, progress: Progress | bool | None = None,
    errors: str = "raise",
) -> Sweep:  # fmt: skip
    """``work(case, rng)`` for every case: a mapping from names to numbers or arrays of one shape.

    The executor is any of `concurrent.futures`' kind; without one, processes on all cores, for which ``work``
    has to be a function of a module, not of a notebook's cell. An interruption (Ctrl-C) returns what is done.
    ``errors='keep'`` goes on past cases that raise, and tells them in ``failed``.

    Raises ValueError for cases of different names, or a folder of another sweep.
    """
    listed = [dict(case) for case in cases]
    _check(listed, errors)
    size = chunk or max(1, -(-len(listed) // CHUNKS))
    store = _Store(Path(folder), listed, seed) if folder is not None else None
    rows: dict[int, Any] = store.load() if store else {}
    missing = [i for i in range(len(listed)) if i not in rows]
    jobs = [missing[k : k + size] for k in range(0, len(missing), size)]
    seeds = np.random.SeedSequence(seed).spawn(len(listed))
    told = shown(progress, "cases")

    def take(job: Sequence[int], found: Sequence[Any]) -> None:
        rows.update(zip(job, found, strict=True))
        if store:
            store.save(job, found)
        if told:
            told(len(rows), len(listed))

    _go(work, [(job, [(listed[i], seeds[i]) for i in job]) for job in jobs], executor, errors, take)
    return _collected(listed, rows)


def _check(cases: Sequence[Case], errors: str) -> None:
    if errors not in ("raise", "keep"):
        raise ValueError(f"errors={errors!r}: expected 'raise' or 'keep'.")
    if not cases:
        raise ValueError("A sweep wants at least one case.")
    for k, case in enumerate(cases):
        if list(case) != list(cases[0]):
            raise ValueError(f"Case {k} has {', '.join(case)}; the first one has {', '.join(cases[0])}.")


def _go(
    work: Work, jobs: Sequence[tuple[list[int], Any]], executor: Executor | None, errors: str,
    take: Callable[[Sequence[int], Sequence[Any]], None],
) -> None:  # fmt: skip
    """All jobs through an executor; what is done before an interruption is taken."""
    own = None if executor else ProcessPoolExecutor(mp_context=get_context("spawn"))
    pool = executor or own
    assert pool is not None
    futures: dict[Future[list[Any]], list[int]] = {}
    try:
        for job, packed in jobs:
            futures[pool.submit(_chunk, work, packed, errors)] = job
        for future in as_completed(futures):
            take(futures.pop(future), future.result())
    except KeyboardInterrupt:  # what is done is the result
        for future, job in futures.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                take(job, future.result())
    finally:
        for future in futures:
            future.cancel()
        if own:
            own.shutdown(cancel_futures=True)


def _chunk(work: Work, packed: Sequence[tuple[Case, np.random.SeedSequence]], errors: str) -> list[Any]:
    """The results of some cases, in a worker: arrays by name, or what an error said."""
    rows: list[Any] = []
    for case, seed in packed:
        try:
            found = work(case, np.random.default_rng(seed))
            rows.append({name: np.asarray(value) for name, value in found.items()})
        except Exception as error:
            if errors == "raise":
                raise
            rows.append(f"{type(error).__name__}: {error}")
    return rows


def _collected(cases: Sequence[Case], rows: Mapping[int, Any]) -> Sweep:
    """Columns in the order of the cases, nan where there is no result."""
    failed = {i: row for i, row in sorted(rows.items()) if isinstance(row, str)}
    good = {i: row for i, row in rows.items() if not isinstance(row, str)}
    columns: dict[str, np.ndarray] = {name: np.array([case[name] for case in cases]) for name in cases[0]}
    first: dict[str, np.ndarray] = next(iter(good.values())) if good else {}
    for name, example in first.items():
        nothing = np.full(example.shape, np.nan)
        columns[name] = np.array([good[i][name] if i in good else nothing for i in range(len(cases))])
    done = np.array([i in good for i in range(len(cases))])
    return Sweep(columns, done, failed)


class _Store:
    """A folder with a file for each chunk that is done, and one that tells whose they are."""

    def __init__(self, folder: Path, cases: Sequence[Case], seed: int) -> None:
        self.folder = folder
        text = json.dumps([cases, seed], default=_plain)
        mark = {"format": "biela sweep 1", "cases": len(cases), "seed": seed, "sha256": _digest(text)}
        folder.mkdir(parents=True, exist_ok=True)
        head = folder / "sweep.json"
        if head.exists():
            if json.loads(head.read_text(encoding="utf-8")) != mark:
                raise ValueError(
                    f"{folder} has the results of another sweep. Give this one a folder of its own."
                )
        else:
            whole(head, lambda aside: aside.write_text(json.dumps(mark), encoding="utf-8"))

    def save(self, job: Sequence[int], found: Sequence[Any]) -> None:
        """Keep the results of a chunk; the file appears whole or not at all."""
        arrays = {
            f"{i}/{name}": value
            for i, row in zip(job, found, strict=True)
            if not isinstance(row, str)
            for name, value in row.items()
        }
        path = self.folder / f"part-{job[0]:08d}-{job[-1]:08d}.npz"

        def write(aside: Path) -> None:
            with aside.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]

        whole(path, write)

    def load(self) -> dict[int, Any]:
        """The results that are kept, by case."""
        rows: dict[int, Any] = {}
        for path in sorted(self.folder.glob("part-*.npz")):
            with np.load(path, allow_pickle=False) as file:
                for key in file.files:
                    case, name = key.split("/", 1)
                    rows.setdefault(int(case), {})[name] = file[key]
        return rows


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Numbers of NumPy as JSON has them."""
    return np.asarray(value).tolist()
