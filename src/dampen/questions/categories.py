"""Which category is the most frequent?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dampen._validate import Number
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.queries import count_problem
from dampen.queries.categories import count_frame
from dampen.questions.asking import asking
from dampen.questions.mechanism_choice import Choice, chosen_mechanism, chosen_top, refuse_indicators
from dampen.tables.counts import as_categories
from dampen.tables.filters import filter_rows


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
) -> Any:
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
    chosen = chosen_mechanism(mechanism, epsilon, default=PermuteAndFlip)
    refuse_indicators(chosen, "dampen.queries.winner_problem")
    with asking(budget, note):
        labels = as_categories(categories)
        chosen.privacy(count_frame(labels, adjacency))
        problem = count_problem(
            filter_rows(values, where),
            categories=labels,
            adjacency=adjacency,
            column=column,
            missing=missing,
            other=other,
        )
    return chosen.release(problem, budget=budget, note=note).value


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
) -> tuple[Any, ...]:
    """The k categories with the most records, most frequent first, privately. ``epsilon`` is the price of them all.

    The other arguments are those of :func:`most_common`; ``mechanism`` is a class of the exponential or
    permute-and-flip type, run at epsilon / k for each place.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> len(dampen.top_categories(["a", "a", "b"], 2, categories=("a", "b", "c"), epsilon=1, budget=budget))
    2
    """
    chosen = chosen_top(k, mechanism, epsilon)
    with asking(budget, note):
        labels = as_categories(categories)
        chosen.privacy(count_frame(labels, adjacency))
        problem = count_problem(
            filter_rows(values, where),
            categories=labels,
            adjacency=adjacency,
            column=column,
            missing=missing,
            other=other,
        )
    drawn: tuple[Any, ...] = chosen.release(problem, budget=budget, note=note).value
    return drawn
