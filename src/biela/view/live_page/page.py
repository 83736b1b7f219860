"""The live page: the player of replays, with frames from a WebSocket in the place of data in the file."""

from __future__ import annotations

from biela.view.page import PLAYER, asset, document, script

LIVE = ("flow", "rolling", "panel", "link", "live")


def live_page(title: str) -> str:
    """The page; what it shows comes when it has connected."""
    return document(title, {}, asset("live/live.html"), live_script(), "live", asset("live/live.css"))


def live_script() -> str:
    """The modules of the player and those of the live page as one script."""
    return script([*(f"player/{name}" for name in PLAYER), *(f"live/{name}" for name in LIVE)])
