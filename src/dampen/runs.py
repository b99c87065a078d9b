"""Runs: many equal entries written once, so that a grid of 1e9 values or all 2^n subsets cost only their groups."""

import numbers
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError, ParameterError
from dampen.vectors import LARGEST_WHOLE, Sizes, Vector, as_vector

LARGEST_EXPANSION = 10**8
"""How many entries ``np.asarray(runs)`` writes out at most."""


class Runs:
    """Groups of equal entries: ``values[g]`` stands ``sizes[g]`` times.

    ``unrank(g, i)`` tells the index of the i-th entry of group g; left out, the groups lie one after the other.
    ``sizes`` is an array of 64-bit integers, or of Python's where one of them is larger. ``np.asarray(runs)`` writes
    everything out and is refused above 1e8 entries.
    """

    def __init__(
        self, values: Any, sizes: Sequence[int] | Sizes, unrank: Callable[[int, int], int] | None = None
    ) -> None:
        self.values: Vector = as_vector(values, "values of runs")
        self.sizes = whole_sizes(sizes)
        if len(self.sizes) != len(self.values):
            raise ParameterError("runs need exactly one size for each value")
        self.total = total_size(self.sizes)
        self._unrank = unrank

    @cached_property
    def _ends(self) -> Sizes:
        return cumulative_sizes(self.sizes)

    def unrank(self, group: int, member: int) -> int:
        """The index of a group's member among all entries."""
        if self._unrank is not None:
            return self._unrank(group, member)
        return int(self._ends[group]) - int(self.sizes[group]) + member

    def with_values(self, values: Vector) -> "Runs":
        """The same groups holding other values, as a law holds probabilities where a problem holds utilities."""
        return Runs(values, self.sizes, self._unrank)

    def __len__(self) -> int:
        return self.total

    def __repr__(self) -> str:
        return f"Runs({self.total} entries)"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self.total > LARGEST_EXPANSION:
            raise ParameterError(f"runs of more than {LARGEST_EXPANSION} entries are not written out; use the groups")
        if self._unrank is None:
            expanded: NDArray[Any] = np.repeat(self.values, self.sizes.astype(np.int64))
        else:
            expanded = np.empty(self.total, self.values.dtype)
            for group, size in enumerate(self.sizes.tolist()):
                for member in range(size):
                    expanded[self._unrank(group, member)] = self.values[group]
        return expanded if dtype is None else expanded.astype(dtype)


def whole_sizes(sizes: Any) -> Sizes:
    """Sizes of groups, at least 1 each: 64-bit integers where all of them fit, else Python's."""
    typed = isinstance(sizes, np.ndarray) and sizes.dtype.kind in "iu"
    listed = sizes if typed else np.array(list(sizes), dtype=object)
    kinds = set() if typed else set(map(type, listed.tolist()))
    strange = any(issubclass(kind, bool) or not issubclass(kind, numbers.Integral) for kind in kinds)
    if strange or (len(listed) and listed.min() < 1):
        raise DataError("sizes of runs must be whole numbers of at least 1")
    fits = not len(listed) or listed.max() <= LARGEST_WHOLE
    kept = listed.astype(np.int64) if fits else np.array([int(n) for n in listed], dtype=object)
    kept.flags.writeable = False
    return kept


def total_size(sizes: Sizes) -> int:
    """The sum of sizes, exactly."""
    return int(as_summable(sizes).sum())


def cumulative_sizes(sizes: Sizes) -> Sizes:
    """The sums of the first sizes, exactly: whole numbers stay whole numbers."""
    return np.add.accumulate(as_summable(sizes))


def as_summable(sizes: Sizes) -> Sizes:
    """The same sizes, in a type in which their sum fits."""
    fits = sizes.dtype != object and int(sizes.max(initial=0)) * len(sizes) <= LARGEST_WHOLE
    return sizes if fits else sizes.astype(object)


def nth_member(sizes: Sizes, place: int) -> tuple[int, int]:
    """The group of the ``place``-th of all members, and which of the group's members it is."""
    ends = cumulative_sizes(sizes)
    group = int(np.searchsorted(ends, place, side="right"))
    return group, place - (int(ends[group]) - int(sizes[group]))
