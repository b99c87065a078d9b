"""Ids and groups out of tables."""

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from dampen.errors import ParameterError
from dampen.tables.engines import open_engine
from dampen.tables.people import read_people
from dampen.tables.reading import MISSING, OTHER

if TYPE_CHECKING:
    from tests.conftest import Refused


def test_csv_fields_are_text_and_blank_ones_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('id;sex\nn;F\nna;nan\n"";M\n  nan  ; \n007;NaN\nnandini;nano\n')
    ids, groups = read_people(path, ("F", "M", "X"), id="id", by="sex")
    assert ids == ["n", "na", None, None, "007", "nandini"]
    assert groups.tolist() == [0, MISSING, 1, MISSING, MISSING, OTHER]


def test_parquet_ids_keep_their_type_and_groups_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    rows = "(1, true, 1.5), (2, false, 'nan'::double), (null, null, null)"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select * from (values {rows}) as t(id, flag, x)) to '{path}' (format parquet)")
    assert read_people(path, ("true", "false"), id="id", by="flag")[0] == [1, 2, None]
    for labels in (("true", "false"), (True, False)):
        assert read_people(path, labels, id="id", by="flag")[1].tolist() == [0, 1, MISSING]
    for label in ("1.5", 1.5):
        assert read_people(path, (label,), id="id", by="x")[1].tolist() == [0, MISSING, MISSING]


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        ("'2020-02-01'::date", (date(2020, 2, 1), "x")),
        ("'2020-02-01'::date", ("2020-02-01", "x")),
        ("'2020-02-01'::timestamp", (datetime(2020, 2, 1), "x")),
        ("'2020-02-01'::timestamp_ns", ("2020-02-01 00:00:00", "x")),
        ("'a'::enum('a', 'x')", ("a", "x")),
        ("'2020-02-01 12:00:00+02'::timestamptz", ("2020-02-01T10:00:00Z", "x")),
        ("'2020-02-01'::timestamp", (date(2020, 2, 1), "x")),
        ("'2020-02-01'::date", (datetime(2020, 2, 1), "x")),
        ("1::hugeint", (1, "x")),
    ],
)
def test_groups_of_other_types_are_those_that_are_counted(value: str, labels: tuple[Any, ...]) -> None:
    with duckdb.connect() as connection:
        people = connection.sql(f"select i as id, case when i < 2 then {value} end as kind from range(3) t(i)")
        assert read_people(people, labels, id="id", by="kind")[1].tolist() == [0, 0, MISSING]
        with open_engine(people, "kind") as engine:
            assert engine.label_counts("kind", labels) == {0: 2, MISSING: 1}


def test_wide_ids_are_not_rounded() -> None:
    with duckdb.connect() as connection:
        people = connection.sql(f"select {2**60}::hugeint + i as id, 'a' as kind from range(2) t(i)")
        assert read_people(people, ("a",), id="id", by="kind")[0] == [2**60, 2**60 + 1]


@pytest.mark.parametrize(
    ("id", "by", "message"), [("id", "id", "must be another column than that of the ids"), ("no", "sex", "column")]
)
def test_columns_must_be_two_of_the_file(tmp_path: Path, id: str, by: str, message: str, refused: "Refused") -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,sex\n1,F\n")
    with refused(ParameterError, message):
        read_people(path, ("F",), id=id, by=by)


def test_what_is_neither_number_nor_text_stands_for_no_label(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select time '12:00' as id, ['a'] as tags) to '{path}' (format parquet)")
    ids, groups = read_people(path, ("a",), id="id", by="tags")
    assert (ids, groups.tolist()) == (["12:00:00"], [OTHER])
    with open_engine(path, "tags") as engine:
        assert engine.label_counts("tags", ("a", "12:00:00")) == {OTHER: 1}
