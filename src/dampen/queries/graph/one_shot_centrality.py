"""Ego betweenness for one-shot lists: one edge moves two nodes much and all others little.

An edge changes the ego betweenness of its two ends by at most the global sensitivity G, but that of any other node by
at most K / 2, K the largest degree allowed. So the k largest with Laplace noise for 2 G + k K / 2 are as private as
with noise for 2 k G, and the scores of shifted and of local dampening gain alike. Proofs: docs/proofs/laplace_top_k.md.

Utilities are whole numbers on a public grid, for :class:`~dampen.mechanisms.LaplaceTopK` with ``movers=2``.
"""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from dampen._validate import Number, exact, one_of
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.graph.centrality import _degrees, _floats, _largest
from dampen.queries.graph.ego_betweenness_rungs import EgoBetweennessRungs, ego_betweenness_bound
from dampen.vectors import Integers

SCORES = ("plain", "shifted", "local_dampening")
FINE = 20
"""The bound of a score is about 2^FINE units of its grid."""


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
    if one_of(SCORES, score=score) == "local_dampening":
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
