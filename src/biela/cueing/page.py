"""`report`: what tuning has done, as one page of HTML that needs nothing else: no script, no network.

Numbers with what they mean, what is felt and used before and now, cues that go wrong, and pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from biela.cueing import picture
from biela.cueing.chart import fidelity
from biela.cueing.cost import COSTS
from biela.cueing.feeling import Felt, felt, ridden
from biela.cueing.head import CENTER, Place
from biela.cueing.perception import CHANNELS, REST, Senses
from biela.cueing.ride import Ride
from biela.cueing.sickness import dose
from biela.cueing.trial import TOLD
from biela.cueing.tuner import Front, Tuned
from biela.cueing.usage import Usage, used
from biela.simulate.storage import whole

CUES = 12  # that are told
FELT = (
    "Sensed in the vehicle (black), on the platform before (orange) and tuned (blue); what is in the grey "
    "band is not noticed."
)
MOVED = "Before (orange) and tuned (blue)."
TRIED = "Cost of each candidate, and the best so far (blue); the ride as it was (orange)."
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; }
body { padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p.lead { font-size: 1.1rem; } table { border-collapse: collapse; margin: .5rem 0; font-size: .9rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #e2e2e2; text-align: right; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
td.text { max-width: 26rem; color: #555; } svg { max-width: 100%; height: auto; }
figure { margin: .5rem 0 1rem; } figcaption { color: #555; font-size: .85rem; }
.pair { display: flex; flex-wrap: wrap; gap: 1rem; } .pair figure { flex: 1 1 24rem; }
.good { color: #1d6b2f; } .bad { color: #a3341c; }
"""


def report(
    path: str | Path, tuned: Tuned, motion: Any, *, front: Front | None = None, title: str = "Tuning",
    senses: Senses | None = None, head: Place = CENTER,
) -> Path:  # fmt: skip
    """Write the page; senses and head are those that `tune` was given. It appears whole or not at all."""
    path = Path(path)
    before, now = (felt(ride, motion, senses, head) for ride in (tuned.start, tuned.ride))
    parts = [
        f"<h1>{escape(title)}</h1>",
        _lead(tuned),
        _numbers(tuned),
        "<h2>What is felt</h2>",
        _picture(picture.sensed(before, now), FELT),
        _felt_table(before, now),
        _cues(now),
        "<h2>What the platform does</h2>",
        _picture(picture.poses(tuned.start, tuned.ride, motion), MOVED),
        _usage_table(used(tuned.start, motion), used(tuned.ride, motion)),
        _sickness(tuned, motion),
        "<h2>The search</h2>",
        _searches(tuned, front),
        _charts(tuned),
    ]  # fmt: skip
    text = _page(title, "\n".join(parts))
    path.parent.mkdir(parents=True, exist_ok=True)
    return whole(path, lambda aside: aside.write_text(text, encoding="utf-8"))


def _page(title: str, body: str) -> str:
    about = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"<head>{about}<title>{escape(title)}</title><style>{STYLE}</style></head>"
    return f'<!doctype html>\n<html lang="en">{head}\n<body>\n{body}\n</body></html>\n'


def _lead(tuned: Tuned) -> str:
    gain = 100.0 * (1.0 - tuned.cost / tuned.before) if tuned.before else 0.0
    ride = tuned.ride
    told = TOLD.get(tuned.label, "") if tuned.label not in COSTS else ""
    cut = "" if tuned.complete else " The search was interrupted."
    return (
        f'<p class="lead"><b>{escape(tuned.label)}</b>: {tuned.before:.4g} before, <b>{tuned.cost:.4g}</b> '
        f"now, {gain:.1f} % less.</p><p>{escape(told[:1].upper() + told[1:])}{'.' if told else ''} "
        f"Washout {escape(ride.washout.kind)} on {escape(ride.simulator.platform.name)}, sampled every "
        f"{1e3 * ride.simulator.dt:g} ms; {tuned.evaluations:,} candidates.{cut}</p>"
    )


def _numbers(tuned: Tuned) -> str:
    start, tunables = tuned.start.washout.values, tuned.ride.washout.tunables
    rows = [
        [name, f"{start[name]:.4g}", f"{value:.4g}", "{:.4g} .. {:.4g}".format(*tuned.bounds[name]),
         tunables[name].unit, tunables[name].told]
        for name, value in tuned.values.items()
    ]  # fmt: skip
    head = ["number", "before", "tuned", "searched", "unit", "what it does"]
    ends = f"<p>At an end of where was searched: {', '.join(tuned.ends)}.</p>" if tuned.ends else ""
    return f"<h2>Numbers</h2>{_table(head, rows, text=(4, 5))}{ends}"


