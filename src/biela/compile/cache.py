"""Object code kept on disk, so that a kernel compiled once is ready in milliseconds ever after.

An entry is one file, named by the digest of everything the code depends on (IR, versions, processor,
features). It begins with its own name and the digest of its content: a truncated, corrupt or foreign
file is not an entry, and is overwritten. Files appear whole (written aside, then renamed). Beyond
the size limit the entries used longest ago go first.

``BIELA_CACHE`` names another folder, or turns the cache off (``off``). A folder that cannot be written is
as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from pathlib import Path

LIMIT_BYTES = 512 * 2**20
_SUFFIX = ".biela-o"


def folder() -> Path | None:
    """Where entries are kept; None when the cache is off."""
    chosen = os.environ.get("BIELA_CACHE")
    if chosen is not None and chosen.lower() in ("", "0", "off", "no", "false"):
        return None
    try:
        return Path(_usual() if chosen is None else chosen).expanduser()
    except RuntimeError:  # a user without a home, as in some containers
        return None


def _usual() -> str:
    """Where this system keeps what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return os.path.join(base, "biela")


def digest(*parts: str | bytes) -> str:
    """The name of an entry that depends on ``parts``."""
    state = hashlib.sha256()
    for part in parts:
        encoded = part.encode() if isinstance(part, str) else part
        state.update(len(encoded).to_bytes(8, "little") + encoded)
    return state.hexdigest()


def load(key: str) -> bytes | None:
    """The content of an entry; None when there is none, or none to be trusted."""
    place = folder()
    if place is None:
        return None
    path = place / (key + _SUFFIX)
    try:
        data = path.read_bytes()
    except OSError:
        return None
    header = _header(key, data[128:])
    if data[:128] != header:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return data[128:]


def store(key: str, content: bytes, limit: int = LIMIT_BYTES) -> None:
    """Keep ``content`` under ``key``; a folder that cannot be written is passed over."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=place, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_header(key, content) + content)
            os.replace(aside, place / (key + _SUFFIX))
        except BaseException:
            os.unlink(aside)
            raise
        trim(limit)


def trim(limit: int = LIMIT_BYTES) -> None:
    """Delete the entries used longest ago until the rest fits in ``limit`` bytes."""
    place = folder()
    if place is None or not place.is_dir():
        return
    entries = sorted(
        ((e.stat().st_mtime_ns, e.stat().st_size, e) for e in place.glob("*" + _SUFFIX)), reverse=True
    )
    total = 0
    for _, size, entry in entries:
        total += size
        if total > limit:
            entry.unlink(missing_ok=True)


def clear() -> int:
    """Delete every entry; returns how many there were."""
    place = folder()
    entries = list(place.glob("*" + _SUFFIX)) if place is not None and place.is_dir() else []
    for entry in entries:
        entry.unlink(missing_ok=True)
    return len(entries)


def _header(key: str, content: bytes) -> bytes:
    return (key + hashlib.sha256(content).hexdigest()).encode()
