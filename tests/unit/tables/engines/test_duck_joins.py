"""Keys of every SQL type: what they equal, and whether one occurs twice, against Python's own equality."""

from random import Random
from typing import Any

import duckdb
import pytest

from dampen import Budget, Database, Number
from dampen.errors import DataError
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.base import RowForm
from dampen.tables.engines.duck_joins import DENSE, FEWEST


def matched(keys: str, held: str) -> list[Any]:
    """Which of those that are held each key names; both in SQL. No order is promised of joined rows."""
    own = duckdb.connect()
    tables = {
        "visits": own.sql(f"select unnest(l) as key, generate_subscripts(l, 1) as n from (select {keys} as l)"),
        "people": own.sql(f"select unnest(l) as id, generate_subscripts(l, 1) as place from (select {held} as l)"),
    }
    shop = Database(
        tables,
        person="people.place",
        links={"visits.key": "people.id"},
        columns={"visits.n": Number(0, 9)},
        budget=Budget(epsilon=1),
    )
    with open_engine(Source(shop.table("visits").view.data), "n", "people.place") as engine:
        found = engine.rows(dict.fromkeys(("n", "people.place"), RowForm.AS_IT_IS))
    rows = sorted(zip(found["n"].tolist(), found["people.place"].tolist(), strict=True), key=lambda row: row[0])
    return [None if place is None or place != place else int(place) for _, place in rows]


WHOLES = "[3, 1, null, 7]"
TYPES = ("tinyint", "smallint", "integer", "bigint", "utinyint", "ubigint", "hugeint", "uhugeint", "float", "double")


@pytest.mark.parametrize("one", TYPES)
@pytest.mark.parametrize(
    "two",
    [
        two if two in ("bigint", "double") else pytest.param(two, marks=pytest.mark.long)
        for two in (*TYPES, "decimal(9, 2)", "decimal(38, 0)")
    ],
)
def test_numbers_of_all_types_are_compared_as_numbers(one: str, two: str) -> None:
    assert matched(f"{WHOLES}::{one}[]", f"[1, 2, 3, null, null]::{two}[]") == [3, 1, None, None]


@pytest.mark.parametrize(
    ("keys", "held", "found"),
    [
        ("['b', 'B', ' b', '', null, 'nan']", "['b', '', 'nan', '  ', null]", [1, None, None, None, None, None]),
        ("['a', 'b']::enum('b', 'a')[]", "['b', 'a']", [2, 1]),
        ("[uuid '00000000-0000-0000-0000-000000000001']", "['00000000-0000-0000-0000-000000000001']", [1]),
        ("[date '2020-01-01', null]", "[date '2020-01-02', date '2020-01-01']", [2, None]),
        ("[timestamp '2020-01-01 10:00:00']", "[timestamp_s '2020-01-01 10:00:00']", [1]),
        ("['0.5', 'nan', 'inf']::double[]", "['inf', '0.5', 'nan']::float[]", [2, None, 1]),
        ("[0.5, 1.0, 'nan', 'inf', 1e300]::double[]", "[0, 1]::bigint[]", [None, 2, None, None, None]),
        ("[9007199254740993]::bigint[]", "[9007199254740992]::double[]", [None]),
        ("[-0.0]::double[]", "[0.0]::double[]", [1]),
        ("[1.50, 2.00]::decimal(5, 2)[]", "[1.50, 2.00]::decimal(5, 2)[]", [1, 2]),
        ("[1.50, 2.00]::decimal(5, 2)[]", "[1.50, 2.00]::decimal(9, 4)[]", [None, 2]),
        ("[]::bigint[]", "[1]", []),
        ("[1]", "[]::bigint[]", [None]),
    ],
)
def test_other_keys_equal_themselves_alone(keys: str, held: str, found: list[Any]) -> None:
    assert matched(keys, held) == found


@pytest.mark.parametrize(
    ("keys", "held"),
    [
        ("['1']", "[1]"),
        ("[true]", "[true]"),
        ("[date '2020-01-01']", "[timestamp '2020-01-01']"),
        ("[timestamp '2020-01-01']", "[timestamptz '2020-01-01']"),
        ("['a'::blob]", "['a'::blob]"),
        ("[[1]]", "[[1]]"),
    ],
)
def test_keys_of_different_or_strange_kinds_are_refused(keys: str, held: str) -> None:
    with pytest.raises(DataError, match="to be linked"):
        matched(keys, held)


def test_whether_a_number_occurs_twice_is_told_by_bits_and_by_groups() -> None:
    """Narrow and wide ranges, below 0 and at both ends; values that would make a range of 64 bits overflow."""
    rng, verdicts = Random(3), set()
    for width in (3, 40, FEWEST, 20 * FEWEST, DENSE * 2**40):
        for trial in range(4):
            low = rng.choice([-width, 0, 2**62])
            held = [*{low + rng.randrange(width) for _ in range(rng.randint(1, 6))}]
            held += held[:1] * (trial % 2)
            listed = f"[{', '.join(map(str, [*held, 'null', 'null']))}]::bigint[]"
            twice = len({*held}) < len(held)
            verdicts.add((width, twice))
            if twice:
                with pytest.raises(DataError, match="must hold each value once"):
                    matched(f"[{held[0]}]", listed)
            else:
                assert matched(f"[{held[0]}]", listed) == [1]
    assert len(verdicts) == 10
    assert matched("[1]", f"[{-(2**63)}, {2**63 - 1}, 1]::bigint[]") == [3]


def test_missing_keys_may_occur_twice() -> None:
    assert matched("['a', '']", "['', ' ', null, null, 'nan', 'a']") == [6, None]


def test_columns_that_are_not_asked_for_are_not_read() -> None:
    """A column whose values cannot be computed is no trouble to those who do not name it."""
    own = duckdb.connect()
    tables = {
        "visits": own.sql("select 1 as key, error('read') as broken"),
        "people": own.sql("select 1 as id, error('read') as broken"),
        "wards": own.sql("select error('read')::bigint as id"),
    }
    found = Database(
        tables, person="people.id", links={"visits.key": "people.id", "visits.ward": "wards.id"}, public=["wards"],
        columns={}, budget=Budget(epsilon=10**6),
    )  # fmt: skip
    assert found.table("visits").count(of="persons", epsilon=4000).value == 1
