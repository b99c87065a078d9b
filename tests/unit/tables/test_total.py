"""Exact sums of clipped columns, whatever holds them."""

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.errors import DataError, ParameterError
from dampen.tables.counts import Total, total
from tests.conftest import Refused

NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.integers(-20, 20))


def by_definition(values: list[Any], low: Fraction, high: Fraction) -> Fraction:
    clipped = (low if value < low else high if value > high else Fraction(value) for value in values)
    return sum(clipped, Fraction(0))


@given(
    st.lists(NUMBERS, max_size=20),
    st.fractions(-(2**61), 2**61, max_denominator=1000),
    st.fractions(Fraction(1, 1000), 2**60, max_denominator=1000),
)
def test_sums_are_exact(values: list[Any], low: Fraction, width: Fraction) -> None:
    found = total(values, (low, low + width))
    assert found.count == len(values)
    assert found.sum == by_definition(values, low, low + width)


def test_the_order_of_rows_does_not_matter() -> None:
    values = [1e16, 1.0, -1e16, 2**-60, 3e15, 0.1, 0.1, 0.1] * 5
    shuffled = random.Random(0).sample(values, len(values))
    assert total(values, (-1e17, 1e17)) == total(shuffled, (-1e17, 1e17))
    assert total(values, (-1e17, 1e17)).sum == by_definition(values, Fraction(-(10**17)), Fraction(10**17))


FORMS = ["list", "array", "frame", "csv", "parquet"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "values", [[3, 3, -7, 2**61, 5], [0.1, 0.1, -1e300, 2.5e-300, float("inf"), 7.25]], ids=["whole", "real"]
)
def test_every_form_gives_the_same_total(form: str, values: list[Any], tmp_path: Path) -> None:
    frame = pl.DataFrame({"pay": values})
    held: dict[str, Any] = {"list": values, "array": np.array(values), "frame": frame, "csv": tmp_path / "pay.csv"}
    held["parquet"] = tmp_path / "pay.parquet"
    frame.write_csv(held["csv"])
    frame.write_parquet(held["parquet"])
    found = total(held[form], ("-2.5", 6), column=None if form in ("list", "array") else "pay")
    assert found == Total(len(values), by_definition(values, Fraction("-2.5"), Fraction(6)))


def test_many_equal_rows_of_a_file(tmp_path: Path) -> None:
    """Counts that would overflow if they were multiplied in 64 bits."""
    file = tmp_path / "pay.csv"
    file.write_text("pay\n" + "4611686018427387000\n" * 1000 + "4611686018427387000.5\n" * 3)
    whole, real = 4611686018427387000, Fraction(4611686018427387000.5)
    assert total(file, (0, 2**62 - 1), column="pay").sum == 1000 * whole + 3 * real


@pytest.mark.parametrize("value", [2**62 - 1, -(2**62) + 1, 2.0**61 + 2.0**9, -(2.0**53) - 2])
def test_sums_do_not_overflow(value: float) -> None:
    assert total(np.full(1000, value), (-(2**62) + 1, 2**62 - 1)).sum == 1000 * Fraction(value)


def test_floats_next_to_a_bound_that_is_no_float() -> None:
    """0.1 as a float is above 1/10 and below it there is the next float; 0.3 as a float is below 3/10."""
    near = [0.1, np.nextafter(0.1, 0), 0.3, np.nextafter(0.3, 1)]
    assert total(near, ("0.1", "0.3")).sum == Fraction(0.1) + Fraction(1, 10) + Fraction(0.3) + Fraction(3, 10)


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_missing_values(missing: str, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "pay.csv").write_text('pay\n13\n""\n4.5\n')
    for data in ({"pay": [13, None, 4.5]}, tmp_path / "pay.csv"):
        if missing == "drop":
            assert total(data, (0, 10), column="pay", missing=missing) == Total(2, Fraction(29, 2))
        else:
            with refused(DataError, "column 'pay' must have no missing values", hidden=("13", "4.5")):
                total(data, (0, 10), column="pay", missing=missing)


def test_refusals(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "pay.csv").write_text("pay\n13\nsecret\n")
    for data in ({"pay": [13, "secret"]}, tmp_path / "pay.csv"):
        with refused(DataError, "column 'pay' must hold numbers", hidden=("secret", "13")):
            total(data, (0, 10), column="pay")
    bad: tuple[Any, ...] = ((1, 1), (2, 1), (0,), 7, (0, "x"), (0, float("nan")), (0, 2**62), (-(2**63), 0))
    for bounds in bad:
        with refused(ParameterError, "bounds"):
            total([1], bounds)


def test_nothing_and_printing() -> None:
    assert total([], (0, 1)) == Total(0, Fraction(0))
    assert "41" not in repr(total([41, 41], (0, 100)))
