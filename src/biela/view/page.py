"""One file of HTML with everything inside: scripts, style, and data as base64 of single-precision numbers.

The player is written as ES modules (``assets/player``) that also run on their own; here they become one
script, in the order of their imports, so that the page opens from a disk, where browsers refuse modules.
What they stand on, three.js and uPlot, is bundled in ``assets/vendor``.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

PLAYER = (
    "vector", "motion", "eye", "shape", "touch", "solid_stage", "flat_stage", "plot", "clock", "board",
    "player",
)  # fmt: skip
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="data">{data}</script>
<script>{vendor}</script>
<script>"use strict";{{
{script}
{start}(document, JSON.parse(document.getElementById("data").textContent));
}}</script>
</body>
</html>
"""


def page(title: str, data: dict[str, Any]) -> str:
    """The page that plays data."""
    return document(title, data, asset("player/player.html"), script())


def document(
    title: str, data: dict[str, Any], body: str, modules: str, start: str = "start", style: str = ""
) -> str:
    """A page that calls a function of its script with data."""
    return _PAGE.format(
        title=escape(title),
        style=asset("vendor/vendor.min.css") + asset("player/player.css") + style,
        body=body.strip(),
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        vendor=_closed(asset("vendor/vendor.min.js")),
        script=_closed(modules),
        start=start,
    )


def script(modules: Iterable[str] = tuple(f"player/{name}" for name in PLAYER)) -> str:
    """Modules as one script; those of the player unless others are given."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", asset(f"{name}.js"))) for name in modules)


def asset(path: str) -> str:
    """The text of a file of the folder ``assets``."""
    return files("biela.view").joinpath("assets", *path.split("/")).read_text(encoding="utf-8")


def packed(values: np.ndarray, bits: int = 32) -> dict[str, Any]:
    """An array for the page: its shape, and its numbers, little end first, in single precision by default."""
    flat = np.ascontiguousarray(values, dtype=f"<f{bits // 8}")
    return {"shape": list(flat.shape), "bits": bits, "data": b64encode(flat.tobytes()).decode("ascii")}


def _closed(code: str) -> str:
    """Script that cannot end its own element."""
    return code.replace("</script", "<\\/script")
