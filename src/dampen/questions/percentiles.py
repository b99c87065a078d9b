"""What is the median? Which values do so many percent of the records not exceed?"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from dampen._validate import Number, one_of, pair, render
from dampen.errors import ParameterError
from dampen.mechanisms import LocalDampening, PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import SelectionProblem
from dampen.queries import percentile_label_problem, percentile_rank_problem, percentile_value_problem
from dampen.questions.asking import asking
from dampen.questions.mechanism_choice import Choice, chosen_mechanism, refuse_indicators
from dampen.tables.columns import as_missing
from dampen.tables.engines import filtered
from dampen.tables.grid import as_grid

Method = Literal["distance", "rank", "label"]


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
) -> Any:
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
        All possible answers: a range, or increasing numbers. Public, so never taken from the data. A value counts at
        the largest grid point not above it.
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
    chosen = percentile_mechanism(method, epsilon=epsilon, mechanism=mechanism)
    asked: dict[str, Any] = {"grid": grid, "bounds": bounds, "step": step, "bins": bins, "adjacency": adjacency}
    with asking(budget, note):
        if mechanism is not None and method != "label":  # the default fits; another is tried before any data is read
            chosen.privacy(percentile_problem([], p, method, missing=missing, **asked).frame)
        problem = percentile_problem(values, p, method, column=column, where=where, missing=missing, **asked)
    return chosen.release(problem, budget=budget, note=note).value


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
) -> Any:
    """The median of the values, privately: :func:`percentile` at 50.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.median([1.5, 2.5, 4.0], bounds=(0, 10), step="0.5", epsilon=1, budget=budget) <= 10
    True
    """
    return percentile(
        values, 50, grid=grid, bounds=bounds, step=step, bins=bins, epsilon=epsilon, budget=budget,
        adjacency=adjacency, method=method, mechanism=mechanism, column=column, where=where, missing=missing,
        note=note,
    )  # fmt: skip


def percentile_problem(
    values: Any,
    p: Number,
    method: str = "distance",
    *,
    grid: Any = None,
    bounds: tuple[Number, Number] | None = None,
    step: Number | None = None,
    bins: int | None = None,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
) -> SelectionProblem:
    """The problem that :func:`percentile` poses."""
    if one_of(("distance", "rank", "label"), method=method) == "label":
        left_out = all(argument is None for argument in (column, where, grid, step, bins))
        if not left_out or as_missing(missing) != "refuse":
            raise ParameterError(
                "method 'label' takes values and bounds=(0, hi) alone: no grid, step, bins, column, where or missing"
            )
        return percentile_label_problem(values, p, bound=_label_bound(bounds, adjacency))
    pose = percentile_rank_problem if method == "rank" else percentile_value_problem
    public = as_grid(grid, bounds=bounds, step=step, bins=bins)
    return pose(filtered(values, where), p, grid=public, adjacency=adjacency, column=column, missing=missing)


def percentile_mechanism(method: str, *, epsilon: Number, mechanism: Choice | None) -> SelectionMechanism:
    """The mechanism that the caller names, or the default of the method."""
    labels = one_of(("distance", "rank", "label"), method=method) == "label"
    chosen = chosen_mechanism(mechanism, epsilon, default=LocalDampening if labels else PermuteAndFlip)
    refuse_indicators(chosen, "dampen.queries.percentile_hit_problem")
    return chosen


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
