"""Weighted choices: what bits give are the shares of the weights."""

from fractions import Fraction
from typing import Any

import pytest

from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.sampling import exact
from dampen.sampling.exact import draw_weighted


def weights(flint: Any) -> list[Any]:
    return [flint.arb(3), flint.arb(0), flint.arb(1), flint.arb(0), flint.arb(3)]


@pytest.fixture(autouse=True)
def few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)


def test_shares_are_those_of_the_weights() -> None:
    law, undecided = law_by_enumeration(lambda bits: draw_weighted(weights, bits), depth=14)
    assert undecided < Fraction(1, 1000)
    assert set(law) == {0, 2, 4}
    for place, share in {0: Fraction(3, 7), 2: Fraction(1, 7), 4: Fraction(3, 7)}.items():
        assert law[place] <= share <= law[place] + undecided


def test_one_weight_needs_no_luck() -> None:
    assert draw_weighted(lambda flint: [flint.arb(2)], ScriptedEntropy([0])) == 0


def test_uncertain_weights_stay_undecided_until_more_bits_make_them_certain() -> None:
    """Balls as wide as the bits revealed so far leave the middle open."""

    def vague(flint: Any) -> list[Any]:
        blurred = flint.arb(1, 2.0 ** -(flint.ctx.prec - exact.GUARD_BITS))
        return [blurred, blurred, blurred]

    law, undecided = law_by_enumeration(lambda bits: draw_weighted(vague, bits), depth=14)
    assert undecided < Fraction(1, 100)
    assert law[1] <= Fraction(1, 3) <= law[1] + undecided
