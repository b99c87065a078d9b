"""Which nodes of a graph matter most? By degree and by ego betweenness, under edge privacy.

The node set is public, the edges are private: neighbours differ in one edge. Proofs: docs/proofs/centrality.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.graph.ego_betweenness_rungs import EgoBetweennessRungs, ego_betweenness_bound
from dampen.vectors import Floats, Integers, as_vector


def degree_problem(degrees: Any, *, nodes: Sequence[Any] | None = None) -> SelectionProblem:
    """Which node has the most edges? The utility is the degree.

    One edge more raises two degrees by 1 and lowers none: bound 1, monotone. ``nodes``: the public labels; left out,
    the nodes are 0, 1, 2, ...

    >>> from dampen.queries import degree_problem
    >>> problem = degree_problem([3, 1, 1, 1])
    >>> problem.frame.monotone, problem.utilities.tolist()
    (True, [3, 1, 1, 1])
    """
    counts = _degrees(degrees, None)
    return SelectionProblem(Frame(_labels(nodes, len(counts)), 1, Adjacency.EDGE, monotone=True), counts)


def ego_betweenness_problem(
    ego_betweenness: Any,
    degrees: Any,
    *,
    codegrees: Any = None,
    nodes: Sequence[Any] | None = None,
    max_degree: int | None = None,
) -> SelectionProblem:
    """Which node links the most pairs of its neighbours? The utility is the ego betweenness.

    That is the sum over pairs of neighbours without an edge of 1 / (1 + their common neighbours among the neighbours).
    The sensitivity function is the published one, max(q(d + t), d + t) with q(m) = m (m - 1) / 4; with ``codegrees``,
    the largest number of neighbours each node shares with any other, the tighter max(q(w + t), d + t). ``max_degree``
    is public and n - 1 where left out; a smaller one needs a graph that was projected
    (:func:`dampen.queries.graph.projection.projected`).

    >>> from dampen.queries import ego_betweenness_problem
    >>> problem = ego_betweenness_problem([3.0, 0.0, 0.0, 0.0], [3, 1, 1, 1])
    >>> float(problem.frame.bound), problem.sensitivity.at(0).tolist(), problem.sensitivity.at(1).tolist()
    (2.0, [2.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0])
    """
    counts = _degrees(degrees, max_degree)
    largest = _largest(max_degree, len(counts))
    rungs = EgoBetweennessRungs(counts, counts if codegrees is None else codegrees, max_degree=largest)
    frame = Frame(_labels(nodes, len(counts)), ego_betweenness_bound(largest), Adjacency.EDGE)
    return SelectionProblem(frame, _floats(ego_betweenness, len(counts)), rungs)


def ego_betweenness_range_problem(
    ego_betweenness: Any, degrees: Any, *, nodes: Sequence[Any] | None = None, max_degree: int | None = None
) -> SelectionProblem:
    """The score of shifted dampening with nearly twice the slope at the same price: for classical mechanisms.

    With K the largest degree allowed, G the global sensitivity, D = 2 G - K / 2 and P(d) the sum of max(q(j), j) over
    j < d, the score EBC + d D - P(d) moves within [-K / 2, D] when an edge is added, whichever node it is read at. To
    make that [-G, G] the same number, (G - K / 2) for each edge of the graph, is taken from all nodes, which no
    mechanism of this library notices. So the bound is G, and it is honest.

    >>> from dampen.queries import ego_betweenness_range_problem
    >>> ego_betweenness_range_problem([3.0, 0.0, 0.0, 0.0], [3, 1, 1, 1]).utilities.tolist()
    [6.0, 1.0, 1.0, 1.0]
    """
    counts = _degrees(degrees, max_degree)
    largest = _largest(max_degree, len(counts))
    bound = ego_betweenness_bound(largest)
    slope, per_edge = 2 * bound - Fraction(largest, 2), bound - Fraction(largest, 2)
    edges = Fraction(int(counts.sum()), 2)
    scores = (
        _floats(ego_betweenness, len(counts)) + counts * float(slope) - shift_sums(counts) - float(per_edge * edges)
    )
    frame = Frame(_labels(nodes, len(counts)), bound, Adjacency.EDGE)
    return SelectionProblem(frame, scores)


def shift_sums(m: Integers) -> Floats:
    """The sum of max(q(j), j) over j < m: m (m - 1) / 2 up to 5, then 10 + (m (m - 1) (m - 2) - 60) / 12."""
    x = m.astype(np.float64)
    return np.where(m <= 5, x * (x - 1) / 2, 5 + x * (x - 1) * (x - 2) / 12)


def _largest(max_degree: int | None, n: int) -> int:
    """The public largest degree: never taken from the data."""
    return n - 1 if max_degree is None else min(whole(max_degree=max_degree, least=1), n - 1)


def _degrees(degrees: Any, max_degree: int | None) -> Integers:
    counts = as_vector(degrees, "degrees")
    if counts.dtype.kind != "i" or counts.size == 0 or counts.min() < 0:
        raise DataError("degrees must be whole numbers, not negative, one per node; a graph needs a node")
    if counts.max() > _largest(max_degree, len(counts)):
        raise DataError("degrees must not exceed max_degree, nor the number of other nodes")
    return np.asarray(counts, dtype=np.int64)


def _floats(ego_betweenness: Any, n: int) -> Floats:
    values = as_vector(ego_betweenness, "ego_betweenness", mixed=True)
    if len(values) != n:
        raise DataError(f"ego_betweenness must be one number per node: {n} are needed")
    return np.asarray(values, dtype=np.float64)


def _labels(nodes: Sequence[Any] | None, n: int) -> Sequence[Any]:
    if nodes is None:
        return range(n)
    if len(nodes) != n:
        raise ParameterError(f"nodes must be one label per degree: {n} are needed; got {len(nodes)}")
    return nodes
