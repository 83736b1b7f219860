"""Filters: each a final class in one file; a step of any of them is one Function.

Adding one is adding a file and a row here.
"""

from __future__ import annotations

from biela.observe.filter.continuous import ContinuousKalman
from biela.observe.filter.ensemble import EnsembleKalman
from biela.observe.filter.error_state import ErrorStateKalman
from biela.observe.filter.extended import ExtendedKalman
from biela.observe.filter.filter import Filter
from biela.observe.filter.iterated import IteratedKalman
from biela.observe.filter.projection import ProjectionKalman
from biela.observe.filter.square_root_extended import SquareRootExtended
from biela.observe.filter.square_root_unscented import SquareRootUnscented
from biela.observe.filter.unscented import UnscentedKalman

FILTERS: dict[str, type[Filter]] = {
    row.key: row
    for row in (
        ExtendedKalman,
        IteratedKalman,
        SquareRootExtended,
        ContinuousKalman,
        ErrorStateKalman,
        ProjectionKalman,
        UnscentedKalman,
        SquareRootUnscented,
        EnsembleKalman,
    )
}

__all__ = [
    "FILTERS",
    "ContinuousKalman",
    "EnsembleKalman",
    "ErrorStateKalman",
    "ExtendedKalman",
    "Filter",
    "IteratedKalman",
    "ProjectionKalman",
    "SquareRootExtended",
    "SquareRootUnscented",
    "UnscentedKalman",
]
