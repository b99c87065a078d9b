"""How a capped total is shared out, as :class:`~dampen.tables.engines.base.PersonAsk` says, in small whole numbers.

A share is floor(K z / t), where K = 2**bits k is public, z <= t are a person's own and t is larger than the cap k. It
is found by long division, K digit by digit in base 2**20: with q and r the quotient and the remainder so far, a digit d
makes n = 2**20 r + d z of it, whose quotient by t is added to 2**20 q. Since z <= t < 2**32 (:data:`SHIFTS`), n stays
below 2**53. So it is exact even where a database divides floats: n / t is at least 1/t away from the next whole number
above, if it is none, and rounding moves it by less.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.tables.engines.base import LARGEST_TOTAL, PersonAsk, PersonShares

DIGIT = 20
"""Bits of a digit."""
SHIFTS = ((2**32, 0), (2**43, 11), (2**53, 21), (LARGEST_TOTAL + 1, 31))
"""Totals below an end lose so many of their last bits before they are divided, and what is divided by them too."""


@dataclass(frozen=True)
class Scale:
    """The share of a cap: that of the ``factor`` K, without its last ``shift`` bits."""

    factor: int
    shift: int = 0


def scales_of(caps: tuple[int, ...], bits: int) -> tuple[Scale, ...]:
    """The factors of caps. All powers of 2 have one in common: floor(floor(2**s x) / 2**r) = floor(2**(s - r) x).

    >>> [(each.factor, each.shift) for each in scales_of((1, 3, 8), 0)]
    [(8, 3), (3, 0), (8, 0)]
    """
    top = max((cap for cap in caps if cap.bit_count() == 1), default=1)
    return tuple(
        Scale(top << bits, (top // cap).bit_length() - 1) if cap.bit_count() == 1 else Scale(cap << bits)
        for cap in caps
    )


def digits_of(factor: int) -> list[int]:
    """The digits of a whole number, the highest first.

    >>> digits_of(2**21 + 3)
    [2, 3]
    """
    found = []
    while factor:
        found.append(factor % 2**DIGIT)
        factor >>= DIGIT
    return found[::-1]


@dataclass(frozen=True, repr=False)
class Bucket:
    """Private: persons whose totals have one sign and so many caps below their size; what the sizes add up to.

    ``people``: how many. Beyond all caps the sum is not looked at.
    """

    side: int
    caps: int
    people: int
    sum: int


def cut_shares(buckets: Iterable[Bucket], ask: PersonAsk) -> PersonShares:
    """Totals cut at each cap: those of smaller buckets as they are, those of larger ones at the cap."""
    held = [*buckets]
    people = sum(bucket.people for bucket in held)
    up = _cut_side([bucket for bucket in held if bucket.side > 0], people, ask)
    if not ask.signed:
        return up
    down = _cut_side([bucket for bucket in held if bucket.side < 0], people, ask)
    return PersonShares(people, up.above, up.cells, up.weights, down)


def _cut_side(buckets: list[Bucket], people: int, ask: PersonAsk) -> PersonShares:
    above, weights = [], np.empty((1, len(ask.caps)), dtype=object)
    for spot, cap in enumerate(ask.caps):
        above.append(sum(bucket.people for bucket in buckets if bucket.caps > spot))
        inside = sum(bucket.sum for bucket in buckets if bucket.caps <= spot)
        weights[0, spot] = (inside + cap * above[-1]) << ask.bits
    return PersonShares(people, tuple(above), np.empty((1, 0), dtype=np.int64), weights)


BELOW = "below"
"""The column of a query that tells whether weights are of sums below 0, where there may be such."""


def celled_shares(
    found: Mapping[str, NDArray[Any]], cells: Sequence[str], weights: Sequence[Sequence[int]], ask: PersonAsk
) -> PersonShares:
    """What a query brought, a row for each cell: the columns ``cells``, ``people``, ``above0``, ..., and ``BELOW``.

    ``weights``: of every cap those of all rows.
    """
    places = np.column_stack([np.asarray(found[name], dtype=np.int64) for name in cells])
    table = np.empty((len(places), len(ask.caps)), dtype=object)
    for spot, column in enumerate(weights):
        table[:, spot] = column
    held = np.array([any(row) for row in table.tolist()], dtype=np.bool_)
    people = int(found["people"].sum())
    above = tuple(int(found[f"above{spot}"].sum()) for spot in range(len(ask.caps)))

    def side(mine: NDArray[np.bool_], below: PersonShares | None = None) -> PersonShares:
        own, shared = places[mine], table[mine]
        order = np.lexsort(own.T[::-1])
        return PersonShares(people, above, own[order], shared[order], below)

    if not ask.signed:
        return side(held)
    below = np.asarray(found[BELOW], dtype=np.bool_)
    return side(held & ~below, side(held & below))
