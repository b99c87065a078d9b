"""Drafts: from names and declared types alone, valid TOML, refused until they are filled in."""

import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Category, Date, Flag, Number, Text
from dampen.describe.description import Description
from dampen.describe.draft import draft, kind_of
from dampen.errors import ParameterError
from tests.unit.describe.strategies import texts

if TYPE_CHECKING:
    from tests.conftest import Refused

DECLARED: dict[str, list[str | None]] = {
    "number": ["int64", "uint8", "INTEGER", "UBIGINT", "HUGEINT", "double", "float", "Float32", "DECIMAL(10,2)",
               "decimal128(5, 2)", "INT96", "REAL", "halffloat"],
    "flag": ["bool", "BOOLEAN", "Boolean"],
    "date": ["date32[day]", "DATE", "timestamp[us, tz=UTC]", "TIMESTAMP WITH TIME ZONE", "datetime64[ns]", "Date"],
    "category": ["string", "large_string", "VARCHAR", "Utf8", "ENUM('SECRET', 'b')", "dictionary<values=string>",
                 "category[SECRET]", "object", "str"],
    "text": ["list<item: int64>", "INTEGER[]", "DOUBLE[3]", "STRUCT(a INTEGER)", "BLOB", "binary", "interval",
             "time64[us]", "duration[s]", "", "?"],
    "": [None],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "declared"), [(kind, each) for kind, listed in DECLARED.items() for each in listed])
def test_a_declared_type_suggests_a_kind(kind: str, declared: str | None) -> None:
    assert kind_of(declared) == kind


@given(
    st.lists(
        st.tuples(texts, st.none() | st.sampled_from([each for listed in DECLARED.values() for each in listed])),
        min_size=1,
        unique_by=lambda pair: pair[0],
    )
)
def test_a_draft_is_toml_with_all_columns_and_nothing_that_was_declared_beside_a_type(
    columns: list[tuple[str, str | None]],
) -> None:
    written = draft(columns, data="x.csv")
    assert list(tomllib.loads(written)["columns"]) == [name for name, _ in columns]
    if not any("SECRET" in name for name, _ in columns):
        assert "SECRET" not in written


def test_a_draft_says_what_is_to_be_filled_in(refused: "Refused") -> None:
    with refused(ParameterError, "[columns.pay] still needs its kind"):
        Description.parse(draft([("pay", None), ("team", None)]))
    for declared, needed in (
        ("int64", "bounds = [lo, hi]"),
        ("string", "values = [...]"),
        ("date32", "bounds = [first"),
    ):
        with refused(ParameterError, f"[columns.x] is a {kind_of(declared)} and still needs {needed}"):
            Description.parse(draft([("x", declared)]))


def test_a_draft_filled_in_as_it_shows_is_a_description() -> None:
    types = {"n": "int64", "c": "string", "d": "date32[day]", "f": "bool", "t": "binary"}
    filled = re.sub(r"^# (bounds|values|ledger) =", r"\1 =", draft(types.items(), data="staff.parquet"), flags=re.M)
    found = Description.parse(filled)
    assert (found.data, found.ledger) == ("staff.parquet", "staff.db")
    assert found.columns == {
        "n": Number(0, 100),
        "c": Category("a", "b"),
        "d": Date("2000-01-01", "2030-12-31"),
        "f": Flag(),
        "t": Text(),
    }


def test_a_column_without_a_type_is_filled_in_by_any_kind() -> None:
    skeleton = draft([("x", None)])
    for kind, needed in (("number", "bounds"), ("category", "values"), ("date", "bounds"), ("flag", ""), ("text", "")):
        lines = re.search(rf'# (kind = "{kind}")\n(# ({needed} = .*)\n)?', skeleton)
        assert lines is not None
        filled = skeleton.replace(lines[0], f"{lines[1]}\n{lines[3] if needed else ''}\n")
        assert Description.parse(filled).columns["x"].kind == kind


def test_a_draft_of_names_alone_warns_of_a_file_without_a_header() -> None:
    assert "the file has no header" in draft([("pay", None)])
    assert "the file has no header" not in draft([("pay", "int64")])


def test_what_is_no_list_of_columns_is_refused(refused: "Refused") -> None:
    for columns in ([], [("a", None), ("a", "int64")], [(3, None)]):
        with refused(ParameterError, "a draft needs at least one column", "distinct texts"):
            draft(columns)  # type: ignore[arg-type]
    with refused(ParameterError, "a declared type must be a text or None; got 3"):
        draft([("a", 3)])  # type: ignore[list-item]
