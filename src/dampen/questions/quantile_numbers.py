"""What is a percentile, as a number with noise?"""

from collections.abc import Mapping
from typing import Any

from dampen._validate import Number, probability
from dampen.mechanisms import ExactPairLaplace, NumericMechanism, PolyPlace
from dampen.privacy import Adjacency, BudgetLike, NumericRelease
from dampen.queries.order.order_statistic import order_statistic_problem
from dampen.questions.asking import asking
from dampen.questions.numeric_choice import priced, require_fitting
from dampen.tables.filters import filter_rows


def quantile_number(
    values: Any,
    p: Number,
    *,
    bounds: tuple[Number, Number],
    epsilon: Number,
    budget: BudgetLike,
    delta: Number = 0,
    resolution: Number = 1,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: NumericMechanism | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    note: str = "quantile_number",
) -> NumericRelease:
    """The p-th percentile of the values plus noise that follows the gaps around it, privately.

    :func:`dampen.percentile` chooses a value of a grid instead and is more accurate below an epsilon of about 2, unless
    many records are equal.

    Parameters
    ----------
    values
        Numbers in a list, array or Series; with ``column`` a data frame, a path or pattern of CSV or Parquet files, a
        DuckDB relation, an ibis table or a Spark data frame.
    p
        Between 0 and 100, taken exactly.
    bounds, resolution
        Public: a value outside the bounds is moved to the nearer one, and answers are multiples of the resolution, or
        an end of the grid lo, lo + resolution, ...
    epsilon, delta
        What the answer costs. Without ``delta`` the noise is that of :class:`PolyPlace`, with it of
        :class:`ExactPairLaplace`. It depends on the data, so a release does not tell its error.
    mechanism
        Another numeric mechanism, with the same epsilon and delta.
    where
        ``{column: value}``, public: only rows with these values count. Not under ``REPLACE``, where a replaced record
        might leave them.
    missing
        ``"refuse"`` or ``"drop"`` missing values.

    >>> import dampen
    >>> ages = [23, 31, 45, 38] * 50
    >>> release = dampen.quantile_number(ages, 50, bounds=(0, 120), epsilon=5, budget=dampen.Budget(epsilon=5))
    >>> 0 <= release.value <= 120
    True
    """
    if mechanism is not None:
        chosen = priced(mechanism, epsilon=epsilon, delta=delta)
    else:
        chosen = PolyPlace(epsilon) if probability(delta=delta) == 0 else ExactPairLaplace(epsilon, delta)
    asked: dict[str, Any] = {"bounds": bounds, "resolution": resolution, "adjacency": adjacency, "missing": missing}
    with asking(budget, note):
        if mechanism is not None:
            require_fitting(chosen, order_statistic_problem([], p, **asked))
        problem = order_statistic_problem(filter_rows(values, where), p, column=column, **asked)
    return chosen.release(problem, budget=budget, note=note)
