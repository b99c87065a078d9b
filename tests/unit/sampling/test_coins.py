"""Few exact coins: permute-and-flip and first heads, walked bit by bit."""

from fractions import Fraction
from math import exp

import pytest

from dampen import entropy
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.sampling import exact
from dampen.sampling.coins import draw_by_coins, first_head, flip

EXPONENTS = (Fraction(1), Fraction(0), Fraction(3, 2))


def permute_and_flip() -> list[float]:
    """Over both coins that are not certain: heads of all, of one, of none but the best."""
    p, q = exp(-1), exp(-1.5)
    return [
        p * (1 - q) / 2 + p * q / 3,
        p * (1 - q) / 2 + (1 - p) * q / 2 + p * q / 3 + (1 - p) * (1 - q),
        (1 - p) * q / 2 + p * q / 3,
    ]


@pytest.mark.parametrize("shift", [Fraction(0), Fraction(7, 3), Fraction(-5)])
def test_permute_and_flip_follows_its_law(shift: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    shifted = [x + shift for x in EXPONENTS]
    drawn, undecided = law_by_enumeration(lambda source: draw_by_coins(shifted, source), depth=14)
    assert undecided < 0.1
    for place, p in enumerate(permute_and_flip()):
        low = float(drawn.get(place, Fraction(0)))
        assert low - 1e-12 <= p <= low + float(undecided) + 1e-12


def test_first_heads_follow_their_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    drawn, undecided = law_by_enumeration(lambda source: first_head((Fraction(1), Fraction(2)), source), depth=14)
    assert undecided < 0.01
    p, q = exp(-1), exp(-2)
    for place, share in enumerate((p, (1 - p) * q, (1 - p) * (1 - q))):
        low = float(drawn[place])
        assert low - 1e-12 <= share <= low + float(undecided) + 1e-12


def test_a_coin_that_is_certain_takes_as_many_bits_as_another() -> None:
    for x in (Fraction(0), Fraction(1), Fraction(10**9)):
        script = ScriptedEntropy([0, 1] * 32)
        assert flip(x, script) == (x < 2)
        assert script.used == 64


def test_without_caps_to_pass_there_is_no_coin() -> None:
    assert first_head((), entropy.system_entropy()) == 0
    assert draw_by_coins([Fraction(5)], entropy.system_entropy()) == 0
