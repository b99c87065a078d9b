"""What is told of a ledger at one moment, and how many more answers it has room for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dampen.accounting.account import Account
from dampen.accounting.chain import Entry
from dampen.accounting.store import Purpose
from dampen.privacy import PrivacyLoss

LAST, KINDS = 100, 3
"""Of so many last entries so many kinds of answers are looked at."""


class Room(NamedTuple):
    """How many more answers like one of the last fit, if nothing else is asked."""

    note: str
    loss: PrivacyLoss
    more: int


@dataclass(frozen=True)
class Summary:
    """What ``dampen budget show`` draws: all from one moment."""

    accounts: tuple[Account, ...]
    """This scope first, then those below it."""
    purposes: tuple[Purpose, ...]
    """What was spent on what, the largest first."""
    unfinished: tuple[Entry, ...]
    """The first charges without an outcome: the work goes on, or its process died."""
    unfinished_count: int
    remembers: bool
    """Whether answers are kept."""
    room: tuple[Room, ...]
    """For each of the last kinds of answers, the latest first."""
    entries: int
    head: str


def room_for_more(accounts: Sequence[Account], entries: Sequence[Entry]) -> tuple[Room, ...]:
    """How many more of the last kinds of answers fit all of these accounts."""
    charges = (entry for entry in reversed(entries) if entry.kind == "charge")
    kinds = list(dict.fromkeys((entry.note, entry.loss) for entry in charges))[:KINDS]
    return tuple(Room(note, loss, min(each.room_for(loss) for each in accounts)) for note, loss in kinds)
