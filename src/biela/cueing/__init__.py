"""Motion platforms and washout: what platforms can do, how they answer, how a ride is brought to them.

Its names stay in the room: ``bl.cueing.TwoRSSU.source_002()``. They are imported when they are first used.
"""

from typing import TYPE_CHECKING

from biela.lazy import attach

if TYPE_CHECKING:
    from biela.cueing import drive as drive
    from biela.cueing import sickness as sickness
    from biela.cueing import signal as signal
    from biela.cueing import source_002 as source_002
    from biela.cueing import validation as validation
    from biela.cueing.channel import Channel as Channel
    from biela.cueing.characterisation import attenuation as attenuation
    from biela.cueing.characterisation import latency as latency
    from biela.cueing.characterisation import step_times as step_times
    from biela.cueing.chart import fidelity as fidelity
    from biela.cueing.combination import Bisection as Bisection
    from biela.cueing.combination import Combination as Combination
    from biela.cueing.combination import Exact as Exact
    from biela.cueing.combination import Priority as Priority
    from biela.cueing.feeling import felt as felt
    from biela.cueing.fitness import nrmse as nrmse
    from biela.cueing.fitting import fit as fit
    from biela.cueing.fitting import fit_grid as fit_grid
    from biela.cueing.live.live import Live as Live
    from biela.cueing.live.server import Server as Server
    from biela.cueing.objective import omct as omct
    from biela.cueing.page import report as report
    from biela.cueing.perception import CANALS as CANALS
    from biela.cueing.perception import OTOLITHS as OTOLITHS
    from biela.cueing.perception import SENSES as SENSES
    from biela.cueing.perception import Senses as Senses
    from biela.cueing.plant import Plant as Plant
    from biela.cueing.platform import PLATFORMS as PLATFORMS
    from biela.cueing.platform import Hexapod as Hexapod
    from biela.cueing.platform import Limits as Limits
    from biela.cueing.platform import Platform as Platform
    from biela.cueing.platform import RotaryHexapod as RotaryHexapod
    from biela.cueing.platform import SerialArm as SerialArm
    from biela.cueing.platform import ThreeDof as ThreeDof
    from biela.cueing.platform import TwoRSSU as TwoRSSU
    from biela.cueing.recording import Recording as Recording
    from biela.cueing.ride import Ride as Ride
    from biela.cueing.simulator import Simulator as Simulator
    from biela.cueing.trial import Trial as Trial
    from biela.cueing.tuner import pareto as pareto
    from biela.cueing.tuner import tune as tune
    from biela.cueing.usage import used as used
    from biela.cueing.validation import characterise as characterise
    from biela.cueing.validation import validate as validate
    from biela.cueing.washout.adaptive import AdaptiveWashout as AdaptiveWashout
    from biela.cueing.washout.classical import ClassicalWashout as ClassicalWashout
    from biela.cueing.washout.exact import exactly as exactly
    from biela.cueing.washout.guard import Guard as Guard
    from biela.cueing.washout.optimal import OptimalWashout as OptimalWashout
    from biela.cueing.washout.predictive import PredictiveWashout as PredictiveWashout
    from biela.cueing.washout.preset import PRESETS as PRESETS
    from biela.cueing.washout.registry import WASHOUTS as WASHOUTS
    from biela.cueing.washout.washout import Washout as Washout

_NAMES = {
    "channel": "Channel",
    "characterisation": "attenuation latency step_times",
    "chart": "fidelity",
    "combination": "Bisection Combination Exact Priority",
    "feeling": "felt",
    "fitness": "nrmse",
    "fitting": "fit fit_grid",
    "live.live": "Live",
    "live.server": "Server",
    "objective": "omct",
    "page": "report",
    "perception": "CANALS OTOLITHS SENSES Senses",
    "plant": "Plant",
    "platform": "PLATFORMS Hexapod Limits Platform RotaryHexapod SerialArm ThreeDof TwoRSSU",
    "recording": "Recording",
    "ride": "Ride",
    "simulator": "Simulator",
    "trial": "Trial",
    "tuner": "pareto tune",
    "usage": "used",
    "validation": "characterise validate",
    "washout.adaptive": "AdaptiveWashout",
    "washout.classical": "ClassicalWashout",
    "washout.exact": "exactly",
    "washout.guard": "Guard",
    "washout.optimal": "OptimalWashout",
    "washout.predictive": "PredictiveWashout",
    "washout.preset": "PRESETS",
    "washout.registry": "WASHOUTS",
    "washout.washout": "Washout",
}
_HOMES = {name: f"biela.cueing.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:
    _ROOMS = ("drive", "sickness", "signal", "source_002", "validation")
    __getattr__, __dir__ = attach(__name__, _HOMES, rooms=_ROOMS)
