"""Rows of two persons, such as messages, in a public order: that of a fixed hash of the two persons. Not private.

Whether a row stands before another must be a matter of these two rows alone, or whoever leaves could change the order
of everybody's rows. So rows are sorted by a hash of the texts of their two persons, then, should hashes be the same, by
these texts: two comparisons that look at nobody else. Rows of the same two persons stand together, in no order that
matters, for nothing tells them apart.

Persons are then numbered, so that they can be told apart fast. No number has a part in the order: it says which persons
are the same, exactly, and which text comes first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.tables.engines.base import RowForm
from dampen.tables.people_counts import open_persons

Uints = NDArray[np.uint32]
Words = NDArray[np.uint64]
SALT = b"rows of two"
"""Of the hash. Fixed and public; any other is as private."""
FACTORS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Of SplitMix64, whose finaliser mixes the hashes of two persons."""


@dataclass(frozen=True, eq=False, repr=False)
class PersonPairs:
    """Private: the two persons of each row, numbers below ``people``, the rows in the public order."""

    low: Uints
    high: Uints
    people: int


NO_PAIRS = PersonPairs(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint32), 0)


def person_pairs(data: Any, persons: tuple[str, str], *, missing: str = "drop") -> PersonPairs:
    """Rows with two persons, whose columns are named; they leave the engine, and nothing else does.

    ``missing``: rows that lack one of both are left out, ``"drop"``, or refused, ``"refuse"``.

    >>> calls = {"from": ["ann", "bob", "ann", None], "to": ["bob", "ann", "ann", "ann"]}
    >>> found = person_pairs(calls, ("from", "to"))
    >>> found.low.tolist(), found.high.tolist(), found.people
    ([0, 0, 0], [1, 1, 0], 2)
    """
    with open_persons(data, persons, {}, missing) as engine:
        rows = engine.rows(dict.fromkeys(persons, RowForm.PERSONS))
    return order_pairs(*(rows[name] for name in persons))


def order_pairs(one: NDArray[Any], other: NDArray[Any]) -> PersonPairs:
    """Rows in the public order, by the texts of their persons; ``None`` is nobody."""
    if len(one) != len(other):
        raise DataError("all columns must have equally many rows")
    listed = one.tolist(), other.tolist()
    names = sorted({*listed[0], *listed[1]} - {None})
    places = {name: place for place, name in enumerate([*names, None])}
    ends = [np.fromiter(map(places.__getitem__, each), np.uint32, len(each)) for each in listed]
    low, high = np.minimum(*ends), np.maximum(*ends)
    low, high = low[high < len(names)], high[high < len(names)]
    order = np.lexsort((high, low, hash_pairs(hash_persons(names), low, high)))
    return PersonPairs(low[order], high[order], len(names))


def hash_persons(names: Sequence[str]) -> Words:
    """A public hash of each person, 64 bits of BLAKE2b."""
    hashed = (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, salt=SALT).digest() for name in names)
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)


def hash_pairs(hashes: Words, low: Uints, high: Uints) -> Words:
    """A public hash of the two persons of each row, by the hashes of both."""
    return _mix(_mix(hashes[low]) + hashes[high])


def _mix(words: Words) -> Words:
    """The finaliser of SplitMix64; whole numbers of 64 bits, of which overflow is cut off."""
    one, two = map(np.uint64, FACTORS)
    words = (words ^ words >> np.uint64(30)) * one
    words = (words ^ words >> np.uint64(27)) * two
    return np.asarray(words ^ words >> np.uint64(31))
