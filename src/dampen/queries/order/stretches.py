"""A grid seen through its records: occupied points one by one, and the empty stretches between them."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dampen._validate import exact, shown
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, as_adjacency
from dampen.runs import Runs
from dampen.tables.columns import as_missing
from dampen.tables.engines.sources import is_filtered
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


def share_of(p: object) -> Fraction:
    """p / 100, exactly; p lies between 0 and 100."""
    percent = exact(p=p)
    if not 0 <= percent <= 100:
        raise ParameterError(f"p must lie between 0 and 100; got {shown(p)}")
    return percent / 100


def record_adjacency(adjacency: Adjacency) -> Adjacency:
    """``ADD_REMOVE`` or ``REPLACE``: how records of a table change."""
    if as_adjacency(adjacency) is Adjacency.EDGE:
        raise ParameterError("adjacency must be Adjacency.ADD_REMOVE or Adjacency.REPLACE; got Adjacency.EDGE")
    return adjacency


def require_public_number(values: Any, adjacency: Adjacency, missing: str = "refuse") -> None:
    """Under ``REPLACE`` the number of values is public: a replaced record must not leave a filter, nor be dropped."""
    if adjacency is not Adjacency.REPLACE:
        return
    if is_filtered(values):
        raise ParameterError("where must be left out under REPLACE: a replaced record may leave the rows that it names")
    if as_missing(missing) == "drop":
        raise ParameterError("missing must be 'refuse' under REPLACE: the number of values is public")
