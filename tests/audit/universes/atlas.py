"""All pairs of graphs that differ in one edge, once each up to the names of the nodes.

Where neither the query nor the mechanism looks at names, two pairs of which one is the other renamed have the same
loss. A pair is a graph and an edge to add: graphs from the atlas, of each orbit of absent edges under the graph's
symmetries one.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

import numpy as np

from dampen.audit.neighbours import Graph
from dampen.vectors import Integers


def neighbours_up_to_names(x: Graph) -> Iterator[Graph]:
    """Every graph with one edge more, one for each way in which such graphs differ."""
    nodes, edges = x
    return ((nodes, edges | {edge}) for edge in edge_orbits(x))


@cache
def edge_orbits(x: Graph) -> dict[tuple[int, int], int]:
    """The first absent edge of every orbit, and how many edges the orbit has."""
    nodes, edges = x
    names = list(combinations(range(nodes), 2))
    moved = _renamed_edges(nodes)
    present = np.array([edge in edges for edge in names], dtype=bool)
    symmetries = moved[(present[moved] == present).all(axis=1)]
    first, sizes = np.unique(symmetries.min(axis=0), return_counts=True)
    return {names[place]: int(size) for place, size in zip(first, sizes, strict=True) if not present[place]}


@cache
def _renamed_edges(nodes: int) -> Integers:
    """Where each edge goes, for every renaming of the nodes."""
    pairs = list(combinations(range(nodes), 2))
    place = {pair: number for number, pair in enumerate(pairs)}
    rows = [[place[min(p[a], p[b]), max(p[a], p[b])] for a, b in pairs] for p in permutations(range(nodes))]
    return np.array(rows, dtype=np.int64)
