"""Which value is the most frequent in each group?"""

from collections.abc import Sequence
from typing import Any

from dampen._validate import Number
from dampen.applications.mechanism_choice import Choice
from dampen.applications.selections_by_group import each_group, group_choice
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import SelectionProblem
from dampen.queries import count_problem
from dampen.statistics.categories import as_categories
from dampen.statistics.groups import REST


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
    other: Any = REST,
    missing: str = "refuse",
    note: str = "group_most_common",
) -> dict[Any, Any]:
    """The most frequent value of each group, privately: a mapping from category to one of the choices.

    All answers together cost ``epsilon``, as for :func:`group_percentiles`. A group without records gets a uniform
    choice.

    Parameters
    ----------
    values
        One of ``choices`` per record: a list, array or Series.
    groups
        The category of each record, in the same order.
    categories, choices
        All groups, and all values, that could have occurred. Public, so never taken from the data.
    mechanism
        A mechanism class; permute-and-flip by default.
    other, missing
        What happens to groups that are no category, and to missing ones, as for :func:`group_by`. Values that are
        missing or no choice are refused.

    >>> import dampen
    >>> found = dampen.group_most_common(["flu", "flu", "gout"], ["F", "F", "M"], categories=("F", "M"),
    ...                                  choices=("flu", "gout"), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(found), found["M"] in ("flu", "gout")
    (['F', 'M'], True)
    """
    labels = as_categories(choices, "choices")
    chosen = group_choice(mechanism, epsilon, adjacency, "dampen.queries.winner_problem")

    def problem(records: Any) -> SelectionProblem:
        return count_problem(records, categories=labels, adjacency=Adjacency.ADD_REMOVE)

    return each_group(
        values, groups, problem, chosen, categories=categories, budget=budget, adjacency=adjacency, other=other,
        missing=missing, note=note, rule="values must be declared choices, none of them missing: leave out other rows",
    )  # fmt: skip
