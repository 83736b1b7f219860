"""`export_fmu`: sources, description and binary of a Block in one archive."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from biela.compile.block import Block, emitted, filled
from biela.compile.fmu import description

VERSIONS = ("2.0", "3.0")
HEADERS = {
    "2.0": ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h"),
    "3.0": ("fmi3Functions.h", "fmi3FunctionTypes.h", "fmi3PlatformTypes.h"),
}
FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
DATE = (1980, 1, 1, 0, 0, 0)  # of all files: the same block gives the same archive


class NoCompiler(UserWarning):
    """An FMU has no binary, because there is no C compiler."""


def export_fmu(
    block: Block, path: str | os.PathLike[str], version: str = "3.0", *, binary: bool | None = None
) -> Path:
    """Write a block as an FMU for co-simulation, of FMI 2.0 or 3.0.

    It has the sources, and a binary for this machine where ``gcc`` or ``cc`` is found; without one a warning
    (`NoCompiler`) says so. ``binary=True`` insists, ``binary=False`` leaves it out. The file appears whole or
    not at all.

    Raises ValueError for another version or suffix, RuntimeError where the compiler is missing or fails.
    """
    target = Path(path)
    if version not in VERSIONS:
        raise ValueError(f"There is no FMI version {version!r} here. Versions: {', '.join(VERSIONS)}.")
    if target.suffix != ".fmu":
        raise ValueError(f"An FMU is a file with the suffix .fmu; got '{target}'.")
    texts = sources(block, version)
    compiler = None if binary is False else found_compiler()
    if compiler is None and binary is not False:
        told = f"No C compiler (gcc or cc) is here: '{target}' has sources only, for tools that compile them."
        if binary:
            raise RuntimeError(f"{told} Install one, or leave out binary=True.")
        warnings.warn(told, NoCompiler, stacklevel=2)
    members = _members(block, version, texts)
    if compiler is not None:
        members[f"binaries/{_folder(version)}/{block.name}{_suffix()}"] = _compiled(block, texts, compiler)
    return _packed(target, members)


def sources(block: Block, version: str) -> dict[str, str]:
    """The C sources of an FMU by file name, headers included."""
    texts = emitted(block)
    digest = hashlib.sha256(repr((version, sorted(texts.items()))).encode()).hexdigest()[:32]
    parts = {"name": block.name, "NAME": block.name.upper(), "token": digest}
    room = files("biela.compile") / "fmu"
    adapter = f"fmi{version[0]}.c"
    for name in ("instance.h", adapter):
        texts[name] = filled((room / name).read_text(encoding="utf-8"), parts)
    for name in HEADERS[version]:
        texts[name] = (room / "headers" / name).read_text(encoding="utf-8")
    return texts


def token_of(texts: Mapping[str, str]) -> str:
    """What tells a model from others: the digest of its sources."""
    return texts["instance.h"].split('#define TOKEN "')[1].split('"')[0]


def found_compiler() -> str | None:
    """The path of a C compiler, if there is one."""
    return shutil.which("gcc") or shutil.which("cc")


def _members(block: Block, version: str, texts: Mapping[str, str]) -> dict[str, bytes]:
    compiled = [name for name in texts if name.endswith(".c")]
    members = {"modelDescription.xml": description.written(block, version, token_of(texts), compiled)}
    members |= {f"sources/{name}": text for name, text in texts.items()}
    if version == "3.0":
        members["sources/buildDescription.xml"] = description.build_description(block, compiled)
    return {name: text.encode() for name, text in members.items()}


def _compiled(block: Block, texts: Mapping[str, str], compiler: str) -> bytes:
    """The shared library; raises RuntimeError with what the compiler says."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        library = f"{block.name}{_suffix()}"
        units = [name for name in texts if name.endswith(".c")]
        command = [compiler, *FLAGS, *units, "-o", library, "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"The FMU of '{block.name}' does not compile with {compiler}:\n{done.stderr}")
        return (folder / library).read_bytes()


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def _folder(version: str) -> str:
    """Where the standards look for the binary of this machine."""
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    if version == "2.0":
        return {"windows": "win", "darwin": "darwin"}.get(system, "linux") + "64"
    machine, names = platform.machine().lower(), {"amd64": "x86_64", "arm64": "aarch64"}
    return f"{names.get(machine, machine)}-{system}"


def _packed(path: Path, members: Mapping[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                info = zipfile.ZipInfo(name, DATE)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(info, data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path
