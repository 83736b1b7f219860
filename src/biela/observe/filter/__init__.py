"""Filters: each a final class in one file; a step of any of them is one Function.

Adding one is adding a file and a row here.
"""

from __future__ import annotations

from biela.observe.filter.extended import ExtendedKalman
from biela.observe.filter.filter import Filter
from biela.observe.filter.unscented import UnscentedKalman

FILTERS: dict[str, type[Filter]] = {row.key: row for row in (ExtendedKalman, UnscentedKalman)}

__all__ = ["FILTERS", "ExtendedKalman", "Filter", "UnscentedKalman"]
