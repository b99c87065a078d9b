"""Roots less their places, against roots in certified arithmetic."""

from fractions import Fraction

import flint
import numpy as np
import pytest

from dampen.mechanisms.numeric.roots import fits_floats, roots_less
from dampen.vectors import Floats


def exact_terms(sizes: Floats, alpha: Fraction, order: int, places: Floats) -> list[flint.arb]:
    with flint.ctx.workprec(400):
        numbers = [flint.arb(flint.fmpq(int(size) * alpha.denominator, alpha.numerator)) for size in sizes]
        return [
            (number.root(order) if number > 0 else number) - flint.arb(int(place))
            for number, place in zip(numbers, places, strict=True)
        ]


@pytest.mark.parametrize("order", [1, 2, 3, 7, 20, 63])
@pytest.mark.parametrize("alpha", ["1", "1/2", "4", "1/5040", "37/11"])
def test_what_two_nearly_equal_numbers_differ_by_is_told_within_its_error(order: int, alpha: str) -> None:
    rng = np.random.default_rng(order)
    slope = Fraction(alpha)
    places = np.floor(10 ** rng.uniform(0, 7.8 if order < 8 else 3, 60))
    sizes = np.floor(float(slope) * (places + 10 ** rng.uniform(-2, 4, 60)) ** order)
    sizes, places = np.append(sizes, [0, 1]), np.append(places, [3, 0])
    terms, errors = roots_less(sizes, slope, order, places)
    true = exact_terms(sizes, slope, order, places)
    apart = [abs(flint.arb(float(told)) - exact) for told, exact in zip(terms, true, strict=True)]
    assert all(gap < flint.arb(float(error)) for gap, error in zip(apart, errors, strict=True))
    assert (errors < 1e-9).all(), "a float of the root would be off by more"


def test_floats_alone_would_tell_less() -> None:
    """Where a pair of floats matters: 3-stars of a sparse graph, with terms of 3/2 - 1 / (8 t) and hardly more."""
    places = np.arange(1e7, 3e7, 12_345)
    sizes = (places + 2) * (places + 1) / 2
    true = 1.5 - 1 / (8 * (places + 1.5))
    assert np.abs(roots_less(sizes, Fraction(1, 2), 2, places)[0] - true).max() < 1e-14
    assert np.abs(np.sqrt(2 * sizes) - places - true).max() > 1e-9


def test_what_does_not_fit_is_known_in_advance() -> None:
    assert fits_floats(Fraction(1, 6), 2**57)
    assert not fits_floats(Fraction(2**53 + 1, 2), 10)
    assert not fits_floats(Fraction(1, 2), 2**400)
