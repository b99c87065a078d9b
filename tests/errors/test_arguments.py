"""A parameter error may be shown to anyone: it names the argument, never holds data and never depends on it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.contracts.engines import lying
from tests.errors.arguments import HOSTILE, READINGS, SPOILED
from tests.errors.questions import AT_A_RHO, BY_PERSON, COLUMNS, QUESTIONS, applications, good_columns, good_data
from tests.errors.verdicts import ANSWERED, Verdict, asked

PAIRS = [(name, parameter) for name, question in QUESTIONS.items() for parameter in question.parameters]
OF_TABLES = [name for name, question in QUESTIONS.items() if question.of_table]
DESCRIBED = [name for name in OF_TABLES if "columns" in QUESTIONS[name].parameters]


def test_every_application_has_a_question() -> None:
    named = {name.removesuffix(BY_PERSON).removesuffix(AT_A_RHO) for name in QUESTIONS}
    assert sorted(applications()) == sorted(named), "a new application needs an entry in tests/errors/questions.py"


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_questions_are_answered(name: str) -> None:
    question = QUESTIONS[name]
    assert asked(question.ask, question.arguments(good_data(name))) == Verdict(ANSWERED)


def another(data: dict[str, Any]) -> dict[str, Any]:
    """The data with a record less, and with one of which nothing is known."""
    if any(isinstance(column, list) for column in data.values()):
        return {name: [None, *column[2:]] for name, column in data.items()}
    return {**data, "a": None}


def shorter(data: dict[str, Any]) -> dict[str, Any]:
    """The data with a record less: a graph is made, and its edges are refused, before it is asked."""
    return {name: column[1:] for name, column in data.items()}


def faults_of(name: str, parameter: str, spoil: Callable[[Any], Any]) -> list[str]:
    """Everything that is wrong with the way in which bad arguments are told."""
    question, data = QUESTIONS[name], good_data(name)
    asks_graph = name.startswith("Graph.") and parameter not in ("src", "dst", "nodes")
    changed = shorter(data) if asks_graph else another(data)
    found = []
    for what, make in SPOILED.items():
        arguments, others = (question.arguments(held, **{parameter: spoil(make())}) for held in (data, changed))
        found += [f"{what}: {fault}" for fault in wrong(name, parameter, what, arguments, others)]
    return found


@pytest.mark.parametrize(("name", "parameter"), PAIRS)
def test_a_bad_argument_is_told_without_data(name: str, parameter: str) -> None:
    found = faults_of(name, parameter, lambda bad: bad)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", DESCRIBED)
def test_a_bad_filter_is_told_without_data(name: str, column: str) -> None:
    """What is wanted of a column, and of its ends."""
    found = faults_of(name, "where", lambda bad: {column: bad})
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["Table.median", "Table.by.count", "Table.release_group_members"])
def test_a_bad_description_is_told_without_data(name: str) -> None:
    found = [fault for column in COLUMNS for fault in faults_of(name, "columns", partial(_described_as, column))]
    assert not found, "\n".join(found)


def _described_as(column: str, bad: Any) -> dict[str, Any]:
    return COLUMNS | {column: bad}


def wrong(name: str, parameter: str, what: str, arguments: dict[str, Any], others: dict[str, Any]) -> Iterator[str]:
    verdict = asked(QUESTIONS[name].ask, arguments)
    yield from (f"{fault} [{verdict.kind}: {verdict.message}]" for fault in verdict.faults)
    if verdict.kind == "ParameterError":
        told = asked(QUESTIONS[name].ask, others)
        if (told.kind, told.message) != (verdict.kind, verdict.message):
            yield f"depends on the data [{verdict.message} | {told.kind}: {told.message}]"
    elif verdict.kind == "DataError" and parameter not in READINGS and what not in HOSTILE:
        yield f"blames the data [{verdict.message}]"
    elif verdict.kind not in (ANSWERED, "DataError", "BudgetExceeded"):
        yield f"is a {verdict.kind} [{verdict.message}]"


HOLDING = ("pandas", "polars", "pyarrow", "csv", "parquet", "relation", "ibis")
ANYWHERE: dict[str, tuple[str, ...]] = {
    "where": ("mask", "dict", "dict of a Series", "dict of a list", "texts"),
    "column": ("Series of texts", "texts", "text"),
    "columns": ("mask", "dict", "Series of texts"),
    "by": ("Series of texts", "text"),
    "src": ("Series", "text"),
    "nodes": ("mask", "dict"),
    "epsilon": ("array",),
    "note": ("Series of texts",),
}
"""A few bad arguments for data of every kind."""


@pytest.mark.parametrize("form", HOLDING)
@pytest.mark.parametrize("name", OF_TABLES)
def test_a_bad_argument_wherever_the_data_lies(name: str, form: str, tmp_path: Path) -> None:
    question, data = QUESTIONS[name], lying(pl.DataFrame(good_columns()), form, tmp_path)
    assert asked(question.ask, question.arguments(data)) == Verdict(ANSWERED)
    found = []
    for parameter, bad in ANYWHERE.items():
        for what in bad if parameter in question.parameters else ():
            verdict = asked(question.ask, question.arguments(data, **{parameter: SPOILED[what]()}))
            faults = [*verdict.faults, *([] if verdict.kind == "ParameterError" else ["is no parameter error"])]
            found += [f"{parameter}, {what}: {fault} [{verdict.kind}: {verdict.message}]" for fault in faults]
    assert not found, "\n".join(found)
