"""Many two-sided geometric numbers at once: walked bit by bit, and sampled."""

from fractions import Fraction
from math import exp, log
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import entropy
from dampen.audit import law_by_enumeration
from dampen.sampling import discrete_laplace, exact, tables
from dampen.sampling.discrete_laplace import add_within, discrete_laplace_batch, truncated_laplace_batch


def law(rate: float, z: int) -> float:
    return (1 - exp(-rate)) / (1 + exp(-rate)) * exp(-rate * abs(z))


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(2), Fraction(1, 2)])
def test_every_path_of_short_words_adds_up_to_the_law(rate: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(tables, "WIDTH", 5)
    drawn, undecided = law_by_enumeration(lambda source: int(discrete_laplace_batch(rate, 1, source)[0]), depth=13)
    assert undecided < 0.05
    for z in range(-4, 5):
        low = float(drawn.get(z, Fraction(0)))
        assert low - 1e-12 <= law(float(rate), z) <= low + float(undecided) + 1e-12


@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(1, 30)])
def test_every_path_of_a_lower_part_adds_up_to_its_law(rate: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(discrete_laplace, "KEPT_BITS", 3)
    low_part = discrete_laplace._draw_low_parts
    drawn, undecided = law_by_enumeration(lambda source: int(low_part(rate, 2, 1, source)[0]), depth=13)
    assert undecided < 0.1
    whole = sum(exp(-float(rate) * part) for part in range(4))
    for part in range(4):
        least = float(drawn[part])
        assert least - 1e-12 <= exp(-float(rate) * part) / whole <= least + float(undecided) + 1e-12
    assert drawn[0] > drawn[1] > drawn[2] > drawn[3]


@pytest.mark.parametrize("rate", [Fraction(1, 17), Fraction(1, 1000), Fraction(7, 2**22), Fraction(1, 2**40)])
def test_sizes_in_two_parts_fit_their_law_and_no_other(rate: Fraction) -> None:
    drawn = discrete_laplace_batch(rate, 20_000, entropy.system_entropy())
    ends = [round(log(share) / -rate) for share in np.linspace(0.95, 0.05, 12)]
    seen = np.bincount(np.searchsorted(ends, np.abs(drawn)), minlength=len(ends) + 1)

    def expected(at: float) -> list[float]:
        """P(|z| <= k) = 1 - 2 q^(k + 1) / (1 + q)."""
        up_to = [0.0, *(1 - 2 * exp(-at * (end + 1)) / (1 + exp(-at)) for end in ends), 1.0]
        return list(np.diff(up_to) * len(drawn))

    assert chisquare(seen, expected(float(rate))).pvalue > 1e-6
    assert chisquare(seen, expected(1.1 * float(rate))).pvalue < 1e-6
    assert abs(int((drawn > 0).sum()) - int((drawn < 0).sum())) < 5 * len(drawn) ** 0.5
    if rate * 2**20 < 1:  # the last bits of a size are fair
        assert abs(int((drawn & 1).sum()) - len(drawn) / 2) < 5 * len(drawn) ** 0.5 / 2


def test_sizes_in_two_parts_are_exact_beyond_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    highs = iter([[2**16, 2**16 - 1, 2**40]])
    monkeypatch.setattr(discrete_laplace, "_draw_sizes", lambda *_: np.array(next(highs), dtype=np.int64))
    monkeypatch.setattr(discrete_laplace, "_draw_low_parts", lambda *_: np.array([3, 3, 3], dtype=np.int64))
    drawn = np.abs(discrete_laplace_batch(Fraction(1, 2**40), 3, entropy.system_entropy()))
    assert drawn.tolist() == [2**52 + 3, (2**16 - 1) * 2**36 + 3, 2**63 - 1]


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(3, 7), Fraction(4)])
def test_a_sample_fits_its_law_and_no_other(rate: Fraction) -> None:
    drawn = discrete_laplace_batch(rate, 20_000, entropy.system_entropy())
    edges = np.unique(np.quantile(drawn, np.linspace(0, 1, 9)[1:-1]).astype(int))

    def expected(at: float) -> list[float]:
        cells = np.searchsorted(edges, np.arange(-2000, 2001))
        shares = np.bincount(cells, [law(at, z) for z in range(-2000, 2001)], minlength=len(edges) + 1)
        return list(shares / shares.sum() * len(drawn))

    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    assert chisquare(seen, expected(float(rate))).pvalue > 1e-6
    assert chisquare(seen, expected(1.3 * float(rate))).pvalue < 1e-6


def test_few_draws_need_more_than_their_first_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(*_: object, width: int, **__: object) -> int:
        asked.append(width)
        return 0

    monkeypatch.setattr("dampen.sampling.discrete_laplace.draw_size", counted)
    discrete_laplace_batch(Fraction(1, 10), 10_000, entropy.system_entropy())
    assert 0 < len(asked) < 100
    assert set(asked) == {tables.WIDTH}


def test_sums_are_cut_off_as_if_the_noise_were_not() -> None:
    numbers = np.array([0, 1, 7, 2**62])
    for size in (0, 5, 2**62 - 3, 2**62, 2**63 - 1):
        for noise in (size, -size):
            expected = [max(min(number + noise, 2**62), -(2**62)) for number in numbers.tolist()]
            assert add_within(numbers, np.full(4, noise)).tolist() == expected
    assert add_within(numbers[:3], np.full(3, 2**63 - 1)).tolist() == [2**62] * 3


@pytest.mark.parametrize(("rate", "last"), [(Fraction(1, 40), 9), (Fraction(1, 10), 9), (Fraction(1, 3), 5)])
def test_truncated_numbers_fit_their_law_and_no_other(rate: Fraction, last: int) -> None:
    drawn = truncated_laplace_batch(rate, last, 40_000, entropy.system_entropy())
    seen = np.bincount(drawn + last, minlength=2 * last + 1)

    def expected(at: float) -> list[float]:
        shares = np.array([exp(-at * abs(z)) for z in range(-last, last + 1)])
        return list(shares / shares.sum() * len(drawn))

    assert chisquare(seen, expected(float(rate))).pvalue > 1e-6
    assert chisquare(seen, expected(float(rate) + 0.1)).pvalue < 1e-6


@pytest.mark.parametrize(
    ("rate", "last"), [(Fraction(1, 10**30), 499_999), (Fraction(1, 2**512), 2**40), (Fraction(1), 0)]
)
def test_numbers_of_a_tiny_rate_are_drawn_in_a_few_tries(
    rate: Fraction, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []
    keep = discrete_laplace._keep_by_size

    def counted(*given: Any) -> Any:
        tries.append(1)
        return keep(*given)

    monkeypatch.setattr(discrete_laplace, "_keep_by_size", counted)
    drawn = truncated_laplace_batch(rate, last, 1000, entropy.system_entropy())
    assert np.abs(drawn).max() <= last
    assert len(tries) < 60
    assert last == 0 or abs(float(drawn.mean())) < last / 5
