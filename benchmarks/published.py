"""What the thesis prints of its five models, and what ours must reach and aim at.

A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015, chapter 6; times are of unknown hardware. Counts
of single Functions are those of case C, its best general way. Where two of its tables disagree, the smaller
figure stands here.
"""

from __future__ import annotations

from typing import NamedTuple

MODELS = ("block_pendulum", "four_bar_general", "crank_rod_disc", "stewart", "locomotive")


Table = dict[str, float]


class Bound(NamedTuple):
    """What must hold, and what would be good."""

    must: float
    aim: float


def _rows(**columns: tuple[float | None, ...]) -> dict[tuple[str, str], float]:
    """(model, function) -> figure, from columns in the order of `MODELS`."""
    named = {name.replace("_and_", "|"): column for name, column in columns.items()}
    return {
        (model, name): value
        for name, column in named.items()
        for model, value in zip(MODELS, column, strict=True)
        if value is not None
    }


OPERATIONS = _rows(  # tables 6.1, 6.5, 6.6; 6.7
    M=(8, 63, 37, 486, 12782),
    delta=(16, 212, 123, 2667, 26626),
    M_and_delta=(21, 264, 150, 3106, 36695),
    Phi_dq=(None, 42, 123, 618, 8449),
    gamma=(None, 76, 226, 917, 28202),
) | {("four_bar_general", "Phi|Phi_q"): 43}

ATOMS = _rows(  # table 6.4, C.2; 6.7
    M=(1, 13, 4, 66, 2076),
    delta=(3, 51, 30, 455, 4740),
    Phi_dq=(None, 16, 23, 114, 1144),
    gamma=(None, 24, 41, 214, 5195),
) | {("four_bar_general", "M|delta"): 60, ("four_bar_general", "Phi|Phi_q"): 18}

JOINT: Table = {model: OPERATIONS[model, "M|delta"] for model in MODELS}
SEPARATE: Table = dict(zip(MODELS, (24, 275, 160, 3153, 39408), strict=True))  # M and delta apart, table 6.6
DOWN: Table = dict(zip(MODELS, (21, 303, 164, 4923, 39170), strict=True))  # table 6.10
CLASSIC: Table = dict(zip(MODELS, (23, 353, 197, 3375, 60474), strict=True))  # table 6.12
SECONDS: Table = dict(
    zip(MODELS, (0.026, 0.116, 0.151, 2.522, 849.11), strict=True)
)  # all sets, table 6.2, C
SECONDS_DIRECT: Table = dict(zip(MODELS, (0.017, 0.050, 0.030, 0.697, 132.213), strict=True))  # table 6.11
SECONDS_CLASSIC: Table = dict(zip(MODELS, (0.017, 0.055, 0.037, 1.702, 4709.2), strict=True))  # table 6.11
SECONDS_EXPLOITING: Table = {"crank_rod_disc": 0.012, "locomotive": 79.703}  # table 6.13
TIP: Table = {"down": 54, "up": 21}  # r_O^C of the four-bar by the position operator, table 6.9
EVALUATION: Table = {  # one call for both over two calls, MATLAB, table 6.8
    "block_pendulum": 5.999 / 12.221, "four_bar_general": 13.052 / 18.636, "crank_rod_disc": 10.004 / 17.514,
    "stewart": 95.804 / 106.23, "locomotive": 908.083 / 1004.9,
}  # fmt: skip
AFTERWARDS = _rows(  # shared afterwards, by Maple: table 6.5, C.1
    M=(8, 72, 33, 473, 13922),
    delta=(16, 244, 111, 2857, 31174),
)

BOUNDS = {
    ("block_pendulum", "M|delta"): Bound(16, 14),
    ("four_bar_general", "M"): Bound(39, 39),
    ("four_bar_general", "M|delta"): Bound(135, 109),
    ("four_bar_general", "Phi|Phi_q"): Bound(25, 25),
    ("four_bar_general", "r_O^C"): Bound(21, 21),
    ("crank_rod_disc", "M|delta"): Bound(130, 100),
    ("stewart", "M|delta"): Bound(2400, 1500),
    ("locomotive", "M|delta"): Bound(30000, 18000),
}
BOUNDS_SECONDS = {"stewart": Bound(1.0, 0.3), "locomotive": Bound(30.0, 10.0)}  # all sets
