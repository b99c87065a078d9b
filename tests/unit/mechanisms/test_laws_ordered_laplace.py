"""The fast law of ordered top-k with Laplace noise against its closed form."""

from math import perm

import numpy as np
import pytest

from dampen.mechanisms import laws
from dampen.mechanisms.laws import ordered_laplace
from tests.unit.mechanisms.numeric.laplace_judge import ordered_chances

CASES = [
    (["0", "1"], 2),
    (["0", "0", "0"], 2),
    (["0", "1.5", "3", "3"], 3),
    (["0", "0.5", "0.5", "2", "2.5"], 2),
    (["0", "0.05", "0.1", "0.25"], 4),
    (["3", "0", "7.5", "1.5", "6"], 3),
    (["0", "100", "100.5", "200"], 2),
    (["0", "150", "450", "750"], 4),
]


@pytest.mark.parametrize(("exponents", "k"), CASES)
def test_the_law_is_its_closed_form(exponents: list[str], k: int) -> None:
    """However deep: ln P of the least likely order of the last case is below -1500."""
    exact = [float(chance.ln()) for chance in ordered_chances(exponents, k)]
    assert len(exact) == perm(len(exponents), k)
    assert ordered_laplace(np.array([float(x) for x in exponents]), k) == pytest.approx(exact, rel=1e-14, abs=1e-13)


@pytest.mark.parametrize("size", [31, 32, 70, 400, 3000])
def test_the_largest_of_many_is_report_noisy_max(size: int) -> None:
    """Beyond 31 candidates one panel per tail is no longer exact, and more are used."""
    x = np.asarray(np.random.default_rng(size).integers(0, 6, size) * 0.3, dtype=np.float64)
    x -= x.min()
    assert ordered_laplace(x, 1) == pytest.approx(laws.laplace_maximum(x, np.ones(size)), rel=1e-13, abs=1e-12)


def test_pairs_of_many_add_up_to_one() -> None:
    law = np.exp(ordered_laplace(np.array([place % 6 * 0.3 for place in range(33)]), 2))
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert law.min() > 0
