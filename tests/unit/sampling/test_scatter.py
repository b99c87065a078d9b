"""Records spread over finer cells: every record on its own, every cell equally likely, bits from one door."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.entropy import system_entropy
from dampen.sampling import scatter as module
from dampen.sampling.scatter import scatter

Cells = tuple[tuple[int, int], ...]
tables = st.dictionaries(st.integers(0, 2**40), st.integers(1, 6), max_size=6)


def spread(table: dict[int, int], bits: int, script: list[int]) -> Cells:
    places = np.array(sorted(table), dtype=np.int64)
    counts = np.array([table[place] for place in sorted(table)], dtype=np.int64)
    finer, totals = scatter(places, counts, bits, ScriptedEntropy(script))
    assert finer.dtype == totals.dtype == np.int64
    return tuple(zip(finer.tolist(), totals.tolist(), strict=True))


def by_definition(table: dict[int, int], bits: int, script: list[int]) -> Cells:
    """One word of the script for each record, in the order of the grid."""
    records = [place for place in sorted(table) for _ in range(table[place])]
    words = [int("".join(map(str, script[i * bits : (i + 1) * bits])) or "0", 2) for i in range(len(records))]
    return tuple(sorted(Counter(place * 2**bits + word for place, word in zip(records, words, strict=True)).items()))


@given(table=tables, bits=st.integers(0, 8), seed=st.integers(0, 99), chunk=st.sampled_from([1, 2, 3, 2**22]))
def test_every_record_takes_the_cell_that_its_word_names(
    table: dict[int, int], bits: int, seed: int, chunk: int
) -> None:
    script = random.Random(seed).choices((0, 1), k=bits * sum(table.values()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        assert spread(table, bits, script) == by_definition(table, bits, script)


def test_all_coins_add_up_to_independent_uniform_choices() -> None:
    table, bits = {0: 2, 3: 1}, 2
    law, undecided = law_by_enumeration(
        lambda source: _cells(scatter(np.array([0, 3]), np.array([2, 1]), bits, source)), depth=6
    )
    expected: dict[Cells, Fraction] = {}
    for choice in product(range(4), repeat=3):
        cells = tuple(sorted(Counter(4 * r + c for r, c in zip((0, 0, 3), choice, strict=True)).items()))
        expected[cells] = expected.get(cells, Fraction(0)) + Fraction(1, 64)
    assert sum(table.values()) == 3
    assert undecided == 0
    assert law == expected


def _cells(spread_out: tuple[np.ndarray, np.ndarray]) -> Cells:
    finer, totals = spread_out
    return tuple(zip(finer.tolist(), totals.tolist(), strict=True))


def test_so_many_bits_are_taken_and_no_more() -> None:
    source = ScriptedEntropy([1] * 100)
    scatter(np.array([4, 9]), np.array([3, 2]), 6, source)
    assert source.used == 5 * 6


def test_without_records_nothing_is_drawn() -> None:
    source, nothing = ScriptedEntropy([]), np.empty(0, dtype=np.int64)
    places, counts = scatter(nothing, nothing, 6, source)
    assert (len(places), len(counts), source.used) == (0, 0, 0)


@pytest.mark.parametrize(("place", "bits"), [(2**61 - 1, 0), (2**55, 6), (2**62 - 2, 0)])
def test_large_places_are_not_rounded(place: int, bits: int) -> None:
    finer, totals = scatter(np.array([0, place]), np.array([5, 7]), bits, system_entropy())
    coarse = finer >> bits
    assert totals[coarse == 0].sum() == 5
    assert totals[coarse == place].sum() == 7
    assert (np.diff(finer) > 0).all()


def test_the_input_is_left_as_it_was() -> None:
    places, counts = np.array([1, 2]), np.array([3, 4])
    scatter(places, counts, 6, system_entropy())
    assert (places.tolist(), counts.tolist()) == ([1, 2], [3, 4])
