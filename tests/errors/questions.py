"""Every application, asked so that it answers: what the tests of errors then spoil, one thing at a time.

A new application needs an entry here; ``test_arguments.py`` says so.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import dampen
from dampen import questions

SECRET_TEXT, SECRET_NUMBER = "SECRETxyz", 7318269451
ROWS, BAD = 213, 37
"""How many records there are, and how many of them are spoiled."""
SECRETS = (SECRET_TEXT, str(SECRET_NUMBER), f"{SECRET_NUMBER:e}"[:8], str(ROWS), str(BAD), str(ROWS - BAD))
"""What no message may hold."""

Columns = dict[str, Any]


def good_columns() -> Columns:
    """Records that every question can be asked of, as lists."""
    return {
        "cost": [SECRET_NUMBER, *(7 * row % 100 for row in range(ROWS - 1))],
        "ward": [("a", "b", "b", "c")[row % 4] for row in range(ROWS)],
        "sex": ["F" if row % 3 else "M" for row in range(ROWS)],
        "person": [f"{SECRET_TEXT}{row}" for row in range(ROWS)],
        "src": [row % 20 for row in range(ROWS)],
        "dst": [row * row % 20 for row in range(ROWS)],
        "extra": [SECRET_TEXT] * ROWS,
    }


GOOD_SCORES = {"a": SECRET_NUMBER, "b": 31, "c": 0}


@dataclass(frozen=True)
class Question:
    """How an application is asked.

    ``data``: the parameter that takes a table, or one column. ``columns``: the parameters that name columns of a table.
    ``plain``: parameters that take columns as they are, instead of a table. ``public``: all other arguments it needs.
    ``where``: the filter of a table.
    """

    data: str
    columns: Mapping[str, str] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    public: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, Any] | None = None

    @property
    def in_table(self) -> list[str]:
        """The columns of a table that are read."""
        return [*self.columns.values(), *(self.where or ())]


LABELS = {"categories": ("a", "b", "c")}
SEXES = {"categories": ("F", "M")}
GRID = {"grid": range(100)}
EDGES = {"src": "src", "dst": "dst"}

QUESTIONS: dict[str, Question] = {
    "count": Question("data", plain={"data": "cost"}, where={"ward": "b"}),
    "total": Question("values", {"column": "cost"}, {"values": "cost"}, {"bounds": (0, 100)}, {"ward": "b"}),
    "mean": Question("values", {"column": "cost"}, {"values": "cost"}, {"bounds": (0, 100)}),
    "median": Question("values", {"column": "cost"}, {"values": "cost"}, GRID),
    "percentile": Question("values", {"column": "cost"}, {"values": "cost"}, {"p": 90, "bounds": (0, 9), "step": 1}),
    "quantiles": Question(
        "values", {"column": "cost"}, {"values": "cost"}, {"ps": (9, 75), "bounds": (0, 9), "bins": 9}
    ),
    "quantile_number": Question("values", {"column": "cost"}, {"values": "cost"}, {"p": 50, "bounds": (0, 100)}),
    "most_common": Question("values", {"column": "ward"}, {"values": "ward"}, LABELS),
    "top_categories": Question("values", {"column": "ward"}, {"values": "ward"}, {"k": 2, **LABELS}),
    "group_counts": Question("values", {"column": "ward"}, {"values": "ward"}, LABELS),
    "group_by": Question("ids", {"column": "person", "groups": "sex"}, {"ids": "person", "groups": "sex"}, SEXES),
    "group_percentiles": Question(
        "values", {"column": "cost", "groups": "sex"}, {"values": "cost", "groups": "sex"}, {"p": 50, **SEXES, **GRID}
    ),
    "group_most_common": Question(
        "values",
        {"column": "ward", "groups": "sex"},
        {"values": "ward", "groups": "sex"},
        {"choices": ("a", "b", "c"), **SEXES},
    ),
    "select": Question("scores", public={"sensitivity": 1}),
    "top_k": Question("scores", public={"sensitivity": 1, "k": 2}),
    "top_nodes": Question("graph", EDGES, public={"nodes": 20, "k": 2}),
    "count_subgraphs": Question("graph", EDGES, public={"nodes": 20}),
}


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """All questions, as the library lists them."""
    everything = {name: getattr(dampen, name) for name in dampen.__all__}
    listed = {name: function for name, function in everything.items() if inspect.isfunction(function)}
    return listed | {name: getattr(questions, name) for name in questions.__all__}


def parameters(name: str) -> list[str]:
    """The public parameters of an application: all but those that take data."""
    taken = {QUESTIONS[name].data}
    return [word for word in inspect.signature(functions()[name]).parameters if word not in taken]


def arguments_of_table(name: str, table: Any) -> dict[str, Any]:
    """The arguments of a question about a table; of scores, for the questions that take those."""
    asked = QUESTIONS[name]
    where = {} if asked.where is None else {"where": dict(asked.where)}
    return {asked.data: table, **asked.columns, **where, **asked.public, "epsilon": 1}


def arguments_of_columns(name: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a question about columns that are handed over as they are."""
    asked = QUESTIONS[name]
    return {word: columns[column] for word, column in asked.plain.items()} | {**asked.public, "epsilon": 1}


def good_data(name: str) -> Any:
    """A mapping of columns, or scores."""
    return dict(GOOD_SCORES) if QUESTIONS[name].data == "scores" else good_columns()


def columns_read(name: str) -> Iterator[str]:
    """The columns that a question reads."""
    yield from dict.fromkeys([*QUESTIONS[name].in_table, *QUESTIONS[name].plain.values()])
