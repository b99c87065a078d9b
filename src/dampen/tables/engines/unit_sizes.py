"""How large numbers are, where no bounds are known: counted by sign and by how many powers of 2 are below.

So few counts and sums, at most 64 for each sign, tell the sum of all numbers cut at any power of 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.tables.columns import Column, numbers_of
from dampen.tables.engines.shares import Bucket
from dampen.tables.reading import MISSING, OTHER
from dampen.tables.unit_reading import Units
from dampen.vectors import Integers

POWERS = tuple(1 << power for power in range(63))
"""A size of at most 2**63 - 1 has as many of these below it as ``size - 1`` has bits; 0 has none."""
COLUMNS = ("status", "side", "bucket", "count", "sum")
"""What a grouped query tells; a status of 0 is that of numbers."""
LOW = 32
"""Bits of the lower half of a size."""


@dataclass(frozen=True, repr=False)
class UnitSizes:
    """Private: numbers in units by sign and size, and how many values are missing or no numbers."""

    buckets: tuple[Bucket, ...]
    missing: int
    other: int

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(bucket.people for bucket in self.buckets)

    def above(self, side: int, caps: Sequence[int]) -> list[int]:
        """For each cap, a power of 2, how many numbers of one sign are larger in size."""
        return [sum(bucket.people for bucket in self._beyond(side, cap)) for cap in caps]

    def sums(self, side: int, caps: Sequence[int]) -> list[int]:
        """For each cap the sum of min(size, cap) over the numbers of one sign."""
        every = sum(bucket.sum for bucket in self.buckets if bucket.side == side)
        return [every - sum(bucket.sum - cap * bucket.people for bucket in self._beyond(side, cap)) for cap in caps]

    def _beyond(self, side: int, cap: int) -> list[Bucket]:
        place = cap.bit_length() - 1
        return [bucket for bucket in self.buckets if bucket.side == side and bucket.caps > place]


def as_sizes(*columns: list[Any]) -> UnitSizes:
    """Sizes out of the columns ``COLUMNS`` of a grouped query."""
    rows = [tuple(map(int, row)) for row in zip(*columns, strict=True)]
    held = tuple(Bucket(*rest) for status, *rest in rows if status == 0)
    faults = {status: count for status, _, _, count, _ in rows if status != 0}
    return UnitSizes(held, faults.get(MISSING, 0), faults.get(OTHER, 0))


def sizes_of_column(column: Column, units: Units) -> UnitSizes:
    """The sizes of a column in memory."""
    numbers = numbers_of(column)
    read = np.concatenate([units.read_all(part) for part in (numbers.wholes, numbers.reals)])
    return UnitSizes(tuple(_buckets(read)), numbers.missing, numbers.other)


def _buckets(read: Integers) -> list[Bucket]:
    sides, sizes = np.sign(read), np.abs(read)
    caps = np.searchsorted(np.array(POWERS, dtype=np.int64), sizes)
    keys = sides * (len(POWERS) + 1) + caps
    found = []
    for key in np.unique(keys).tolist():
        own = keys == key
        held = sizes[own]
        total = (int((held >> LOW).sum()) << LOW) + int((held & (2**LOW - 1)).sum())
        side, first = int(sides[own][0]), int(caps[own][0])
        found.append(Bucket(side, first, len(held), total))
    return found
