"""Exact sums of groups of rows that come part by part: a column in memory is one part, a stream has many."""

import os
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from dampen.tables.columns import Column, Typed, row_numbers, widen
from dampen.tables.engines.array_codes import PER_THREAD, Codes, run_in_threads
from dampen.tables.engines.array_groups import GroupCodes, require_rows
from dampen.tables.engines.array_sums import sums_by_code
from dampen.tables.engines.base import Sums
from dampen.tables.engines.digits import WIDE, inner_ends, wide_power
from dampen.tables.engines.sum_kernels import HALF, LANES, MASK, Truths, add_clamped, add_reals, add_wholes
from dampen.vectors import Integers

MANY = 2**20
"""From so many groups on only those that occur are numbered."""
ROWS_AT_ONCE = 2**30
"""The halves of so many rows have sums of 64 bits."""

Ends = tuple[Fraction, Fraction]


class RunningSums:
    """What was added up of ``count`` groups so far, every value moved into bounds first."""

    def __init__(self, count: int, ends: Ends) -> None:
        self._ends = ends
        self._sums = [Fraction(0)] * count
        self._counts, self._missing, self._other = (np.zeros(count, dtype=np.int64) for _ in range(3))
        self._lanes: dict[str, Integers] = {}
        self._rows = 0

    def add(self, codes: Codes, column: Column) -> None:
        """The values of some rows, and the groups that they are in."""
        require_rows(len(column), len(codes))
        if isinstance(column, Typed) and column.array.dtype.kind == "f":
            # the kernel tells missing ones itself, for to pick the others takes longer than to add them
            self._add_numbers(codes, widen(column.array), column.absent)
            return
        numbers = row_numbers(column)
        for rows, part in numbers.parts:
            # the kernels are compiled for 32 and 64 bits
            self._add_numbers(codes[rows], part if part.dtype == np.int32 else widen(part))
        self._missing += np.bincount(codes[numbers.missing], minlength=len(self._sums))
        self._other += np.bincount(codes[numbers.other], minlength=len(self._sums))

    def _add_numbers(self, codes: Codes, values: Any, absent: Truths | None = None) -> None:
        lanes = _add(values, absent, codes, self._ends, len(self._sums))
        self._counts += lanes[:, :3].sum(axis=1)
        self._missing += lanes[:, 8]
        tiny = lanes[:, 3] > 0
        if tiny.any():
            rows = tiny[codes] if absent is None else tiny[codes] & ~absent
            for code, total in sums_by_code(values[rows], codes[rows], self._ends).items():
                self._sums[code] += total
            lanes[tiny] = 0
        if self._rows + len(values) > ROWS_AT_ONCE:
            self._settle()
        self._rows += len(values)
        kind = values.dtype.kind
        self._lanes[kind] = self._lanes[kind] + lanes if kind in self._lanes else lanes

    def _settle(self) -> None:
        """Lanes become sums, and begin anew."""
        for kind, lanes in self._lanes.items():
            unit = Fraction(1) if kind == "i" else Fraction(2) ** -wide_power(self._ends)
            for code in np.flatnonzero(lanes[:, :3].any(axis=1)).tolist():
                self._sums[code] += _total(lanes[code], unit, self._ends)
        self._lanes, self._rows = {}, 0

    def by_code(self) -> dict[int, Sums]:
        """The sums of all groups that have rows."""
        self._settle()
        return {
            code: Sums(int(self._counts[code]), self._sums[code], int(self._missing[code]), int(self._other[code]))
            for code in np.flatnonzero(self._counts + self._missing + self._other).tolist()
        }


def sum_groups(groups: GroupCodes, column: Column, ends: Ends) -> dict[tuple[int, ...], Sums]:
    """The exact sums of the groups of a column in memory."""
    require_rows(len(column), len(groups.codes))
    known, codes = np.arange(groups.count, dtype=np.int64), groups.codes
    if groups.count >= MANY:
        known, codes = np.unique(codes, return_inverse=True)
    running = RunningSums(len(known), ends)
    running.add(codes, column)
    return by_places(running, groups, known)


def by_places(running: RunningSums, groups: GroupCodes, known: Integers) -> dict[tuple[int, ...], Sums]:
    """Sums by the places of their groups; ``known``: the code of each group among all."""
    places = [column.tolist() for column in groups.places(known)]
    return {tuple(column[code] for column in places): sums for code, sums in running.by_code().items()}


def _add(values: Any, absent: Truths | None, codes: Codes, ends: Ends, count: int) -> Integers:
    """What is added up of values of one type, for each group: threads take equal shares of the rows."""
    shares = min(os.cpu_count() or 1, 1 + len(values) // max(PER_THREAD, LANES * count))
    lanes = np.zeros((shares, count, LANES), dtype=np.int64)
    cuts = [len(values) * share // shares for share in range(shares + 1)]
    add = _adder(values, ends)

    def fill(share: int) -> None:
        rows = slice(cuts[share], cuts[share + 1])
        add(values[rows], None if absent is None else absent[rows], codes[rows], lanes[share])

    run_in_threads(fill, range(shares), len(values), PER_THREAD)
    total: Integers = lanes.sum(axis=0)
    return total


def _adder(values: Any, ends: Ends) -> Callable[[Any, Truths | None, Codes, Integers], None]:
    if values.dtype.kind != "i":
        low, high, unit = *inner_ends(ends), 2.0 ** wide_power(ends)
        return lambda part, absent, codes, lanes: add_reals(part, absent, codes, low, high, unit, lanes)
    first, last = ceil(ends[0]), floor(ends[1])
    narrow = first == ends[0] and last == ends[1] and max(-first, last) <= MASK
    add = add_clamped if narrow else add_wholes
    return lambda part, _, codes, lanes: add(part, codes, first, last, lanes)


def _total(lanes: Integers, unit: Fraction, ends: Ends) -> Fraction:
    below, above, _, _, high, low, finer_high, finer_low, _ = lanes.tolist()
    digits = (high << HALF) + low + Fraction((finer_high << HALF) + finer_low, 2**WIDE)
    return Fraction(digits * unit + ends[0] * below + ends[1] * above)
