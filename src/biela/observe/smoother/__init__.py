"""Smoothers: estimates of a moment from readings before and after it. One final class in one file.

Adding one is adding a file and a row here. That of particle filters is by itself, since it has their start.
"""

from __future__ import annotations

from biela.observe.smoother.batch import BatchSmoother
from biela.observe.smoother.fixed_lag import FixedLag
from biela.observe.smoother.particle import ParticleSmoother
from biela.observe.smoother.rts import RauchTungStriebel
from biela.observe.smoother.smoother import Smoother

SMOOTHERS: dict[str, type[Smoother]] = {row.key: row for row in (RauchTungStriebel, FixedLag, BatchSmoother)}

__all__ = ["SMOOTHERS", "BatchSmoother", "FixedLag", "ParticleSmoother", "RauchTungStriebel", "Smoother"]
