"""Persons in memory: what each has in all rows together, cut at caps and shared out over cells in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.tables.engines.array_persons import DENSE, FEWEST, PersonCodes, mask_codes
from dampen.tables.engines.base import (
    LARGEST_CAP,
    LARGEST_TOTAL,
    MOST_BITS,
    Amount,
    CellColumn,
    PersonAsk,
    PersonShares,
    PlaceCounts,
)
from dampen.tables.engines.shares import DIGIT, SHIFTS, Scale, digits_of, scales_of
from dampen.tables.reading import OTHER
from dampen.vectors import Integers

PART = 20
"""Large sums are added in two parts, the lower of so many bits."""
HALF = 30
"""The same for weights."""
DIGITS = len(digits_of(LARGEST_CAP << MOST_BITS))
ENDS, LOST = (tuple(pair[side] for pair in SHIFTS) for side in (0, 1))


@dataclass(frozen=True, eq=False, repr=False)
class PersonRows:
    """Rows by person, nobody where one is left out; the cell of each, one number for all its places; its amount."""

    persons: PersonCodes
    cells: Integers | None
    amounts: Integers | None
    reach: int
    """How large an amount may be, in size."""


def person_rows(
    persons: PersonCodes, ask: PersonAsk, places: Sequence[Integers], amounts: Integers | None
) -> PersonRows:
    """Rows settled: ``places`` and ``amounts`` may be ``OTHER`` or ``MISSING``; amounts are places on their grid."""
    kept, cells = None, None
    for each, found in zip(ask.cells, places, strict=True):
        own = _settle(each, found)
        _require_rows(own, persons)
        cells = own if cells is None else cells * len(each.values) + own
        kept = own >= 0 if kept is None else kept & (own >= 0)
    if amounts is not None:
        _require_rows(amounts, persons)
        kept = amounts >= 0 if kept is None else kept & (amounts >= 0)
        assert ask.amount is not None
        amounts = amounts + ask.amount.first
    codes = mask_codes(persons.codes, None if kept is None or kept.all() else kept)
    return PersonRows(PersonCodes(codes, persons.size), cells, amounts, _reach(ask.amount))


def _require_rows(found: Integers, persons: PersonCodes) -> None:
    if len(found) != len(persons.codes):
        raise DataError("all columns must have equally many rows")


def _reach(amount: Amount | None) -> int:
    return 1 if amount is None else max(abs(amount.first), abs(amount.last), 1)


def _settle(column: CellColumn, places: Integers) -> Integers:
    """What is no place goes to the one that takes it, else it stays below 0."""
    if column.rest is None:
        return places
    taken = places < 0 if column.keeps_missing else places == OTHER
    return np.where(taken, column.rest, places)


def share_out(rows: PersonRows, ask: PersonAsk) -> PersonShares:
    """What persons bring to each cell."""
    if rows.cells is not None:
        return _share_cells(rows, rows.cells, ask)
    totals, seen = _totals(rows.persons.codes, rows.amounts, rows.persons.size, rows.reach)
    people = int(np.count_nonzero(seen))
    if ask.once:
        totals = seen.astype(np.int64)
    below = None
    if ask.signed:
        below = _cut(np.maximum(-totals, 0), people, ask)
        totals = np.maximum(totals, 0)
    return _cut(totals, people, ask, below)


def _cut(totals: Integers, people: int, ask: PersonAsk, below: PersonShares | None = None) -> PersonShares:
    """The totals of persons, cut at each cap."""
    caps = np.array(ask.caps, dtype=np.int64)
    lanes = np.zeros((3, len(caps)), dtype=np.int64)
    _cut_totals(totals, caps, lanes)
    above, high, low = lanes.tolist()
    weights = [((more << HALF) + less) << ask.bits for more, less in zip(high, low, strict=True)]
    return PersonShares(people, tuple(above), np.empty((1, 0), np.int64), _as_objects([weights], len(caps)), below)


def _as_objects(rows: Sequence[Sequence[int]], width: int) -> NDArray[Any]:
    found = np.empty((len(rows), width), dtype=object)
    for spot, row in enumerate(rows):
        found[spot] = row
    return found


def _totals(codes: Integers, amounts: Integers | None, size: int, reach: int) -> tuple[Integers, NDArray[np.bool_]]:
    """What the rows of each code add up to, and which codes have any."""
    if amounts is None:
        sums = np.zeros(size, dtype=np.int64)
        _count_rows(codes, sums)
        return sums, sums > 0
    seen = np.zeros(size, dtype=np.bool_)
    if _fits(reach, len(codes)):
        sums = np.zeros(size, dtype=np.int64)
        _add_amounts(codes, amounts, sums, seen)
        return sums, seen
    high, low = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    _add_amounts(codes, amounts >> PART, high, seen)
    _add_amounts(codes, amounts & (2**PART - 1), low, seen)
    return _join(high, low), seen


def _fits(reach: int, rows: int) -> bool:
    """Whether so many amounts have a sum that needs no more than 62 bits."""
    return reach * rows <= LARGEST_TOTAL


def _join(high: Integers, low: Integers) -> Integers:
    """Sums of two parts, those beyond ``LARGEST_TOTAL`` in size moved to it."""
    high, low = high + (low >> PART), low & (2**PART - 1)
    most = (LARGEST_TOTAL + 1) >> PART
    joined = (np.clip(high, -most, most - 1) << PART) + low
    beyond = np.where(high >= most, LARGEST_TOTAL, np.where(high < -most, -LARGEST_TOTAL, joined))
    return np.maximum(beyond, -LARGEST_TOTAL)


def _share_cells(rows: PersonRows, cells: Integers, ask: PersonAsk) -> PersonShares:
    here = rows.persons.codes >= 0
    codes, cells = (rows.persons.codes, cells) if here.all() else (rows.persons.codes[here], cells[here])
    amounts = None if rows.amounts is None else rows.amounts[here]
    size, known = prod(ask.sizes), None
    if size > max(FEWEST, DENSE * len(cells)):
        known, cells = np.unique(cells, return_inverse=True)
        size = max(len(known), 1)
    persons, places, sums = _sum_cells(codes, cells, amounts, rows, size)
    if ask.once:
        sums = np.ones_like(sums)
    if ask.signed:  # what is below 0 is added up behind the cells of what is above
        places, sums = places + size * (sums < 0), np.abs(sums)
    scales = scales_of(ask.caps, ask.bits)
    lanes = np.zeros((2, 2 * size if ask.signed else size, len(ask.caps)), dtype=np.int64)
    above = np.zeros(len(ask.caps), dtype=np.int64)
    people = int(_share_runs(persons, places, sums, _as_table(ask, scales), ask.bits, lanes, above))

    def side(mine: Integers, below: PersonShares | None = None) -> PersonShares:
        held = np.flatnonzero(mine.any(axis=(0, 2)))
        weights = (mine[0, held].astype(object) << HALF) + mine[1, held].astype(object)
        own = held if known is None else known[held]
        return PersonShares(people, tuple(above.tolist()), _apart(own, ask.sizes), weights, below)

    return side(lanes[:, :size], side(lanes[:, size:]) if ask.signed else None)


def _apart(codes: Integers, sizes: tuple[int, ...]) -> Integers:
    """The places that cells stand for, column by column."""
    found = []
    for size in reversed(sizes):
        found.append(codes % size)
        codes = codes // size
    return np.column_stack(found[::-1]).astype(np.int64)


def _sum_cells(
    codes: Integers, cells: Integers, amounts: Integers | None, rows: PersonRows, size: int
) -> tuple[Integers, Integers, Integers]:
    """Persons, cells in increasing order for each, and what the rows of both add up to."""
    keys = codes * size + cells
    span = rows.persons.size * size
    if span <= max(FEWEST, DENSE * len(keys)):
        sums, seen = _totals(keys, amounts, span, rows.reach)
        held: Integers = np.flatnonzero(seen)
        return held // size, held % size, sums[held]
    if amounts is None:
        held, sums = np.unique(keys, return_counts=True)
        return held // size, held % size, sums
    held, own = np.unique(keys, return_inverse=True)
    return held // size, held % size, _totals(own, amounts, len(held), rows.reach)[0]


def _as_table(ask: PersonAsk, scales: Sequence[Scale]) -> Integers:
    """For each cap itself, its factor, its shift, and whether it has the factor of the one before that needs it."""
    shared = 0
    rows = []
    for cap, scale in zip(ask.caps, scales, strict=True):
        same = int(scale.factor == shared)
        shared = scale.factor
        rows.append((cap, scale.factor, scale.shift, same))
    return np.array(rows, dtype=np.int64).reshape(len(rows), 4)


def values_of(rows: PersonRows, how: str) -> PlaceCounts:
    """One whole number for each person, and how many have it."""
    codes, size = rows.persons.codes, rows.persons.size
    counts, seen = _totals(codes, None, size, 1)
    if how == "count":
        found = counts
    elif how in ("min", "max"):
        assert rows.amounts is not None
        sign = 1 if how == "max" else -1
        found = np.full(size, -LARGEST_TOTAL, dtype=np.int64)
        _keep_largest(codes, sign * rows.amounts, found)
        found *= sign
    else:
        found = _totals(codes, rows.amounts, size, rows.reach)[0]
        found = found // np.maximum(counts, 1) if how == "mean" else found
    values, people = np.unique(found[seen], return_counts=True)
    return values, people.astype(np.int64)


@njit(cache=True, nogil=True)
def _count_rows(codes: Integers, sums: Integers) -> None:
    for row in range(len(codes)):
        if codes[row] >= 0:
            sums[codes[row]] += 1


@njit(cache=True, nogil=True)
def _add_amounts(codes: Integers, amounts: Integers, sums: Integers, seen: NDArray[np.bool_]) -> None:
    for row in range(len(codes)):
        if codes[row] >= 0:
            sums[codes[row]] += amounts[row]
            seen[codes[row]] = True


@njit(cache=True, nogil=True)
def _keep_largest(codes: Integers, amounts: Integers, largest: Integers) -> None:
    for row in range(len(codes)):
        if codes[row] >= 0:
            largest[codes[row]] = max(largest[codes[row]], amounts[row])


@njit(cache=True, nogil=True)
def _cut_totals(totals: Integers, caps: Integers, lanes: Integers) -> None:
    """How many are above each cap, and the two parts of the sum of all cut at it."""
    mask = (1 << HALF) - 1
    for person in range(len(totals)):
        total = totals[person]
        for spot in range(len(caps)):
            lanes[0, spot] += total > caps[spot]
            cut = min(total, caps[spot])
            lanes[1, spot] += cut >> HALF
            lanes[2, spot] += cut & mask


@njit(cache=True, nogil=True)
def _share(part: int, total: int, factor: int) -> int:
    """floor(factor part / total), digit by digit."""
    quotient, left = 0, 0
    for digit in range(DIGITS - 1, -1, -1):
        number = (left << DIGIT) + part * ((factor >> (DIGIT * digit)) & ((1 << DIGIT) - 1))
        more = number // total if number else 0
        quotient = (quotient << DIGIT) + more
        left = number - more * total
    return quotient


@njit(cache=True, nogil=True)
def _share_runs(
    persons: Integers, places: Integers, sums: Integers, caps: Integers, bits: int, lanes: Integers, above: Integers
) -> int:
    """Walk through the cells of each person: first for the total, then for the share of every cap."""
    start, people, mask = 0, 0, (1 << HALF) - 1
    before = np.zeros(len(caps), dtype=np.int64)
    while start < len(persons):
        end, total = start, 0
        while end < len(persons) and persons[end] == persons[start]:
            total = min(total + sums[end], LARGEST_TOTAL)
            end += 1
        lost = LOST[0]
        for spot in range(1, len(ENDS)):
            lost = LOST[spot] if total >= ENDS[spot - 1] else lost
        for spot in range(len(caps)):
            above[spot] += total > caps[spot, 0]
        before[:] = 0
        part = 0
        for run in range(start, end):
            part = min(part + sums[run], LARGEST_TOTAL)
            share = 0
            for spot in range(len(caps)):
                if total <= caps[spot, 0]:
                    now = part << bits
                else:
                    if not caps[spot, 3] or spot == 0:
                        share = _share(part >> lost, total >> lost, caps[spot, 1])
                    now = share >> caps[spot, 2]
                lanes[0, places[run], spot] += (now - before[spot]) >> HALF
                lanes[1, places[run], spot] += (now - before[spot]) & mask
                before[spot] = now
        people += 1
        start = end
    return people
