"""Ids and groups out of tables."""

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from dampen.errors import DataError, ParameterError
from dampen.statistics.people_files import UNDECLARED, read_people

if TYPE_CHECKING:
    from tests.conftest import Refused


def test_csv_fields_are_text_and_blank_ones_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('id;sex\nn;F\nna;nan\n"";M\n  nan  ; \n007;NaN\nnandini;nano\n')
    ids, groups = read_people(path, ("F", "M", "X"), id="id", by="sex")
    assert ids == ["n", "na", None, None, "007", "nandini"]
    assert groups == ["F", None, "M", None, None, UNDECLARED]


def test_parquet_ids_keep_their_type_and_groups_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    rows = "(1, true, 1.5), (2, false, 'nan'::double), (null, null, null)"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select * from (values {rows}) as t(id, flag, x)) to '{path}' (format parquet)")
    assert read_people(path, ("true", "false"), id="id", by="flag") == ([1, 2, None], ["true", "false", None])
    assert read_people(path, (True, False), id="id", by="flag")[1] == [True, False, None]
    for label in ("1.5", 1.5):
        assert read_people(path, (label,), id="id", by="x")[1] == [label, None, None]


@pytest.mark.parametrize(
    ("id", "by", "message"), [("id", "id", "must be another column than that of the ids"), ("no", "sex", "column")]
)
def test_columns_must_be_two_of_the_file(tmp_path: Path, id: str, by: str, message: str, refused: "Refused") -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,sex\n1,F\n")
    with refused(ParameterError, message):
        read_people(path, ("F",), id=id, by=by)


def test_groups_that_are_lists_are_refused(tmp_path: Path, refused: "Refused") -> None:
    path = tmp_path / "people.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select 1 as id, ['secret'] as tags) to '{path}' (format parquet)")
    with refused(DataError, "column 'tags' must hold single labels", hidden=("secret",)):
        read_people(path, ("a",), id="id", by="tags")
