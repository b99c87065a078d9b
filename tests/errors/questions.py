"""Every application, asked so that it answers: what the tests of errors then spoil, one thing at a time.

A new application needs an entry here; ``test_arguments.py`` says so.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
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
        "ill": [row % 5 == 0 for row in range(ROWS)],
        "day": [date(2020, 1 + row % 12, 1 + row % 28) for row in range(ROWS)],
        "person": [f"{SECRET_TEXT}{row}" for row in range(ROWS)],
        "src": [row % 20 for row in range(ROWS)],
        "dst": [row * row % 20 for row in range(ROWS)],
        "extra": [SECRET_TEXT] * ROWS,
    }


COLUMNS: dict[str, Any] = {
    "cost": dampen.Number(0, 100, step=1),
    "ward": dampen.Category("a", "b", "c"),
    "sex": dampen.Category("F", "M"),
    "ill": dampen.Flag(),
    "day": dampen.Date("2020-01-01", "2020-12-31", step="week"),
    "extra": dampen.Text(),
}
"""What is publicly known of the columns, where they are those of a table."""

GOOD_SCORES = {"a": SECRET_NUMBER, "b": 31, "c": 0}


@dataclass(frozen=True)
class Question:
    """How an application is asked.

    ``given``: the arguments that hold data, from a table, or from scores. ``public``: all other arguments it needs, but
    for epsilon. ``reads``: the columns that it looks at. ``parameters``: the arguments that are public. ``of_table``:
    whether a table of any kind is taken.
    """

    ask: Callable[..., Any]
    given: Callable[[Any], dict[str, Any]]
    public: Mapping[str, Any]
    reads: tuple[str, ...]
    parameters: tuple[str, ...]
    of_table: bool = field(default=False)

    def arguments(self, data: Any, **changed: Any) -> dict[str, Any]:
        """All arguments but the budget."""
        return {**self.given(data), "epsilon": 1, **self.public, **changed}


def parameters_of(function: Callable[..., Any], *left_out: str) -> tuple[str, ...]:
    """The parameters of a function, but for those that hold data."""
    return tuple(word for word in inspect.signature(function).parameters if word not in left_out)


def of_columns(name: str, *, takes: Mapping[str, str], **public: Any) -> Question:
    """A question about columns that are handed over as they are."""
    ask = getattr(dampen, name)
    return Question(
        ask, lambda data: {word: data[column] for word, column in takes.items()}, public, tuple(takes.values()),
        parameters_of(ask, *takes),
    )  # fmt: skip


def of_scores(name: str, **public: Any) -> Question:
    ask = getattr(dampen, name)
    return Question(ask, lambda data: {"scores": data}, public, (), parameters_of(ask, "scores"))


def of_graph(name: str, **public: Any) -> Question:
    """A question about a graph; data are made one before they are handed over."""

    def given(data: Any) -> dict[str, Any]:
        kept = [(src, dst) for src, dst in zip(data["src"], data["dst"], strict=True) if None not in (src, dst)]
        return {"graph": dampen.Graph.from_edges(*zip(*kept, strict=True), nodes=20)}

    ask = getattr(dampen, name)
    return Question(ask, given, public, (), parameters_of(ask, "graph"))


ABOUT_TABLES = ("columns", "adjacency", "engine", "reading", "name", "person", "person_missing")
"""What a table is made with, beside data and budget."""


def of_table(method: str, *reads: str, **public: Any) -> Question:
    """A method of a table; the table is made for each question, and filtered where ``where`` is given."""

    def ask(data: Any, *, budget: Any, where: Any = None, **named: Any) -> Any:
        made = {word: named.pop(word) for word in ABOUT_TABLES if word in named}
        table = dampen.Table(data, budget=budget, **made)
        return getattr(table if where is None else table.where(where), method)(**named)

    words = parameters_of(getattr(dampen.Table, method), "self")
    return _of_described(ask, reads, (*words, "where"), public)


def of_groups(method: str, *reads: str, **public: Any) -> Question:
    """A method of the groups of a table; ``by``: the columns, with "and" between them."""

    def ask(data: Any, *, budget: Any, by: Any, where: Any = None, **named: Any) -> Any:
        made = {word: named.pop(word) for word in ABOUT_TABLES if word in named}
        table = dampen.Table(data, budget=budget, **made)
        columns = by.split(" and ") if type(by) is str else [by]
        return getattr((table if where is None else table.where(where)).by(*columns), method)(**named)

    from dampen.front.groups import GroupedTable

    words = parameters_of(getattr(GroupedTable, method), "self")
    return _of_described(ask, reads, (*words, "where", "by"), {"by": "sex", **public})


def _of_described(
    ask: Callable[..., Any], reads: tuple[str, ...], words: tuple[str, ...], public: dict[str, Any]
) -> Question:
    return Question(
        ask, lambda data: {"data": data}, {"columns": dict(COLUMNS), **public}, reads,
        ("budget", *ABOUT_TABLES, *words), of_table=True,
    )  # fmt: skip


def of_edges(method: str, **public: Any) -> Question:
    """A method of a graph that is made of two columns of a table, for each question."""
    ends: dict[str, Any] = {"src": "src", "dst": "dst", "nodes": 20}

    def ask(data: Any, *, src: Any, dst: Any, nodes: Any, **named: Any) -> Any:
        make = dampen.Graph.from_file if isinstance(data, str | Path) else dampen.Graph.from_frame
        return getattr(make(data, src=src, dst=dst, nodes=nodes), method)(**named)

    words = parameters_of(getattr(dampen.Graph, method), "self")
    return Question(
        ask, lambda data: {"data": data}, {**ends, **public}, ("src", "dst"), (*words, *ends), of_table=True
    )


COST = {"takes": {"values": "cost"}}
WARD: dict[str, Any] = {"takes": {"values": "ward"}, "categories": ("a", "b", "c")}
IN_B = {"where": {"ward": "b"}}
BY_PERSON = " by person"
"""Behind the name of a method: the same of a table with a person."""
WHOSE = {"person": "person"}
SIGNED = {**COLUMNS, "cost": dampen.Number(-50, 50)}
"""Costs of both signs."""
AT_A_RHO = " at a rho"
"""Behind the name of a function: the same with a rho in place of an epsilon."""
CHEAP = {"where": {"cost": dampen.between(0, 50), "day": dampen.between("2020-02-01", None)}}

QUESTIONS: dict[str, Question] = {
    "count": of_columns("count", takes={"values": "cost"}),
    "sum": of_columns("sum", **COST, bounds=(0, 100)),
    "mean": of_columns("mean", **COST, bounds=(0, 100)),
    "variance": of_columns("variance", **COST, bounds=(0, 100)),
    "median": of_columns("median", **COST, bounds=range(100)),
    f"median{AT_A_RHO}": replace(
        of_columns("median", **COST, bounds=range(100), epsilon=None, rho="1/50"), parameters=("rho", "method")
    ),
    "percentile": of_columns("percentile", **COST, p=90, bounds=(0, 9), step=1),
    "percentiles": of_columns("percentiles", **COST, ps=(9, 75), bounds=(0, 9)),
    "histogram": of_columns("histogram", **COST, bounds=(0, 9)),
    "most_common": of_columns("most_common", **WARD),
    "top_categories": of_columns("top_categories", **WARD, k=2),
    "release_group_members": of_columns(
        "release_group_members", takes={"ids": "person", "groups": "sex"}, categories=("F", "M")
    ),
    "select": of_scores("select", sensitivity=1),
    "top_k": of_scores("top_k", sensitivity=1, k=2),
    "top_nodes": of_graph("top_nodes", k=2),
    "count_subgraphs": of_graph("count_subgraphs"),
    "Table.count": of_table("count", "ward", **IN_B),
    "Table.sum": of_table("sum", "cost", "ward", column="cost", **IN_B),
    "Table.mean": of_table("mean", "cost", column="cost"),
    "Table.variance": of_table("variance", "cost", column="cost"),
    "Table.median": of_table("median", "cost", column="cost"),
    "Table.percentile": of_table("percentile", "day", "ward", column="day", p=90, **IN_B),
    "Table.percentiles": of_table("percentiles", "cost", column="cost", ps=(9, 75)),
    "Table.histogram": of_table("histogram", "day", "cost", column="day", **CHEAP),
    "Table.most_common": of_table("most_common", "ward", column="ward"),
    "Table.top_categories": of_table("top_categories", "ward", "ill", column="ward", k=2, where={"ill": False}),
    "Table.release_group_members": of_table("release_group_members", "person", "sex", id="person", by="sex"),
    "Table.by.count": of_groups("count", "sex", "ill", by="sex and ill"),
    "Table.by.sum": of_groups("sum", "cost", "sex", "ward", column="cost", **IN_B),
    "Table.by.mean": of_groups("mean", "cost", "sex", column="cost"),
    "Table.by.median": of_groups("median", "cost", "sex", column="cost"),
    "Table.by.percentile": of_groups("percentile", "day", "sex", column="day", p=50),
    "Table.by.percentiles": of_groups("percentiles", "cost", "ill", column="cost", ps=(9, 75), by="ill"),
    "Table.by.histogram": of_groups("histogram", "cost", "sex", column="cost"),
    "Table.by.most_common": of_groups("most_common", "ward", "sex", column="ward"),
    f"Table.count{BY_PERSON}": of_table("count", "ward", "person", of="persons", **WHOSE, **IN_B),
    f"Table.sum{BY_PERSON}": of_table("sum", "cost", "person", column="cost", cap=7, **WHOSE),
    f"Table.median{BY_PERSON}": of_table("median", "cost", "person", column="cost", of="rows", **WHOSE),
    f"Table.by.count{BY_PERSON}": of_groups("count", "sex", "person", of="persons", **WHOSE),
    f"Table.by.sum{BY_PERSON}": of_groups("sum", "cost", "sex", "person", column="cost", columns=SIGNED, **WHOSE),
    f"Table.by.median{BY_PERSON}": of_groups("median", "cost", "sex", column="cost", **WHOSE),
    "Graph.top_nodes": of_edges("top_nodes", k=2),
    "Graph.count": of_edges("count"),
}


def applications() -> Iterator[str]:
    """All questions, as the library lists them: functions, and methods that have a price."""
    from dampen.front.groups import GroupedTable

    yield from questions.__all__
    for title, kind in {"Table": dampen.Table, "Table.by": GroupedTable, "Graph": dampen.Graph}.items():
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if "epsilon" in inspect.signature(method).parameters and name != "answer" and not name.startswith("_"):
                yield f"{title}.{name}"


def good_data(name: str) -> Any:
    """A mapping of columns, or scores."""
    return dict(GOOD_SCORES) if "scores" in QUESTIONS[name].given(GOOD_SCORES | good_columns()) else good_columns()
