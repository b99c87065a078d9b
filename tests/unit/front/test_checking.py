"""``check``: which column breaks which rule, and nothing else."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from dampen import Category, Date, Flag, Number, Text
from dampen.describe.description import Description
from dampen.errors import ParameterError
from dampen.front.checking import check

if TYPE_CHECKING:
    from tests.conftest import Refused

COLUMNS: dict[str, Any] = {
    "pay": Number(0, 100),
    "team": Category("lab", "sales"),
    "hired": Date("2000-01-01", "2030-12-31"),
    "smoker": Flag(),
    "name": Text(),
}
GOOD: dict[str, list[Any]] = {
    "pay": ["10", "4711", "30"],
    "team": ["lab", "sales", "lab"],
    "hired": ["2020-01-01", "2021-06-30", "1999-12-31"],
    "smoker": ["true", "false", "true"],
    "name": ["ann", "secret", "cid"],
}
HIDDEN = ("4711", "secret", "4712")


def told(folder: Path, rows: dict[str, list[Any]], engine: str | None = None, **columns: Any) -> list[str]:
    pl.DataFrame({**GOOD, **rows}).write_csv(folder / "rows.csv")
    sentences = check(Description({**COLUMNS, **columns}, data=str(folder / "rows.csv"), engine=engine))
    for sentence in sentences:
        assert len(sentence.splitlines()) == 1
        assert not [part for part in HIDDEN if part in sentence], sentence
    return sentences


@pytest.mark.parametrize("engine", [None, "arrays"])
def test_all_is_well(engine: str | None, tmp_path: Path) -> None:
    """Values outside of bounds are clamped, silently: only where all of them are it is told."""
    assert told(tmp_path, {}, engine) == []


MISSING = 'column {!r} must have no missing values, or missing = "drop" in its description'
BROKEN: list[tuple[dict[str, list[Any]], str]] = [
    ({"pay": ["10", "secret", "30"]}, "column 'pay' must hold only numbers"),
    ({"pay": ["10", None, "30"]}, MISSING.format("pay")),
    ({"team": ["lab", "secret", "lab"]}, "column 'team' must hold only the declared values"),
    ({"team": ["lab", None, "lab"]}, MISSING.format("team")),
    ({"hired": ["2020-01-01", "secret", "2020-01-03"]}, "column 'hired' must hold only days"),
    ({"hired": ["2020-01-01", None, "2020-01-03"]}, MISSING.format("hired")),
    ({"smoker": ["true", "secret", "false"]}, "column 'smoker' must hold only the declared values"),
    ({"smoker": ["true", None, "false"]}, MISSING.format("smoker")),
]


@pytest.mark.parametrize("engine", [None, "arrays"])
@pytest.mark.parametrize(("rows", "sentence"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_rule_is_named(rows: dict[str, list[Any]], sentence: str, engine: str | None, tmp_path: Path) -> None:
    assert told(tmp_path, rows, engine) == [sentence]


def test_every_broken_rule_is_named_once(tmp_path: Path) -> None:
    rows = {"pay": ["secret", None, "secret"], "team": ["x", "y", None]}
    assert told(tmp_path, rows) == [
        "column 'pay' must hold only numbers",
        MISSING.format("pay"),
        "column 'team' must hold only the declared values",
        MISSING.format("team"),
    ]


def test_what_the_description_allows_breaks_no_rule(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {
        "pay": ["10", None, "30"],
        "team": ["lab", "x", None],
        "name": [None, "secret", "4711"],
    }
    columns: dict[str, Any] = {
        "pay": Number(0, 100, missing="drop"),
        "team": Category("lab", "rest", other="rest", missing="other"),
    }
    assert told(tmp_path, rows, **columns) == []


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ({"pay": ["4711", "4712", "4711"]}, "pay"),
        ({"pay": ["-1", "4712", "inf"]}, "pay"),
        ({"hired": ["1999-12-31", "2047-11-01", "1066-10-14"]}, "hired"),
    ],
    ids=["above", "around", "days"],
)
def test_a_column_that_lies_outside_of_its_bounds_altogether(
    rows: dict[str, list[Any]], column: str, tmp_path: Path
) -> None:
    assert told(tmp_path, rows) == [
        f"column {column!r} must have values between its bounds: all lie outside; is its unit another one?"
    ]


def test_ends_of_bounds_lie_between_them(tmp_path: Path) -> None:
    assert told(tmp_path, {"pay": ["0", "4711", "4711"]}) == []
    assert told(tmp_path, {"pay": ["-5", "100", "4711"]}) == []
    assert told(tmp_path, {"hired": ["2030-12-31", "2047-01-01", "2047-01-01"]}) == []


def test_without_values_nothing_lies_outside(tmp_path: Path) -> None:
    empty: dict[str, list[Any]] = {name: [] for name in GOOD}
    assert told(tmp_path, empty) == []
    gone = {"pay": [None] * 3}
    assert told(tmp_path, gone, pay=Number(0, 100, missing="drop")) == []


def test_a_column_that_is_not_there(tmp_path: Path, refused: "Refused") -> None:
    with refused(ParameterError, "'bonus'"):
        told(tmp_path, {}, bonus=Number(0, 1))
    with refused(ParameterError, "'remark'"):
        told(tmp_path, {}, remark=Text())
    with refused(ParameterError, "data must be named in the description"):
        check(Description(COLUMNS))
