"""Which category is the most frequent?"""

from collections.abc import Callable, Sequence
from typing import Any

from dampen._validate import Number
from dampen.mechanisms import SelectionMechanism
from dampen.mechanisms.selection_errors import whole_accuracy
from dampen.privacy import Adjacency, BudgetLike, ListRelease, Release
from dampen.problem import SelectionProblem
from dampen.queries.categories import count_frame
from dampen.questions.mechanism_choice import Choice, choose_mechanism, choose_top_k
from dampen.questions.record import Posed, Price, Single, no_records, question, usual_law
from dampen.tables.counts import as_categories
from dampen.tables.groups import count_groups


@question(no_records, proof="permute_and_flip")
def most_common(
    values: Any,
    *,
    categories: Sequence[Any],
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: Choice | None = None,
    note: str = "most_common",
) -> Posed[Release]:
    """The category with the most records, privately.

    Parameters
    ----------
    values
        One category per record: a list, array or Series. Tables are asked by :class:`dampen.Table`.
    categories
        Everything that could have occurred. Public, so never taken from the data.
    mechanism
        A mechanism class, or a mechanism with the same epsilon; permute-and-flip by default, or the exponential
        mechanism where the budget is one of rho.
    rho
        In place of epsilon: the exponential mechanism chooses, whose epsilon is the root of 8 rho.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.most_common(["flu", "flu", "cold"], categories=("flu", "cold", "gout"), epsilon=1, budget=budget) != ""
    True
    """
    usual = usual_law(budget)
    chosen = choose_mechanism(mechanism, Price(epsilon, rho), default=usual, indicators="dampen.queries.winner_problem")
    return _pose(chosen, values, categories, adjacency)


@question(no_records, proof="top_k")
def top_categories(
    values: Any,
    k: int,
    *,
    categories: Sequence[Any],
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    mechanism: Callable[[Number], SelectionMechanism] | None = None,
    note: str = "top_categories",
) -> Posed[ListRelease]:
    """The k categories with the most records, most frequent first, privately. The price is that of them all.

    The other arguments are those of :func:`most_common`; ``mechanism`` is a class of the exponential or
    permute-and-flip type, run at epsilon / k, or rho / k, for each place.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> len(dampen.top_categories(["a", "a", "b"], 2, categories=("a", "b", "c"), epsilon=1, budget=budget))
    2
    """
    chosen = choose_top_k(k, mechanism, Price(epsilon, rho), default=usual_law(budget))
    return _pose(chosen, values, categories, adjacency)


def _pose(
    mechanism: SelectionMechanism,
    values: Any,
    categories: Sequence[Any],
    adjacency: Adjacency,
) -> Posed[Any]:
    labels = as_categories(categories)
    frame = count_frame(labels, adjacency)
    mechanism.privacy(frame)
    problem = SelectionProblem(frame, count_groups(values, labels))
    return Single(mechanism, problem, whole_accuracy(mechanism.accuracy(frame), "records"))
