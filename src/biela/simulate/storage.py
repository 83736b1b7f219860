"""Records in files: a NumPy archive, or HDF5 with the extra `biela[data]`."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from biela.simulate.record import Record

FORMAT = "biela record 1"


def save(record: Record, path: Path) -> Path:
    """Write a record; it appears whole or not at all."""
    write = _writer(path)
    return whole(path, lambda aside: write(record, aside))


def whole(path: Path, write: Callable[[Path], Any]) -> Path:
    """Write a file under another name and give it its own when it is complete."""
    aside = path.with_name(f".{path.stem}.{os.getpid()}.{get_ident()}{path.suffix}")
    try:
        write(aside)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    return path


def load(path: Path) -> Record:
    """Read a record; raises ValueError for a file that is none."""
    from biela.simulate.record import Record

    try:
        arrays, told = (_read_hdf5 if path.suffix in (".h5", ".hdf5") else _read_npz)(path)
        if told.get("format") != FORMAT:
            raise KeyError("format")
        columns = {name: arrays[f"c{k}"] for k, name in enumerate(told["names"])}
        extra = {name: arrays.get(name) for name in ("p", "u")}
        return Record(arrays["t"], columns, told["units"], told["status"], told["notes"], None, **extra)
    except FileNotFoundError:
        raise
    except (KeyError, OSError, zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise ValueError(f"{path} is no record, or not a whole one ({error}).") from None


def _writer(path: Path) -> Any:
    if path.suffix in (".h5", ".hdf5"):
        return _write_hdf5
    if path.suffix == ".npz":
        return _write_npz
    raise ValueError(f"{path}: a record is saved as .npz or .h5; got '{path.suffix}'.")


def _parts(record: Record) -> tuple[dict[str, np.ndarray], str]:
    arrays = {"t": record.t, **{f"c{k}": column for k, column in enumerate(record.columns.values())}}
    arrays |= {name: value for name in ("p", "u") if (value := getattr(record, name)) is not None}
    told = {"format": FORMAT, "names": list(record.columns), **json.loads(record.to_json())}
    return arrays, json.dumps(told)


def _write_npz(record: Record, path: Path) -> None:
    arrays, told = _parts(record)
    with path.open("wb") as file:
        np.savez_compressed(file, told=np.array(told), **arrays)  # type: ignore[arg-type]


def _read_npz(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, json.loads(str(arrays.pop("told")))


def _write_hdf5(record: Record, path: Path) -> None:
    h5py = _h5py()
    arrays, told = _parts(record)
    with h5py.File(path, "w") as file:
        file.attrs["told"] = told
        for name, value in arrays.items():
            file.create_dataset(name, data=value, compression="gzip" if value.ndim else None)


def _read_hdf5(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    with _h5py().File(path, "r") as file:
        return {name: np.asarray(value) for name, value in file.items()}, json.loads(file.attrs["told"])


def _h5py() -> Any:
    try:
        import h5py  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError:
        raise ImportError("HDF5 files need h5py: pip install 'biela[data]', or save as .npz.") from None
    return h5py
