"""Which nodes of a graph matter most? Problems by degree and by ego betweenness, under edge privacy.

The node set is public, the edges are private: neighbours differ in one edge. Proofs: docs/proofs/centrality.md.

Lists in one shot: an edge changes the ego betweenness of its two ends by at most the global sensitivity G, but that of
any other node by at most K / 2, K the largest degree allowed. So the k largest with Laplace noise for 2 G + k K / 2 are
as private as with noise for 2 k G, and the scores of shifted and of local dampening gain alike. Proofs:
docs/proofs/laplace_top_k.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from dampen._validate import Number, exact, one_of, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.graph.ego_betweenness_rungs import EgoBetweennessRungs, ego_betweenness_bound
from dampen.vectors import Floats, Integers, as_vector

ONE_SHOT_SCORES = ("plain", "shifted", "local_dampening")
FINE = 20
"""The bound of a one-shot score is about 2^FINE units of its grid."""


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
    (:func:`dampen.queries.graph.projection.project`).

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


def one_shot_problem(
    ego_betweenness: Any, degrees: Any, *, score: str, max_degree: int | None = None, shift: Number = 0
) -> tuple[SelectionProblem, int]:
    """The question, and the drift to promise ``LaplaceTopK`` besides ``movers=2``; both in units of a public grid.

    ``score``: ``"plain"``, ego betweenness itself; ``"shifted"``, EBC + d G - P(d) with P(d) the sum of
    max(q(j), j) over j < d; ``"local_dampening"``, the published dampened score of EBC - ``shift``. ``max_degree`` is
    public and n - 1 where left out; a smaller one needs a graph that was projected.

    >>> problem, drift = one_shot_problem([3.0, 0.0, 0.0, 0.0], [3, 1, 1, 1], score="plain")
    >>> int(problem.frame.bound), drift, problem.utilities.tolist()
    (1048579, 786434, [1572864, 0, 0, 0])
    """
    counts = _degrees(degrees, max_degree)
    largest = _largest(max_degree, len(counts))
    bound, values = ego_betweenness_bound(largest), _floats(ego_betweenness, len(counts))
    if one_of(ONE_SHOT_SCORES, score=score) == "local_dampening":
        rungs = EgoBetweennessRungs(counts, counts, max_degree=largest)
        utilities = _whole_units(rungs.inverse(values, exact(shift=shift)), Fraction(1, 2**FINE))
        unit, moved, others = Fraction(1, 2**FINE), Fraction(1), max(Fraction(1, 2), largest / (2 * bound))
    else:
        unit, moved, others = grid(bound), bound, Fraction(largest, 2)
        utilities = _whole_units(values, unit)
        if score == "shifted":
            utilities = utilities + _degree_units(counts, bound, unit)
    frame = Frame(range(len(counts)), ceil(moved / unit) + 3, Adjacency.EDGE)
    return SelectionProblem(frame, utilities), ceil(others / unit) + 2


def grid(bound: Fraction) -> Fraction:
    """The power of two of which the bound has between 2^20 and 2^21."""
    whole_part = floor(bound)
    return Fraction(2) ** (whole_part.bit_length() - 1 - FINE)


def _whole_units(scores: Any, unit: Fraction) -> Integers:
    """Scores rounded down to the grid; a power of two divides without error."""
    return np.asarray(np.floor(scores / float(unit)), dtype=np.int64)


def _degree_units(degrees: Integers, bound: Fraction, unit: Fraction) -> Integers:
    """D G - P(d), rounded down to the grid from its exact value, once for each degree that occurs."""
    distinct, places = np.unique(degrees, return_inverse=True)
    units = [floor((d * bound - _rung_sum(d)) / unit) for d in distinct.tolist()]
    return np.array(units, dtype=np.int64)[places]


def _rung_sum(d: int) -> Fraction:
    """The sum of max(q(j), j) over j < d; from 5 on the first is the larger one."""
    low = min(d, 5)
    cubes = Fraction(d * (d - 1) * (d - 2) - low * (low - 1) * (low - 2), 12) if d > 5 else Fraction(0)
    return Fraction(low * (low - 1), 2) + cubes


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
