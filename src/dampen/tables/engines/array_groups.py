"""Groups of rows in memory: a code for each, and what its values count.

The code of a row has a digit for each column that it is grouped by: the place of its label, counted from ``OTHER`` on,
the first column highest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from dampen.errors import DataError
from dampen.tables.engines.array_codes import Codes
from dampen.tables.reading import OTHER
from dampen.vectors import Integers

DENSE = 4
"""Up to so many cells for each row are counted in an array."""
FEWEST = 2**16
"""So many cells are counted in one in any case."""
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
        require_rows(len(column), len(codes))
        codes = codes.astype(kind, copy=False) * kind(size) + (column - OTHER)
    require_rows(len(codes), rows)
    return GroupCodes(codes, sizes)


def require_rows(found: int, rows: int) -> None:
    """Refuse columns of unequal length."""
    if found != rows:
        raise DataError("all columns must have equally many rows")


def count_pairs(groups: GroupCodes, places: Integers, size: int) -> Integers:
    """Rows (place in each column, place, count) out of the group and the place, among so many, of each row."""
    require_rows(len(places), len(groups.codes))
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
