"""Which pair of tests tells the classes apart best, when it refines every cell of a table at once?

A pair {i, j} of tests cuts each cell into four. A resulting cell with class counts c_k and t records costs

    7/10 (t - max c_k) + 3/10 (t - sum c_k^2 / t) / 2,

the records that a majority vote gets wrong and half the Gini impurity, and nothing if it is empty. The utility of a pair
is minus the cost of all its cells. One record more raises the cost of one cell by an amount within [0, 1], and so lowers
every utility by an amount within [0, 1]: bound 1, and monotone under ``ADD_REMOVE``. Proof: docs/proofs/decision_table.md.

All costs are whole numbers: GRID times the impurity is rounded down in every cell. Rounding down to whole numbers keeps
a rise within [0, GRID], so a rise costs at most UNIT = 10 GRID, and nothing is paid for rounding.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen._validate import whole
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.statistics.pair_counts import Bits, pair_counts
from dampen.vectors import Integers

GRID = 2**10
"""One record of impurity in grid steps."""
ERRORS, IMPURITY = 7, 3
"""The weights of the two parts, in tenths."""
UNIT = (ERRORS + IMPURITY) * GRID
"""One record of cost: the bound of the frame."""
EXACT_IN_DOUBLES = 2**21
"""Up to so many records GRID t^2 stays below 2^53, where a quotient of doubles has the right floor."""


def table_split_problem(
    bits: Bits, cells: Integers, classes: Integers, *, shape: tuple[int, int], adjacency: Adjacency
) -> SelectionProblem:
    """Which pair of tests to append to a table? Utilities in units of 1 / UNIT records.

    ``bits`` has a row for each record and a column for each test; ``cells`` and ``classes`` say where a record is now;
    ``shape`` is how many cells and classes there are, publicly. Candidates are the pairs in the order of
    :func:`pair_at`.

    >>> bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    >>> nowhere, odd = np.zeros(4, dtype=np.int64), np.array([0, 1, 1, 0])
    >>> problem = table_split_problem(bits, nowhere, odd, shape=(1, 2), adjacency=Adjacency.ADD_REMOVE)
    >>> problem.utilities.tolist()
    [0]
    """
    count, kinds = shape
    tests = bits.shape[1]
    groups = cells * kinds + classes
    totals = np.bincount(groups, minlength=count * kinds).reshape(count, kinds)
    costs = np.zeros((tests, tests), dtype=np.int64)
    for joint, total in zip(_by_cell(pair_counts(bits, groups, count * kinds), kinds), totals, strict=True):
        _add_costs(joint, total, costs)
    pairs = costs[np.triu_indices(tests, 1)]
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


def _by_cell(joints: Iterable[NDArray[np.int32]], kinds: int) -> Iterator[NDArray[np.int32]]:
    """One class after the other becomes one cell after the other."""
    held: list[NDArray[np.int32]] = []
    for joint in joints:
        held.append(joint)
        if len(held) == kinds:
            yield np.stack(held)
            held = []


@njit(cache=True, nogil=True)
def _cost(largest: int, total: int, squares: int) -> int:
    """What one cell costs, in whole grid steps."""
    if total == 0:
        return 0
    spread = total * total - squares
    if total <= EXACT_IN_DOUBLES:
        impurity = int(np.floor(float(GRID * spread) / float(2 * total)))
    else:
        impurity = GRID * (spread // (2 * total)) + GRID * (spread % (2 * total)) // (2 * total)
    return ERRORS * GRID * (total - largest) + IMPURITY * impurity


@njit(cache=True, nogil=True)
def _add_costs(joint: NDArray[np.int32], totals: Integers, costs: Integers) -> None:
    """Add to every pair i < j what the four corners of one cell cost."""
    kinds, tests = joint.shape[0], joint.shape[1]
    for i in range(tests):
        for j in range(i + 1, tests):
            t0 = t1 = t2 = t3 = np.int64(0)
            m0 = m1 = m2 = m3 = np.int64(0)
            s0 = s1 = s2 = s3 = np.int64(0)
            for kind in range(kinds):
                both = np.int64(joint[kind, i, j])
                one = np.int64(joint[kind, i, i]) - both
                other = np.int64(joint[kind, j, j]) - both
                none = totals[kind] - one - other - both
                t0, t1, t2, t3 = t0 + both, t1 + one, t2 + other, t3 + none
                m0, m1, m2, m3 = max(m0, both), max(m1, one), max(m2, other), max(m3, none)
                s0, s1, s2, s3 = s0 + both * both, s1 + one * one, s2 + other * other, s3 + none * none
            costs[i, j] += _cost(m0, t0, s0) + _cost(m1, t1, s1) + _cost(m2, t2, s2) + _cost(m3, t3, s3)
