"""Groups of rows in memory: a code for each, what its values count, and their exact sums in one pass.

The code of a row has a digit for each column that it is grouped by: the place of its label, counted from ``OTHER`` on,
the first column highest.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod
from typing import Any

import numpy as np
from numba import njit

from dampen.errors import DataError
from dampen.tables.columns import RowNumbers, widen
from dampen.tables.engines.array_codes import FEW, Codes, run_in_threads
from dampen.tables.engines.array_sums import sum_of_reals
from dampen.tables.engines.base import Sums
from dampen.tables.engines.digits import WIDE, inner_ends, wide_power
from dampen.tables.reading import OTHER
from dampen.vectors import Floats, Integers

DENSE = 4
"""Up to so many cells for each row are counted in an array."""
FEWEST = 2**16
"""So many cells are counted in one in any case."""
MANY = 2**20
"""From so many groups on only those that occur are numbered."""
LANES = 8
"""What is added up for each group: how many values are below, above and inside of the bounds, how many of those have
more than two digits, and the halves of the two.
"""
HALF, MASK = 32, 2**32 - 1
LARGEST_CODE = 2**31 - 1


@dataclass(frozen=True, eq=False, repr=False)
class GroupCodes:
    """The code of the group of each row; ``sizes``: how many digits each column has, ``OTHER`` and ``MISSING`` too."""

    codes: Codes
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many codes there may be."""
        return prod(self.sizes)

    def places(self, codes: Integers) -> list[Integers]:
        """The places that codes stand for, column by column."""
        found = []
        for size in reversed(self.sizes):
            found.append(codes % size + OTHER)
            codes = codes // size
        return found[::-1]


def group_codes(columns: Sequence[Codes], labels: Sequence[Sequence[Any]], rows: int) -> GroupCodes:
    """The groups of rows from the places of their labels, column by column; small numbers where they do."""
    sizes = tuple(len(each) - OTHER for each in labels)
    kind: Any = np.int32 if prod(sizes) <= LARGEST_CODE else np.int64
    codes = columns[0] - kind(OTHER) if columns else np.zeros(rows, dtype=kind)
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        _require_rows(len(column), len(codes))
        codes = codes.astype(kind, copy=False) * kind(size) + (column - OTHER)
    _require_rows(len(codes), rows)
    return GroupCodes(codes, sizes)


def _require_rows(found: int, rows: int) -> None:
    if found != rows:
        raise DataError("all columns must have equally many rows")


