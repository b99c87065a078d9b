"""Which group each person belongs to: labels, the rest, missing values, ids."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dampen.errors import DataError, ParameterError
from dampen.tables.grid import as_grid
from dampen.tables.groups import (
    GroupColumn,
    count_groups,
    find_groups,
    grids_by_groups,
    rows_by_groups,
    settle_groups,
    total_by_group,
)
from dampen.tables.people import as_ids

if TYPE_CHECKING:
    from tests.conftest import Refused

LABELS = ("F", "M")
FORMS = {
    "list": list,
    "array": np.array,
    "objects": lambda items: np.array(items, dtype=object),
    "pandas": pd.Series,
    "polars": pl.Series,
}


def place_groups(values: Any, labels: tuple[Any, ...], *, other: Any = None, missing: str = "refuse") -> Any:
    """Both steps: what each value is, then what becomes of those that are no label."""
    return settle_groups(find_groups(values, labels), labels, other=other, missing=missing, title="groups")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_column_is_read_alike(form: Any) -> None:
    groups = form(["F", "M", "M", "F"])
    assert place_groups(groups, LABELS).tolist() == [0, 1, 1, 0]
    assert count_groups(groups, LABELS).tolist() == [2, 2]
    assert as_ids(form(["a", "b", "c", "d"])).tolist() == ["a", "b", "c", "d"]


def test_undeclared_values_go_to_a_declared_other() -> None:
    assert place_groups(["F", "X", "M"], ("F", "M", "rest"), other="rest").tolist() == [0, 2, 1]
    assert place_groups(["F", "X", "M"], ("rest", "F", "M"), other="rest").tolist() == [1, 0, 2]
    assert count_groups(["F", "X", "Y"], ("F", "M", "rest"), other="rest").tolist() == [1, 0, 2]


def test_undeclared_values_are_refused_without_one(refused: "Refused") -> None:
    """A label that is called other takes nothing unless somebody says so."""
    for labels in (LABELS, (*LABELS, "other")):
        with refused(DataError, "groups must hold only the declared categories", hidden=("secret",)):
            place_groups(["F", "secret"], labels)
        with refused(DataError, "declared categories", hidden=("secret",)):
            count_groups(["F", "secret"], labels)
    others: tuple[Any, ...] = ("X", "other", [])
    for other in others:
        with refused(ParameterError, "other must be one of the categories; got"):
            place_groups(["F"], LABELS, other=other)
        with refused(ParameterError, "other must be one of the categories; got"):
            count_groups(["F"], LABELS, other=other)


@pytest.mark.parametrize("gone", [None, float("nan"), pd.NA, pd.NaT], ids=["None", "nan", "NA", "NaT"])
def test_missing_values(gone: object, refused: "Refused") -> None:
    rest: dict[str, Any] = {"labels": (*LABELS, "rest"), "other": "rest"}
    with refused(DataError, "groups must have no missing values; missing='other' (--missing other)"):
        place_groups(["F", gone], LABELS)
    with refused(DataError, "no missing values"):
        place_groups(["F", gone], **rest)
    with refused(DataError, "no missing values"):
        count_groups(["F", gone], LABELS)
    for labels in (LABELS, (*LABELS, "other")):
        with refused(ParameterError, "missing='other' needs a category"):
            place_groups(["F", gone], labels, missing="other")
    with refused(ParameterError, "missing must be one of 'refuse', 'other'; got 'drop'"):
        place_groups(["F", gone], LABELS, missing="drop")
    assert place_groups(["F", gone], **rest, missing="other").tolist() == [0, 2]
    assert count_groups(["F", gone], **rest, missing="other").tolist() == [1, 0, 1]
    assert count_groups(["F", gone], LABELS, missing="drop").tolist() == [1, 0]


def test_ids_are_distinct_and_none_is_missing(refused: "Refused") -> None:
    with refused(DataError, "ids must be distinct: one row for each person", hidden=("secret",)):
        as_ids(["secret", "b", "secret"])
    with refused(DataError, "ids must have no missing values"):
        as_ids(["a", None])
    with refused(DataError, "ids must be single labels"):
        as_ids([["a"], ["b"]])
    with refused(DataError, "groups must hold only the declared categories"):
        place_groups([["F"]], LABELS)


def test_ids_keep_their_type() -> None:
    assert as_ids([1, 2]).dtype.kind == "i"
    assert as_ids(np.array([1.5, 2.5])).dtype == np.float64
    assert as_ids(["a", "bc"]).dtype.kind == "U"
    assert as_ids([1, "a"]).tolist() == [1, "a"]
    assert as_ids([True, False]).tolist() == [True, False]
    assert as_ids([2**70, 1]).tolist() == [2**70, 1]
    assert as_ids(["a\0", "a"]).tolist() == ["a\0", "a"]
    assert as_ids([(1, 2), (3, 4)]).tolist() == [(1, 2), (3, 4)]
    assert as_ids([]).tolist() == []
    given = np.array([1, 2])
    as_ids(given)[0] = 7
    assert given.tolist() == [1, 2]


def test_a_row_is_never_in_two_groups() -> None:
    """A value stands for one label, however alike labels are."""
    mixed = {"age": [20, 30, 40, 60, 70], "year": [1, "1", 1.0, True, "1.0"]}
    for labels in ((1, "1"), (1, "1.0"), (True, "true"), ("true", "True"), ("1", "1.0"), (0.1, "0.10")):
        by = [GroupColumn("year", (*labels, "rest"), rest=2)]
        assert sum(each.n for each in grids_by_groups(mixed, as_grid(range(121)), by, column="age")) == 5
        assert rows_by_groups(mixed, by).sum() == 5
        assert sum(each.count for each in total_by_group(mixed, (0, 120), by, column="age")) == 5
