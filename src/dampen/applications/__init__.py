"""One function per question of a user's. Each returns the plain answer and spends from the budget it is given."""

from dampen.applications.categories import most_common, top_categories
from dampen.applications.influence import top_nodes
from dampen.applications.many_percentiles import quantiles
from dampen.applications.percentiles import median, percentile
from dampen.applications.selection import select, top_k

__all__ = ["median", "most_common", "percentile", "quantiles", "select", "top_categories", "top_k", "top_nodes"]
