"""Rows of two persons in their public order: as it is written down, and by the two persons alone."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

import numpy as np
import pytest

from dampen.errors import DataError, ParameterError
from dampen.tables import person_pairs as pairs
from dampen.tables.engines.array_persons import identity_of
from dampen.tables.engines.written_persons import write_person
from dampen.tables.person_pairs import person_pairs
from tests.unit.graphs import judges

ODD = ["ann", "Ann", " ann", "\u00e9", "e\u0301", "1", "01", "-1", "1.0", "\ud800", "x" * 500, "nobody", "None", "true"]
Pair = tuple[str, str]


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def hashed(name: str) -> int:
    word = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, salt=b"rows of two").digest()
    return int.from_bytes(word, "little")


def public_place(pair: Pair) -> tuple[int, str, str]:
    """Where a pair stands among all that there might be."""
    low, high = sorted(pair)
    return mix((mix(hashed(low)) + hashed(high)) % 2**64), low, high


def found_in(rows: list[tuple[Any, Any]], names: list[str]) -> list[Pair]:
    """The pairs as they were ordered, by name. ``names``: all that there are, in order."""
    found = person_pairs({"a": [row[0] for row in rows], "b": [row[1] for row in rows]}, ("a", "b"))
    assert found.people == len(names)
    return [(names[low], names[high]) for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True)]


def random_rows(seed: int, count: int = 400) -> list[Pair]:
    rng = Random(seed)
    return [(rng.choice(ODD), rng.choice(ODD)) for _ in range(count)]


def test_the_public_order_is_as_it_is_written_down() -> None:
    for seed in range(20):
        rows = random_rows(seed)
        names = sorted({name for row in rows for name in row})
        expected = sorted(((min(row), max(row)) for row in rows), key=public_place)
        assert found_in(list(rows), names) == expected


def test_nobody_has_a_part_in_the_order_of_the_rows_of_others() -> None:
    """Whoever leaves, with all rows, the others stay in their order; and it is not that of names or of the list."""
    rows = random_rows(1)
    every = sorted({name for row in rows for name in row})
    ordered = found_in(list(rows), every)
    assert ordered != sorted(ordered)
    assert ordered == found_in([row[::-1] for row in reversed(rows)], every)
    for name in every:
        rest = [row for row in rows if name not in row]
        assert found_in(list(rest), [each for each in every if each != name]) == [
            row for row in ordered if name not in row
        ]


def test_equal_hashes_leave_it_to_the_names() -> None:
    rows = random_rows(2)
    names = sorted({name for row in rows for name in row})
    with patch.object(pairs, "hash_persons", lambda names: np.zeros(len(names), dtype=np.uint64)):
        assert found_in(list(rows), names) == sorted((min(row), max(row)) for row in rows)


SAME = [
    [7, 7.0, np.int8(7), np.uint64(7), Decimal(7), Decimal("7.000"), Fraction(7), "7", np.float32(7), np.str_("7")],
    [0, 0.0, -0.0, Decimal("-0"), "0"],
    [0.5, Decimal("0.5"), Fraction(1, 2), np.float16(0.5)],
    [2**80, Decimal(2**80), str(2**80)],
    [float("inf"), Decimal("Infinity"), "inf"],
    [
        date(2024, 2, 29),
        "2024-02-29",
        np.datetime64("2024-02-29"),
        datetime(2024, 2, 29),
        np.datetime64("2024-02-29", "ms"),
    ],
    [datetime(2024, 2, 29, 12, 0, tzinfo=UTC), np.array("2024-02-29 12:00:00+00:00").item()],
    [datetime(2024, 2, 29, 0, 0, 1), np.datetime64("2024-02-29T00:00:01"), "2024-02-29 00:00:01"],
    [7.25, np.float32(7.25), Decimal("7.250"), Fraction(29, 4), "7.25"],
    [0.3, "0.3"],
    [Decimal("-0.12345678901234567890123456789012345678901"), "-0.12345678901234567890123456789012345678901"],
    [True, np.True_, "true"],
    [UUID(int=5), str(UUID(int=5))],
    [b"ann", "ann"],
    [b'a"\\\x00\xff', "a\\x22\\x5C\\x00\\xFF"],
    [Decimal("1e20000"), Decimal("1e20000")],
]


def test_who_is_the_same_and_who_is_not() -> None:
    for place, group in enumerate(SAME):
        texts = {write_person(value) for value in group}
        assert len(texts) == 1
        assert None not in texts
        for other in SAME[place + 1 :]:
            assert not texts & {write_person(value) for value in other}
    assert len({write_person(name) for name in ODD}) == len(ODD)


def test_what_is_one_person_in_one_column_is_one_in_two() -> None:
    values = [value for group in SAME for value in group] + [0.1, Decimal("0.1"), 2**53 + 1, 2.0**53, Decimal("1e-9")]
    for one in values:
        for other in values:
            if identity_of(one) == identity_of(other):
                assert write_person(one) == write_person(other)


class Hostile:
    """A value that raises whatever is asked of it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value", [None, "", " \t", "NaN", float("nan"), np.datetime64("NaT"), Decimal("NaN"), Hostile()]
)
def test_who_is_nobody(value: Any) -> None:
    assert write_person(value) is None


def test_rows_without_a_person_are_left_out_or_refused() -> None:
    rows = {"a": ["x", None, "y", ""], "b": ["y", "x", float("nan"), "x"]}
    assert len(person_pairs(rows, ("a", "b")).low) == 1
    with pytest.raises(DataError, match="column 'a' must have no missing values"):
        person_pairs(rows, ("a", "b"), missing="refuse")
    with pytest.raises(DataError, match="column 'a' must hold numbers, texts or days"):
        person_pairs({"a": [Hostile()], "b": ["x"]}, ("a", "b"))
    with pytest.raises(ParameterError, match="'c'"):
        person_pairs(rows, ("a", "c"))
    with pytest.raises(DataError, match="equally many rows"):
        person_pairs({"a": [1, 2], "b": [1]}, ("a", "b"))


def test_columns_of_other_types_hold_the_same_persons() -> None:
    whole = person_pairs({"a": np.array([1, 2, 3]), "b": np.array([2, 3, 3])}, ("a", "b"))
    mixed = person_pairs({"a": ["1", "2", "3"], "b": [2.0, 3.0, Decimal(3)]}, ("a", "b"))
    assert (whole.low.tolist(), whole.high.tolist()) == (mixed.low.tolist(), mixed.high.tolist())
    absent = person_pairs({"a": np.ma.MaskedArray([1, 2], [False, True]), "b": [1, 1]}, ("a", "b"))
    assert (absent.low.tolist(), absent.people) == ([0], 1)


def test_the_places_of_persons_are_spread_evenly() -> None:
    """The first of many rows are nobody's in particular: a name has its share of the first half."""
    names = [f"p{place:02}" for place in range(40)]
    ordered = found_in([(a, b) for a in names for b in names if a < b], names)
    half = ordered[: len(ordered) // 2]
    shares = [sum(name in row for row in half) for name in names]
    assert min(shares) >= 8
    assert max(shares) <= 31
    assert judges.rows_kept([(names.index(a), names.index(b)) for a, b in ordered], 39) == len(ordered)
