"""Which value is the most frequent in each group?"""

from collections.abc import Mapping, Sequence
from typing import Any

from dampen._validate import Number
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import SelectionProblem
from dampen.queries import count_problem
from dampen.queries.categories import count_frame, problem_of_counts
from dampen.questions.asking import asking
from dampen.questions.mechanism_choice import Choice
from dampen.questions.selections_by_group import each_group, group_choice, grouped, posed_by_group
from dampen.tables.categories import as_categories
from dampen.tables.grouped import categories_by_group
from dampen.tables.groups import REST


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
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
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
        One of ``choices`` per record: a list, array or Series; with ``column`` a table of any kind, as for
        :func:`group_percentiles`.
    groups
        The category of each record, in the same order; with ``column`` the name of the column that holds it.
    categories, choices
        All groups, and all values, that could have occurred. Public, so never taken from the data.
    mechanism
        A mechanism class; permute-and-flip by default.
    where
        ``{column: value}``, public: only rows with these values count; for tables, under either adjacency.
    other, missing
        What happens to groups that are no category, and to missing ones, as for :func:`group_by`. Values that are
        missing or no choice are refused.

    >>> import dampen
    >>> found = dampen.group_most_common(["flu", "flu", "gout"], ["F", "F", "M"], categories=("F", "M"),
    ...                                  choices=("flu", "gout"), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(found), found["M"] in ("flu", "gout")
    (['F', 'M'], True)
    """

    def problem(records: Any) -> SelectionProblem:
        pose = problem_of_counts if data.in_table else count_problem
        return pose(records, categories=labels, adjacency=Adjacency.ADD_REMOVE)

    rule = "values must be declared choices, none of them missing: leave out other rows"
    with asking(budget, note):
        labels = as_categories(choices, "choices")
        chosen = group_choice(mechanism, epsilon, adjacency, "dampen.queries.winner_problem")
        chosen.privacy(count_frame(labels, Adjacency.ADD_REMOVE))
        data = grouped(
            values, groups, categories=categories, column=column, where=where, other=other, missing=missing
        )  # fmt: skip
        in_table = data.in_table
        records = categories_by_group(data.values, labels, data.labels, **data.named()) if in_table else data.split()
        posed = posed_by_group(records, problem, rule)
    return each_group(posed, data.labels, chosen, budget=budget, adjacency=adjacency, note=note)
