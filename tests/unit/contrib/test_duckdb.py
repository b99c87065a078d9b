"""Queries of DuckDB as draws."""

from typing import Any

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.audit import black_box
from dampen.contrib.duckdb import MOST_OPEN, as_draw
from dampen.errors import ParameterError

CLAIM = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
LAPLACE = "CREATE MACRO noise(scale) AS (SELECT -scale * ln(random()) + scale * ln(random()))"
ROWS, FEWER = [(1.0, "a"), (2.0, "b")], [(1.0, "a")]


def test_a_query_answers_a_value_or_rows() -> None:
    columns = ["pay DOUBLE", "team VARCHAR"]
    assert as_draw("SELECT sum(pay) FROM data", columns=columns)(ROWS) == 3.0
    assert as_draw("SELECT team, pay FROM staff ORDER BY pay", columns=columns, table="staff")(ROWS) == [
        ("a", 1.0),
        ("b", 2.0),
    ]
    assert as_draw("SELECT count(*) FROM data", columns=columns)([]) == 0


def test_noise_that_is_too_small_is_found() -> None:
    sql = "SELECT round(count(*) + noise(0.3)) FROM data"
    draw = as_draw(sql, columns=["pay DOUBLE", "team VARCHAR"], setup=LAPLACE)
    assert black_box(draw, ROWS, FEWER, claim=CLAIM, samples=600, confidence=1 - 1e-6).refuted


def test_data_sets_are_loaded_once_and_old_ones_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    draw: Any = as_draw("SELECT count(*) FROM data", columns=["pay DOUBLE"])
    loaded: list[Any] = []
    load = draw._load

    def note(data: Any) -> Any:
        loaded.append(data)
        return load(data)

    monkeypatch.setattr(draw, "_load", note)
    many = [[(1.0,)] * size for size in range(MOST_OPEN + 3)]
    assert [draw(data) for data in (*many, many[-1], many[-1])] == [*range(MOST_OPEN + 3), MOST_OPEN + 2, MOST_OPEN + 2]
    assert len(loaded) == len(many)
    assert len(draw._open) == MOST_OPEN


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"sql": 1}, "sql must be a text"),
        ({"columns": "pay DOUBLE"}, "columns must be a list"),
        ({"columns": []}, "columns must be a list"),
        ({"columns": [3]}, "columns must be one line of text"),
    ],
)
def test_what_is_no_query_is_refused(named: dict[str, Any], told: str) -> None:
    given: dict[str, Any] = {"sql": "SELECT 1", "columns": ["pay DOUBLE"]} | named
    with pytest.raises(ParameterError, match=told):
        as_draw(given.pop("sql"), **given)
