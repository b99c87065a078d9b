"""All entries of the gate, and everything in dampen that must have one."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import dampen
from dampen.front.groups import GroupedTable
from tests.audit.reading import edges, engines, groups, labels, members, numbers, tables
from tests.audit.reading.entries import Entry

ENTRIES: tuple[Entry, ...] = (
    *labels.ENTRIES,
    *numbers.ENTRIES,
    *groups.ENTRIES,
    *members.ENTRIES,
    *edges.ENTRIES,
    *tables.ENTRIES,
    *engines.ENTRIES,
)
COUNTED = "counts come in, no raw values"
OF_GRAPH = "takes a Graph; what made it is in the gate"
OF_UTILITIES = "utilities come in, one per candidate: no records"
PUBLIC = "reads what is public"
PART = "a part of functions that are in the gate"
BY_PERSON = "one person more, with all rows, is tried in test_people_coupling.py"
BY_NAME = "one person more, and one odd value more, are tried in test_names_coupling.py"
EXEMPT: dict[str, str] = {
    "questions.select": OF_UTILITIES,
    "questions.top_k": OF_UTILITIES,
    "tables.read_scores": OF_UTILITIES,
    "tables.read_labels": PUBLIC,
    "tables.as_grid": PUBLIC,
    "queries.degree_problem": COUNTED,
    "queries.ego_betweenness_problem": COUNTED,
    "queries.ego_betweenness_range_problem": COUNTED,
    "queries.level_problem": COUNTED,
    "queries.information_gain_problem": COUNTED,
    "queries.max_operator_problem": COUNTED,
    "queries.max_operator_winner_problem": COUNTED,
    "queries.edge_count_problem": OF_GRAPH,
    "queries.kept_edges_problem": OF_GRAPH,
    "queries.k_clique_problem": OF_GRAPH,
    "queries.k_star_problem": OF_GRAPH,
    "queries.k_triangle_problem": OF_GRAPH,
    "queries.triangle_problem": OF_GRAPH,
    "Graph.from_networkx": "nodes and edges of a graph: nothing is read as anything else",
    "Graph.from_igraph": "nodes and edges of a graph: nothing is read as anything else",
    "Engine.require": "looks whether a column is there",
    "Engine.named_people": BY_NAME,
    "Engine.person_shares": BY_PERSON,
    "Engine.person_values": BY_PERSON,
    "tables.person_values": BY_PERSON,
    "tables.tally_labels": PART,
    "tables.read_people": PART,
    "tables.find_groups": PART,
    "tables.count_groups": PART,
    "tables.from_engine": PART,
}
"""What needs no entry, and why."""
COUNTS = ("int64", "GridCounts", "Total", "dict[int, int]", "Mapping[int, int]", "Numbers", "UnitSizes")
"""How the return types of functions that count are written."""


def discovered() -> set[str]:
    """Everything that turns data into counts or utilities, found by what it is."""
    rooms = {
        f"{room}.{name}"
        for room in ("questions", "queries", "tables")
        for name, found in _listed(importlib.import_module(f"dampen.{room}"))
        if inspect.isfunction(found)
    }
    return {
        *rooms,
        *_counting("dampen.tables"),
        *_counting("dampen.graphs"),
        *_constructors(),
        *_methods(),
        *_asked_by_group(),
        *_estimators(),
    }


def _listed(module: Any) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(module, name)) for name in module.__all__)


def _counting(package: str) -> Iterator[str]:
    """Functions whose first argument is data or values of any type, and that return counts."""
    home = importlib.import_module(package)
    for found in pkgutil.walk_packages(home.__path__, f"{package}."):
        if found.name.startswith(f"{package}.engines"):
            continue
        for name, each in vars(importlib.import_module(found.name)).items():
            if name.startswith("_") or not inspect.isfunction(each) or each.__module__ != found.name:
                continue
            signature = inspect.signature(each)
            first = next(iter(signature.parameters.values()), None)
            takes = first is not None and first.name in ("values", "data") and first.annotation in (Any, "Any")
            if takes and any(word in str(signature.return_annotation) for word in COUNTS):
                yield f"tables.{name}"


def _constructors() -> Iterator[str]:
    yield "Graph.__init__"
    yield from (f"Graph.{name}" for name in dir(dampen.Graph) if name.startswith("from_"))


def _methods() -> Iterator[str]:
    """The contract of engines."""
    from dampen.tables.engines import Engine

    yield from (f"Engine.{name}" for name, each in vars(Engine).items() if inspect.isfunction(each) and name[0] != "_")


def _asked_by_group() -> Iterator[str]:
    """What may be asked of every group: all that has a price."""
    for name, each in vars(GroupedTable).items():
        if inspect.isfunction(each) and name[0] != "_" and "epsilon" in inspect.signature(each).parameters:
            yield f"GroupedTable.{name}"


def _estimators() -> Iterator[str]:
    import dampen.learn

    for name, found in _listed(dampen.learn):
        if inspect.isfunction(found) or hasattr(found, "fit"):
            yield f"learn.{name}"


def covered() -> set[str]:
    """What the entries are of."""
    return {name for entry in ENTRIES for name in entry.covers}
