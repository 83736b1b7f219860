"""The goodness of fit, in both conventions."""

import numpy as np
import pytest

from biela.cueing import nrmse

REFERENCE = np.arange(1.0, 6.0)


def test_the_example_of_the_source_in_both_conventions():
    assert nrmse(REFERENCE, REFERENCE + 0.5) == pytest.approx(0.6464466094067263, abs=1e-15)
    assert nrmse(REFERENCE, REFERENCE + 0.5, "error") == pytest.approx(1 - 0.6464466094067263, abs=1e-15)


def test_equality_is_best_and_the_mean_is_zero():
    assert nrmse(REFERENCE, REFERENCE) == 1.0
    assert nrmse(REFERENCE, np.full(5, 3.0)) == pytest.approx(0.0)
    assert nrmse(REFERENCE, -10 * REFERENCE) < -5


def test_wrong_references():
    with pytest.raises(ValueError, match="reference is constant"):
        nrmse([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="one length"):
        nrmse([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="finite"):
        nrmse([1.0, 2.0], [1.0, np.nan])
    with pytest.raises(ValueError, match=r"Unknown convention 'nmse'\. Known: fit, error"):
        nrmse(REFERENCE, REFERENCE, "nmse")
