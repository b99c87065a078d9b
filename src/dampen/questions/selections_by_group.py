"""The same selection for every group, all for one epsilon."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen._validate import Number, plain, positive, render
from dampen.accounting import converted
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike, paid
from dampen.problem import SelectionProblem
from dampen.queries.guards import record_adjacency
from dampen.questions.mechanism_choice import Choice, chosen_mechanism, refuse_indicators
from dampen.questions.members_by_group import WHERE_NEEDS_A_TABLE
from dampen.tables.categories import as_categories
from dampen.tables.engines import Source, filtered
from dampen.tables.groups import listed_as, place_groups
from dampen.vectors import Integers


def group_choice(mechanism: Choice | None, epsilon: Number, adjacency: Adjacency, instead: str) -> SelectionMechanism:
    """The mechanism of one group: under ``REPLACE`` at half of epsilon."""
    parts = 2 if record_adjacency(adjacency) is Adjacency.REPLACE else 1
    share = positive(epsilon=epsilon) / parts
    if isinstance(mechanism, SelectionMechanism) and mechanism.epsilon != share:
        raise ParameterError(
            f"mechanism must have epsilon {plain(share)}, at which each group is asked under {adjacency.name}; "
            f"got {render(mechanism)}"
        )
    chosen = chosen_mechanism(mechanism, share, default=PermuteAndFlip)
    refuse_indicators(chosen, instead)
    return chosen


@dataclass(frozen=True, eq=False, repr=False)
class Grouped:
    """Private: records and their groups, in two columns in memory or in two named columns of a table anywhere.

    ``split`` hands out the values of each group, for data in memory; a table is counted group by group where it lies.
    """

    values: Any
    groups: Any
    labels: tuple[Any, ...]
    column: str | None
    other: Any
    missing: str

    @property
    def in_table(self) -> bool:
        """Whether the groups are a column of the values' own table."""
        return self.column is not None

    def named(self) -> dict[str, Any]:
        """Which columns are meant, as :mod:`dampen.tables.grouped` takes them."""
        return {"column": self.column, "by": self.groups, "other": self.other, "missing": self.missing}

    def split(self) -> list[Any]:
        """The values of each group."""
        places = place_groups(self.groups, self.labels, other=self.other, missing=self.missing)
        return _split(self.values, places, len(self.labels))


def grouped(
    values: Any,
    groups: Any,
    *,
    categories: Sequence[Any],
    column: str | None,
    where: Mapping[str, Any] | None,
    other: Any,
    missing: str,
) -> Grouped:
    """The caller's records. With ``column`` the values are a table and ``groups`` names another of its columns."""
    if column is None and (where is not None or isinstance(values, Source)):
        raise ParameterError(WHERE_NEEDS_A_TABLE)
    for name, given in {"column": column, "groups": groups}.items():
        if column is not None and not isinstance(given, str):
            raise ParameterError(f"{name} must be the name of a column of the table; got {type(given).__name__}")
    return Grouped(filtered(values, where), groups, as_categories(categories), column, other, missing)


def each_group(
    posed: Sequence[SelectionProblem],
    labels: Sequence[Any],
    mechanism: SelectionMechanism,
    *,
    budget: BudgetLike,
    adjacency: Adjacency,
    note: str,
) -> dict[Any, Any]:
    """One draw per group, paid together. Sizes of groups are private, so inside them the adjacency is ``ADD_REMOVE``.

    One record more or less changes one group, or none that a filter leaves; a replaced one is one less and one more,
    each at its group's price. So a filter needs no public number of rows, under ``REPLACE`` either.
    """
    single = mechanism.privacy(posed[0].frame)
    loss = converted(single, adjacency, single.unit)

    drawn = paid(lambda source: [mechanism.draw(each, source) for each in posed], loss, budget=budget, note=note)
    return {label: each.frame.candidates[i] for label, each, i in zip(labels, posed, drawn, strict=True)}


def posed_by_group(
    records: Sequence[Any], problem: Callable[[Any], SelectionProblem], rule: str
) -> list[SelectionProblem]:
    """The problem of each group. ``rule``: what is said of values that make none."""
    try:
        return [problem(part) for part in records]
    except DataError:
        raise DataError(rule) from None


def _split(values: Any, places: Integers, kinds: int) -> list[Any]:
    """The values of each group."""
    found = listed_as(values, "values")
    if len(found) != len(places):
        raise DataError("groups must be exactly one for each value")
    order = np.argsort(places, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(places, minlength=kinds))[:-1])
    if isinstance(found, np.ndarray):
        return [found[part] for part in parts]
    items = found if isinstance(found, list) else found.to_list()
    return [[items[place] for place in part.tolist()] for part in parts]
