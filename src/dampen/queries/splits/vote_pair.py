"""Which pair of tests tells the classes apart best, where a person has one vote, spread over many rows?

The cost of a cell is that of :mod:`dampen.queries.splits.pair`, of weights in place of records: with c_k units of
weight of class k and t in all

    7 (t - max c_k) + 3 floor((t - sum c_k^2 / t) / 2)

tenths of a unit. Weights of a person are whole numbers of at least 0 that add up to ``each`` units at most, in however
many cells: they raise the cost of all cells together by an amount within [0, 10 each]. Proof: docs/proofs/people.md.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.splits.pair import ERRORS, IMPURITY
from dampen.tables.pair_counts import WideJoint
from dampen.vectors import Integers

SMALL = 2**31
"""Up to so many units a square fits 64 bits."""
DIGIT = 16
"""Bits of a digit, where it does not."""


def vote_pair_problem(
    totals: Integers, joints: Iterator[WideJoint], free: Integers, *, each: int, adjacency: Adjacency
) -> SelectionProblem:
    """Which pair of the ``free`` tests to append to a table? Utilities in tenths of a unit of weight.

    ``totals`` and ``joints`` as for :func:`~dampen.queries.splits.pair.pair_problem`, in units; ``each``: what a person
    has at most, in all. Public.

    >>> joints = iter([np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1]])])
    >>> problem = vote_pair_problem(
    ...     np.array([[2, 2]]), joints, np.array([0, 1]), each=4, adjacency=Adjacency.ADD_REMOVE
    ... )
    >>> problem.utilities.tolist(), problem.frame.bound
    ([0], Fraction(40, 1))
    """
    costs = np.zeros((len(free), len(free)), dtype=np.int64)
    for total in totals:
        _add_costs(np.stack([next(joints) for _ in range(totals.shape[1])]), total, free, costs)
    pairs = costs[np.triu_indices(len(free), 1)]
    bound = (ERRORS + IMPURITY) * each
    monotone = adjacency is Adjacency.ADD_REMOVE
    return SelectionProblem(Frame(range(len(pairs)), bound, adjacency, monotone=monotone), -pairs)


@njit(cache=True, nogil=True)
def _add_costs(joint: WideJoint, totals: Integers, free: Integers, costs: Integers) -> None:
    """Add to every pair of free tests what the four corners of one cell cost."""
    corners = np.zeros((4, joint.shape[0]), dtype=np.int64)
    for first in range(len(free)):
        for second in range(first + 1, len(free)):
            i, j = free[first], free[second]
            for kind in range(joint.shape[0]):
                both = joint[kind, i, j]
                one, other = joint[kind, i, i] - both, joint[kind, j, j] - both
                corners[0, kind], corners[1, kind], corners[2, kind] = both, one, other
                corners[3, kind] = totals[kind] - one - other - both
            for corner in range(4):
                costs[first, second] += cell_cost(corners[corner])


@njit(cache=True, nogil=True)
def cell_cost(counts: Integers) -> Any:
    """What one cell costs, in tenths of a unit."""
    total, largest = np.int64(0), np.int64(0)
    for count in counts:
        total += count
        largest = max(largest, count)
    if total == 0:
        return 0
    squares, left = np.int64(0), np.int64(0)
    for count in counts:
        quotient, rest = _square_over(count, total)
        squares += quotient
        left += rest
    squares += left // total
    # What is left of the squares is a part of a unit: it takes one away before halves are rounded down.
    taken = 1 if left % total else 0
    return ERRORS * (total - largest) + IMPURITY * ((total - squares - taken) // 2)


@njit(cache=True, nogil=True)
def _square_over(count: Any, total: Any) -> Any:
    """The quotient of count^2 by a total that is no smaller, and the rest: digit by digit where squares are large.

    64 bits hold every step up to a total of 2**45 units. A table has less: fewer than 2**31 rows, so no more persons,
    of 2**12 units each.
    """
    if count <= SMALL:
        return count * count // total, count * count % total
    quotient, left = np.int64(0), np.int64(0)
    for shift in (2 * DIGIT, DIGIT, 0):
        number = (left << DIGIT) + count * ((count >> shift) & (2**DIGIT - 1))
        more = number // total
        quotient, left = (quotient << DIGIT) + more, number - more * total
    return quotient, left
