"""What is the median of each group?"""

from collections.abc import Mapping, Sequence
from typing import Any

from dampen._validate import Number
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import SelectionProblem
from dampen.queries import percentile_value_problem
from dampen.questions.asking import asking
from dampen.questions.mechanism_choice import Choice
from dampen.questions.selections_by_group import each_group, group_choice, grouped, posed_by_group
from dampen.tables.grid import as_grid
from dampen.tables.groups import REST, grids_by_group


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
) -> dict[Any, Any]:
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

    def problem(records: Any) -> SelectionProblem:
        return percentile_value_problem(records, p, grid=public, adjacency=Adjacency.ADD_REMOVE)

    with asking(budget, note):
        public = as_grid(grid, bounds=bounds, step=step, bins=bins)
        chosen = group_choice(mechanism, epsilon, adjacency, "dampen.queries.percentile_hit_problem")
        data = grouped(
            values, groups, categories=categories, column=column, where=where, other=other, missing=missing
        )  # fmt: skip
        chosen.privacy(problem([]).frame)
        records = grids_by_group(data.values, public, data.labels, **data.named()) if data.in_table else data.split()
        posed = posed_by_group(records, problem, "values must be numbers, none of them missing: leave out such rows")
    return each_group(posed, data.labels, chosen, budget=budget, adjacency=adjacency, note=note)
