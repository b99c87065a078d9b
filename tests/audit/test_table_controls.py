"""Negative controls of ``dampen.Table``: what it refuses or leaves undone, done, and what that would have cost.

Every control is measured as the shipped answers are in test_by_group.py, and loses more than it claims.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from math import inf
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Category, Flag, Number, Release, Table
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.errors import ParameterError
from dampen.mechanisms.noise_errors import RatioAccuracy, VarianceAccuracy
from tests.audit.joint import Audit, Records, loss_between

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
NAMES = ("g", "v", "f")
COLUMNS: dict[str, Any] = {"g": Category("a", "b"), "v": Number(0, 10, step=5), "f": Flag()}
KINDS = [(group, value, kept) for group in "ab" for value in (0, 7) for kept in (False, True)]
Ask = Callable[[Table], Release]


def worst(audit: Audit, largest: int = 2) -> float:
    return audit.worst(multisets(KINDS, largest=largest), add_remove_neighbours(KINDS))


# Groups from the data


class GroupsFromData(Audit):
    """The labels of the groups are those that occur."""

    def table(self, data: dict[str, list[Any]], budget: Budget) -> Table:
        columns = COLUMNS | {"g": Category(*sorted({*data["g"], "a"}))}
        return Table(data, columns=columns, budget=budget, adjacency=ADD_REMOVE)


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.by("g").count(epsilon=1),
        lambda table: table.by("g").mean("v", epsilon=1),
        lambda table: table.histogram("g", epsilon=1),
        lambda table: table.most_common("g", epsilon=1),
    ],
    ids=["count", "mean", "histogram", "most_common"],
)
def test_groups_from_the_data_tell_who_is_there(ask: Ask) -> None:
    """A group that one person alone is in is told, or is not: no noise hides it."""
    shipped, control = Audit(ask, NAMES, COLUMNS, ADD_REMOVE), GroupsFromData(ask, NAMES, COLUMNS, ADD_REMOVE)
    assert worst(shipped) <= 1 + 1e-9
    assert control.claim() == 1
    assert worst(control) == inf
    alone, without = control.hear((("a", 0, True), ("b", 0, True))), control.hear((("a", 0, True),))
    assert loss_between(alone, without) == inf


# Bounds from the data


class BoundsFromData(Audit):
    """Somebody's value is the upper bound."""

    def table(self, data: dict[str, list[Any]], budget: Budget) -> Table:
        columns = COLUMNS | {"v": Number(0, max([*data["v"], 5]), step=1)}
        return Table(data, columns=columns, budget=budget, adjacency=ADD_REMOVE)


def ask_sum(table: Table) -> Release:
    return table.sum("v", epsilon=1)


def test_noise_with_bounds_from_the_data_tells_them() -> None:
    """Answers as far out as wide noise reaches are all but impossible where the noise is narrow."""
    steps = np.arange(-5_000, 5_000)
    control = BoundsFromData(ask_sum, NAMES, COLUMNS, ADD_REMOVE)
    for shipped in (True, False):
        audit = Audit(ask_sum, NAMES, COLUMNS, ADD_REMOVE) if shipped else control
        [wide], [narrow] = (audit.hear(x).draws for x in ((("a", 7, True), ("a", 500, True)), (("a", 7, True),)))
        measured = float(np.abs(wide.log_law(steps) - narrow.log_law(steps)).max())
        assert measured <= 1 + 1e-9 if shipped else measured > 600
    assert control.claim() == 1
    assert worst(control) == inf


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.mean("v", epsilon=1),
        lambda table: table.variance("v", epsilon=1),
        lambda table: table.median("v", epsilon=1),
        lambda table: table.histogram("v", epsilon=1),
        lambda table: table.by("g").mean("v", epsilon=1),
    ],
    ids=["mean", "variance", "median", "histogram", "mean by group"],
)
def test_bounds_from_the_data_are_told_by_what_may_come_out(ask: Ask) -> None:
    """The grid of the answers, their error and the highest of them are those of one person."""
    assert worst(Audit(ask, NAMES, COLUMNS, ADD_REMOVE)) <= 1 + 1e-9
    assert worst(BoundsFromData(ask, NAMES, COLUMNS, ADD_REMOVE)) == inf


# A filter under REPLACE, and the number of its rows taken as public


@pytest.mark.parametrize("question", ["mean", "variance"])
def test_a_filter_whose_number_of_rows_is_taken_as_public(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced record may leave the filter, and the grid of the answers shows it. So a filter is refused."""

    def ask(table: Table) -> Release:
        release: Release = getattr(table.where(f=True), question)("v", epsilon=1)
        return release

    inside, outside = (("a", 7, True),) * 3, (("a", 7, False), ("a", 7, True), ("a", 7, True))
    with pytest.raises(ParameterError, match="where must be left out under REPLACE"):
        Audit(ask, NAMES, COLUMNS, REPLACE).hear(inside)
    monkeypatch.setattr(import_module("dampen.queries.sums"), "require_public_number", lambda *given: None)
    control = Audit(ask, NAMES, COLUMNS, REPLACE, decision=1)
    assert control.claim(inside) == 1
    assert loss_between(control.hear(inside), control.hear(outside)) == inf
    values = {control.hear(x).told[1] for x in (inside, outside)}
    assert len(values) == 2, "the same draw is told as another number"


def test_a_filtered_sum_with_the_width_of_the_bounds_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that leaves the filter takes all of its value along, not the distance of two values."""
    columns = COLUMNS | {"v": Number(100, 110)}
    kinds = [("a", value, kept) for value in (100, 110) for kept in (False, True)]

    def measured() -> float:
        audit = Audit(lambda table: table.where(f=True).sum("v", epsilon=1), NAMES, columns, REPLACE)
        return audit.worst(multisets(kinds, largest=2, smallest=1), replace_neighbours(kinds))

    assert measured() == pytest.approx(1)
    monkeypatch.setattr(import_module("dampen.queries.sums"), "is_filtered", lambda values: False)
    assert measured() == pytest.approx(11)


# An error that knows the true number of records


def with_the_true_number(release: Release, n: int) -> Release:
    known = release.accuracy
    assert isinstance(known, RatioAccuracy | VarianceAccuracy)
    return replace(release, accuracy=replace(known, number=replace(known.number, value=Fraction(n))))


@pytest.mark.parametrize("question", ["mean", "variance"])
def test_an_error_from_the_true_number_of_records_tells_it(question: str) -> None:
    """Value and error are told together: with the same draws they differ between neighbours, so they tell which."""

    def ask(table: Table) -> Release:
        release: Release = getattr(table, question)("v", epsilon=1)
        return release

    def ask_with_true_number(table: Table) -> Release:
        return with_the_true_number(ask(table), len(table.view.source("v").data["v"]))

    shipped = Audit(ask, NAMES, COLUMNS, ADD_REMOVE, decision=1)
    control = Audit(ask_with_true_number, NAMES, COLUMNS, ADD_REMOVE, decision=1)
    assert worst(shipped) == pytest.approx(1)
    assert control.claim() == 1
    assert worst(control) == inf
    few, more = many(300), many(301)
    assert shipped.hear(few).told == shipped.hear(more).told
    errors = {error_of(control, x) for x in (few, more)}
    assert len(errors) == 2
    assert error_of(shipped, few) == error_of(shipped, more)


def many(count: int) -> Records:
    return (("a", 7, True),) * count


def error_of(audit: Audit, x: Records) -> float:
    *_, known = audit.hear(x).told
    return float(known.bound())
