"""A parameter error may be shown to anyone: it names the argument, never holds data and never depends on it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.contracts.engines import lying
from tests.errors.arguments import HOSTILE, READINGS, SPOILED
from tests.errors.questions import (
    QUESTIONS,
    arguments_of_columns,
    arguments_of_table,
    functions,
    good_columns,
    good_data,
    parameters,
)
from tests.errors.verdicts import ANSWERED, Verdict, asked

PAIRS = [(name, parameter) for name in QUESTIONS for parameter in parameters(name)]


def test_every_application_has_a_question() -> None:
    assert sorted(functions()) == sorted(QUESTIONS), "a new application needs an entry in tests/errors/questions.py"


def ways(name: str, data: Any) -> Iterator[dict[str, Any]]:
    """The arguments of a question about a table, and about columns handed over as they are."""
    yield arguments_of_table(name, data)
    if QUESTIONS[name].plain:
        yield arguments_of_columns(name, data)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_questions_are_answered(name: str) -> None:
    for arguments in ways(name, good_data(name)):
        assert asked(functions()[name], arguments) == Verdict(ANSWERED)


NAMES = ("column", "where", "groups", "src", "dst")
"""Parameters that mean something else, or nothing, where there is no table: they are tried both ways."""


def another(data: dict[str, Any]) -> dict[str, Any]:
    """The data with a record less, and with one of which nothing is known."""
    if any(isinstance(column, list) for column in data.values()):
        return {name: [None, *column[2:]] for name, column in data.items()}
    return {**data, "a": None}


def spoiled(name: str, parameter: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """What was spoiled, the arguments, and the same arguments with other data."""
    data = good_data(name)
    pairs = list(zip(ways(name, data), ways(name, another(data)), strict=True))
    if parameter in QUESTIONS[name].plain:
        pairs = pairs[:1]
    for place, (what, make) in enumerate(SPOILED.items()):
        for way, (arguments, others) in enumerate(pairs):
            if parameter not in NAMES and way != place % len(pairs):
                continue
            yield (
                f"{what} ({('table', 'columns')[way]})",
                {**arguments, parameter: make()},
                {**others, parameter: make()},
            )


@pytest.mark.parametrize(("name", "parameter"), PAIRS)
def test_a_bad_argument_is_told_without_data(name: str, parameter: str) -> None:
    found = [
        f"{what}: {fault}"
        for what, arguments, others in spoiled(name, parameter)
        for fault in wrong(name, parameter, what, arguments, others)
    ]
    assert not found, "\n".join(found)


def wrong(name: str, parameter: str, what: str, arguments: dict[str, Any], others: dict[str, Any]) -> Iterator[str]:
    verdict = asked(functions()[name], arguments)
    yield from (f"{fault} [{verdict.kind}: {verdict.message}]" for fault in verdict.faults)
    if verdict.kind == "ParameterError":
        told = asked(functions()[name], others)
        if (told.kind, told.message) != (verdict.kind, verdict.message):
            yield f"depends on the data [{verdict.message} | {told.kind}: {told.message}]"
    elif verdict.kind == "DataError" and parameter not in READINGS and what.partition(" (")[0] not in HOSTILE:
        yield f"blames the data [{verdict.message}]"
    elif verdict.kind not in (ANSWERED, "DataError", "BudgetExceeded"):
        yield f"is a {verdict.kind} [{verdict.message}]"


HOLDING = ("pandas", "polars", "pyarrow", "csv", "parquet", "relation", "ibis")
OF_TABLES = [name for name, question in QUESTIONS.items() if question.data != "scores"]
ANYWHERE: dict[str, tuple[str, ...]] = {
    "where": ("mask", "dict", "dict of a Series", "dict of a list", "texts"),
    "column": ("Series of texts", "texts", "text"),
    "groups": ("Series of texts", "text"),
    "src": ("Series", "text"),
    "bounds": ("Series of two", "two numbers"),
    "epsilon": ("array",),
    "note": ("Series of texts",),
}
"""A few bad arguments for data of every kind."""


@pytest.mark.parametrize("form", HOLDING)
@pytest.mark.parametrize("name", OF_TABLES)
def test_a_bad_argument_wherever_the_data_lies(name: str, form: str, tmp_path: Path) -> None:
    data = lying(pl.DataFrame(good_columns()), form, tmp_path)
    assert asked(functions()[name], arguments_of_table(name, data)) == Verdict(ANSWERED)
    found = []
    for parameter, bad in ANYWHERE.items():
        for what in bad if parameter in parameters(name) else ():
            verdict = asked(functions()[name], {**arguments_of_table(name, data), parameter: SPOILED[what]()})
            faults = [*verdict.faults, *([] if verdict.kind == "ParameterError" else ["is no parameter error"])]
            found += [f"{parameter}, {what}: {fault} [{verdict.kind}: {verdict.message}]" for fault in faults]
    assert not found, "\n".join(found)
