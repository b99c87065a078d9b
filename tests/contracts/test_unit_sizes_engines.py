"""Every engine reads the same units as the rule in Python does, and hands out the same counts and sums by size."""

from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dampen.errors import ParameterError
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.unit_sizes import UnitSizes
from dampen.tables.reading import read_number
from dampen.tables.unit_reading import FARTHEST, Units
from tests.contracts.engines import EVERY, lying

WHOLES = [0, 1, -1, 2, 3, -4, 5, 7, 8, 9, 2**31, 2**53 + 1, -(2**53) - 3, 2**62, -(2**62), 2**63 - 1, -(2**63)]
REALS = [0.0, -0.0, 0.005, 0.015, -0.005, 12.345, 1e-300, 0.49999999999999994, 2.5, -2.5, 4503599627370497.5, 1e17]
REALS += [1e300, -1e300, inf, -inf, nan, 0.1 + 0.2, 2.0**62, 3.3e15 + 0.5]
TEXTS = ["1", "2.345", " 7 ", "-1e5", "9223372036854775808", "inf", "", "1e400", "-0.004"]
UNITS = ["1", "0.01", "100", "1/3", "1e-9"]
COLUMNS: dict[str, pl.Series] = {
    "whole": pl.Series(WHOLES, dtype=pl.Int64),
    "real": pl.Series(REALS, dtype=pl.Float64),
    "text": pl.Series(TEXTS, dtype=pl.String),
}


def judged(values: list[Any], units: Units) -> dict[tuple[int, int], tuple[int, int]]:
    """Value by value: for each sign and number of bits of size - 1, how many there are and their sum."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for value in values:
        if value is None or value != value or value == "":
            continue
        number = read_number(value)
        assert number is not None
        read = units.read(number)
        key = (read > 0) - (read < 0), max(abs(read) - 1, 0).bit_length()
        count, total = found.get(key, (0, 0))
        found[key] = count + 1, total + abs(read)
    return found


def as_dict(sizes: UnitSizes) -> dict[tuple[int, int], tuple[int, int]]:
    return {(each.side, each.caps): (each.people, each.sum) for each in sizes.buckets}


@pytest.mark.parametrize("form", EVERY)
@pytest.mark.parametrize("column", COLUMNS)
def test_every_engine_reads_units_by_the_rule(column: str, form: str, tmp_path: Path) -> None:
    if form in ("csv", "glob") and column == "real":
        pytest.skip("how a file writes infinities is another question")
    data = lying(COLUMNS[column].to_frame(column), form, tmp_path)
    values = COLUMNS[column].to_list()
    for unit in UNITS:
        for centre in (0, -(2**61), 12):
            units = Units(unit, centre)
            with open_engine(Source(data), column) as engine:
                found = engine.unit_sizes(column, units)
            assert as_dict(found) == judged(values, units), (unit, centre)
            assert (found.missing, found.other) == (len(values) - found.count, 0)


def test_what_is_no_number_is_counted_apart(tmp_path: Path) -> None:
    rows = pl.DataFrame({"x": ["1", "tea", "", "true", "3"]})
    for form in ("arrays", "csv", "ibis"):
        with open_engine(Source(lying(rows, form, tmp_path)), "x") as engine:
            found = engine.unit_sizes("x", Units(1))
        assert (found.count, found.missing, found.other) == (2, 1, 2), form


def test_cut_sums_are_those_of_cut_numbers() -> None:
    rng = np.random.default_rng(0)
    values = (rng.integers(-1, 2, 500) * np.exp(rng.uniform(0, 42, 500))).astype(np.int64)
    caps = [1 << power for power in range(64)]
    with open_engine({"x": values}, "x") as engine:
        found = engine.unit_sizes("x", Units(1))
    for side in (1, -1):
        sizes = [side * value for value in values.tolist() if side * value > 0]
        assert found.above(side, caps) == [sum(size > cap for size in sizes) for cap in caps]
        assert found.sums(side, caps) == [sum(min(size, cap) for size in sizes) for cap in caps]


def test_a_number_is_read_to_the_nearest_unit() -> None:
    """Exactly, but for what floats lose: a unit at most, and nothing for whole numbers of unit 1."""
    rng = np.random.default_rng(1)
    for unit in map(Fraction, UNITS):
        for value in (rng.normal(size=200) * np.exp(rng.uniform(-5, 30, 200))).tolist():
            exact = Fraction(value) / unit
            if abs(exact) < FARTHEST:
                assert abs(Units(unit).read(value) - exact) <= Fraction(1, 2) + abs(exact) / 2**52
    assert Units(1).read(2**61 + 1) == 2**61 + 1
    with pytest.raises(ParameterError, match="unit must have fewer digits"):
        Units(Fraction(1, 2**60))
