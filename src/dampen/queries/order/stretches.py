"""A grid seen through its records, and how many people must change before a value is, or is not, the percentile.

The percentile of n records at the share q = p / 100 is the 0-based element min(n - 1, floor(q n)) of the sorted
records. With q = a / b, ``lt`` records below a value v and ``le`` at or below it, v is the percentile exactly if
U = b lt - a n <= 0 and W = a n - b le < 0 (q < 1). One record more or less moves U and W by at most M = max(a, b - a),
so distances are quotients by M; the proofs are in docs/proofs/percentile.md. Whole numbers only, never a float.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dampen.privacy import Adjacency
from dampen.runs import Runs
from dampen.vectors import Integers

LARGEST_PRODUCT = 2**61
"""Products that may exceed this are computed with Python's integers."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """At most 2 d + 1 groups of consecutive grid points, d the number of distinct values.

    An occupied point is a group of its own; the empty points between two of them are one group. ``below`` counts the
    records before the group, ``here`` those at each of its points.
    """

    sizes: Integers
    below: Integers
    here: Integers

    @property
    def up_to(self) -> Integers:
        """The records at or before the group."""
        return self.below + self.here

    @cached_property
    def n(self) -> int:
        """The number of records."""
        return int(self.here.sum())

    def runs(self, utilities: Integers) -> Runs:
        """One utility per group, as runs over the grid."""
        return Runs(utilities, self.sizes)


def find_stretches(places: Integers, counts: Integers, size: int) -> Stretches:
    """The groups of a grid of ``size`` points with ``counts`` records at the increasing ``places``."""
    gaps = np.diff(places, prepend=-1, append=size) - 1
    empty = np.flatnonzero(gaps)
    shifts = np.cumsum(gaps > 0)
    occupied = np.arange(len(places)) + shifts[:-1]
    sizes = np.ones(len(places) + len(empty), dtype=np.int64)
    here = np.zeros_like(sizes)
    # The gap before point i stands behind i points and all earlier gaps.
    sizes[empty + shifts[empty] - 1] = gaps[empty]
    here[occupied] = counts
    return Stretches(sizes, np.cumsum(here) - here, here)


def target_rank(n: int, share: Fraction) -> int:
    """The 0-based rank of the percentile among n >= 1 records."""
    return min(n - 1, share.numerator * n // share.denominator)


def steps_to_percentile(groups: Stretches, share: Fraction, adjacency: Adjacency) -> Integers:
    """For each group the least number of steps after which its values are the percentile; 0 for the percentile.

    Without records every value is one step away under ``ADD_REMOVE``, and by convention under ``REPLACE``.
    """
    if groups.n == 0:
        return np.ones(len(groups.sizes), dtype=np.int64)
    if adjacency is Adjacency.REPLACE:
        rank = target_rank(groups.n, share)
        return np.maximum(np.maximum(groups.below - rank, rank + 1 - groups.up_to), 0)
    if share == 1:
        return np.asarray(groups.n - groups.up_to + (groups.here == 0), dtype=np.int64)
    a, b = share.numerator, share.denominator
    largest, empty = max(a, b - a), groups.here == 0
    u, w = excesses(groups, share)
    # One step lowers U by b - a (a record below goes) or by a (one that is not below comes). An empty value needs a
    # record of its own as well, and that step lowers U by a alone. W is the mirror image.
    down = -(-u // largest)
    if a < b - a:
        down = np.where(empty, 1 + np.maximum(0, -((a - u) // (b - a))), down)
    up = w // largest + 1
    if a > b - a:
        up = np.where(empty, 1 + np.maximum(0, (w - (b - a)) // a + 1), up)
    return np.where(u > 0, down, np.where(w >= 0, up, 0)).astype(np.int64)


def excesses(groups: Stretches, share: Fraction) -> tuple[Any, Any]:
    """U and W of each group: 64-bit where they fit, else Python's integers."""
    a, b, n = share.numerator, share.denominator, groups.n
    kind: type = np.int64 if b * n < LARGEST_PRODUCT else object
    return b * groups.below.astype(kind) - a * n, a * n - b * groups.up_to.astype(kind)


def steps_to_leave(groups: Stretches, place: int, share: Fraction, adjacency: Adjacency) -> int:
    """The least number of steps after which the percentile, the value of group ``place``, is not that any more.

    To no records at all it is n steps. At either end of the grid nothing can push it further out.
    """
    n, lt, le = groups.n, int(groups.below[place]), int(groups.up_to[place])
    if adjacency is Adjacency.REPLACE:
        rank = target_rank(n, share)
        up, down = le - rank, rank - lt + 1
    elif share == 1:
        up, down = 1, le - lt
    else:
        a, b = share.numerator, share.denominator
        largest = max(a, b - a)
        up, down = -((a * n - b * le) // largest), (a * n - b * lt) // largest + 1
    ways = [n, *([up] if place + 1 < len(groups.sizes) else []), *([down] if place > 0 else [])]
    return min(ways)
