"""Which category is the most frequent?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dampen._validate import Number
from dampen.mechanisms import SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.queries import count_problem
from dampen.queries.categories import count_frame
from dampen.questions.mechanism_choice import Choice, choose_mechanism, choose_top_k
from dampen.questions.record import Posed, Single, no_records, question
from dampen.tables.counts import as_categories, filter_rows


@question(no_records("values"), proof="permute_and_flip", plain=True)
def most_common(
    values: Any,
    *,
    categories: Sequence[Any],
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: Choice | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    other: str = "refuse",
    note: str = "most_common",
) -> Posed[Any]:
    """The category with the most records, privately.

    Parameters
    ----------
    values
        One category per record: a list, array or Series; with ``column`` a data frame, a path or pattern of CSV or
        Parquet files, a DuckDB relation, an ibis table or a Spark data frame.
    categories
        Everything that could have occurred. Public, so never taken from the data.
    mechanism
        A mechanism class, or a mechanism with the same epsilon; permute-and-flip by default.
    where
        ``{column: value}``, public: only rows with these values count.
    missing, other
        ``"refuse"`` or ``"drop"`` missing values, and values that are no category.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.most_common(["flu", "flu", "cold"], categories=("flu", "cold", "gout"), epsilon=1, budget=budget) != ""
    True
    """
    chosen = choose_mechanism(mechanism, epsilon, indicators="dampen.queries.winner_problem")
    return _pose(chosen, values, categories, adjacency, column, where, missing, other)


@question(no_records("values"), proof="top_k", plain=True)
def top_categories(
    values: Any,
    k: int,
    *,
    categories: Sequence[Any],
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: Callable[[Number], SelectionMechanism] | None = None,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    missing: str = "refuse",
    other: str = "refuse",
    note: str = "top_categories",
) -> Posed[tuple[Any, ...]]:
    """The k categories with the most records, most frequent first, privately. ``epsilon`` is the price of them all.

    The other arguments are those of :func:`most_common`; ``mechanism`` is a class of the exponential or
    permute-and-flip type, run at epsilon / k for each place.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> len(dampen.top_categories(["a", "a", "b"], 2, categories=("a", "b", "c"), epsilon=1, budget=budget))
    2
    """
    return _pose(choose_top_k(k, mechanism, epsilon), values, categories, adjacency, column, where, missing, other)


def _pose(
    mechanism: SelectionMechanism,
    values: Any,
    categories: Sequence[Any],
    adjacency: Adjacency,
    column: str | None,
    where: Mapping[str, Any] | None,
    missing: str,
    other: str,
) -> Posed[Any]:
    labels, rows = as_categories(categories), filter_rows(values, where)
    mechanism.privacy(count_frame(labels, adjacency))
    asked: dict[str, Any] = {"column": column, "missing": missing, "other": other}
    return Single(mechanism, count_problem(rows, categories=labels, adjacency=adjacency, **asked))
