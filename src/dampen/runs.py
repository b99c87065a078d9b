"""Runs: many equal entries written once, so that a grid of 1e9 values or all 2^n subsets cost only their groups."""

import numbers
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError, ParameterError
from dampen.vectors import Vector, as_vector

LARGEST_EXPANSION = 10**8
"""How many entries ``np.asarray(runs)`` writes out at most."""


class Runs:
    """Groups of equal entries: ``values[g]`` stands ``sizes[g]`` times.

    ``unrank(g, i)`` tells the index of the i-th entry of group g; left out, the groups lie one after the other.
    Sizes may exceed 64 bits. ``np.asarray(runs)`` writes everything out and is refused above 1e8 entries.
    """

    def __init__(self, values: Any, sizes: Sequence[int], unrank: Callable[[int, int], int] | None = None) -> None:
        self.values: Vector = as_vector(values, "values of runs")
        self.sizes: tuple[int, ...] = _whole_sizes(sizes)
        if len(self.sizes) != len(self.values):
            raise ParameterError("runs need exactly one size for each value")
        self.total = sum(self.sizes)
        self._unrank = unrank
        self._starts = tuple(accumulate(self.sizes, initial=0)) if unrank is None else ()

    def unrank(self, group: int, member: int) -> int:
        """The index of a group's member among all entries."""
        return self._starts[group] + member if self._unrank is None else self._unrank(group, member)

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
            expanded: NDArray[Any] = np.repeat(self.values, self.sizes)
        else:
            expanded = np.empty(self.total, self.values.dtype)
            for group, size in enumerate(self.sizes):
                for member in range(size):
                    expanded[self._unrank(group, member)] = self.values[group]
        return expanded if dtype is None else expanded.astype(dtype)


def _whole_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    listed = sizes.tolist() if isinstance(sizes, np.ndarray) else list(sizes)
    for size in listed:
        if isinstance(size, bool) or not isinstance(size, numbers.Integral) or size < 1:
            raise DataError("sizes of runs must be whole numbers of at least 1")
    return tuple(int(size) for size in listed)
