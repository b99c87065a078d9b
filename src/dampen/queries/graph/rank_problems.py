"""Which nodes rank highest? Problems by PageRank, by one step of it, and by core numbers, under edge privacy.

*PageRank* is f = (1 - c) + c P f: every node gives equal shares of its rank to its neighbours, so that ranks sum up to
the number n of nodes; c is the public damping. *One-hop PageRank* is one step from the same rank for all, up to
constants: g(v) is the sum of 1 / degree over the neighbours of v. One edge moves all g together by at most 2, and all f
by at most 2 c^2 (c + 1/2) / (1 - c^2) where c >= 2/3. Proofs: docs/proofs/pagerank.md. Core numbers move by 0 or 1, in
one direction: docs/proofs/centrality.md.

Everything here is whole numbers on a public grid. Votes are rounded down before they are added, so g is exact. PageRank
is floats from a public number of steps; how far these may be off, on either of two neighbours, is part of the promise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np

from dampen._validate import Number, exact, render
from dampen.errors import DataError, ParameterError
from dampen.graphs.rank_scores import neighbour_votes, pagerank
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.vectors import Integers, as_vector

DAMPING = Fraction(17, 20)
"""The share of its rank that a node passes on, where nobody says another."""
FINEST = 40
"""Scores are multiples of 2^-FINEST, or as fine as 62 bits allow for ranks of up to n."""
HALF_STEP = Fraction(1, 2**53)
"""One rounding of a float moves it by at most this share."""
LEFT = Fraction(1, 2**10)
"""Steps of PageRank end where what they may still miss, on both of two neighbours, is less than this."""


@dataclass(frozen=True)
class RankProblem:
    """The question, and what is promised of its utilities beside the frame's bound, which are multiples of ``unit``.

    ``l1``: how far one edge moves all of them together, in units. ``off``: how far each is from the score itself.
    """

    problem: SelectionProblem
    l1: int
    unit: Fraction
    off: Fraction


def grid_bits(n: int) -> int:
    """The bits b <= 40 for which n 2^b stays below 2^62."""
    return min(FINEST, 62 - n.bit_length())


def core_problem(core_numbers: Any, *, nodes: Sequence[Any] | None = None) -> SelectionProblem:
    """Which node is in the densest part? The utility is the core number.

    One edge more raises some of them by 1 and lowers none: bound 1, monotone. ``nodes``: the public labels.

    >>> core_problem([2, 2, 2, 1]).frame.monotone
    True
    """
    numbers = as_vector(core_numbers, "core_numbers")
    if numbers.dtype.kind != "i" or numbers.size == 0 or numbers.min() < 0:
        raise DataError("core_numbers must be whole numbers, not negative, one per node; a graph needs a node")
    labels = range(len(numbers)) if nodes is None else nodes
    return SelectionProblem(Frame(labels, 1, Adjacency.EDGE, monotone=True), numbers)


def one_hop_problem(offsets: Any, neighbours: Any) -> RankProblem:
    """Which node do others depend on? The utility is the sum of 1 / degree over its neighbours, in whole votes.

    The graph is its rows, as :class:`dampen.Graph` has them. One edge moves all together by at most 2, and by 2 n units
    more for votes that were rounded down.

    >>> found = one_hop_problem([0, 3, 4, 5, 6], [1, 2, 3, 0, 0, 0])
    >>> [round(float(units * found.unit), 9) for units in found.problem.utilities.tolist()]
    [3.0, 0.333333333, 0.333333333, 0.333333333]
    >>> found.l1 - 2 * 2**40
    8
    """
    n = _count_nodes(offsets)
    one = 2 ** grid_bits(n)
    frame = Frame(range(n), one, Adjacency.EDGE)
    votes = neighbour_votes(offsets, neighbours, one)
    return RankProblem(SelectionProblem(frame, votes), 2 * one + 2 * n, Fraction(1, one), Fraction(n, one))


def pagerank_problem(offsets: Any, neighbours: Any, *, damping: Number = DAMPING) -> RankProblem:
    """Which node ranks highest? The utility is PageRank, in units of a public grid; all ranks sum up to n at most.

    The graph is its rows, as :class:`dampen.Graph` has them.

    >>> found = pagerank_problem([0, 2, 3, 4], [1, 2, 0, 0])
    >>> [round(float(units * found.unit), 2) for units in found.problem.utilities.tolist()]
    [1.46, 0.77, 0.77]
    >>> round(float(found.l1 * found.unit), 3)
    7.031
    """
    c, n = as_damping(damping), _count_nodes(offsets)
    one, steps = 2 ** grid_bits(n), pagerank_steps(n, c)
    off, reach = pagerank_error(n, c, steps), pagerank_bound(c)
    frame = Frame(range(n), ceil((reach / 2 + 2 * off) * one) + 1, Adjacency.EDGE)
    ranks = pagerank(offsets, neighbours, float(c), steps)
    problem = SelectionProblem(frame, _units(ranks, one))
    unit = Fraction(1, one)
    return RankProblem(problem, ceil((reach + 2 * off) * one) + n, unit, ceil(off * one) * unit + unit)


def as_damping(damping: Number) -> Fraction:
    """The nearest float, which is what PageRank is computed with, exactly."""
    c = Fraction(float(exact(damping=damping)))
    if not 0 < c <= Fraction(99, 100):
        raise ParameterError(f"damping must be above 0 and at most 0.99; got {render(damping)}")
    return c


def pagerank_bound(c: Fraction) -> Fraction:
    """How far one edge moves all ranks together, at damping c: theorem 2 of docs/proofs/pagerank.md.

    >>> round(float(pagerank_bound(DAMPING)), 3)
    7.03
    """
    x = (Fraction(1, 2) + c) / (1 + c)
    return max(4 * c * x, 2 * c * max(c * x, 1 - c, c / (1 + c)) / (1 - c), 2 * c)


def pagerank_steps(n: int, c: Fraction) -> int:
    """So many steps that 4 n c^steps is hardly above ``LEFT``; whatever it is, it is paid for."""
    return max(1, ceil(log(4 * n / LEFT) / -log(c)))


def pagerank_error(n: int, c: Fraction, steps: int) -> Fraction:
    """How far all ranks together are off at most after so many steps in floats, of any graph of n nodes.

    2 n c^steps for the steps that are missing. And in each step no term is rounded more than n + 1 times, up or down
    by a share of 2^-53: n theta / (1 - c - c theta) in all steps together.
    """
    roundings = (n + 1) * HALF_STEP
    theta = roundings / (1 - roundings)
    return 2 * n * c**steps + n * theta / (1 - c - c * theta)


def _units(ranks: Any, one: int) -> Integers:
    """Ranks rounded down to the grid; a power of two multiplies without error."""
    return np.asarray(np.floor(ranks * float(one)), dtype=np.int64)


def _count_nodes(offsets: Any) -> int:
    n = len(offsets) - 1
    if n < 1:
        raise DataError("offsets must be one number more than there are nodes; a graph needs a node")
    return n
