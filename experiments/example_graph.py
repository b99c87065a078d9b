"""The graph of the local dampening paper's examples, and brute force over all graphs near it.

The graph of Examples 1 and 3 to 8 (Fig. 1b, 2a and 6) is fixed by what the text says of it: a and b are linked, a has
the neighbours v0 to v3 and b has v2 to v5, and v0 v1 and v4 v5 are linked. In that of Example 2 (Fig. 1a) a and b are
linked and share v0 to v5. Both have eight nodes, and every sensitivity here is a maximum over all pairs of graphs.
"""

from collections.abc import Callable
from functools import cache
from itertools import combinations

import numpy as np

from dampen import Graph, SelectionProblem
from dampen.mechanisms import Exponential, SelectionMechanism, ShiftedLocalDampening
from dampen.queries import ego_betweenness_problem

A, B = 0, 1
V = range(2, 8)
NODES = 8
Edges = frozenset[tuple[int, int]]
PAIRS = tuple(combinations(range(NODES), 2))
SHARED: Edges = frozenset({(A, B), *((hub, leaf) for hub in (A, B) for leaf in V)})
"""Fig. 1a."""
EXAMPLE: Edges = frozenset({(A, B), *((A, v) for v in V[:4]), *((B, v) for v in V[2:]), (V[0], V[1]), (V[4], V[5])})
"""Fig. 1b, 2a and 6."""


@cache
def scores(edges: Edges) -> tuple[float, ...]:
    """The ego betweenness of all nodes."""
    return tuple(graph_of(edges).ego_betweenness().tolist())


def graph_of(edges: Edges) -> Graph:
    """As the library reads it."""
    first, second = ([edge[end] for edge in sorted(edges)] for end in (0, 1))
    return Graph.from_edges(first, second, nodes=NODES)


def neighbours(edges: Edges) -> list[Edges]:
    """The graphs with one edge more or less."""
    return [edges ^ {pair} for pair in PAIRS]


@cache
def element_sensitivities(edges: Edges, distance: int) -> tuple[float, ...]:
    """How far one edge moves each node's score, at worst, in graphs within ``distance`` edges: by brute force."""
    if distance:
        near = [element_sensitivities(other, distance - 1) for other in (edges, *neighbours(edges))]
        return tuple(np.max(near, axis=0).tolist())
    here = np.array(scores(edges))
    return tuple(np.max([np.abs(here - scores(other)) for other in neighbours(edges)], axis=0).tolist())


def local_sensitivity(edges: Edges, distance: int) -> float:
    """The same for the node that moves most."""
    return max(element_sensitivities(edges, distance))


def worst_loss(mechanism: SelectionMechanism, problem_of: Callable[[Edges], SelectionProblem]) -> float:
    """The largest log-ratio between the example graph and any graph with one edge more or less."""
    here = np.asarray(mechanism.log_probabilities(problem_of(EXAMPLE)))
    return max(
        float(np.abs(here - np.asarray(mechanism.log_probabilities(problem_of(other)))).max())
        for other in neighbours(EXAMPLE)
    )


def worst_top_loss(epsilon: float) -> float:
    """The same for shifted dampening with the published sensitivity function, the bound on degrees public."""

    def problem_of(edges: Edges) -> SelectionProblem:
        return ego_betweenness_problem(scores(edges), graph_of(edges).degrees())

    return worst_loss(ShiftedLocalDampening(epsilon, horizon=NODES, law=Exponential), problem_of)
