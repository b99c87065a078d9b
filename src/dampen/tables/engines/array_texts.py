"""Texts in memory, numbered: equal ones alike, letter by letter. A million of them take a tenth of a second.

A dictionary of Python would be asked for each text by itself. Here all letters lie in one array, and a compiled hash
table walks over it. Whether two texts are the same depends on these two alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.vectors import Integers

NONE = -1
SHORT = len("nan")
"""Texts of up to so many letters may be blank, and longer ones that begin or end with a space or the like."""
SPACE = ord(" ")
SLOTS = 2**21
"""A hash table has so many slots at first, or fewer for few rows: many rows may hold few texts."""
Letters = NDArray[Any]
"""One number each: bytes, or four of them together."""
Codes = NDArray[np.int32]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, repr=False)
class NumberedTexts:
    """The number of each text, in the order of first rows; the first row of each number; which numbers may be blank."""

    codes: Integers
    firsts: Integers
    doubtful: NDArray[np.bool_]


def number_texts(texts: list[str]) -> NumberedTexts:
    """Texts by number. Doubtful are those that :func:`~dampen.tables.reading.is_blank` looks at closely.

    >>> found = number_texts(["bert", "anna", "bert", " x y"])
    >>> found.codes.tolist(), found.firsts.tolist(), found.doubtful.tolist()
    ([0, 1, 0, 2], [0, 1, 3], [False, False, True])
    """
    joined, size = "".join(texts), len(texts)
    lengths = np.fromiter(map(len, texts), np.int64, size)
    ends = np.cumsum(lengths)
    plain = joined.isascii()
    # letters beyond ASCII have four bytes each, so that each is one number; half a pair of surrogates is one too
    written = joined.encode("ascii") if plain else joined.encode("utf-32-le", "surrogatepass")
    letters: Letters = np.frombuffer(written, dtype=np.uint8 if plain else np.dtype("<u4"))
    codes, firsts = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    known = _number(letters, ends, codes, firsts, min(2 ** (2 * size).bit_length(), SLOTS))
    firsts = firsts[: int(known)]
    doubtful = lengths[firsts] <= SHORT
    longer = firsts[~doubtful]
    doubtful[~doubtful] = (letters[ends[longer] - lengths[longer]] <= SPACE) | (letters[ends[longer] - 1] <= SPACE)
    return NumberedTexts(codes, firsts, doubtful)


@njit(cache=True, nogil=True)
def _number(letters: Letters, ends: Integers, codes: Integers, firsts: Integers, slots: int) -> int:
    held, hashes, known = np.full(slots, NONE, dtype=np.int32), np.empty(len(ends), dtype=np.uint64), 0
    start: Any = 0
    for row in range(len(ends)):
        if 2 * known >= len(held):
            held = _grow(held, hashes, known)
        own = _hash_of(letters, start, ends[row])
        mask = np.uint64(len(held) - 1)
        slot = own & mask
        while held[slot] != NONE:
            if hashes[held[slot]] == own and _same(letters, ends, firsts[held[slot]], start, ends[row]):
                break
            slot = (slot + np.uint64(1)) & mask
        if held[slot] == NONE:
            held[slot], hashes[known], firsts[known] = known, own, row
            known += 1
        codes[row] = held[slot]
        start = ends[row]
    return known


@njit(cache=True, nogil=True)
def _hash_of(letters: Letters, start: int, end: int) -> Any:
    found = np.uint64(0xCBF29CE484222325)
    for place in range(start, end):
        found = (found ^ np.uint64(letters[place])) * np.uint64(0x100000001B3)
    found ^= found >> np.uint64(32)
    found *= np.uint64(0x9E3779B97F4A7C15)
    return found ^ (found >> np.uint64(29))


@njit(cache=True, nogil=True)
def _same(letters: Letters, ends: Integers, other: int, start: int, end: int) -> bool:
    """Whether the text of another row has the letters from ``start`` to ``end``."""
    first = ends[other - 1] if other > 0 else np.int64(0)
    length, place = end - start, 0
    if ends[other] - first != length:
        return False
    while place < length and letters[first + place] == letters[start + place]:
        place += 1
    return bool(place == length)


@njit(cache=True, nogil=True)
def _grow(held: Codes, hashes: Hashes, known: int) -> Codes:
    wide = np.full(4 * len(held), NONE, dtype=np.int32)
    mask = np.uint64(len(wide) - 1)
    for code in range(known):
        slot = hashes[code] & mask
        while wide[slot] != NONE:
            slot = (slot + np.uint64(1)) & mask
        wide[slot] = code
    return wide
