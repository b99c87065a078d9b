"""Rounded noise: what bits give is the law of the thresholds."""

from fractions import Fraction
from typing import Any

import pytest

from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.certified import ball
from dampen.sampling import exact
from dampen.sampling.rounded import draw_rounded, draw_size


def halving(flint: Any, x: Fraction) -> Any:
    """S(x) = 2^-(x + 1/2): the thresholds of whole numbers are powers of 1/2."""
    return flint.arb(2) ** (-ball(flint, x + Fraction(1, 2)))


def pareto(flint: Any, x: Fraction) -> Any:
    """S(x) = 1 / (1 + x)."""
    return 1 / (1 + ball(flint, x))


@pytest.fixture(autouse=True)
def few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)


def test_sizes_follow_the_thresholds() -> None:
    law, undecided = law_by_enumeration(lambda bits: draw_size(pareto, bits), depth=14)
    assert undecided < Fraction(1, 50)
    for k in range(5):
        threshold, following = 1 / (Fraction(1, 2) + k) if k else Fraction(1), 1 / (Fraction(3, 2) + k)
        assert law[k] <= threshold - following <= law[k] + undecided


def test_signs_are_fair_and_zero_has_none() -> None:
    law, undecided = law_by_enumeration(lambda bits: draw_rounded(pareto, bits), depth=12)
    assert law[3] == law[-3] > 0
    assert law[0] <= Fraction(1, 3) <= law[0] + undecided


def test_thresholds_on_the_grid_of_bits_stay_undecided_only_on_their_own_path() -> None:
    law, undecided = law_by_enumeration(lambda bits: draw_size(halving, bits), depth=16)
    assert law[0] == pytest.approx(0.5, abs=1e-3)
    assert law[1] == pytest.approx(0.25, abs=1e-3)
    assert undecided < Fraction(1, 1000)


def test_the_largest_uniform_gives_zero_and_small_ones_large_sizes() -> None:
    assert draw_size(pareto, ScriptedEntropy([1] * 50)) == 0
    assert draw_size(pareto, ScriptedEntropy([0] * 40 + [1] * 50)) >= 2**39


def test_what_earlier_bits_told_is_not_asked_again() -> None:
    asked: list[Fraction] = []

    def watched(flint: Any, x: Fraction) -> Any:
        asked.append(x)
        return pareto(flint, x)

    assert draw_size(watched, ScriptedEntropy([0] * 40 + [1] + [0, 1] * 60)) >= 2**39
    assert len(set(asked)) < 2 * 42, "so many for the size, doubled and halved"
    assert len(asked) < 4 * 42, "and one more for each bit that decided nothing"
