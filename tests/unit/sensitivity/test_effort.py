"""The cause of steady run time: exact fractions are not reached by ordinary data, however wide its gaps."""

import numpy as np
import pytest

from dampen.sensitivity import Constant, RungTable, SensitivityFunction
from dampen.sensitivity import pairs as pair_module


@pytest.mark.parametrize("gap", [10.0, 1e3, 1e5, 1e6])
def test_wide_gaps_stay_in_floats(gap: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def reached(*args: object, **kwargs: object) -> None:
        raise AssertionError("the exact fallback was reached")

    monkeypatch.setattr(SensitivityFunction, "_exact_inverse", reached)
    monkeypatch.setattr(pair_module, "_exact_deficit", reached)
    utilities = np.linspace(0, gap, 50)
    for function in (Constant(1, size=50), RungTable([[0.25] * 50] * 5, bound=1)):
        function.inverse(utilities)
        pair_module.deficits_by_sum(utilities, function)
        pair_module.deficits_by_max(utilities, function)
