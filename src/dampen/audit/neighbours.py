"""All small data sets, and the neighbours of each.

A table is a multiset of records: a sorted tuple. A graph is a pair (number of nodes, frozenset of edges (i, j), i < j).
Data sets are hashable, so that an audit computes each law once.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any

from dampen._validate import render, whole
from dampen.errors import MissingExtra, ParameterError

DataSet = Hashable
Graph = tuple[int, frozenset[tuple[int, int]]]
LARGEST_ATLAS = 7
"""The graph atlas ends at so many nodes."""


def multisets(domain: Sequence[Any], *, largest: int, smallest: int = 0) -> list[tuple[Any, ...]]:
    """All multisets of ``smallest`` to ``largest`` records over a small domain, as sorted tuples."""
    try:
        values = sorted(domain)
    except TypeError:
        raise ParameterError(f"domain must be values that can be sorted; got {render(domain)}") from None
    whole(largest=largest, least=whole(smallest=smallest, least=0))
    return [x for n in range(smallest, largest + 1) for x in combinations_with_replacement(values, n)]


def add_remove_neighbours(domain: Sequence[Any]) -> Callable[[Any], Iterator[tuple[Any, ...]]]:
    """Neighbours under ``ADD_REMOVE``: one record more or less."""

    def neighbours(x: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for value in domain:
            yield tuple(sorted((*x, value)))
        yield from _without_one(x)

    return neighbours


def replace_neighbours(domain: Sequence[Any]) -> Callable[[Any], Iterator[tuple[Any, ...]]]:
    """Neighbours under ``REPLACE``: one record has another value."""

    def neighbours(x: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for rest in _without_one(x):
            for value in domain:
                other = tuple(sorted((*rest, value)))
                if other != x:
                    yield other

    return neighbours


def _without_one(x: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for place, value in enumerate(x):
        if place == 0 or x[place - 1] != value:
            yield x[:place] + x[place + 1 :]


def graphs(*, largest: int, smallest: int = 1) -> list[Graph]:
    """All graphs of ``smallest`` to ``largest`` <= 7 nodes, one for each isomorphism class (networkx's atlas)."""
    if whole(largest=largest, least=whole(smallest=smallest, least=1)) > LARGEST_ATLAS:
        raise ParameterError(f"largest must be at most {LARGEST_ATLAS}, where the atlas ends; got {largest}")
    return [graph for graph in _atlas() if smallest <= graph[0] <= largest]


@cache
def _atlas() -> tuple[Graph, ...]:
    """Read once: networkx unpacks all of it for every call."""
    try:
        from networkx.generators.atlas import graph_atlas_g
    except ImportError:
        raise MissingExtra("the graph atlas needs networkx: pip install 'dampen[graph]'") from None
    return tuple((len(graph), frozenset((min(edge), max(edge)) for edge in graph.edges)) for graph in graph_atlas_g())


def edge_neighbours(x: Graph) -> Iterator[Graph]:
    """Neighbours under ``EDGE``: every single edge added or removed, the nodes staying as they are."""
    nodes, edges = x
    for edge in combinations(range(nodes), 2):
        yield nodes, edges ^ {edge}
