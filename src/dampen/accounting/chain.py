"""The entries of a ledger and the chain of hashes that ties each to all before it."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from dampen._validate import render
from dampen.accounting.account import Account
from dampen.accounting.memory import Answer
from dampen.accounting.slots import Kinds
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

BEGINNING = "0" * 64
"""What the first entry follows."""


class Entry(NamedTuple):
    """One line of a ledger, as it is stored: exact numbers as text. Entries are appended and never changed.

    ``kind``: ``limit`` sets the limit of a scope (the first for a scope creates it), ``charge`` is a reservation,
    ``outcome`` tells how the charge it refers to ended, in its note. ``rule`` comes first where it is not the basic
    one; its note is the name. ``slots``, right behind it, are slots of one kind; the note is how many. ``remember``
    says that answers are kept from then on, ``answer`` vouches for one of them: its note is the digest.
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
        """Epsilon and delta as exact numbers; rho where it is a limit, or all there is."""
        epsilon, delta, rho = map(parse_part, (self.epsilon, self.delta, self.rho))
        if rho is None:
            return Amount(epsilon or Fraction(0), delta or Fraction(0))
        return Amount(epsilon, delta or Fraction(0), rho if epsilon is None or self.kind == "limit" else None)

    @property
    def loss(self) -> PrivacyLoss:
        """What a charge cost."""
        return _loss(self.epsilon, self.delta, self.bounded_range, self.rho, self.adjacency, self.unit)

    def follow(self, head: "Head") -> "Entry":
        """This entry at the end of the chain: its number and hash follow from the last entry's."""
        placed = self._replace(number=head.number + 1)
        return placed._replace(hash=placed.digest(head.hash))

    def digest(self, previous: str) -> str:
        """SHA-256 of the previous hash and of all fields of this entry, as one JSON list."""
        # JSON, since it marks where each field ends: no text can move from one field to the next under the same hash.
        return sha256(json.dumps([previous, *self[:-1]]).encode()).hexdigest()


class Head(NamedTuple):
    """The last entry's number and hash: it stands for the whole ledger up to there."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


START = Head(0, BEGINNING)


def charge_entry(scope: str, charge: PrivacyLoss, note: str) -> Entry:
    """A charge, not yet in its place; it is unfinished until an outcome refers to it."""
    return Entry(
        number=0,
        at=now(),
        kind="charge",
        scope=scope,
        epsilon=write_number(charge.epsilon),
        delta=str(charge.delta),
        bounded_range=write_number(charge.bounded_range),
        rho=write_number(charge.rho),
        adjacency=charge.adjacency.value,
        unit=charge.unit,
        note=note,
    )


def limit_entry(account: Account, note: str = "") -> Entry:
    """A limit, the first of a scope or a new one."""
    return Entry(
        number=0,
        at=now(),
        kind="limit",
        scope=account.name,
        epsilon=write_number(account.limit.epsilon),
        delta=str(account.limit.delta),
        rho=write_number(account.limit.rho),
        adjacency=None if account.adjacency is None else account.adjacency.value,
        unit=account.unit,
        note=note,
    )


def rule_entry(name: str) -> Entry:
    """By which rule losses add up; before the first limit, and only where it is not the basic one."""
    return Entry(0, now(), "rule", "", note=name)


def slots_entry(slot: PrivacyLoss, count: int) -> Entry:
    """So many slots of one kind; between the rule and the limit, in the order of ``kinds_of``."""
    return charge_entry("", slot, str(count))._replace(kind="slots")


def parse_slots(entry: Entry) -> tuple[PrivacyLoss, int]:
    """The kind and the number of slots that an entry tells."""
    if not COUNT.fullmatch(entry.note):
        raise Unreadable
    return entry.loss, int(entry.note)


def first_slots(entries: Sequence[Entry], limit: Amount) -> Kinds:
    """The slots that the first entries of a ledger tell, from its rule to its limit; none where somebody changed them.

    Their hashes are recomputed, so that nothing is granted from a list that is not the one that was priced.
    """
    head = START
    for entry in entries:
        if entry.follow(head) != entry:
            return ()
        head = Head(entry.number, entry.hash)
    if [entry.kind for entry in entries] != ["rule", *["slots"] * (len(entries) - 2), "limit"]:
        return ()
    try:
        return tuple(map(parse_slots, entries[1:-1])) if entries[-1].amount == limit else ()
    except Unreadable:
        return ()


def outcome_entry(charge: Entry, outcome: str) -> Entry:
    """How a charge ended."""
    return Entry(0, now(), "outcome", charge.scope, refers=charge.number, note=outcome)


def remember_entry() -> Entry:
    """From now on answers are kept."""
    return Entry(0, now(), "remember", "")


def answer_entry(scope: str, answer: Answer) -> Entry:
    """An answer was kept; it was paid for in this scope."""
    return Entry(0, now(), "answer", scope, note=answer.digest)


def parse_head(head: object) -> Head:
    """Read a head as it is printed."""
    number, colon, digest = head.partition(":") if isinstance(head, str) else ("", "", "")
    if not (colon and number.isdecimal() and len(number) < 19 and len(digest) == 64 and set(digest) <= set(HEX)):
        raise ParameterError(f"head must be a number and 64 hexadecimal digits as show prints them; got {render(head)}")
    return Head(int(number), digest)


HEX = "0123456789abcdef"
REMEMBERED = 4096
"""Most entries of a ledger repeat a few prices; so many are kept at hand."""
COUNT = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
"""How many slots there are is written so."""
NUMBER, LONGEST_NUMBER = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?", re.ASCII), 2000
"""How a number is written; the longest that is written has some hundred digits."""


class Unreadable(Exception):
    """Something in a ledger that dampen did not write."""


@lru_cache(REMEMBERED)
def parse_number(text: str | None) -> Fraction:
    """A number as it is stored."""
    if not isinstance(text, str) or len(text) > LONGEST_NUMBER or not NUMBER.fullmatch(text):
        raise Unreadable
    return Fraction(text)


def parse_part(text: str | None) -> Fraction | None:
    """A number as it is stored, or nothing where it is not counted."""
    return None if text is None else parse_number(text)


def write_number(number: Fraction | None) -> str | None:
    """A number as it is stored."""
    return None if number is None else str(number)


def parse_adjacency(text: str | None) -> Adjacency:
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
    try:
        return PrivacyLoss(
            parse_part(epsilon),
            parse_number(delta),
            adjacency=parse_adjacency(adjacency),
            unit=unit or "",
            bounded_range=parse_part(bounded_range),
            rho=parse_part(rho),
        )
    except ParameterError:
        raise Unreadable from None


def now() -> str:
    """The time for people to read; nothing depends on it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
