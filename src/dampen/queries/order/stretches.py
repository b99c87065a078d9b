"""A grid seen through its records: occupied points one by one, and the empty stretches between them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dampen.runs import Runs
from dampen.vectors import Integers


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


def stretches(places: Integers, counts: Integers, size: int) -> Stretches:
    """The groups of a grid of ``size`` points with ``counts`` records at the increasing ``places``."""
    gaps = np.diff(places, prepend=-1, append=size) - 1
    empty = np.flatnonzero(gaps)
    shifts = np.cumsum(gaps > 0)
    occupied = np.arange(len(places)) + shifts[:-1]
    sizes = np.ones(len(places) + len(empty), dtype=np.int64)
    here = np.zeros_like(sizes)
    sizes[empty + shifts[empty] - 1] = gaps[empty]
    here[occupied] = counts
    return Stretches(sizes, np.cumsum(here) - here, here)
