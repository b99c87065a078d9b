"""Who the person of each row in memory is: a small number for each, the same in all rows of a person.

Two rows are of one person if they hold the same value: numbers are compared as numbers, texts as texts, letter by
letter. Whether two values are the same depends on these two alone. A missing value is nobody.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any
from uuid import UUID

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.tables.columns import Column, Items, Typed
from dampen.tables.engines.array_texts import number_texts
from dampen.tables.reading import MISSING, OTHER, is_blank, is_missing, is_truth, read_moment, read_number
from dampen.vectors import Integers

DENSE = 4
"""Whole numbers in a range of up to so many for each row are their own codes."""
FEWEST = 2**16
"""The same for a range of so many in any case."""
NOBODY = -1
SLOTS = 2**21
"""A hash table has so many slots at first, or fewer for few rows: many rows may be of few persons."""
Owners = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class PersonCodes:
    """The person of each row, a number below ``size``; ``MISSING`` where there is none, ``OTHER`` where the value
    cannot be told from others. Not every number need occur.
    """

    codes: Integers
    size: int


def person_codes(column: Column) -> PersonCodes:
    """The persons of a column."""
    return _codes_of_items(column.items) if isinstance(column, Items) else _codes_of_array(column)


def _codes_of_array(column: Typed) -> PersonCodes:
    array = column.array
    gone = column.absent
    if array.dtype.kind == "f":
        lost = np.isnan(array)
        gone = lost if gone is None else lost | gone
        # one zero, whatever its sign
        wholes: Integers = (array.astype(np.float64) + 0.0).view(np.int64)
    else:
        wholes = array.view(np.int64) if array.dtype == np.uint64 else array.astype(np.int64, copy=False)
    if gone is None or not gone.any():
        return _codes_of_wholes(wholes)
    found = _codes_of_wholes(wholes[~gone])
    codes = np.full(len(array), MISSING, dtype=np.int64)
    codes[~gone] = found.codes
    return PersonCodes(codes, found.size)


def _codes_of_wholes(wholes: Integers) -> PersonCodes:
    if not len(wholes):
        return PersonCodes(np.empty(0, dtype=np.int64), 0)
    low = int(wholes.min())
    span = int(wholes.max()) - low + 1
    if span <= max(FEWEST, DENSE * len(wholes)):
        return PersonCodes(wholes - low if low else wholes, span)
    codes = np.empty(len(wholes), dtype=np.int64)
    slots = min(2 ** (2 * len(wholes)).bit_length(), SLOTS)
    return PersonCodes(codes, int(_number_values(np.ascontiguousarray(wholes), codes, slots)))


@njit(cache=True, nogil=True)
def _number_values(values: Integers, codes: Integers, slots: int) -> int:
    """Number the distinct values in the order of their first rows, by a hash table of so many slots that grows."""
    owners, held = np.full(slots, NOBODY, dtype=np.int32), np.empty(slots, dtype=np.int64)
    known = 0
    for row in range(len(values)):
        if 2 * known >= len(owners):
            owners, held = _grow(owners, held)
        slot = _slot_of(values[row], owners, held)
        if owners[slot] == NOBODY:
            owners[slot], held[slot] = known, values[row]
            known += 1
        codes[row] = owners[slot]
    return known


@njit(cache=True, nogil=True)
def _slot_of(value: int, owners: Owners, held: Integers) -> Any:
    """Where a value stands among so many slots, a power of 2, or where there is room for it.

    Numbers without a sign: an index that might be negative is looked at twice.
    """
    mixed, mask = np.uint64(value), np.uint64(len(owners) - 1)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    slot = mixed & mask
    while owners[slot] != NOBODY and held[slot] != value:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def _grow(owners: Owners, held: Integers) -> tuple[Owners, Integers]:
    wide, moved = np.full(4 * len(owners), NOBODY, dtype=np.int32), np.empty(4 * len(owners), dtype=np.int64)
    for old in range(len(owners)):
        if owners[old] != NOBODY:
            slot = _slot_of(held[old], wide, moved)
            wide[slot], moved[slot] = owners[old], held[old]
    return wide, moved


class _Numbers(dict[Any, int]):
    """The number of an identity, given when it is first met."""

    def __missing__(self, identity: Any) -> int:
        self[identity] = number = len(self)
        return number


def _codes_of_items(items: list[Any]) -> PersonCodes:
    if set(map(type, items)) == {str}:
        return _codes_of_texts(items)
    if all(type(item) is str or _is_gone(item) for item in items):
        return _codes_of_texts([item if type(item) is str else "" for item in items])
    numbers = _Numbers()
    codes = np.fromiter((_code_of(item, numbers) for item in items), np.int64, len(items))
    return PersonCodes(codes, len(numbers))


def _is_gone(value: Any) -> bool:
    """Whether a value is missing for certain."""
    try:
        return is_missing(value)
    except Exception:  # values of the caller's own may raise anything
        return False


def _codes_of_texts(texts: list[str]) -> PersonCodes:
    """Persons of texts alone, of which blank ones are nobody."""
    found = number_texts(texts)
    doubtful = np.flatnonzero(found.doubtful)
    blank = np.zeros(len(found.firsts), dtype=np.bool_)
    blank[doubtful] = [is_blank(texts[row]) for row in found.firsts[doubtful].tolist()]
    codes = np.where(blank[found.codes], MISSING, found.codes) if blank.any() else found.codes
    return PersonCodes(codes, len(found.firsts))


def _code_of(value: Any, numbers: _Numbers) -> int:
    try:
        gone = is_missing(value) or (isinstance(value, str) and is_blank(value))
        identity = None if gone else identity_of(value)
    except Exception:  # values of the caller's own may raise anything
        return OTHER
    return MISSING if gone else OTHER if identity is None else numbers[identity]


def identity_of(value: Any) -> tuple[str, Any] | None:
    """What equals that of the same value alone; ``None`` where a value is neither a number, text, day nor bytes.

    It holds plain values of Python: others may refuse to be compared, and then one person would depend on another.
    """
    if isinstance(value, str | UUID):
        return "text", str(value)
    if isinstance(value, bytes):
        return "bytes", bytes(value)
    if is_truth(value):
        return "truth", bool(value)
    if isinstance(value, Decimal | Fraction):
        return "number", value
    if isinstance(value, Real) and not isinstance(value, np.timedelta64):
        return "number", read_number(value)
    moment = read_moment(value)
    if not isinstance(moment, datetime):
        return None if moment is None else ("day", moment.toordinal())
    return "moment" if moment.tzinfo is None else "instant", moment


def mask_codes(codes: Integers, kept: NDArray[np.bool_] | None) -> Integers:
    """The same persons, nobody in the rows that are left out."""
    return codes if kept is None else np.where(kept, codes, NOBODY)
