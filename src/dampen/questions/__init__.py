"""One function per question of a user's, which spends from the budget it is given.

Choices come back as the plain answer. Numbers come back as a release, which knows what it cost and, where its noise is
public, its error.
"""

from dampen.questions.categories import most_common, top_categories
from dampen.questions.counts_by_group import group_counts
from dampen.questions.influence import top_nodes
from dampen.questions.many_percentiles import quantiles
from dampen.questions.members_by_group import group_by
from dampen.questions.most_common_by_group import group_most_common
from dampen.questions.numbers import count, mean, total
from dampen.questions.percentiles import median, percentile
from dampen.questions.percentiles_by_group import group_percentiles
from dampen.questions.quantile_numbers import quantile_number
from dampen.questions.selection import select, top_k
from dampen.questions.subgraph_counts import count_subgraphs

__all__ = [
    "count",
    "count_subgraphs",
    "group_by",
    "group_counts",
    "group_most_common",
    "group_percentiles",
    "mean",
    "median",
    "most_common",
    "percentile",
    "quantile_number",
    "quantiles",
    "select",
    "top_categories",
    "top_k",
    "top_nodes",
    "total",
]
