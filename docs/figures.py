"""Draw the pictures of the tutorials that the tutorials draw: `make gallery`.

A page of the documentation is run in an empty folder; what it writes there under the name of a picture that
it shows is kept in docs/_static.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
PAGES = ("first-mechanism", "particle-filter", "simulation")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"\(_static/([\w-]+\.(?:png|svg))\)")


def draw(page: str) -> list[Path]:
    """Run a page, keep its pictures; return them."""
    text = (HERE / f"{page}.md").read_text(encoding="utf-8")
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for code in BLOCK.findall(text):
            exec(code, namespace)
        os.chdir(before)
        names = SHOWN.findall(text)
        return [Path(shutil.copy(Path(folder, name), HERE / "_static" / name)) for name in names]


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    for path in (path for page in PAGES for path in draw(page)):
        print(f"{path.name:30} {path.stat().st_size / 1000:6.1f} kB")
