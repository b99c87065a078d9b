"""A table as its description tells of it, with a row that is made up: its questions are posed, never paid or drawn.

So what is planned is what will be asked, by the very methods that ask it, and no row of the data is read.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from dampen.describe.columns import Category, Column, Date, Flag, Number
from dampen.describe.conditions import Among, Condition
from dampen.errors import BudgetError
from dampen.front.asking import Asking
from dampen.front.table import Table
from dampen.privacy import PrivacyLoss
from dampen.questions.record import Posed


class Nobody:
    """Pays for nothing. ``composition``: the rule of the budget that will pay, by which a question may be asked."""

    def __init__(self, composition: str | None = None) -> None:
        self.composition = composition

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        """Refused."""
        raise BudgetError("a plan pays for nothing")


class UnpaidTable(Table):
    """The description of a table and one row that is made up. Its methods return the question, posed."""

    def __init__(self, table: Table) -> None:
        view = table.view
        person = () if view.person is None else view.person.pair or (view.person.column,)
        values: dict[str, Any] = {name: _any_value(column) for name, column in view.columns.items()}
        values |= dict.fromkeys(person, "somebody")
        values |= {each.column: _met_by(each) for each in view.conditions if each.column not in values}
        row = {name: np.array([value]) for name, value in values.items()} or {"nothing": np.zeros(1)}
        super().__init__(row, columns={}, budget=Nobody(getattr(table.budget, "composition", None)))
        self.view, self._adjacency = replace(view, data=self.view.data), table.adjacency

    def answer(self, kind: Any, asked: Asking, pose: Callable[[], Posed[Any]]) -> Any:
        """The question, everything about it checked."""
        return pose()


def _any_value(column: Column) -> Any:
    """A value that a column may hold, whatever it is."""
    if isinstance(column, Number):
        return float(column.bounds[0]) if column.bounded else 0
    if isinstance(column, Date):
        return np.datetime64(column.lo)
    return column.labels[0] if isinstance(column, Category | Flag) else "nothing"


def _met_by(condition: Condition) -> Any:
    """A value of a column of which a filter alone is known."""
    if isinstance(condition, Among):
        return condition.labels[0]
    end = condition.high if condition.low is None else condition.low
    if condition.days:
        return np.datetime64("1970-01-01") + int(end or 0)
    return float(end or 0)
