"""dampen: private answers with noise fitted to the data at hand.

The names below load when they are first used, so ``import dampen`` is quick. It imports nothing at all: the command
passes here before it can answer Ctrl-C.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dampen import accounting, accuracy, audit, datasets, errors, learn, mechanisms, queries, sensitivity
    from dampen.accounting import Budget
    from dampen.graphs.graph import Graph
    from dampen.privacy import Adjacency, PrivacyLoss, Release
    from dampen.problem import CountsFrame, CountsProblem, Frame, NumericFrame, NumericProblem, SelectionProblem
    from dampen.questions import (
        count,
        count_subgraphs,
        group_by,
        group_counts,
        group_most_common,
        group_percentiles,
        mean,
        median,
        most_common,
        percentile,
        quantile_number,
        quantiles,
        select,
        top_categories,
        top_k,
        top_nodes,
        total,
    )
    from dampen.runs import Runs

__version__ = "0.1.0.dev0"

__all__ = [
    "Adjacency",
    "Budget",
    "CountsFrame",
    "CountsProblem",
    "Frame",
    "Graph",
    "NumericFrame",
    "NumericProblem",
    "PrivacyLoss",
    "Release",
    "Runs",
    "SelectionProblem",
    "accounting",
    "accuracy",
    "audit",
    "count",
    "count_subgraphs",
    "datasets",
    "errors",
    "group_by",
    "group_counts",
    "group_most_common",
    "group_percentiles",
    "learn",
    "mean",
    "mechanisms",
    "median",
    "most_common",
    "percentile",
    "quantile_number",
    "quantiles",
    "queries",
    "select",
    "sensitivity",
    "top_categories",
    "top_k",
    "top_nodes",
    "total",
]

_HOMES = {
    "Adjacency": "dampen.privacy",
    "Budget": "dampen.accounting",
    "CountsFrame": "dampen.problem",
    "CountsProblem": "dampen.problem",
    "Frame": "dampen.problem",
    "Graph": "dampen.graphs.graph",
    "NumericFrame": "dampen.problem",
    "NumericProblem": "dampen.problem",
    "PrivacyLoss": "dampen.privacy",
    "Release": "dampen.privacy",
    "Runs": "dampen.runs",
    "SelectionProblem": "dampen.problem",
    "count": "dampen.questions",
    "count_subgraphs": "dampen.questions",
    "group_by": "dampen.questions",
    "group_counts": "dampen.questions",
    "group_most_common": "dampen.questions",
    "group_percentiles": "dampen.questions",
    "mean": "dampen.questions",
    "median": "dampen.questions",
    "most_common": "dampen.questions",
    "percentile": "dampen.questions",
    "quantile_number": "dampen.questions",
    "quantiles": "dampen.questions",
    "select": "dampen.questions",
    "top_categories": "dampen.questions",
    "top_k": "dampen.questions",
    "top_nodes": "dampen.questions",
    "total": "dampen.questions",
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"dampen.{name}")
    raise AttributeError(f"module 'dampen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
