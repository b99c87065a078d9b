"""How many rows, what sum, what mean, what percentile, as a number with noise?"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dampen._validate import Number, positive
from dampen.entropy import Entropy
from dampen.mechanisms import Laplace, NumericMechanism
from dampen.mechanisms.numeric.laplace import PublicNoiseRelease
from dampen.privacy import Adjacency, BudgetLike, NumericRelease, PrivacyLoss, record_adjacency
from dampen.queries.order.order_statistic import order_statistic_problem
from dampen.queries.sums import mean_part_problems, mean_problem, row_count_problem, sum_problem
from dampen.questions.mechanism_choice import choose_numeric, require_fitting
from dampen.questions.record import Composite, Posed, Single, no_records, question, zeros
from dampen.tables.counts import as_bounds, filter_rows


@question(no_records("data"), proof="laplace")
def count(
    data: Any,
    *,
    where: Mapping[str, Any] | None = None,
    column: str | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "count",
) -> Posed[PublicNoiseRelease]:
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
    return Single(mechanism, row_count_problem(data, where=where, column=column, adjacency=adjacency))


@question(zeros("values"), proof="laplace")
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
) -> Posed[PublicNoiseRelease]:
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
    mechanism, rows = Laplace(epsilon), filter_rows(values, where)
    asked: dict[str, Any] = {"resolution": resolution, "column": column, "missing": missing}
    return Single(mechanism, sum_problem(rows, bounds=bounds, adjacency=adjacency, **asked))


@question(zeros("values"), proof="laplace")
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
) -> Posed[NumericRelease]:
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
    price, replaced = positive(epsilon=epsilon), record_adjacency(adjacency) is Adjacency.REPLACE
    rows = filter_rows(values, where)
    asked: dict[str, Any] = {"bounds": bounds, "resolution": resolution, "column": column, "missing": missing}
    if replaced:
        return Single(Laplace(price), mean_problem(rows, **asked))
    parts = mean_part_problems(rows, **asked)
    (low, high), half = as_bounds(bounds), Laplace(price / 2)

    def draw(source: Entropy) -> float:
        off, number = (Fraction(half.answer(part.frame, half.draw(part, source))) for part in parts)
        found = (low + high) / 2 + off / max(number, Fraction(1))
        return float(min(max(found, low), high))

    def build(value: float, loss: PrivacyLoss, note: str) -> NumericRelease:
        return NumericRelease(value, loss, f"{half!r} of a sum and of a number", note)

    frames = tuple(part.frame for part in parts)
    return Composite(frames, PrivacyLoss(price, adjacency=frames[0].adjacency), draw, build)


@question(zeros("values"), proof="ladders")
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
) -> Posed[NumericRelease]:
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
    chosen = choose_numeric(mechanism, epsilon=epsilon, delta=delta)
    asked: dict[str, Any] = {"bounds": bounds, "resolution": resolution, "adjacency": adjacency, "missing": missing}
    if mechanism is not None:
        require_fitting(chosen, order_statistic_problem([], p, **asked))
    return Single(chosen, order_statistic_problem(filter_rows(values, where), p, column=column, **asked))
