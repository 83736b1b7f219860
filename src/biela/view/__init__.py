"""Pictures of mechanisms, replays of records, and live pages: the room of tier 5, for eyes.

``bl.view.replay(record, "run.html")`` writes one file that opens in any browser, offline: the mechanism in
three dimensions, a time slider, and the record's columns as curves. ``bl.view.picture(model, path="x.svg")``
draws one state. ``bl.view.live(simulation)`` serves something that runs, to be driven in a browser
(`biela.view.live_page`). A scene (`biela.view.scene`) is what is drawn, a motion (`biela.view.motion`) where
it is at every moment, a stage (`biela.view.stage`) where to look from. Its names stay in the room and are
imported when they are first used; nothing but NumPy is needed, except Matplotlib for PNG pictures and
websockets for live pages.
"""

from typing import TYPE_CHECKING

from biela.lazy import attach

if TYPE_CHECKING:
    from biela.view.film import film as film
    from biela.view.live_page.live import Live as Live
    from biela.view.live_page.live import live as live
    from biela.view.live_page.source import Source as Source
    from biela.view.notebook import Cell as Cell
    from biela.view.notebook import cell as cell
    from biela.view.picture import picture as picture
    from biela.view.replay import replay as replay

_HOMES = {
    "Cell": "biela.view.notebook",
    "Live": "biela.view.live_page.live",
    "Source": "biela.view.live_page.source",
    "cell": "biela.view.notebook",
    "film": "biela.view.film",
    "live": "biela.view.live_page.live",
    "picture": "biela.view.picture",
    "replay": "biela.view.replay",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # or a type checker would believe in any name
    __getattr__, __dir__ = attach(__name__, _HOMES)
