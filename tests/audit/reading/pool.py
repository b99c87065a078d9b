"""Awkward values, by subject: what one rule has to tell apart, or to take for the same."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd


class Colour(Enum):
    """A label that is no text and no number."""

    RED = 1


BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2024, 2, 29, 12, 30)
FINE = np.datetime64("2024-02-29T12:30:00.000000001", "ns")

TRUTHS: tuple[Any, ...] = (True, False)
WHOLES: tuple[Any, ...] = (0, 1, 2, 4, -1, 9, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63))
FAR_WHOLES: tuple[Any, ...] = (2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, -(2**63) - 1, 10**30)
REALS: tuple[Any, ...] = (0.0, -0.0, 1.0, 2.0, 2.5, 0.1, 1e300, 2.0**53, 2.0**63, 5e-324)
NO_REALS: tuple[Any, ...] = (float("nan"), float("inf"), float("-inf"))
DECIMALS: tuple[Any, ...] = tuple(map(Decimal, ("1", "1.0", "0.1", "2.50", "0", "-1", "9007199254740993", "0.3")))
FAR_DECIMALS: tuple[Any, ...] = tuple(map(Decimal, ("1E+30", "1E+50", "NaN", "sNaN", "Infinity", "-0", "1E-400")))
FRACTIONS: tuple[Any, ...] = (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 3), Fraction(2**53 + 1))
NUMPY_NUMBERS: tuple[Any, ...] = (
    np.int64(1), np.int8(0), np.uint64(2**63), np.uint64(2**64 - 1), np.float64(1), np.float32(0.1), np.float16(1),
    np.float32("nan"), np.longdouble(1), np.longdouble(2) ** 53 + 1, np.longdouble("0.1"), np.bool_(True),
    np.bool_(False),
)  # fmt: skip
NUMBER_TEXTS: tuple[Any, ...] = (
    "1", "1.0", "01", " 1", "1\t", "+1", "1e0", "0", "-0", "4", "4.", ".5", "2.5", "0.1", "9007199254740992",
    "9007199254740993", "9007199254740993.0", "9223372036854775807", "9223372036854775808", "18446744073709551616",
    "inf", "-Infinity", "1e400", "1e-400",
)  # fmt: skip
TRUTH_TEXTS: tuple[Any, ...] = ("true", "True", "TRUE", " true", "false", "False")
BLANK_TEXTS: tuple[Any, ...] = ("", " ", "\t", "\n", "nan", "NaN", " nan ", "\u00a0")
PLAIN_TEXTS: tuple[Any, ...] = (
    "x", "X", " x", "other", "4\n", "\n4", "1_0", "１", "1d", "0x1", "1,5", "None", "NA", "null", "NaT", "t", "yes",
    "é", "'", '"', "a,b", "l\nl", "\\", "#", "1 1", "--1", "1e", ".", "+", "infinit",
)  # fmt: skip
NUL_TEXTS: tuple[Any, ...] = ("x\0", "\0", "1\0")
TIME_TEXTS: tuple[Any, ...] = (
    "2024-02-29", " 2024-02-29", "2024-02-30", "2024-02-29 00:00:00", "2024-02-29T12:30:00", "2024-02-29 12:30:00",
    "2024-02-29T12:30:00+00:00", "2024-02-29 12:30:00+00:00", "2024-02-29 13:30:00+01:00", "2024-02-29T23:30:00-01:00",
    "2024-03-01 00:29:59.9+00:30", "1969-12-31 23:59:59Z", "2024-02-29T24:00:00", "0000-12-31T23:30:00-01:00",
)  # fmt: skip
DAYS: tuple[Any, ...] = (date(2024, 2, 29), date(2024, 3, 1), date(1969, 12, 31))
MOMENTS: tuple[Any, ...] = (datetime(2024, 2, 29), NOON, datetime(2024, 2, 29, 12, 30, 0, 1))
ZONED: tuple[Any, ...] = (
    NOON.replace(tzinfo=UTC), datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 2, 29, 13, 30, tzinfo=BERLIN),
    NOON.replace(tzinfo=timezone(timedelta(hours=-5))),
)  # fmt: skip
NUMPY_TIMES: tuple[Any, ...] = (
    np.datetime64("2024-02-29"), np.datetime64("2024-02-29T00:00:00"), np.datetime64("2024-02-29T12:30", "m"), FINE,
)  # fmt: skip
PANDAS_TIMES: tuple[Any, ...] = (
    pd.Timestamp(NOON), pd.Timestamp(datetime(2024, 2, 29)), pd.Timestamp(NOON, tz="UTC"), pd.Timestamp(FINE),
    pd.Timestamp("2024-02-29 13:30", tz="Europe/Berlin"),
)  # fmt: skip
NOTHING: tuple[Any, ...] = (None,)
MARKS: tuple[Any, ...] = (pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT"))
SPANS: tuple[Any, ...] = (timedelta(days=1), timedelta(0))
LABELLED: tuple[Any, ...] = (Colour.RED, b"1", b"x", time(12, 30), (1, 2))
"""Objects that may be labels."""
NAMES: tuple[Any, ...] = (UUID(int=1), UUID(int=2))
STRANGE: tuple[Any, ...] = (
    *SPANS, *LABELLED, *NAMES, 1 + 0j, np.complex128(1), complex("nan"), [1], {"a": 1}, np.timedelta64(1, "D"),
    pd.Timedelta(days=1), frozenset([1]),
)  # fmt: skip

TEXTS = (*NUMBER_TEXTS, *TRUTH_TEXTS, *BLANK_TEXTS, *PLAIN_TEXTS, *NUL_TEXTS, *TIME_TEXTS)
NUMBERS = (*WHOLES, *FAR_WHOLES, *REALS, *NO_REALS, *DECIMALS, *FAR_DECIMALS, *FRACTIONS, *NUMPY_NUMBERS)
TIMES = (*DAYS, *MOMENTS, *ZONED, *NUMPY_TIMES, *PANDAS_TIMES)
EVERY = (*TRUTHS, *NUMBERS, *TEXTS, *TIMES, *NOTHING, *MARKS, *STRANGE)
"""All of them: what a list may hold."""

CLUSTERS: dict[str, tuple[Any, ...]] = {
    "ones": (
        1, 1, True, True, 1.0, "1", "1", "true", "true", "True", "1.0", Decimal("1.0"), Fraction(1), np.int64(1),
        np.bool_(True), "01", " true", np.float32(1), 0, False, "0", "false",
    ),
    "2^53": (
        2**53, 2**53 + 1, 2**53 + 1, 2.0**53, "9007199254740993", "9007199254740992", Decimal("9007199254740993"),
        np.longdouble(2) ** 53 + 1, Fraction(2**53 + 1), "9007199254740993.0", None, None, 2.5,
    ),
    "2^63": (
        2**63, 2**63 - 1, 2**63 + 1, 2.0**63, 2**64, 2**64 + 1, 2**64 - 1, "9223372036854775808", -(2**63),
        "9223372036854775807", "18446744073709551616", np.uint64(2**63), 10**30, Decimal("1E+30"), None,
    ),
    "parts": (
        0.1, Decimal("0.1"), Fraction(1, 10), "0.1", np.float32(0.1), np.longdouble("0.1"), 2.5, "2.5",
        Decimal("2.50"), Fraction(1, 3), ".5", Fraction(1, 2), -0.0, "-0", 5e-324, 1e300,
    ),
    "nothing": (
        None, float("nan"), pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN"), "", " ", "nan", "NaN",
        np.datetime64("NaT"), np.float32("nan"), "x", "None", "NA", "other",
    ),
    "days": (*DAYS, MOMENTS[0], ZONED[1], NUMPY_TIMES[0], NUMPY_TIMES[1], PANDAS_TIMES[1], *TIME_TEXTS[:4]),
    "moments": (*MOMENTS[1:], *ZONED, NUMPY_TIMES[2], FINE, *PANDAS_TIMES, *TIME_TEXTS[4:]),
    "texts": ("x", "X", " x", "other", "4", "4\n", 4, "x\0", "1_0", "１", "é", "'", '"', "a,b", "l\nl", "\\", ""),
    "strange": (*STRANGE, "b'1'", "Colour.RED", str(UUID(int=1)), 1, "x"),
}  # fmt: skip
"""Values that are easily taken for each other; some stand twice, to be drawn more often."""
WORST = ("ones", "ones", "2^53")
"""Clusters that are tried more often."""

LABELS: tuple[Any, ...] = (
    *TRUTHS, 0, 1, 2, 4, 9, 2**53, 2**53 + 1, 2**63, 2**64, 2.5, 0.1, Decimal("0.1"), Decimal("2.50"), Fraction(1, 3),
    "0", "1", "1.0", "true", "True", "false", "x", "X", "other", "4", "01", "0.1", "9007199254740993", "", " ", "nan",
    "x\0", "é", "'", "a,b", date(2024, 2, 29), NOON, datetime(2024, 2, 29), NOON.replace(tzinfo=UTC), "2024-02-29",
    "2024-02-29 12:30:00", "2024-02-29T12:30:00+00:00", Colour.RED, b"1", str(UUID(int=1)), np.int64(2), "4\n",
    10**30, "NA", "inf",
)  # fmt: skip
"""What may be declared."""


PLAIN_OBJECTS = (Colour, bytes, time, tuple)
"""Types of objects that may be labels."""
