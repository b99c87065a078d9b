"""The race: certified bounds of the largest noise of a group, and the right group size."""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from dampen.audit import ScriptedEntropy
from dampen.sampling import race, tables
from dampen.sampling.buckets import BucketSampler
from dampen.sampling.exponents import Exponents
from dampen.vectors import whole_sizes


@pytest.mark.parametrize("noise", [race.ExponentialNoise(), race.LaplaceNoise()])
def test_first_bounds_enclose_the_quantile_everywhere(noise: race.RaceNoise) -> None:
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


@pytest.mark.parametrize(
    "size", [1, 2, 3, 65_535, 65_536, 65_537, 10**9, 2**61 - 1, 2**62 - 1, 2**62, 2**64 + 1, 3**200, 2**1000]
)
def test_logarithms_of_sizes_are_enclosed(size: int) -> None:
    _, _, low, high = race._sizes(whole_sizes((size,)))
    with ctx.workprec(120):
        truth = float(arb(size).log())
    assert low[0] - 1e-9 <= truth <= high[0] + 1e-9
    last_prefix = (size << 16) >> size.bit_length() == 2**16 - 1
    assert high[0] - low[0] < (1.1 if last_prefix else 1e-4)


def test_an_undecided_first_look_keeps_everyone_in_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "WIDTH", 2)
    level = Exponents.of_whole(np.array([5, 5, 5]), Fraction(1))
    runners = race._first_look(level, race.LaplaceNoise(), ScriptedEntropy((1, 1) * 3))
    assert [runner.group for runner in runners] == [0, 1, 2]


# Sizes of two types

NEAR_POWERS = sorted({max(1, 2**power + by) for power in range(62) for by in (-1, 0, 1)} | {2**62 - 1, 3**38, 10**18})


def test_leading_bits_by_definition() -> None:
    """Also where a float would round up to the next power of two."""
    for kind in (np.int64, object):
        lengths, leading = race._leading_bits(np.array(NEAR_POWERS, dtype=kind))
        assert lengths.tolist() == [size.bit_length() for size in NEAR_POWERS]
        assert leading.tolist() == [(size << tables.WIDTH) >> size.bit_length() for size in NEAR_POWERS]


def test_sizes_of_either_type_have_the_same_bounds() -> None:
    narrow, wide = (race._sizes(np.array(NEAR_POWERS, dtype=kind)) for kind in (np.int64, object))
    for one, other in zip(narrow, wide, strict=True):
        assert one.dtype == other.dtype == np.float64
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("sizes", [NEAR_POWERS, [2**62, 2**64 + 1, 3**200, 2**999, 2**1000, 2**1000 + 1, 2**5000]])
def test_bounds_of_sizes_enclose_them(sizes: list[int]) -> None:
    low, high, log_low, log_high = race._sizes(whole_sizes(sizes))
    for place, size in enumerate(sizes):
        assert Fraction(low[place]) <= size
        assert high[place] == np.inf or Fraction(high[place]) >= size
        with ctx.workprec(200):
            truth = arb(size).log()
            assert arb(float(log_low[place])) <= truth + race.SLACK
            assert arb(float(log_high[place])) >= truth - race.SLACK


@pytest.mark.parametrize(
    ("scores", "sizes"),
    [
        ([3, 2, 0, 2], [1, 2, 3, 4]),
        ([80, 25, 7, 52], [1, 2**40, 2**53 + 1, 2**20]),
        ([0, 0, 0, 81], [2**61, 2**61 + 1, 2**61, 5]),
    ],
    ids=str,
)
@pytest.mark.parametrize("way", ["exponential noise", "laplace noise", "pareto noise", "buckets"])
def test_the_same_bits_draw_the_same_member_from_sizes_of_either_type(
    way: str, scores: list[int], sizes: list[int]
) -> None:
    """Larger groups score less, so that all have a chance."""
    noises = {
        "exponential noise": race.ExponentialNoise(),
        "laplace noise": race.LaplaceNoise(),
        "pareto noise": race.ParetoNoise(Fraction(2)),
    }

    def drawn(kind: type, seed: int) -> tuple[tuple[int, int], int]:
        level = Exponents.of_whole(np.array(scores), Fraction(1, 2), np.array(sizes, dtype=kind))
        source = ScriptedEntropy(random.Random(seed).choices((0, 1), k=5000))
        if way == "buckets":
            return BucketSampler(level).draw(source), source.used
        return race.draw_by_race(level, noises[way], source), source.used

    outcomes = [(drawn(np.int64, seed), drawn(object, seed)) for seed in range(40)]
    assert all(narrow == wide for narrow, wide in outcomes)
    assert all(type(part) is int for ((pick, _), _) in outcomes for part in pick)
    assert all(0 <= member < sizes[group] for ((group, member), _), _ in outcomes)
    assert len({group for ((group, _), _), _ in outcomes}) > 1 or way == "pareto noise"
