"""Questions as people write them, read once by a description."""

from typing import Any

import pytest

from dampen import Budget, Category, Flag, Number, Table, Text
from dampen.errors import ParameterError
from dampen.front.question_text import WORDS, read_question

COLUMNS: dict[str, Any] = {
    "pay": Number(0, 10_000, step=50),
    "pay by hour": Number(0, 100),
    "team": Category("sales", "lab", "board"),
    "smoker": Flag(),
    "remark": Text(),
}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("median pay", "median pay"),
        ("  median   of pay ", "median pay"),
        ("count", "count"),
        ("count by team, smoker", "count by team, smoker"),
        ("percentile 90 of pay", "percentile 90 of pay"),
        ("percentile 99.9 pay where team=lab", "percentile 99.9 of pay where team=lab"),
        ("percentiles 25, 50,75 of pay", "percentiles 25,50,75 of pay"),
        ("most-common team", "most_common team"),
        ("top_categories 2 of team", "top_categories 2 of team"),
        ("mean pay by hour", "mean pay by hour"),
        ("mean pay by hour by team", "mean pay by hour by team"),
        (
            "sum pay where pay between 10 and 500 and team in lab,board",
            "sum pay where pay between 10 and 500 and team in lab,board",
        ),
    ],
)
def test_a_question_has_one_spelling(text: str, told: str) -> None:
    asked = read_question(text, COLUMNS)
    assert asked.told == told
    assert read_question(told, COLUMNS) == asked


def test_the_longest_name_of_a_column_is_meant() -> None:
    assert read_question("mean pay by hour", COLUMNS).column == "pay by hour"
    assert read_question("mean pay by team", COLUMNS).by == ("team",)


def test_conditions_are_those_of_where() -> None:
    table = Table({"pay": [1]}, columns=COLUMNS, budget=Budget(epsilon=1))
    asked = read_question("count where pay between 10 and 500 and team=lab", COLUMNS)
    assert {each.column for each in asked.conditions} == {"pay", "team"}
    assert repr(asked.of(table)).endswith("where pay between 10 and 500, team is 'lab')") or "team" in repr(
        asked.of(table)
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("medain pay", 'did you mean "median"'),
        ("median pey", 'did you mean "pay"'),
        ("mean pay by taem", 'did you mean "team"'),
        ("percentile pay", "must be written with a number, as 'percentile 90 of pay'"),
        ("percentiles of pay", "'percentiles 25,50,75 of pay'"),
        ("percentile 5,6 of pay", "with one number"),
        ("mean", "mean must name a column"),
        ("mean by team", "mean must name a column"),
        ("median pay of team", "must end with its column"),
        ("count bye team", "must end with its column"),
        ("count where team", "where must be written as"),
        ("count where team=labb", 'did you mean "lab"'),
        ("", "a question must be a text"),
        (7, "a question must be a text"),
        ("count\nby team", "a question must be a text"),
        ("x" * 501, "a question must be a text"),
    ],
)
def test_what_is_no_question_is_refused_with_the_nearest_word(text: object, why: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        read_question(text, COLUMNS)
    assert why in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_words_are_those_of_tables() -> None:
    assert {"count", "median", "percentile", "most_common", "variance"} <= set(WORDS)
    assert "release_group_members" not in WORDS


def test_what_is_not_asked_by_group_says_so() -> None:
    table = Table({"pay": [1], "team": ["lab"]}, columns=COLUMNS, budget=Budget(epsilon=1))
    asked = read_question("variance pay by team", COLUMNS)
    with pytest.raises(ParameterError, match="must be asked without groups"):
        asked.ask(asked.of(table), epsilon=1)
    assert table.budget.spent.epsilon == 0  # type: ignore[attr-defined]
