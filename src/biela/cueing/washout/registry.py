"""`WASHOUTS`: the registry, name -> class. A washout of its own is a class derived from `Washout`."""

from biela.cueing.washout.adaptive import AdaptiveWashout
from biela.cueing.washout.classical import ClassicalWashout
from biela.cueing.washout.optimal import OptimalWashout
from biela.cueing.washout.predictive import PredictiveWashout
from biela.cueing.washout.washout import Washout

WASHOUTS: dict[str, type[Washout]] = {
    kind.kind: kind for kind in (ClassicalWashout, AdaptiveWashout, OptimalWashout, PredictiveWashout)
}
