"""Names that nobody listed: every engine reads and counts them as loops do, of random tables with odd values."""

from collections import Counter
from decimal import Decimal
from hashlib import md5
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import polars as pl
import pytest

from dampen.describe.conditions import Among
from dampen.errors import DataError
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.names import NamesAsk, read_name
from dampen.tables.named_people import named_people
from dampen.tables.reading import MISSING, OTHER
from tests.contracts.engines import EVERY, lying

ODD = [
    "flu",
    "Flu",
    " flu",
    "FLU",
    "\u00e9",
    "e\u0301",
    "1",
    "01",
    "1.0",
    "true",
    "None",
    "\u00df",
    "ss",
    "it's",
    "a\tb",
]
BLANK = [None, "", " ", "NaN"]
KEY = "0123456789abcdef0123456789abcdef"


def random_table(seed: str, rows: int = 150) -> pl.DataFrame:
    rng = Random(seed)
    return pl.DataFrame(
        {
            "term": pl.Series(rng.choices([*ODD, *BLANK], k=rows), dtype=pl.String),
            "code": pl.Series(rng.choices([-1, 0, 7, 2**52 + 1, None], k=rows), dtype=pl.Int64),
            "real": pl.Series(rng.choices([0.0, -0.0, -3.0, 2.0**52, float("nan"), None], k=rows), dtype=pl.Float64),
            "who": pl.Series(rng.choices(["ann", "Ann", "bob", "7", None, ""], k=rows), dtype=pl.String),
            "number": pl.Series(rng.choices([1, 2, 3, 2**40, None], k=rows), dtype=pl.Int64),
            "ward": pl.Series(rng.choices(["a", "b"], k=rows), dtype=pl.String),
        }
    )


def name_by_hand(value: Any) -> str | None:
    if value is None or value != value or (isinstance(value, str) and value.strip().lower() in ("", "nan")):
        return None
    return value if isinstance(value, str) else str(int(value))


def counted_by_hand(frame: pl.DataFrame, ask: NamesAsk) -> dict[str, int]:
    """Person by person, in loops."""
    named = [(row, name) for row in frame.iter_rows(named=True) if (name := name_by_hand(row[ask.column])) is not None]
    if ask.person is None:
        return dict(Counter(name for _, name in named))
    own: dict[Any, set[str]] = {}
    for row, name in named:
        if name_by_hand(row[ask.person]) is not None:
            own.setdefault(row[ask.person], set()).add(name)
    found: Counter[str] = Counter()
    for person, names in own.items():
        order = {name: md5(f"{ask.key} {person} {name}".encode()).hexdigest() for name in names}
        found.update(sorted(names, key=order.__getitem__)[: ask.most])
    return dict(found)


ASKS = {
    "rows": NamesAsk("term"),
    "rows of codes": NamesAsk("code"),
    "rows of reals": NamesAsk("real"),
    "people": NamesAsk("term", "who", 100, KEY),
    "people in three": NamesAsk("term", "who", 3, KEY),
    "people in one": NamesAsk("code", "number", 1, KEY),
    "reals in two": NamesAsk("real", "number", 2, KEY),
}


def told(data: Any, ask: NamesAsk) -> dict[str, int]:
    found = named_people(data, ask)
    assert len({*found.names}) == len(found.names)
    return dict(zip(found.names, found.people.tolist(), strict=True))


@pytest.mark.parametrize("form", EVERY)
def test_names_of_random_tables(form: str, tmp_path: Path) -> None:
    frame = random_table(form)
    data = lying(frame, form, tmp_path)
    for name, ask in ASKS.items():
        if form == "csv" and ask.column == "real":
            continue  # there -0.0 is a text, as 2.0 is
        if form == "pandas" and ask.person == "number":
            continue  # there persons are floats, which print otherwise: they are kept in other groups
        assert told(data, ask) == counted_by_hand(frame, ask), name


def test_spark_in_one_session(tmp_path: Path) -> None:
    frame = random_table("spark")
    data = lying(frame, "spark", tmp_path)
    for name in ("rows of reals", "people in three", "people in one"):
        assert told(data, ASKS[name]) == counted_by_hand(frame, ASKS[name]), name


@pytest.mark.parametrize("form", ["arrays", "parquet", "relation", "ibis"])
def test_names_of_some_rows_and_of_none(form: str, tmp_path: Path) -> None:
    frame = random_table(f"{form} filtered")
    data = Source(lying(frame, form, tmp_path), [Among("ward", ("a", "b"), frozenset({0}))])
    assert told(data, ASKS["people in three"]) == counted_by_hand(
        frame.filter(pl.col("ward") == "a"), ASKS["people in three"]
    )
    nobody = Source(lying(frame, form, tmp_path), [Among("ward", ("a", "b"), frozenset())])
    assert told(nobody, ASKS["people in three"]) == told(nobody, ASKS["rows"]) == {}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("flu", "flu"), (" flu", " flu"), (7, "7"), (-7, "-7"), (2**70, str(2**70)), (7.0, "7"), (-0.0, "0"),
        (Decimal("7.00"), "7"), (True, OTHER), (7.5, OTHER), (2.0**53, OTHER), (float("inf"), OTHER), (b"x", OTHER),
        (object(), OTHER), ("", MISSING), (" nan ", MISSING), (None, MISSING), (float("nan"), MISSING),
        (Decimal("nan"), MISSING),
    ],
)  # fmt: skip
def test_how_one_value_is_read(value: Any, name: Any) -> None:
    assert read_name(value) == name
    with open_engine({"x": [value, "other"]}) as engine:
        assert {*engine.named_people(NamesAsk("x")).names} == {"other"} | ({name} if isinstance(name, str) else set())


@pytest.mark.parametrize(
    "column",
    [
        "true",
        "1.5::double",
        "1.5::decimal(9, 2)",
        "date '2020-01-01'",
        "timestamp '2020-01-01'",
        "'inf'::double",
        "[1]",
    ],
)
def test_what_is_no_name_is_refused_on_every_engine(column: str) -> None:
    relation = duckdb.connect().sql(f"select {column} as term union all select null")
    ibis = pytest.importorskip("ibis")
    for data in (relation, ibis.memtable(relation.to_arrow_table()), relation.to_arrow_table()):
        with pytest.raises(
            DataError, match="column 'term' must hold texts or whole numbers, by which groups are named"
        ):
            named_people(data, NamesAsk("term"))


def test_wide_and_whole_numbers_have_their_digits() -> None:
    wide = duckdb.connect().sql(f"select unnest([{2**70}, {2**70}, 5]::hugeint[]) as term")
    assert told(wide, NamesAsk("term")) == {str(2**70): 2, "5": 1}
    tenths = duckdb.connect().sql("select unnest([5, 5.00, -7]::decimal(9, 2)[]) as term")
    ibis = pytest.importorskip("ibis")
    for data in (tenths, tenths.to_arrow_table(), ibis.memtable(tenths.to_arrow_table())):
        assert told(data, NamesAsk("term")) == {"5": 2, "-7": 1}


def test_letters_that_a_column_takes_for_the_same_are_told_apart() -> None:
    connection = duckdb.connect()
    connection.sql("create table t (term varchar collate nocase, who varchar collate nocase)")
    connection.sql("insert into t values ('a', 'x'), ('A', 'X'), ('a', 'X')")
    ibis = pytest.importorskip("ibis")
    other = ibis.duckdb.from_connection(connection)
    for data in (connection.table("t"), other.table("t")):
        assert told(data, NamesAsk("term")) == {"a": 2, "A": 1}
        assert told(data, NamesAsk("term", "who", 2, KEY)) == {"a": 2, "A": 1}
