"""The same selection for every group, all for one epsilon: its percentile, its most frequent value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen._validate import Number, plain, positive, render
from dampen.accounting import converted
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike, PrivacyLoss, Release, record_adjacency
from dampen.problem import SelectionProblem
from dampen.queries import count_problem, percentile_value_problem
from dampen.queries.categories import count_frame, problem_of_counts
from dampen.questions.mechanism_choice import Choice, choose_mechanism
from dampen.questions.members_by_group import WHERE_NEEDS_A_TABLE
from dampen.questions.record import Composite, Posed, no_records, question
from dampen.tables.columns import as_values
from dampen.tables.counts import as_categories, filter_rows
from dampen.tables.engines import Source
from dampen.tables.grid import as_grid
from dampen.tables.groups import REST, categories_by_group, grids_by_group, place_groups
from dampen.vectors import Integers

GROUPED = no_records("values", "groups")


@question(GROUPED, proof="percentile", plain=True)
def group_percentiles(
    values: Any,
    groups: Any,
    p: Number,
    *,
    categories: Sequence[Any],
    grid: Any = None,
    bounds: tuple[Number, Number] | None = None,
    step: Number | None = None,
    bins: int | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: Choice | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    other: Any = REST,
    missing: str = "refuse",
    note: str = "group_percentiles",
) -> Posed[dict[Any, Any]]:
    """The p-th percentile of the values of each group, privately: a mapping from category to a value of the grid.

    Every record is in one group, so all answers together cost ``epsilon`` (parallel composition). Under ``REPLACE`` a
    record may leave one group and enter another, so each group is asked at epsilon / 2. A group without records gets a
    uniform value of the grid.

    Parameters
    ----------
    values
        Numbers in a list, array or Series; with ``column`` a data frame, a mapping of columns, a path or pattern of CSV
        or Parquet files, a DuckDB relation, an ibis table or a Spark data frame, which is counted where it lies.
    groups
        The category of each record, in the same order; with ``column`` the name of the column that holds it.
    p, grid, bounds, step, bins
        As for :func:`percentile`.
    categories
        All groups that could have occurred. Public, so never taken from the data.
    mechanism
        A mechanism class; permute-and-flip by default.
    where
        ``{column: value}``, public: only rows with these values count; for tables. Under ``REPLACE`` too: a record that
        leaves them is one less in a group, which is paid for.
    other, missing
        What happens to groups that are no category, and to missing ones, as for :func:`group_by`. Missing values are
        refused.

    >>> import dampen
    >>> found = dampen.group_percentiles([31, 35, 52], ["F", "F", "M"], 50, categories=("F", "M"), grid=range(121),
    ...                                  epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(found), found["F"] in range(121)
    (['F', 'M'], True)
    """

    def pose(records: Any) -> SelectionProblem:
        return percentile_value_problem(records, p, grid=public, adjacency=Adjacency.ADD_REMOVE)

    public = as_grid(grid, bounds=bounds, step=step, bins=bins)
    chosen = choose_for_group(mechanism, epsilon, adjacency, "dampen.queries.percentile_hit_problem")
    data = name_groups(values, groups, categories, column, where, other, missing)
    chosen.privacy(pose([]).frame)
    records = grids_by_group(data.values, public, data.labels, **data.named()) if data.in_table else data.split()
    rule = "values must be numbers, none of them missing: leave out such rows"
    return pose_each(records, pose, rule, data.labels, chosen, adjacency)


@question(GROUPED, proof="permute_and_flip", plain=True)
def group_most_common(
    values: Any,
    groups: Any,
    *,
    categories: Sequence[Any],
    choices: Sequence[Any],
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: Choice | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    other: Any = REST,
    missing: str = "refuse",
    note: str = "group_most_common",
) -> Posed[dict[Any, Any]]:
    """The most frequent value of each group, privately: a mapping from category to one of the choices.

    All answers together cost ``epsilon``, as for :func:`group_percentiles`. A group without records gets a uniform
    choice.

    Parameters
    ----------
    values
        One of ``choices`` per record: a list, array or Series; with ``column`` a table of any kind, as for
        :func:`group_percentiles`.
    groups
        The category of each record, in the same order; with ``column`` the name of the column that holds it.
    categories, choices
        All groups, and all values, that could have occurred. Public, so never taken from the data.
    mechanism
        A mechanism class; permute-and-flip by default.
    where
        ``{column: value}``, public: only rows with these values count; for tables, under either adjacency.
    other, missing
        What happens to groups that are no category, and to missing ones, as for :func:`group_by`. Values that are
        missing or no choice are refused.

    >>> import dampen
    >>> found = dampen.group_most_common(["flu", "flu", "gout"], ["F", "F", "M"], categories=("F", "M"),
    ...                                  choices=("flu", "gout"), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(found), found["M"] in ("flu", "gout")
    (['F', 'M'], True)
    """

    def pose(records: Any) -> SelectionProblem:
        problem = problem_of_counts if data.in_table else count_problem
        return problem(records, categories=labels, adjacency=Adjacency.ADD_REMOVE)

    labels = as_categories(choices, "choices")
    chosen = choose_for_group(mechanism, epsilon, adjacency, "dampen.queries.winner_problem")
    chosen.privacy(count_frame(labels, Adjacency.ADD_REMOVE))
    data = name_groups(values, groups, categories, column, where, other, missing)
    in_table = data.in_table
    records = categories_by_group(data.values, labels, data.labels, **data.named()) if in_table else data.split()
    rule = "values must be declared choices, none of them missing: leave out other rows"
    return pose_each(records, pose, rule, data.labels, chosen, adjacency)


def choose_for_group(
    mechanism: Choice | None, epsilon: Number, adjacency: Adjacency, indicators: str
) -> SelectionMechanism:
    """The mechanism of one group: under ``REPLACE`` at half of epsilon."""
    parts = 2 if record_adjacency(adjacency) is Adjacency.REPLACE else 1
    share = positive(epsilon=epsilon) / parts
    if isinstance(mechanism, SelectionMechanism) and mechanism.epsilon != share:
        raise ParameterError(
            f"mechanism must have epsilon {plain(share)}, at which each group is asked under {adjacency.name}; "
            f"got {render(mechanism)}"
        )
    return choose_mechanism(mechanism, share, indicators=indicators)


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
        """Which columns are meant, as :mod:`dampen.tables.groups` takes them."""
        return {"column": self.column, "by": self.groups, "other": self.other, "missing": self.missing}

    def split(self) -> list[Any]:
        """The values of each group."""
        places = place_groups(self.groups, self.labels, other=self.other, missing=self.missing)
        return _split(self.values, places, len(self.labels))


def name_groups(
    values: Any,
    groups: Any,
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
    return Grouped(filter_rows(values, where), groups, as_categories(categories), column, other, missing)


def pose_each(
    records: Sequence[Any],
    pose: Callable[[Any], SelectionProblem],
    rule: str,
    labels: Sequence[Any],
    mechanism: SelectionMechanism,
    adjacency: Adjacency,
) -> Posed[Any]:
    """One draw per group, paid together. Sizes of groups are private, so inside them the adjacency is ``ADD_REMOVE``.

    One record more or less changes one group, or none that a filter leaves; a replaced one is one less and one more,
    each at its group's price. So a filter needs no public number of rows, under ``REPLACE`` either. ``rule``: what is
    said of values that make no problem.
    """
    try:
        problems = [pose(part) for part in records]
    except DataError:
        raise DataError(rule) from None
    frame = problems[0].frame
    single = mechanism.privacy(frame)

    def draw(source: Entropy) -> list[Any]:
        return [mechanism.answer(each.frame, mechanism.draw(each, source)) for each in problems]

    def build(answers: list[Any], loss: PrivacyLoss, note: str) -> Release:
        return Release(dict(zip(labels, answers, strict=True)), loss, f"{mechanism!r} of each group", note)

    return Composite(frame, converted(single, adjacency, single.unit), draw, build)


def _split(values: Any, places: Integers, kinds: int) -> list[Any]:
    """The values of each group."""
    found = as_values(values, "values")
    if len(found) != len(places):
        raise DataError("groups must be exactly one for each value")
    order = np.argsort(places, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(places, minlength=kinds))[:-1])
    if isinstance(found, np.ndarray):
        return [found[part] for part in parts]
    items = found if isinstance(found, list) else found.to_list()
    return [[items[place] for place in part.tolist()] for part in parts]
