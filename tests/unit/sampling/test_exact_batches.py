"""What group-by draws with: dice, coins of one probability, subsets by rejection, picks in turn."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import exp
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import entropy
from dampen.audit import law_by_enumeration
from dampen.certified import ball
from dampen.mechanisms import laws
from dampen.mechanisms.laws import sets_in_turn
from dampen.sampling import exact, tables
from dampen.sampling.exact import Chosen, draw_subset, event_batch, uniform_batch
from dampen.sampling.flips import draw_in_turn

ALPHA = 1e-6


def fits(counts: list[int], law: list[float]) -> bool:
    return bool(chisquare(counts, np.array(law) * sum(counts)).pvalue > ALPHA)


@pytest.mark.parametrize("size", [7, 2**16, 2**16 + 1, 10**6, 2**31, 2**32])
def test_dice_of_any_size_are_fair(size: int) -> None:
    drawn = uniform_batch(40_000, size, entropy.system_entropy())
    assert drawn.min() >= 0
    assert drawn.max() < size
    parts = min(size, 16)
    counts = np.bincount(drawn * parts // size, minlength=parts).tolist()
    law = [(-(-(i + 1) * size // parts) - -(-i * size // parts)) / size for i in range(parts)]
    assert fits(counts, law)


class Words:
    """Plays back 16-bit words."""

    def __init__(self, *words: int) -> None:
        self._words = list(words)

    def bits(self, count: int) -> int:
        raise AssertionError

    def words(self, count: int, width: int) -> Any:
        taken, self._words = self._words[:count], self._words[count:]
        return np.array(taken, dtype=np.uint16)


def test_words_that_favour_some_are_drawn_again() -> None:
    """The last 2^32 - 4294 * 10^6 double words are not fair for a million."""
    assert uniform_batch(1, 10**6, Words(65535, 7, 3, 9)).tolist() == [(3 * 65536 + 9) % 10**6]
    assert uniform_batch(1, 2**16 + 1, Words(65535, 65534)).tolist() == [(65535 * 65536 + 65534) % (2**16 + 1)]


@pytest.mark.parametrize("epsilon", ["1/10", "2"])
def test_many_events_have_the_law_of_one(epsilon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All paths of few bits: what is settled never contradicts the probability, and the rest shrinks."""
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(tables, "WIDTH", 3)

    def probability(flint: Any) -> Any:
        return (-ball(flint, Fraction(epsilon))).exp()

    law, undecided = law_by_enumeration(lambda bits: bool(event_batch(probability, 1, bits)[0]), depth=12)
    p = exp(-float(Fraction(epsilon)))
    assert undecided <= Fraction(1, 2**11)
    assert float(law[True]) <= p <= float(law[True] + undecided)
    assert float(law[False]) <= 1 - p <= float(law[False] + undecided)


def test_events_are_settled_beyond_the_first_bits() -> None:
    """exp(-25/2), near 2^-18: 64 of 2^22 first words leave it open, and about 16 of these happen, not none nor all."""
    source = entropy.system_entropy()
    drawn = event_batch(lambda flint: (-ball(flint, Fraction(25, 2))).exp(), 2**22, source)
    assert 0 < np.count_nonzero(drawn) < 44


def test_an_event_of_a_vanishing_probability_never_happens() -> None:
    drawn = event_batch(lambda flint: (-ball(flint, Fraction(10**6))).exp(), 10**5, entropy.system_entropy())
    assert not drawn.any()


def exponent(chosen: Chosen) -> Fraction:
    return Fraction(int(chosen @ np.array([1, 2, 3])), 2)


def test_subsets_by_rejection_have_exponential_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """All paths of up to 15 bits."""
    monkeypatch.setattr(exact, "MORE_BITS", 1)

    def draw(bits: Any) -> tuple[bool, ...]:
        return tuple(draw_subset(2, lambda c: Fraction(int(c @ np.array([1, 2])), 2), bits).tolist())

    law, undecided = law_by_enumeration(draw, depth=15)
    weights = {(a, b): exp(-(a + 2 * b) / 2) for a in (False, True) for b in (False, True)}
    assert undecided < Fraction(1, 16)
    for outcome, weight in weights.items():
        p = weight / sum(weights.values())
        assert float(law[outcome]) <= p + 1e-12
        assert p - 1e-12 <= float(law[outcome] + undecided)


def test_subsets_by_rejection_in_a_sample() -> None:
    source = entropy.system_entropy()
    drawn = Counter(tuple(draw_subset(3, exponent, source).tolist()) for _ in range(6_000))
    weights = {c: exp(-float(exponent(np.array(c)))) for c in np.ndindex(2, 2, 2)}
    law = [w / sum(weights.values()) for w in weights.values()]
    counts = [drawn[tuple(map(bool, c))] for c in weights]
    assert fits(counts, law)
    wrong = np.array(law) * np.where(np.arange(8) % 2, 1.3, 0.7)
    assert not fits(counts, (wrong / wrong.sum()).tolist())


SCORES = np.array([0, 3, 3, 1, -2])


@pytest.mark.parametrize("picks", [1, 2, 3])
def test_picks_in_turn_have_the_law_of_peeling(picks: int) -> None:
    source, runs = entropy.system_entropy(), 2_000
    drawn = Counter(tuple(draw_in_turn(SCORES, Fraction(1, 3), picks, source).tolist()) for _ in range(runs))
    x = (SCORES.max() - SCORES) / 3
    law = np.exp(laws.picks_in_turn(laws.softmax, x, picks, 1024.0))
    orders = list(permutations(range(5), picks))
    assert fits([drawn[order] for order in orders], law.tolist())
    if picks == 1:
        wrong = law * np.array([1.3, 0.7, 1.3, 0.7, 1.3])
        assert not fits([drawn[order] for order in orders], (wrong / wrong.sum()).tolist())


@pytest.mark.parametrize("rate", [Fraction(1, 10**6), Fraction(1), Fraction(200)])
def test_everybody_can_be_picked(rate: Fraction) -> None:
    scores = np.arange(300) % 5
    drawn = draw_in_turn(scores, rate, 300, entropy.system_entropy())
    assert sorted(drawn.tolist()) == list(range(300))
    if rate == 200:
        assert (np.diff(scores[drawn]) <= 0).all()


def test_a_small_batch_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of two proposals draw the same law: what is left is proposed anew, from its own best."""
    monkeypatch.setattr("dampen.sampling.flips.SMALLEST_BATCH", 1)
    source = entropy.system_entropy()
    drawn = Counter(tuple(draw_in_turn(SCORES, Fraction(1, 3), 3, source).tolist()) for _ in range(2_000))
    law = np.exp(laws.picks_in_turn(laws.softmax, (SCORES.max() - SCORES) / 3, 3, 1024.0))
    assert fits([drawn[order] for order in permutations(range(5), 3)], law.tolist())


@pytest.mark.parametrize("picks", range(6))
def test_sets_of_picks_are_the_sum_over_their_orders(picks: int) -> None:
    x = np.array([0.0, 0.3, 1.2, 0.3, 2.0])
    expected = np.zeros(32)
    if picks == 0:
        expected[0] = 1
    else:
        orders = zip(permutations(range(5), picks), laws.picks_in_turn(laws.softmax, x, picks, 1024.0), strict=True)
        for order, log_p in orders:
            expected[sum(1 << i for i in order)] += exp(log_p)
    found = sets_in_turn(x, picks)
    assert found == pytest.approx(expected, abs=1e-15)
    assert np.count_nonzero(found) == len(list(combinations(range(5), picks)))
