"""The race: certified bounds of the largest noise of a group, and the right group size."""

import numpy as np
import pytest
from flint import arb, ctx

from dampen.sampling import race, tables


@pytest.mark.parametrize("noise", [race.ExponentialNoise(), race.LaplaceNoise()])
def test_first_bounds_enclose_the_quantile_everywhere(noise: race.Noise) -> None:
    for y in np.concatenate([np.geomspace(1e-12, 40, 400), np.linspace(0.68, 0.71, 61)]):
        with ctx.workprec(120):
            truth = float(noise.ball(arb(float(y))))
        point, log_point = np.array([y]), np.log(np.array([y]))
        assert noise.below(point, log_point)[0] <= truth + 1e-9
        assert noise.above(point, log_point)[0] >= truth - 1e-9


def test_the_laplace_quantile_inverts_the_distribution_function() -> None:
    noise = race.LaplaceNoise()
    for v in (-3.0, -0.5, 0.0, 0.5, 3.0):
        cdf = np.exp(v) / 2 if v < 0 else 1 - np.exp(-v) / 2
        assert float(noise.ball(arb(float(-np.log(cdf))))) == pytest.approx(v, abs=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 65_535, 65_536, 65_537, 10**9, 2**61 - 1, 3**200])
def test_logarithms_of_sizes_are_enclosed(size: int) -> None:
    _, _, low, high = race._sizes((size,))
    with ctx.workprec(120):
        truth = float(arb(size).log())
    assert low[0] - 1e-9 <= truth <= high[0] + 1e-9
    last_prefix = (size << 16) >> size.bit_length() == 2**16 - 1
    assert high[0] - low[0] < (1.1 if last_prefix else 1e-4)


def test_an_undecided_first_look_keeps_everyone_in_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    from fractions import Fraction

    from dampen.audit import ScriptedEntropy
    from dampen.sampling.exponents import Exponents

    monkeypatch.setattr(tables, "WIDTH", 2)
    level = Exponents.of_whole(np.array([5, 5, 5]), Fraction(1))
    runners = race._first_look(level, race.LaplaceNoise(), ScriptedEntropy((1, 1) * 3))
    assert [runner.group for runner in runners] == [0, 1, 2]
