"""Amounts in words are never too small; JSON holds everything."""

import json
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.writing import as_json, html_table, percent, round_up


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        (0.0, "0"),
        (3.0, "3"),
        (14999.0, "14,999"),
        (0.12341, "0.1235"),
        (0.5, "0.5"),
        (4.0000001, "4.001"),
        (123456.7, "123,500"),
        (0.1, "0.1"),
        (1e-9, "1e-9"),
        (2.0**70, "1.181e+21"),
    ],
)
def test_amounts_have_four_digits_and_are_rounded_up(amount: float, written: str) -> None:
    assert round_up(amount) == written


@given(st.floats(min_value=0, max_value=1e300))
def test_no_amount_is_written_too_small(amount: float) -> None:
    written = Decimal(round_up(amount).replace(",", ""))
    exact = Decimal(repr(amount))
    assert exact <= written <= exact * Decimal("1.0011")


def test_shares_are_written_in_percent() -> None:
    assert [percent(share) for share in ("0.95", 0.999, Fraction(1, 3), 0)] == ["95 %", "99.9 %", "100/3 %", "0 %"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (np.float32(0.5), 0.5),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.datetime64("2020-02-01T00:00:00.000000001"), "2020-02-01T00:00:00.000000001"),
        (np.datetime64("2020-02-01"), "2020-02-01"),
        (datetime(2020, 2, 1, 12, 30), "2020-02-01T12:30:00"),
        (time(12, 30), "12:30:00"),
        (Fraction(2, 3), "2/3"),
        (Decimal("1.50"), "1.50"),
        ([nan, inf, 1.5], [None, None, 1.5]),
        ({date(2020, 1, 1): (1,), 2: True}, {"2020-01-01": [1], "2": True}),
        (b"x", "b'x'"),
        (2**70, 2**70),
    ],
    ids=str,
)
def test_json_holds_every_value(value: Any, told: Any) -> None:
    assert json.loads(json.dumps(as_json(value), allow_nan=False)) == told


def test_tables_are_escaped() -> None:
    assert html_table([("a<", 1, '"'), ("b",)]) == (
        "<table><tr><th>a&lt;</th><td>1</td><td>&quot;</td></tr><tr><th>b</th></tr></table>"
    )
