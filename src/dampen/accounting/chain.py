"""The entries of a ledger and the chain of hashes that ties each to all before it."""

import json
import re
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

BEGINNING = "0" * 64
"""What the first entry follows."""


class Entry(NamedTuple):
    """One line of a ledger, as it is stored: exact numbers as text. Entries are appended and never changed.

    ``kind``: ``limit`` sets the limit of a scope (the first for a scope creates it), ``charge`` is a reservation,
    ``outcome`` tells how the charge it refers to ended, in its note.
    """

    number: int
    at: str
    """What the clock showed; the order of entries is that of their numbers."""
    kind: str
    scope: str
    epsilon: str | None = None
    delta: str | None = None
    bounded_range: str | None = None
    rho: str | None = None
    adjacency: str | None = None
    unit: str | None = None
    refers: int | None = None
    note: str = ""
    hash: str = ""

    @property
    def amount(self) -> Amount:
        """Epsilon and delta as exact numbers."""
        return Amount(*(Fraction(0) if part is None else exact(part) for part in (self.epsilon, self.delta)))

    @property
    def loss(self) -> PrivacyLoss:
        """What a charge cost."""
        return _loss(self.epsilon, self.delta, self.bounded_range, self.rho, self.adjacency, self.unit)

    def chained(self, previous: str) -> "Entry":
        """This entry with its hash, following an entry with the hash ``previous``."""
        return self._replace(hash=self.digest(previous))

    def digest(self, previous: str) -> str:
        """SHA-256 of the previous hash and of all fields of this entry, as one JSON list."""
        return sha256(json.dumps([previous, *self[:-1]]).encode()).hexdigest()


class Head(NamedTuple):
    """The last entry's number and hash: it stands for the whole ledger up to there."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


def parse_head(head: object) -> Head:
    """Read a head as it is printed."""
    number, colon, digest = head.partition(":") if isinstance(head, str) else ("", "", "")
    if not (colon and number.isdecimal() and len(number) < 19 and len(digest) == 64 and set(digest) <= set(HEX)):
        raise ParameterError(f"head must be a number and 64 hexadecimal digits as show prints them; got {render(head)}")
    return Head(int(number), digest)


HEX = "0123456789abcdef"


REMEMBERED = 4096
"""Most entries of a ledger repeat a few prices; so many are kept at hand."""


NUMBER, LONGEST_NUMBER = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?", re.ASCII), 2000
"""How a number is written; the longest that is written has some hundred digits."""


class Unreadable(Exception):
    """Something in a ledger that dampen did not write."""


@lru_cache(REMEMBERED)
def exact(text: str | None) -> Fraction:
    """A number as it is stored."""
    if text is None or len(text) > LONGEST_NUMBER or not NUMBER.fullmatch(text):
        raise Unreadable
    return Fraction(text)


def adjacency_of(text: str | None) -> Adjacency:
    """An adjacency as it is stored."""
    try:
        return Adjacency(text)
    except ValueError:
        raise Unreadable from None


@lru_cache(REMEMBERED)
def _loss(
    epsilon: str | None,
    delta: str | None,
    bounded_range: str | None,
    rho: str | None,
    adjacency: str | None,
    unit: str | None,
) -> PrivacyLoss:
    return PrivacyLoss(
        exact(epsilon),
        exact(delta),
        adjacency=adjacency_of(adjacency),
        unit=unit or "",
        bounded_range=None if bounded_range is None else exact(bounded_range),
        rho=None if rho is None else exact(rho),
    )


def now() -> str:
    """The time for people to read; nothing depends on it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