def _felt_table(before: Felt, now: Felt) -> str:
    rows: list[list[str]] = []
    for name in CHANNELS:
        pairs = [(one.errors[name], one.correlations[name], one.delays[name]) for one in (before, now)]
        cells = [_number(pair[k], digits) for k, digits in ((0, 2), (1, 2), (2, 2)) for pair in pairs]
        noticed = (now.noticed[name][0], before.noticed[name][1], now.noticed[name][1])
        rows.append([name, *cells, *(f"{seconds:.1f}" for seconds in noticed)])
    head = ["", "error before", "now", "likeness before", "now", "delay before", "now", "felt in vehicle",
            "on platform before", "now"]  # fmt: skip
    return f"{_table(head, rows)}<p>Errors in thresholds; delays and times above the threshold in s.</p>"


def _cues(now: Felt) -> str:
    cues = sorted(now.cues(), key=lambda cue: -cue.worst)[:CUES]
    rows = [[cue.channel, cue.kind, f"{cue.begin:.2f}", f"{cue.end:.2f}", f"{cue.worst:.1f}"] for cue in cues]
    told = f"<p>{len(now.cues())} intervals in which something is felt wrongly; the worst of them:</p>"
    return told + _table(["channel", "cue", "from, s", "to, s", "by, thresholds"], rows, text=(1,))


def _usage_table(before: Usage, now: Usage) -> str:
    rows: list[list[str]] = []
    for one, two in zip((*before.dofs, *before.actuators), (*now.dofs, *now.actuators), strict=True):
        shares = [(one.room, two.room), (one.speed_share, two.speed_share),
                  (one.acceleration_share, two.acceleration_share)]  # fmt: skip
        rows.append([two.name, *(_share(value) for pair in shares for value in pair)])
    head = ["", "room before", "now", "speed before", "now", "acceleration before", "now"]
    return f"{_table(head, rows)}<p>Shares of what the platform has; unlimited ones are 0.</p>"


def _sickness(tuned: Tuned, motion: Any) -> str:
    dt = tuned.ride.simulator.dt
    rows = [tuned.ride.washout.motion(motion), *(ridden(ride, motion) for ride in (tuned.start, tuned.ride))]
    doses = [dose(row[:, 2] - REST[2], dt) for row in rows]
    return (
        "<p>Motion sickness dose value of the vertical motion (ISO 2631-1, Wf): {:.3g} in the vehicle, "
        "{:.3g} on the platform before, {:.3g} now, in m/s<sup>1.5</sup>. It compares rides; it predicts "
        "nothing.</p>"
    ).format(*doses)


def _searches(tuned: Tuned, front: Front | None) -> str:
    figures = [_picture(picture.search(tuned), TRIED)]
    if front is not None:
        told = f"The front of {front.labels[0]} against {front.labels[1]}: none of these is better in both."
        figures.append(_picture(picture.front(front), told))
    return f'<div class="pair">{"".join(figures)}</div>'


def _charts(tuned: Tuned) -> str:
    """Fidelity at 1 rad/s; nothing for washouts that look ahead."""
    rides: Sequence[Ride] = (tuned.start, tuned.ride)
    if any(ride.washout.step.inputs[1].size != len(CHANNELS) for ride in rides):
        return ""
    before, now = (fidelity(ride.washout) for ride in rides)
    rows = [
        [one.axis, f"{one.gain:.3f}", f"{two.gain:.3f}", f"{one.phase_deg:.0f}°", f"{two.phase_deg:.0f}°",
         one.level, two.level]
        for one, two in zip(before.points, now.points, strict=True)
    ]  # fmt: skip
    head = ["axis", "gain before", "now", "phase before", "now", "fidelity before", "now"]
    note = "Its borders are recalled, not read off the print." if any(
        chart.recalled for chart in now.charts.values()) else ""  # fmt: skip
    told = _picture(now.plot(), f"Each axis alone at 1 rad/s, without tilt, tuned. {note}")
    return f"<h2>Chart of Sinacori and Schroeder</h2>{_table(head, rows)}{told}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], text: Sequence[int] = ()) -> str:
    def cells(kind: str, row: Sequence[str]) -> str:
        marks = [' class="text"' if k in text else "" for k in range(len(row))]
        return "".join(f"<{kind}{m}>{escape(cell)}</{kind}>" for m, cell in zip(marks, row, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><tr>{cells('th', head)}</tr>{body}</table>"


def _picture(figure: Any, told: str) -> str:
    """A figure as SVG inside the page."""
    matplotlib: Any = import_module("matplotlib")
    text = StringIO()
    with matplotlib.rc_context(
        {"svg.hashsalt": "biela", "svg.fonttype": "none", "font.family": "sans-serif"}
    ):
        figure.savefig(text, format="svg", dpi=110, metadata={"Date": None})
    drawn = text.getvalue()
    return f"<figure>{drawn[drawn.index('<svg') :]}<figcaption>{escape(told)}</figcaption></figure>"


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def _share(value: float) -> str:
    return f"{100.0 * value:.0f} %"
