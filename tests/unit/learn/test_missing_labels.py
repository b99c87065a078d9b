"""A missing label counts as ``other`` only where the description says so; else a fit and a score refuse, unpaid."""

from typing import Any

import pytest

from dampen import Budget, Category, Flag, Number, Table
from dampen.errors import DataError
from dampen.learn import PrivateClassifier, private_score
from tests.estimators import ESTIMATORS, small

ROWS: dict[str, list[Any]] = {
    "who": [1, 1, 2, 3], "job": ["a", "else", "b", "a"], "busy": [True, False, True, True], "age": [1, 2, 3, 4],
    "way": ["no", "yes", "no", "yes"],
}  # fmt: skip


def described(gaps: str, rows: dict[str, list[Any]], person: str | None, **more: Any) -> Table:
    columns = {
        "job": Category("a", "b", "rest", other="rest", missing=gaps), "busy": Flag(), "age": Number(0, 10, bins=2),
        "way": Category("no", "yes"), **more,
    }  # fmt: skip
    return Table(rows, columns=columns, budget=Budget(epsilon=100), person=person)


def with_gap(column: str) -> dict[str, list[Any]]:
    return {**ROWS, column: [None, *ROWS[column][1:]]}


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("gaps", ["refuse", "drop"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fit_refuses_a_missing_label(name: str, gaps: str, person: str | None) -> None:
    table = described(gaps, with_gap("job"), person)
    for part in (table, table.where(busy=False)):
        with pytest.raises(
            DataError, match=r"^column 'job' must have no missing values: a classifier leaves no row out"
        ):
            small(name, 1).fit(part, "way")
    assert table.budget.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_other_takes_what_it_is_said_to_take(name: str, person: str | None) -> None:
    small(name, 1).fit(described("other", with_gap("job"), person), "way")
    small(name, 1).fit(described("refuse", ROWS, person), "way")


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize(("column", "rule"), [("busy", "'busy'"), ("age", "'age'"), ("way", "target")])
def test_what_has_no_other_is_refused_as_ever(column: str, rule: str, person: str | None) -> None:
    table = described("other", with_gap(column), person)
    with pytest.raises(DataError, match=rule):
        PrivateClassifier(1).fit(table, "way")
    assert table.budget.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize(
    ("column", "gaps"), [("job", "refuse"), ("job", "drop"), ("busy", "other"), ("age", "other"), ("way", "other")]
)
def test_a_score_refuses_what_the_description_does(column: str, gaps: str, person: str | None) -> None:
    model = PrivateClassifier(1).fit(described("other", ROWS, person), "way")
    table = described(gaps, with_gap(column), person)
    for part in (table, table.where(busy=False)):
        with pytest.raises(DataError, match=f"'{column}'"):
            private_score(model, part, "way", epsilon=1, budget=part.budget)
    assert table.budget.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("person", [None, "who"])
def test_a_score_refuses_labels_that_are_none(person: str | None) -> None:
    model = PrivateClassifier(1).fit(described("other", ROWS, person), "way")
    strict = {"job": Category("a", "b", "rest"), "way": Category("no", "yes", other="no")}
    odd = {**ROWS, "job": ["a"] * 4, "way": ["no", "who knows", "no", "yes"]}
    for rows, column in ((ROWS, "job"), (odd, "way")):
        table = described("other", rows, person, **strict)
        with pytest.raises(DataError, match=f"'{column}' must hold only the declared categories"):
            private_score(model, table, "way", epsilon=1, budget=table.budget)


@pytest.mark.parametrize("person", [None, "who"])
def test_a_score_takes_what_other_takes(person: str | None) -> None:
    model = PrivateClassifier(1).fit(described("other", ROWS, person), "way")
    table = described("other", with_gap("job"), person)
    assert private_score(model, table, "way", epsilon=1, budget=table.budget).loss.epsilon == 1
