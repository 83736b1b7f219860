"""Particle filters: beliefs of any shape, from an unknown start, over every way a mechanism closes.

A registry of kinds and one of resamplers; adding a kind is adding a file with a final class and a row here.
"""

from __future__ import annotations

from biela.observe.particle.adaptive import Adaptive
from biela.observe.particle.auxiliary import Auxiliary
from biela.observe.particle.bootstrap import Bootstrap
from biela.observe.particle.estimate import Estimate
from biela.observe.particle.filter import ParticleFilter
from biela.observe.particle.marginalised import RaoBlackwellised
from biela.observe.particle.prior import Prior
from biela.observe.particle.regularised import Regularised
from biela.observe.particle.resampler import RESAMPLERS
from biela.observe.particle.sir import OptionError, Options, Sir
from biela.observe.particle.swarm import Particle, Swarm

PARTICLE_FILTERS: dict[str, type[ParticleFilter]] = {
    kind.key: kind for kind in (Bootstrap, Sir, Auxiliary, Regularised, RaoBlackwellised, Adaptive)
}

__all__ = [
    "PARTICLE_FILTERS",
    "RESAMPLERS",
    "Adaptive",
    "Auxiliary",
    "Bootstrap",
    "Estimate",
    "OptionError",
    "Options",
    "Particle",
    "ParticleFilter",
    "Prior",
    "RaoBlackwellised",
    "Regularised",
    "Sir",
    "Swarm",
]
