"""What is the median? Which values do so many percent of the records not exceed?"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from dampen._validate import Number, one_of, pair, render
from dampen.errors import ParameterError
from dampen.mechanisms import LocalDampening, PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import SelectionProblem
from dampen.queries import percentile_label_problem, percentile_rank_problem, percentile_value_problem
from dampen.questions.mechanism_choice import Choice, choose_mechanism
from dampen.questions.record import RECORD, Posed, Single, question, zeros
from dampen.tables.columns import as_missing
from dampen.tables.counts import filter_rows
from dampen.tables.grid import as_grid

Method = Literal["distance", "rank", "label"]
ON_A_GRID: dict[str, Callable[..., SelectionProblem]] = {
    "distance": percentile_value_problem,
    "rank": percentile_rank_problem,
}
"""The methods that answer with a value of the grid, and their problems."""


@question(zeros("values"), proof="percentile", plain=True)
def percentile(
    values: Any,
    p: Number,
    *,
    grid: Any = None,
    bounds: tuple[Number, Number] | None = None,
    step: Number | None = None,
    bins: int | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    method: Method = "distance",
    mechanism: Choice | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    note: str = "percentile",
) -> Posed[Any]:
    """The p-th percentile of the values, privately: a value of the public grid.

    Parameters
    ----------
    values
        Numbers in a list, array or Series; with ``column`` a data frame, a path or pattern of CSV or Parquet files, a
        DuckDB relation, an ibis table or a Spark data frame.
    p
        Between 0 and 100, taken exactly: 50 is the median, 0 the minimum, 100 the maximum. The percentile is the
        element floor(p n / 100) of the n sorted values, counted from 0, and the last one for p = 100.
    grid
        All possible answers: a range, or increasing numbers. Public, so never taken from the data. Values are
        rounded down to the grid.
    bounds, step, bins
        Instead of ``grid``: lo, lo + step, ... up to hi, or the left edges of so many bins of equal width.
    adjacency
        ``ADD_REMOVE``: one record more or less. ``REPLACE``: one record has another value, their number is public.
    method
        ``"distance"`` counts the people who must change before a value is the percentile: the default, and the most
        accurate. ``"rank"`` compares ranks. ``"label"`` is the question of the dampening paper and answers with the
        *position* of a record whose value is near the percentile; it needs ``REPLACE``, whole values and
        ``bounds=(0, hi)``.
    mechanism
        A mechanism class, or a mechanism with the same epsilon. By default permute-and-flip; local dampening for
        ``"label"``.
    where
        ``{column: value}``, public: only rows with these values count. Not under ``REPLACE``, where a replaced record
        might leave them.
    missing
        ``"refuse"`` or ``"drop"`` missing values.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.percentile([23, 31, 45], 50, grid=range(0, 121), epsilon=1, budget=budget) in range(0, 121)
    True
    """
    labels = one_of((*ON_A_GRID, "label"), method=method) == "label"
    chosen: SelectionMechanism = LocalDampening(epsilon) if labels else PermuteAndFlip(epsilon)
    if mechanism is not None:
        chosen = choose_mechanism(mechanism, epsilon, indicators="dampen.queries.percentile_hit_problem")
    if labels:
        left_out = all(argument is None for argument in (column, where, grid, step, bins))
        if not left_out or as_missing(missing) != "refuse":
            raise ParameterError(
                "method 'label' takes values and bounds=(0, hi) alone: no grid, step, bins, column, where or missing"
            )
        return Single(chosen, percentile_label_problem(values, p, bound=_label_bound(bounds, adjacency)))
    public = as_grid(grid, bounds=bounds, step=step, bins=bins)
    pose = partial(ON_A_GRID[method], p=p, grid=public, adjacency=adjacency, missing=missing)
    if mechanism is not None:  # the default fits; another is tried before any data is read
        chosen.privacy(pose([]).frame)
    return Single(chosen, pose(filter_rows(values, where), column=column))


@question(zeros("values"), proof="percentile", plain=True)
def median(
    values: Any,
    *,
    grid: Any = None,
    bounds: tuple[Number, Number] | None = None,
    step: Number | None = None,
    bins: int | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    method: Method = "distance",
    mechanism: Choice | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    note: str = "median",
) -> Posed[Any]:
    """The median of the values, privately: :func:`percentile` at 50.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.median([1.5, 2.5, 4.0], bounds=(0, 10), step="0.5", epsilon=1, budget=budget) <= 10
    True
    """
    return RECORD["percentile"].pose(
        values, 50, grid=grid, bounds=bounds, step=step, bins=bins, epsilon=epsilon, adjacency=adjacency,
        method=method, mechanism=mechanism, column=column, where=where, missing=missing,
    )  # fmt: skip


def _label_bound(bounds: tuple[Number, Number] | None, adjacency: Adjacency) -> int:
    if adjacency is not Adjacency.REPLACE:
        raise ParameterError(f"adjacency must be Adjacency.REPLACE for method 'label'; got {render(adjacency)}")
    try:
        low, high = pair(bounds=bounds)
    except ParameterError:
        low = high = Fraction(-1)
    if low != 0 or high < 1 or high.denominator != 1:
        raise ParameterError(f"bounds must be (0, hi) with a whole hi for method 'label'; got {render(bounds)}")
    return int(high)
