"""How many rows, what sum, what mean?"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dampen._validate import Number, positive
from dampen.entropy import Entropy
from dampen.mechanisms import Laplace
from dampen.mechanisms.numeric.laplace import PublicNoiseRelease
from dampen.privacy import Adjacency, BudgetLike, NumericRelease, PrivacyLoss, paid
from dampen.queries.guards import record_adjacency
from dampen.queries.sums import mean_part_problems, mean_problem, row_count_problem, sum_problem
from dampen.questions.asking import asking
from dampen.tables.engines import filtered
from dampen.tables.totals import as_bounds


def count(
    data: Any,
    *,
    where: Mapping[str, Any] | None = None,
    column: str | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "count",
) -> PublicNoiseRelease:
    """How many rows there are, or how many with given values, privately.

    Parameters
    ----------
    data
        A data frame or a mapping of columns, a path or pattern of CSV or Parquet files, a DuckDB relation, an ibis
        table, a Spark data frame, or a list or array.
    where
        ``{column: value}``, public: only rows with these values count.
    column
        Without ``where``: count the rows of this column; not needed.
    adjacency
        ``ADD_REMOVE``: one row more or less. ``REPLACE``: one row has other values.
    note
        What the answer is for; a ledger remembers it.

    The release tells its error: ``release.error(0.95)``.

    >>> import dampen
    >>> drinks = {"drink": ["tea"] * 70 + ["milk"] * 30}
    >>> release = dampen.count(drinks, where={"drink": "tea"}, epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> isinstance(release.value, int), release.error(0.95)
    (True, 3.0)
    """
    mechanism = Laplace(epsilon)
    with asking(budget, note):
        problem = row_count_problem(data, where=where, column=column, adjacency=adjacency)
    return mechanism.release(problem, budget=budget, note=note)


def total(
    values: Any,
    *,
    bounds: tuple[Number, Number],
    epsilon: Number,
    budget: BudgetLike,
    resolution: Number = 1,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    note: str = "total",
) -> PublicNoiseRelease:
    """The sum of the values, privately.

    Parameters
    ----------
    values
        Numbers in a list, array or Series; with ``column`` a data frame, a path or pattern of CSV or Parquet files, a
        DuckDB relation, an ibis table or a Spark data frame.
    bounds
        Lowest and highest value, public: a value outside counts as the nearer bound, silently.
    resolution
        Answers are multiples of it.
    where
        ``{column: value}``, public: only rows with these values count.
    missing
        ``"refuse"`` or ``"drop"`` missing values.

    The release tells its error: ``release.error(0.95)``.

    >>> import dampen
    >>> pay = [1200, 3100, 2500]
    >>> release = dampen.total(pay, bounds=(0, 10_000), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> isinstance(release.value, int), release.error(0.5)
    (True, 6931.0)
    """
    mechanism = Laplace(epsilon)
    with asking(budget, note):
        problem = sum_problem(
            filtered(values, where),
            bounds=bounds,
            adjacency=adjacency,
            resolution=resolution,
            column=column,
            missing=missing,
        )
    return mechanism.release(problem, budget=budget, note=note)


def mean(
    values: Any,
    *,
    bounds: tuple[Number, Number],
    epsilon: Number,
    budget: BudgetLike,
    resolution: Number | None = None,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    note: str = "mean",
) -> NumericRelease:
    """The mean of the values, privately: between the bounds.

    Under ``REPLACE`` the number of values is public, and the noise is that of their sum divided by it. Under
    ``ADD_REMOVE`` half of epsilon buys the sum of the differences from the middle of the bounds, half the number of
    values, in one reservation; the answer is the quotient, clamped to the bounds.

    Parameters
    ----------
    values
        Numbers in a list, array or Series; with ``column`` a data frame, a path or pattern of CSV or Parquet files, a
        DuckDB relation, an ibis table or a Spark data frame.
    bounds
        Lowest and highest value, public: a value outside counts as the nearer bound, silently.
    resolution
        The grid of the mean under ``REPLACE``, of the centred sum under ``ADD_REMOVE``; left out, a 1024th of what one
        record moves it.
    where
        ``{column: value}``, public: only rows with these values count. Not under ``REPLACE``, where a replaced record
        might leave them.
    missing
        ``"refuse"`` or ``"drop"`` missing values; under ``REPLACE`` they must be refused.

    >>> import dampen
    >>> ages = [23, 31, 45, 38] * 50
    >>> release = dampen.mean(ages, bounds=(0, 120), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> 0 <= float(release) <= 120
    True
    """
    price = positive(epsilon=epsilon)
    replaced = record_adjacency(adjacency) is Adjacency.REPLACE
    asked: dict[str, Any] = {"bounds": bounds, "resolution": resolution, "column": column, "missing": missing}
    with asking(budget, note):
        chosen = filtered(values, where)
        parts = (mean_problem(chosen, **asked),) if replaced else mean_part_problems(chosen, **asked)
    if replaced:
        return Laplace(price).release(parts[0], budget=budget, note=note)
    (low, high), half = as_bounds(bounds), Laplace(price / 2)
    loss = PrivacyLoss(price, adjacency=parts[0].frame.adjacency)

    def draw(source: Entropy) -> float:
        off, number = (Fraction(half.answer(part.frame, half.draw(part, source))) for part in parts)
        found = (low + high) / 2 + off / max(number, Fraction(1))
        return float(min(max(found, low), high))

    return NumericRelease(paid(draw, loss, budget=budget, note=note), loss, f"{half!r} of a sum and of a number", note)
