"""Rounded functions of uniform numbers: what bits give is the law of the function."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from scipy.stats import norm

from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.certified import arithmetic
from dampen.sampling import exact
from dampen.sampling.rounded import draw_rounded_function, normal_quantile


def product(flint: Any, uniforms: Sequence[Any]) -> Any:
    """3 U V: its law is known, P(U V <= x) = x (1 - ln x)."""
    return 3 * uniforms[0] * uniforms[1]


@pytest.fixture(autouse=True)
def few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)


def test_bits_give_the_law_of_the_product() -> None:
    law, undecided = law_by_enumeration(lambda bits: draw_rounded_function(product, 2, bits), depth=14)
    assert undecided < Fraction(1, 20)
    below = [float(x * (1 - exact_log(x))) for x in (1 / 6, 3 / 6, 5 / 6)]
    for k, share in enumerate([below[0], below[1] - below[0], below[2] - below[1], 1 - below[2]]):
        assert float(law[k]) <= share <= float(law[k] + undecided)


def exact_log(x: float) -> float:
    with arithmetic(64) as flint:
        return float(flint.arb(x).log())


def test_quantiles_are_those_of_the_normal_law_and_stay_open_at_the_ends() -> None:
    with arithmetic(128) as flint:
        for share in (1e-9, 0.2, 0.5, 0.999):
            assert float(normal_quantile(flint, flint.arb(share))) == pytest.approx(
                norm.ppf(share), rel=1e-9, abs=1e-12
            )
    zeros = ScriptedEntropy([0] * 30 + [1] * 60)
    assert draw_rounded_function(lambda flint, uniforms: normal_quantile(flint, uniforms[0]), 1, zeros) == -6
