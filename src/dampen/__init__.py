"""dampen: private answers with noise fitted to the data at hand.

The names below load when they are first used, so ``import dampen`` is quick. It imports nothing at all: the command
passes here before it can answer Ctrl-C. Questions are found in their record, ``dampen.questions``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dampen import accounting as accounting
    from dampen import accuracy as accuracy
    from dampen import audit as audit
    from dampen import datasets as datasets
    from dampen import errors as errors
    from dampen import learn as learn
    from dampen import mechanisms as mechanisms
    from dampen import plots as plots
    from dampen import queries as queries
    from dampen import sensitivity as sensitivity
    from dampen.accounting import Budget as Budget
    from dampen.accuracy.stand_ins import StandIn as StandIn
    from dampen.describe.columns import Category as Category
    from dampen.describe.columns import Date as Date
    from dampen.describe.columns import Flag as Flag
    from dampen.describe.columns import Number as Number
    from dampen.describe.columns import Text as Text
    from dampen.describe.columns import between as between
    from dampen.describe.reading import FileReading as FileReading
    from dampen.front.compare import compare as compare
    from dampen.front.database import Database as Database
    from dampen.front.explain import explain as explain
    from dampen.front.graph import Graph as Graph
    from dampen.front.opening import open as open
    from dampen.front.plan import plan as plan
    from dampen.front.table import Table as Table
    from dampen.privacy import Adjacency as Adjacency
    from dampen.privacy import PrivacyLoss as PrivacyLoss
    from dampen.privacy import Release as Release
    from dampen.problem import CapFrame as CapFrame
    from dampen.problem import CapProblem as CapProblem
    from dampen.problem import CountsFrame as CountsFrame
    from dampen.problem import CountsProblem as CountsProblem
    from dampen.problem import Frame as Frame
    from dampen.problem import GrowthLaw as GrowthLaw
    from dampen.problem import NumericFrame as NumericFrame
    from dampen.problem import NumericProblem as NumericProblem
    from dampen.problem import SelectionProblem as SelectionProblem
    from dampen.problem import SignedCapProblem as SignedCapProblem
    from dampen.problem import UnknownGroupsFrame as UnknownGroupsFrame
    from dampen.problem import UnknownGroupsProblem as UnknownGroupsProblem
    from dampen.questions.categories import most_common as most_common
    from dampen.questions.categories import top_categories as top_categories
    from dampen.questions.histograms import histogram as histogram
    from dampen.questions.influence import top_nodes as top_nodes
    from dampen.questions.many_percentiles import percentiles as percentiles
    from dampen.questions.members_by_group import release_group_members as release_group_members
    from dampen.questions.numbers import count as count
    from dampen.questions.numbers import mean as mean
    from dampen.questions.numbers import sum as sum
    from dampen.questions.numbers import variance as variance
    from dampen.questions.one_percentile import median as median
    from dampen.questions.one_percentile import percentile as percentile
    from dampen.questions.selection import select as select
    from dampen.questions.selection import top_k as top_k
    from dampen.questions.subgraph_counts import count_subgraphs as count_subgraphs
    from dampen.tables.relative_grid import unbounded_grid as unbounded_grid
    from dampen.vectors import Runs as Runs

__version__ = "0.1.0.dev0"

_ROOMS = {
    *("accounting", "accuracy", "audit", "datasets", "errors", "learn", "mechanisms", "plots", "queries"),
    "sensitivity",
}
_HOMES = {
    "Adjacency": "dampen.privacy",
    "Budget": "dampen.accounting",
    "CapFrame": "dampen.problem",
    "CapProblem": "dampen.problem",
    "Category": "dampen.describe.columns",
    "CountsFrame": "dampen.problem",
    "CountsProblem": "dampen.problem",
    "Database": "dampen.front.database",
    "Date": "dampen.describe.columns",
    "Flag": "dampen.describe.columns",
    "Frame": "dampen.problem",
    "FileReading": "dampen.describe.reading",
    "Graph": "dampen.front.graph",
    "GrowthLaw": "dampen.problem",
    "Number": "dampen.describe.columns",
    "NumericFrame": "dampen.problem",
    "NumericProblem": "dampen.problem",
    "PrivacyLoss": "dampen.privacy",
    "Release": "dampen.privacy",
    "Runs": "dampen.vectors",
    "SelectionProblem": "dampen.problem",
    "SignedCapProblem": "dampen.problem",
    "StandIn": "dampen.accuracy.stand_ins",
    "Table": "dampen.front.table",
    "explain": "dampen.front.explain",
    "open": "dampen.front.opening",
    "Text": "dampen.describe.columns",
    "UnknownGroupsFrame": "dampen.problem",
    "UnknownGroupsProblem": "dampen.problem",
    "between": "dampen.describe.columns",
    "compare": "dampen.front.compare",
    "plan": "dampen.front.plan",
    "unbounded_grid": "dampen.tables.relative_grid",
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"dampen.{name}")
    if name == "__all__":
        return sorted([*_HOMES, *_ROOMS, *import_module("dampen.questions").__all__])
    if not name.startswith("_") and (question := _find_question(name)) is not None:
        globals()[name] = question.ask
        return question.ask
    raise AttributeError(f"module 'dampen' has no attribute {name!r}")


def _find_question(name: str) -> "Any":
    """Python asks for modules too, on the way to importing them: for those no question is loaded."""
    from importlib import import_module
    from importlib.util import find_spec
    from sys import modules

    known = getattr(modules.get("dampen.questions.record"), "RECORD", {})
    if name not in known and find_spec(f"dampen.{name}") is None:
        import_module("dampen.questions")
        known = modules["dampen.questions.record"].RECORD
    return known.get(name)


def __dir__() -> list[str]:
    return sorted([*__getattr__("__all__"), "__version__"])