def count_pairs(groups: GroupCodes, places: Integers, size: int) -> Integers:
    """Rows (place in each column, place, count) out of the group and the place, among so many, of each row."""
    _require_rows(len(places), len(groups.codes))
    span = size - OTHER
    if groups.count * span <= max(FEWEST, DENSE * len(places)):
        counts = np.bincount(groups.codes.astype(np.int64) * span + (places - OTHER), minlength=1)
        keys = np.flatnonzero(counts)
        return _as_rows(groups, keys // span, keys % span + OTHER, counts[keys])
    occupied, inner = np.unique(places, return_inverse=True)
    keys, counts = np.unique(groups.codes.astype(np.int64) * len(occupied) + inner, return_counts=True)
    return _as_rows(groups, keys // max(len(occupied), 1), occupied[keys % max(len(occupied), 1)], counts)


def _as_rows(groups: GroupCodes, codes: Integers, places: Integers, counts: Integers) -> Integers:
    return np.column_stack([*groups.places(codes), places, counts]).astype(np.int64)


def sum_groups(groups: GroupCodes, numbers: RowNumbers, ends: tuple[Fraction, Fraction]) -> dict[tuple[int, ...], Sums]:
    """The exact sums of groups, every value moved into bounds first."""
    _require_rows(numbers.size, len(groups.codes))
    known, codes = np.arange(groups.count, dtype=np.int64), groups.codes
    if groups.count >= MANY:
        known, codes = np.unique(codes, return_inverse=True)
    sums, counts = [Fraction(0)] * len(known), np.zeros(len(known), dtype=np.int64)
    for rows, part in numbers.parts:
        # the kernels are compiled for 32 and 64 bits
        own, values = codes[rows], part if part.dtype == np.int32 else widen(part)
        lanes = _add(values, own, ends, len(known))
        counts += lanes[:, :3].sum(axis=1)
        for group in np.flatnonzero(lanes[:, :3].any(axis=1)).tolist():
            tiny = lanes[group, 3] > 0
            sums[group] += sum_of_reals(values[own == group], ends) if tiny else _total(lanes[group], values, ends)
    missing, other = (np.bincount(codes[rows], minlength=len(known)) for rows in (numbers.missing, numbers.other))
    places = [column.tolist() for column in groups.places(known)]
    return {
        tuple(column[group] for column in places): Sums(
            int(counts[group]), sums[group], int(missing[group]), int(other[group])
        )
        for group in np.flatnonzero(counts + missing + other).tolist()
    }


def _add(values: Any, codes: Codes, ends: tuple[Fraction, Fraction], count: int) -> Integers:
    """What is added up of values of one type, for each group: threads take equal shares of the rows."""
    shares = min(os.cpu_count() or 1, 1 + len(values) // max(FEW, LANES * count))
    lanes = np.zeros((shares, count, LANES), dtype=np.int64)
    cuts = [len(values) * share // shares for share in range(shares + 1)]
    add = _adder(values, ends)

    def fill(share: int) -> None:
        rows = slice(cuts[share], cuts[share + 1])
        add(values[rows], codes[rows], lanes[share])

    run_in_threads(fill, range(shares), len(values))
    total: Integers = lanes.sum(axis=0)
    return total


def _adder(values: Any, ends: tuple[Fraction, Fraction]) -> Callable[[Any, Codes, Integers], None]:
    if values.dtype.kind != "i":
        low, high, unit = *inner_ends(ends), 2.0 ** wide_power(ends)
        return lambda part, codes, lanes: _add_reals(part, codes, low, high, unit, lanes)
    first, last = ceil(ends[0]), floor(ends[1])
    narrow = first == ends[0] and last == ends[1] and max(-first, last) <= MASK
    add = _add_clamped if narrow else _add_wholes
    return lambda part, codes, lanes: add(part, codes, first, last, lanes)


def _total(lanes: Integers, values: Any, ends: tuple[Fraction, Fraction]) -> Fraction:
    below, above, _, _, high, low, finer_high, finer_low = lanes.tolist()
    unit = Fraction(1) if values.dtype.kind == "i" else Fraction(2) ** -wide_power(ends)
    digits = (high << HALF) + low + Fraction((finer_high << HALF) + finer_low, 2**WIDE)
    return Fraction(digits * unit + ends[0] * below + ends[1] * above)


@njit(cache=True, nogil=True)
def _add_clamped(values: Integers, codes: Codes, first: int, last: int, lanes: Integers) -> None:
    """Bounds of up to 32 bits that are whole numbers: a sum fits, and no row has to be told from another."""
    for row in range(len(values)):
        group = codes[row]
        lanes[group, 2] += 1
        lanes[group, 5] += min(max(values[row], first), last)


@njit(cache=True, nogil=True)
def _add_wholes(values: Integers, codes: Codes, first: int, last: int, lanes: Integers) -> None:
    """Halves of 32 bits are added: sums of 2**31 of them fit in 64."""
    for row in range(len(values)):
        value, group = values[row], codes[row]
        if value < first:
            lanes[group, 0] += 1
        elif value > last:
            lanes[group, 1] += 1
        else:
            lanes[group, 2] += 1
            lanes[group, 4] += value >> HALF
            lanes[group, 5] += value & MASK


@njit(cache=True, nogil=True)
def _add_reals(values: Floats, codes: Codes, low: float, high: float, unit: float, lanes: Integers) -> None:
    """The two wide digits of a float (:mod:`digits`), each in halves; whoever has more is noted.

    Digits are cut towards 0: rounded down, what is left of a tiny negative number would have to be rounded too.
    """
    for row in range(len(values)):
        value, group = values[row], codes[row]
        if value < low:
            lanes[group, 0] += 1
        elif value > high:
            lanes[group, 1] += 1
        else:
            scaled = value * unit
            digit = np.trunc(scaled)
            left = (scaled - digit) * 2.0**WIDE
            finer = np.trunc(left)
            whole, part = np.int64(digit), np.int64(finer)
            lanes[group, 2] += 1
            lanes[group, 3] += left != finer
            lanes[group, 4] += whole >> HALF
            lanes[group, 5] += whole & MASK
            lanes[group, 6] += part >> HALF
            lanes[group, 7] += part & MASK
