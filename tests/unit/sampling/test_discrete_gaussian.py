"""Whole numbers of a normal law: walked bit by bit, and sampled."""

from fractions import Fraction
from math import exp, isqrt

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import entropy
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.sampling import discrete_gaussian, exact
from dampen.sampling.discrete_gaussian import discrete_gaussian as draw_one
from dampen.sampling.discrete_gaussian import discrete_gaussian_batch
from dampen.vectors import Floats, Integers

VARIANCES = [Fraction(1, 20), Fraction(1, 2), Fraction(1), Fraction(9, 2)]


def law(variance: float, last: int) -> Floats:
    """P(-last), ..., P(last), from their definition."""
    weights = np.exp(-(np.arange(-last, last + 1.0) ** 2) / (2 * variance))
    return np.asarray(weights / weights.sum())


def require_fit(drawn: Integers, variance: Fraction, wrong: float) -> None:
    """Demand that a sample fits its law at 1e-6, and does not fit that of a wrong variance."""
    last = int(20 * float(variance) ** 0.5) + 5
    edges = np.unique(np.quantile(drawn, np.linspace(0, 1, 13)[1:-1]).astype(int))
    cells = np.searchsorted(edges, np.arange(-last, last + 1))

    def expected(at: float) -> Floats:
        return np.asarray(np.bincount(cells, law(at, last), minlength=len(edges) + 1) * float(len(drawn)))

    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    assert chisquare(seen, expected(float(variance))).pvalue > 1e-6
    assert chisquare(seen, expected(wrong * float(variance))).pvalue < 1e-6


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(9, 2)], ids=str)
def test_every_path_of_short_words_adds_up_to_the_law(variance: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    drawn, undecided = law_by_enumeration(lambda source: draw_one(variance, source), depth=10)
    assert undecided < 0.7, "most of what is left are second tries"
    for z, share in enumerate(law(float(variance), 20), start=-20):
        low = float(drawn.get(z, Fraction(0)))
        assert low - 1e-12 <= share <= low + float(undecided) + 1e-12


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
@pytest.mark.parametrize("number", [0, 1, -1, 2, -5])
def test_every_path_of_a_proposal_keeps_it_with_its_probability(
    variance: Fraction, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a batch proposes has a law that is walked by itself; what is added here is how each is kept."""
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(discrete_gaussian, "KEPT_BITS", 3)
    proposals = discrete_gaussian._Proposals(variance)
    kept, undecided = law_by_enumeration(lambda bits: bool(proposals.keep(np.array([number]), bits)[0]), depth=9)
    assert undecided < 0.01
    low = float(kept.get(True, Fraction(0)))
    assert low - 1e-12 <= exp(-proposals.exponent(abs(number))) <= low + float(undecided) + 1e-12


class Asked:
    """Proposes given numbers, keeps each of them, and remembers the rates and exponents that it was asked for."""

    def __init__(self, numbers: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
        self.numbers, self.rates, self.exponents = numbers, list[Fraction](), list[Fraction]()
        monkeypatch.setattr(discrete_gaussian, "discrete_laplace", self.propose)
        monkeypatch.setattr(discrete_gaussian, "discrete_laplace_batch", self.propose_all)
        monkeypatch.setattr(discrete_gaussian, "uniform_bits", lambda count, *_: np.zeros(count, dtype=np.int64))
        monkeypatch.setattr(exact, "coin", self.toss)

    def propose(self, rate: Fraction, source: object) -> int:
        self.rates.append(rate)
        return self.numbers[len(self.rates) - 1]

    def propose_all(self, rate: Fraction, count: int, source: object) -> Integers:
        self.rates.append(rate)
        return np.array(self.numbers)

    def toss(self, x: Fraction, *_: object, **__: object) -> bool:
        self.exponents.append(x)
        return True

    def require_law(self, variance: Fraction) -> None:
        """Demand that rate |k| and exponent are k^2 / (2 s) and a constant, in fractions."""
        [rate] = set(self.rates)
        width = 1 / rate
        assert (width - 1) ** 2 <= variance < width**2
        for k, x in zip(self.numbers, self.exponents, strict=True):
            assert abs(k) * rate + x == Fraction(k**2) / (2 * variance) + variance / (2 * width**2)


WIDTHS = [*VARIANCES, Fraction(300), Fraction(10**9, 7), Fraction(10**30)]


@pytest.mark.parametrize("variance", WIDTHS, ids=str)
def test_what_one_draw_asks_for_is_exactly_its_law(variance: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked([0, 1, -1, 2, -17, 10**6, -(10**20)], monkeypatch)
    assert [draw_one(variance, entropy.system_entropy()) for _ in asked.numbers] == asked.numbers
    asked.require_law(variance)


@pytest.mark.parametrize("variance", WIDTHS, ids=str)
def test_what_a_batch_asks_for_is_exactly_its_law(variance: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that are kept less often than 2^-48: there bits of 0 leave all to the coin."""
    far = 12 * (isqrt(int(variance)) + 1)
    asked = Asked([far, -far, far + 1, -2 * far], monkeypatch)
    drawn = discrete_gaussian_batch(variance, 4, entropy.system_entropy())
    assert drawn.tolist() == asked.numbers
    asked.require_law(variance)


class SecondTry(Exception):
    """The first number was not kept."""


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
@pytest.mark.parametrize("number", [0, 1, -2])
def test_every_path_of_one_try_keeps_it_with_its_probability(
    variance: Fraction, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)

    def keeps(bits: ScriptedEntropy) -> bool:
        tries = iter([number])

        def propose(*_: object) -> int:
            try:
                return next(tries)
            except StopIteration:
                raise SecondTry from None

        monkeypatch.setattr(discrete_gaussian, "discrete_laplace", propose)
        try:
            return draw_one(variance, bits) == number
        except SecondTry:
            return False

    kept, undecided = law_by_enumeration(keeps, depth=10)
    assert undecided < 0.005
    width = isqrt(int(variance)) + 1
    chance = exp(-((abs(number) - variance / width) ** 2) / (2 * variance))
    low = float(kept.get(True, Fraction(0)))
    assert low - 1e-12 <= chance <= low + float(undecided) + 1e-12


@pytest.mark.parametrize("kept", [1, 2, 4])
def test_what_is_not_kept_is_drawn_again(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    coins, proposed = iter([False] * (kept - 1) + [True]), iter(range(1, 9))
    monkeypatch.setattr(discrete_gaussian, "discrete_laplace", lambda *_: next(proposed))
    monkeypatch.setattr(exact, "coin", lambda *_: next(coins))
    assert draw_one(Fraction(1), entropy.system_entropy()) == kept


@pytest.mark.parametrize("variance", [Fraction(9, 2), Fraction(300)], ids=str)
def test_a_sample_one_by_one_fits_its_law_and_no_other(variance: Fraction) -> None:
    source = entropy.system_entropy()
    require_fit(np.array([draw_one(variance, source) for _ in range(1500)]), variance, wrong=1.7)


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(7, 3), Fraction(100), Fraction(10**6, 7)], ids=str)
def test_a_sample_fits_its_law_and_no_other(variance: Fraction) -> None:
    require_fit(discrete_gaussian_batch(variance, 40_000, entropy.system_entropy()), variance, wrong=1.1)


@pytest.mark.parametrize("variance", [Fraction(10**16), Fraction(1, 7) * 10**22], ids=["1e8", "4e10"])
def test_wide_samples_have_normal_sizes_and_fair_last_bits(variance: Fraction) -> None:
    drawn = discrete_gaussian_batch(variance, 40_000, entropy.system_entropy())
    scaled = drawn / float(variance) ** 0.5
    require_fit(np.rint(scaled * 30).astype(np.int64), Fraction(900), wrong=1.1)
    assert abs(int((drawn & 1).sum()) - 20_000) < 500


def test_large_sizes_are_kept_as_rarely_as_the_law_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 2^63 a size is only known to be so large; what lies beyond is drawn, and kept by its own probability."""
    variance, largest = Fraction(2**126), 2**63 - 1
    proposals = discrete_gaussian._Proposals(variance)
    offs = iter(range(10**6))

    def further(rate: Fraction, source: object) -> int:
        return 2**62 * next(offs)

    asked: list[Fraction] = []

    def coin(x: Fraction, *_: object, **__: object) -> bool:
        asked.append(x)
        return True

    monkeypatch.setattr(discrete_gaussian, "geometric", further)
    monkeypatch.setattr(exact, "coin", coin)
    kept = proposals.keep(np.array([largest, -largest]), entropy.system_entropy())
    assert kept.all()
    assert asked[-2:] == [proposals.exponent(largest), proposals.exponent(largest + 2**62)]
    assert float(asked[-1]) == pytest.approx((1.5 - 1) ** 2 / 2, rel=1e-9)


def test_a_kept_number_has_the_probability_of_its_exponent() -> None:
    for variance in VARIANCES:
        proposals = discrete_gaussian._Proposals(variance)
        weights = [exp(-float(size * proposals.rate + proposals.exponent(size))) for size in range(6)]
        expected = [exp(-(size**2) / float(2 * variance)) for size in range(6)]
        assert [each / weights[0] for each in weights] == pytest.approx(expected, rel=1e-12)


def test_any_variance_costs_few_tries() -> None:
    for variance in (Fraction(1, 10**30), Fraction(10**30), Fraction(10**60)):
        assert isinstance(draw_one(variance, entropy.system_entropy()), int)
        assert len(discrete_gaussian_batch(variance, 5, entropy.system_entropy())) == 5
