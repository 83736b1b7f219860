"""The studies of SimTKpf: how a particle filter fares over step size, particle number and motion noise."""

from biela.observe.study.convergence import Study, Tested, motion_noise, particle_number
from biela.observe.study.file import write_texts
from biela.observe.study.timing import Timed, break_even, timing
from biela.observe.study.trial import Mechanism, Outcome, Trajectories, Trial, replayed, tried

__all__ = [
    "Mechanism",
    "Outcome",
    "Study",
    "Tested",
    "Timed",
    "Trajectories",
    "Trial",
    "break_even",
    "motion_noise",
    "particle_number",
    "replayed",
    "timing",
    "tried",
    "write_texts",
]
