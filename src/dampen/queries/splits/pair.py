"""Which pair of tests tells the classes apart best, when it refines every cell of a table at once?

A pair {i, j} of tests cuts each cell into four. A resulting cell with class counts c_k and t records costs

    7/10 (t - max c_k) + 3/10 (t - sum c_k^2 / t) / 2,

the records that a majority vote gets wrong and half the Gini impurity, and nothing if it is empty. The utility of a
pair is minus the cost of all its cells. One record more raises the cost of one cell by an amount within [0, 1], and so
lowers every utility by an amount within [0, 1]: bound 1, and monotone under ``ADD_REMOVE``. Proof:
docs/proofs/decision_table.md.

All costs are whole numbers: GRID times the impurity is rounded down in every cell. Rounding down to whole numbers keeps
a rise within [0, GRID], so a rise costs at most UNIT = 10 GRID, and nothing is paid for rounding.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit

from dampen._validate import whole
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.tables.pair_counts import Joint
from dampen.vectors import Integers

GRID = 2**10
"""One record of impurity in grid steps."""
ERRORS, IMPURITY = 7, 3
"""The weights of the two parts, in tenths."""
UNIT = (ERRORS + IMPURITY) * GRID
"""One record of cost: the bound of the frame."""
EXACT_IN_DOUBLES = 2**21
"""Up to so many records GRID t^2 stays below 2^53, where a quotient of doubles has the right floor."""


def pair_problem(
    totals: Integers, joints: Iterator[Joint], free: Integers, *, adjacency: Adjacency
) -> SelectionProblem:
    """Which pair of the ``free`` tests to append to a table? Utilities in units of 1 / UNIT records.

    ``totals`` counts classes by cell; ``joints`` are for each cell and class in turn the counts of all pairs of tests,
    as :mod:`dampen.tables.pair_counts` has them. Candidates are the pairs of places in ``free``, in the order of
    :func:`pair_at`.

    >>> joints = iter([np.array([[1, 0], [0, 1]], dtype=np.int32), np.array([[1, 1], [0, 1]], dtype=np.int32)])
    >>> totals, free = np.array([[2, 2]]), np.array([0, 1])
    >>> pair_problem(totals, joints, free, adjacency=Adjacency.ADD_REMOVE).utilities.tolist()
    [0]
    """
    costs = np.zeros((len(free), len(free)), dtype=np.int64)
    for total in totals:
        _add_costs(np.stack([next(joints) for _ in range(totals.shape[1])]), total, free, costs)
    pairs = costs[np.triu_indices(len(free), 1)]
    monotone = adjacency is Adjacency.ADD_REMOVE
    return SelectionProblem(Frame(range(len(pairs)), UNIT, adjacency, monotone=monotone), -pairs)


def pair_at(place: int, tests: int) -> tuple[int, int]:
    """The pair with this place among (0, 1), (0, 2), ..., (1, 2), ...

    >>> [pair_at(place, 3) for place in range(3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    first, left = 0, whole(place=place, least=0)
    while left >= tests - 1 - first:
        left -= tests - 1 - first
        first += 1
    return first, first + 1 + left


@njit(cache=True, nogil=True)
def _cost(largest: np.int64, total: np.int64, squares: np.int64) -> np.int64:
    """What one cell costs, in whole grid steps."""
    if total == 0:
        return np.int64(0)
    wrong, spread = ERRORS * GRID * (total - largest), total * total - squares
    # Doubles divide faster than whole numbers, and up to here as exactly.
    if total <= EXACT_IN_DOUBLES:
        return wrong + IMPURITY * np.int64(float(GRID * spread) / float(2 * total))
    return wrong + IMPURITY * (GRID * (spread // (2 * total)) + GRID * (spread % (2 * total)) // (2 * total))


@njit(cache=True, nogil=True)
def _add_costs(joint: Joint, totals: Integers, free: Integers, costs: Integers) -> None:
    """Add to every pair of free tests what the four corners of one cell cost.

    The sums, largest counts and squares of the corners are scalars, which stay in registers.
    """
    for first in range(len(free)):
        for second in range(first + 1, len(free)):
            i, j = free[first], free[second]
            t0 = t1 = t2 = t3 = np.int64(0)
            m0 = m1 = m2 = m3 = np.int64(0)
            s0 = s1 = s2 = s3 = np.int64(0)
            for kind in range(joint.shape[0]):
                both = np.int64(joint[kind, i, j])
                one = np.int64(joint[kind, i, i]) - both
                other = np.int64(joint[kind, j, j]) - both
                none = totals[kind] - one - other - both
                # Corners: both tests passed, the first alone, the second alone, neither.
                t0, t1, t2, t3 = t0 + both, t1 + one, t2 + other, t3 + none
                m0, m1, m2, m3 = max(m0, both), max(m1, one), max(m2, other), max(m3, none)
                s0, s1, s2, s3 = s0 + both * both, s1 + one * one, s2 + other * other, s3 + none * none
            costs[first, second] += _cost(m0, t0, s0) + _cost(m1, t1, s1) + _cost(m2, t2, s2) + _cost(m3, t3, s3)
