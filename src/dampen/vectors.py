"""The array types that every room speaks of: plain vectors, and runs of equal entries that are written once.

With runs a grid of 1e9 values or all 2^n subsets cost only their groups.
"""

import numbers
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError, ParameterError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Vector = Floats | Integers
Sizes = NDArray[Any]
"""How many members each group has: 64-bit integers, or Python's where one of them is larger."""
NumberArray = TypeVar("NumberArray", Floats, Integers)

LARGEST_WHOLE = 2**62 - 1
"""Whole numbers stay within this size, so that their differences fit in 64 bits."""
LARGEST_EXPANSION = 10**8
"""How many entries ``np.asarray(runs)`` writes out at most."""


def as_vector(values: Any, name: str, *, mixed: bool = False) -> Vector:
    """Copy numbers into a read-only vector of 64-bit integers or floats; never round, never guess.

    The type of the numbers decides: integers (and booleans) stay integers, everything else becomes floats. The type is
    treated as public (see ``SelectionProblem.integral``), so it must not depend on the data: a mixture of Python's own
    integers and floats is refused unless ``mixed`` allows it.
    """
    array = _plain_array(values, name, mixed)
    if array.ndim != 1:
        raise DataError(f"{name} must be a one-dimensional sequence of numbers")
    if array.dtype.kind not in "biuf":
        raise DataError(f"{name} must be numbers")
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):  # what is beyond all floats becomes infinite, and is refused
            floats: Floats = array.astype(np.float64)
        _require_finite(floats, name)
        return _freeze(floats)
    if array.size and not (int(array.min()) >= -LARGEST_WHOLE and int(array.max()) <= LARGEST_WHOLE):
        raise DataError(f"{name} must be whole numbers below 2**62 in size, or floats")
    integers: Integers = array.astype(np.int64)
    return _freeze(integers)


def _plain_array(values: Any, name: str, mixed: bool) -> NDArray[Any]:
    """An array of a number type; Python's own numbers are looked at one by one, since numpy would round large ones."""
    try:
        array = np.asarray(values)
        if array.ndim != 1 or not (array.dtype == object or isinstance(values, list | tuple)):
            return array
        return _array_of_items(list(values), name, mixed)
    except DataError:
        raise
    except Exception:  # objects of the caller's own may raise anything
        raise DataError(f"{name} must be numbers, none beyond all floats") from None


def _array_of_items(items: list[Any], name: str, mixed: bool) -> NDArray[Any]:
    types = set(map(type, items))  # few: to ask each item what it is takes most of the time of a choice
    if not all(issubclass(each, numbers.Real | np.bool_) for each in types):
        raise DataError(f"{name} must be numbers")
    whole = [issubclass(each, numbers.Integral | np.bool_) for each in types]
    if any(whole) and not all(whole) and not mixed:
        raise DataError(f"{name} must be all whole numbers or all floats: their type must not depend on the data")
    if not any(whole) or not all(whole):
        return np.array([float(item) for item in items], dtype=np.float64)
    if any(abs(int(item)) > LARGEST_WHOLE for item in items):
        raise DataError(f"{name} must be whole numbers below 2**62 in size, or floats")
    return np.array([int(item) for item in items], dtype=np.int64)


def _require_finite(array: Floats, name: str) -> None:
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        raise DataError(f"{name} must be finite: no NaN, no infinity")


def _freeze(array: NumberArray) -> NumberArray:
    array.flags.writeable = False
    return array


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
