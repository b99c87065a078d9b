"""Tables 1 and 2 of the group-by paper beside what its algorithms give and what chance gives."""

import os
from math import prod

import numpy as np
import pytest

from dampen import datasets
from experiments import groupby_qualities as tables

MALE = np.arange(48_842) < 32_650
"""The group sizes of Adult that the paper names; who they are does not matter to any contestant."""


def f1(name: str) -> list[float]:
    return [round(quality.f1, 3) for quality in tables.table_1()[name]]


def test_every_printed_row_of_table_1_has_16_picked_of_15() -> None:
    assert tables.picked_in_table_1() == pytest.approx([16] * 6, abs=0.002)
    for precision, recall, printed in (*tables.TABLE_1, *tables.TABLE_2):
        assert 2 * precision * recall / (precision + recall) == pytest.approx(printed, abs=1e-4)


def test_table_1_by_number() -> None:
    assert f1("TRIODE as described") == [0.594, 0.605, 0.669, 0.697, 0.706, 0.977]
    assert f1("TRIODE, sensitivity 1, epsilon for the group")[3] == 0.599
    assert f1("dampened around 0, epsilon for the group")[3::2] == [0.669, 0.898]
    assert f1("TRIODE, epsilon for the release") == [0.593, 0.593, 0.597, 0.599, 0.600, 0.651]
    assert f1("dampened TRIODE, epsilon for the release") == [0.593, 0.598, 0.627, 0.642, 0.647, 0.945]
    assert f1("randomised response, epsilon for the release") == [0.595, 0.617, 0.745, 0.799, 0.815, 1.0]
    assert f1("16 at random") == [0.774] * 6
    assert f1("everybody") == [0.857] * 6
    at_one = tables.table_1()["TRIODE, sensitivity 1, epsilon for the group"][3]
    assert (round(at_one.precision, 3), round(at_one.recall, 3)) == (0.754, 0.507)


def test_the_first_rows_of_table_1_are_chance() -> None:
    """Standard scores of the printed precisions against 16 at random, ten runs each."""
    chance = tables.random_of_size(16, 20, 15)
    assert (chance.precision, chance.recall) == pytest.approx((0.75, 0.8))
    spread = np.sqrt(16 * 0.75 * 0.25 * 4 / 19) / 16 / np.sqrt(10)
    scores = [round((precision - 0.75) / spread, 1) for precision, _, _ in tables.TABLE_1]
    assert scores == pytest.approx([0.8, -0.4, 0, 2.0, 1.6, 11.9], abs=0.11)


def test_table_2_by_number() -> None:
    """The printed algorithm finds the base rate at every epsilon; randomised response 0.784 at 1; everybody 0.801."""
    found = {name: [quality.f1 for quality in row] for name, row in tables.table_2(MALE, 2, 0).items()}
    assert found["TRIODE-H as printed, epsilon for each stage"] == pytest.approx([0.6685] * 6, abs=0.006)
    assert found["TRIODE-H, epsilon for the release"] == pytest.approx([0.6685] * 6, abs=0.02)
    assert found["randomised response, epsilon for the release"][3] == pytest.approx(0.784, abs=0.004)
    assert found["as many at random"] == pytest.approx([0.6685] * 6, abs=1e-4)
    assert found["everybody"] == pytest.approx([0.801] * 6, abs=5e-4)


def test_randomised_response_on_adult_by_its_exact_expectation() -> None:
    keep = np.e / (1 + np.e)
    overlap, others = 32_650 * keep, 16_192 * (1 - keep)
    assert 2 * overlap / (overlap + others + 32_650) == pytest.approx(0.784, abs=5e-4)


def test_small_groups_by_enumeration() -> None:
    """Randomised response and random sets of five people, three of them members, one by one."""
    keep = 0.75
    total = 0.0
    for number in range(32):
        bits = [number >> i & 1 for i in range(5)]
        chance = prod(keep if bit == (i < 3) else 1 - keep for i, bit in enumerate(bits))
        total += 2 * sum(bits[:3]) / (sum(bits) + 3) * chance
    assert tables.by_response(float(np.log(3)), 5, 3).f1 == pytest.approx(total)
    assert tables.random_of_size(2, 5, 3).precision == pytest.approx(0.6)
    assert tables.everybody(5, 3).f1 == pytest.approx(0.75)


@pytest.mark.skipif("DAMPEN_DATA" not in os.environ, reason="needs the data sets")
def test_adult_has_the_groups_that_the_paper_names() -> None:
    sex = np.asarray(datasets.load_adult()["gender"])
    assert (int((sex == "Male").sum()), int((sex == "Female").sum())) == (32_650, 16_192)
