"""`live`: serve what runs, to be watched and driven in browsers."""

from __future__ import annotations

import threading
from html import escape
from types import TracebackType
from typing import Any, Self

from biela.view.live_page.loop import RATE, Loop
from biela.view.live_page.order import Order, order_of
from biela.view.live_page.page import live_page
from biela.view.live_page.registry import source_of
from biela.view.live_page.server import Server
from biela.view.live_page.source import Source
from biela.view.notebook import frame


class Live:
    """A page that is served until it is closed; use it in a ``with``, or `wait` for Ctrl-C.

    In a notebook it shows itself. ``counts`` tells how many browsers came and what was refused.
    """

    def __init__(self, source: Source, host: str, port: int, rate: float, play: bool) -> None:
        self.source = source
        self.loop = Loop(source, self._publish, self._tell, rate=rate)
        self.loop.playing = play
        self._ended = threading.Event()
        self.server = Server(
            live_page(source.title), self.hello, self._read, self.loop.order, self.loop.refresh, host, port
        )
        self.loop.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return self.server.url

    @property
    def counts(self) -> dict[str, int]:
        """What came: browsers, and messages that were refused, by the reason."""
        return dict(self.server.counts)

    def __repr__(self) -> str:
        return f"<Live {self.source.title}: {self.url}, {self.server.browsers} browsers>"

    def _repr_html_(self) -> str:
        return frame(f'src="{escape(self.url)}"')

    def hello(self) -> dict[str, Any]:
        """What a browser is told first: all that does not change from frame to frame."""
        source = self.source
        return {
            "hello": {
                "title": source.title, "stage": source.stage, "holds": source.holds, "drives": source.drives,
                "actors": [actor.plain() for actor in source.actors],
                "curves": {
                    "columns": [column._asdict() for column in source.columns],
                    **({"first": list(source.first)} if source.first else {}),
                },
                "controls": [control.plain() for control in source.controls],
            },
            "state": self.loop.state(),
        }  # fmt: skip

    def _publish(self, frame: bytes) -> None:
        self.server.publish(frame)

    def _tell(self, told: dict[str, Any]) -> None:
        self.server.tell(told if "refused" in told else {"state": told})

    def _read(self, message: str | bytes) -> Order | str:
        return order_of(message, self.source)

    def wait(self, seconds: float | None = None) -> None:
        """Until it is closed, so many seconds, or Ctrl-C, which closes it."""
        try:
            self._ended.wait(seconds)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the motion and the page; twice does no harm."""
        if not self._ended.is_set():
            self._ended.set()
            self.loop.stop()
            self.server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def live(
    source: Any,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    rate: float = RATE,
    play: bool = True,
    **options: Any,
) -> Live:
    """Serve a simulation, filter, ride or match as a page in which it runs and is driven.

    ``source`` is a `Simulation`, a `Model` or `System`, a filter with its ``bench``, a `Ride`, a `Match`, or
    a `Source` of your own; ``options`` are those of its kind (`Simulated`, `Observed`, `Driven`, `Played`).
    It is served on this machine alone unless another ``host`` is given, on a free port unless one is;
    ``rate`` is how many frames there are a second, and without ``play`` it begins paused.

    Raises TypeError for what cannot be shown, and OSError for a port in use, which names a free one.
    """
    if not rate > 0.0:
        raise ValueError(f"A page has a number of frames a second above zero; got {rate=}.")
    return Live(source_of(source, **options), host, port, rate, play)
