"""The cost of a cell of votes: against fractions, and what the weights of one person raise it by."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import floor
from random import Random

import numpy as np
import pytest

from dampen.learn.table_growth import MOST_RECORDS
from dampen.learn.training_table import BITS
from dampen.queries.splits.vote_pair import cell_cost

Counts = tuple[int, ...]
MOST_UNITS = 2**45
"""Up to so many units in all 64 bits hold every step."""


def cost_by_hand(counts: Counts) -> int:
    total = sum(counts)
    if not total:
        return 0
    impurity = (total - Fraction(sum(count**2 for count in counts), total)) / 2
    return 7 * (total - max(counts)) + 3 * floor(impurity)


def cost(counts: Counts) -> int:
    return int(cell_cost(np.array(counts, dtype=np.int64)))


def vectors(kinds: int, largest: int) -> Iterator[Counts]:
    return product(range(largest + 1), repeat=kinds)


@pytest.mark.parametrize(("kinds", "largest"), [(1, 30), (2, 12), (3, 6), (4, 3)])
def test_small_cells_against_fractions(kinds: int, largest: int) -> None:
    assert all(cost(counts) == cost_by_hand(counts) for counts in vectors(kinds, largest))


def test_no_table_has_more_units_than_64_bits_hold() -> None:
    assert MOST_RECORDS << BITS < MOST_UNITS
    assert cost((MOST_UNITS - 1, 1)) == cost_by_hand((MOST_UNITS - 1, 1))


def test_large_cells_against_fractions() -> None:
    rng, ends = Random("large"), (2**26, 2**31 - 1, 2**31, 2**31 + 1, 2**33, 2**40, MOST_UNITS // 4)
    for _ in range(2000):
        counts = tuple(rng.choice((rng.choice(ends), rng.randrange(rng.choice(ends)), 1, 0)) for _ in range(4))
        assert cost(counts) == cost_by_hand(counts), counts


@pytest.mark.parametrize(("kinds", "largest", "each"), [(2, 9, 6), (3, 4, 4)])
def test_a_person_raises_a_cost_by_at_most_all_own_units(kinds: int, largest: int, each: int) -> None:
    """Of every cell, by every vector of weights: within [0, 10] tenths for each unit, and both ends are met."""
    shares = set[Fraction]()
    for counts in vectors(kinds, largest):
        for own in vectors(kinds, each):
            if 0 < sum(own) <= each:
                rise = cost(tuple(map(sum, zip(counts, own, strict=True)))) - cost(counts)
                shares.add(Fraction(rise, sum(own)))
    assert min(shares) == 0
    assert Fraction(17, 2) < max(shares) <= 10


def test_large_cells_rise_no_further() -> None:
    rng = Random("rise")
    for _ in range(2000):
        counts = [rng.randrange(rng.choice((2**12, 2**31, 2**42))) for _ in range(3)]
        own = [rng.randrange(2**12 // 3) for _ in range(3)]
        rise = cost(tuple(np.add(counts, own).tolist())) - cost(tuple(counts))
        assert 0 <= rise <= 10 * sum(own)
