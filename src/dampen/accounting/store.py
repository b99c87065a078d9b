"""Where a ledger is kept: what it asks of a store, in its own words. How that is done is the store's business.

tests/contracts/test_stores.py holds every store to these promises.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, NamedTuple

from dampen.accounting.account import Account
from dampen.accounting.chain import Entry, Head
from dampen.accounting.composition import NOTHING, add_amounts
from dampen.accounting.memory import Answer
from dampen.privacy import Amount


class Purpose(NamedTuple):
    """What was spent under one note in one scope, in what the rule of the ledger counts."""

    scope: str
    note: str
    charges: int = 0
    amount: Amount = NOTHING

    @property
    def size(self) -> Fraction:
        """By which purposes are compared: rho where it is counted, else epsilon."""
        return self.amount.rho if self.amount.rho is not None else self.amount.epsilon or Fraction(0)

    def add(self, amount: Amount) -> "Purpose":
        """The same after one more charge of so much."""
        return Purpose(self.scope, self.note, self.charges + 1, add_amounts(self.amount, amount))


class View(ABC):
    """A ledger at one moment. A scope includes those below it; ``most`` of -1 lists all.

    Entries are the truth. Accounts, purposes and the list of unfinished charges are sums of them, kept so that nothing
    has to be added up again; ``verify`` recomputes each from the entries. Answers are held against the digests there.
    """

    damage: ClassVar[tuple[type[Exception], ...]]
    """What reading may raise where the store holds something that dampen did not write."""

    @abstractmethod
    def head(self) -> Head:
        """Where the chain ends."""

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """All entries in the order of their numbers, one by one: there may be millions."""

    @abstractmethod
    def last_entries(self, scope: str, most: int) -> list[Entry]:
        """The last entries of a scope, oldest first."""

    @abstractmethod
    def account(self, scope: str) -> Account | None:
        """What is allowed and spent in exactly this scope; ``None`` where there is none of that name."""

    @abstractmethod
    def accounts(self, scope: str) -> list[Account]:
        """A scope and those below it, parents before their children."""

    @abstractmethod
    def purpose(self, scope: str, note: str) -> Purpose | None:
        """What was spent under exactly this note in exactly this scope."""

    @abstractmethod
    def purposes(self, scope: str, most: int) -> list[Purpose]:
        """What was spent on what in a scope, the largest first."""

    @abstractmethod
    def unfinished(self, scope: str, most: int) -> list[Entry]:
        """The first charges of a scope that no outcome refers to."""

    @abstractmethod
    def count_unfinished(self, scope: str) -> int:
        """How many charges of a scope no outcome refers to."""

    @abstractmethod
    def unfinished_scopes(self) -> dict[int, str]:
        """The numbers of all charges that no outcome refers to, and the scope of each."""

    @abstractmethod
    def remembers(self) -> bool:
        """Whether there is room for answers."""

    @abstractmethod
    def answer(self, key: str) -> Answer | None:
        """What is kept for exactly this question."""

    @abstractmethod
    def answers(self) -> Iterator[Answer]:
        """All that is kept, in the order of their entries; nothing where there is no room for it."""

    def has_right_order(self) -> bool:
        """Whether what the store keeps for itself, to list purposes in order, follows from them."""
        return True


class Transaction(View):
    """A view that may also be changed: all of it, or nothing."""

    committed = False
    """Set when the change is there to stay, so that an interrupt right behind it can tell of it."""

    def append(self, entry: Entry) -> Entry:
        """Write an entry at the end of the chain; its number and hash follow from what is there."""
        placed = entry.follow(self.head())
        self.insert(placed)
        return placed

    @abstractmethod
    def insert(self, entry: Entry) -> None:
        """Write an entry as it is. No entry is ever changed or removed."""

    @abstractmethod
    def save_account(self, account: Account) -> None:
        """Write what is allowed and spent in one scope, and by which rule."""

    @abstractmethod
    def save_purpose(self, purpose: Purpose) -> None:
        """Write what was spent under one note in one scope."""

    @abstractmethod
    def open_charge(self, charge: Entry) -> None:
        """List a charge as unfinished."""

    @abstractmethod
    def close_charge(self, charge: Entry) -> bool:
        """Take a charge off that list; false where it was not on it."""

    @abstractmethod
    def make_room_for_rules(self) -> None:
        """Make room for rules, and for rho in accounts and purposes, before there is any of these."""

    @abstractmethod
    def make_room_for_slots(self) -> None:
        """Make room for which slots are used, after that for rules."""

    @abstractmethod
    def make_memory(self) -> None:
        """Make room for answers, where there is none."""

    @abstractmethod
    def save_answer(self, answer: Answer) -> None:
        """Write an answer, the first to its question, where there is room. None is ever changed or removed."""


class Store(ABC):
    """The place of one ledger, shared by threads and processes and usable on both sides of a fork.

    What it cannot do it refuses with a ``BudgetError`` in one sentence. It connects when needed.
    """

    address: str
    """What it was opened by: a pickled ledger opens the same again."""
    name: str
    """What people call it; error messages show no more of the address."""
    path: Path | None = None
    """The file that it is, if it is one."""

    @classmethod
    @abstractmethod
    def accepts(cls, address: object) -> bool:
        """Whether this kind of store is meant."""

    @abstractmethod
    def __init__(self, address: object) -> None:
        """Refuse with a ``ParameterError`` what names no place for a ledger; touch nothing."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is anything in this place, a ledger or not."""

    @abstractmethod
    def create(self, fill: Callable[[Transaction], object]) -> None:
        """Make a ledger that is seen only when it is complete; nothing happens if another was faster."""

    @abstractmethod
    def require_ledger(self) -> None:
        """Refuse what is no ledger, or one of a newer version, without touching it."""

    @abstractmethod
    def view(self) -> AbstractContextManager[View]:
        """One consistent view; it waits for no writer."""

    @abstractmethod
    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """One transaction that no other writer overlaps; on any error nothing of it is kept.

        A durable one survives the machine when the block ends without an error. Any other promises only to be whole.
        """

    @abstractmethod
    def synchronise(self) -> None:
        """Make durable whatever was written, as far as other readers and the rights of this process allow."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection; it is made again when needed."""


# The named steps of a reservation in a durable ledger: where a machine may die, and where the crash tests kill it.

STEPS = (
    "before BEGIN",
    "after the check",
    "after INSERT",
    "before COMMIT",
    "after COMMIT",
    "after the draw",
    "before the outcome",
    "inside the outcome",
    "after the outcome",
)
"""In the order in which one release passes them. docs/ledger.md says what holds after a crash at each."""

CREATION = ("before the file", "before its name", "after its name")
"""The steps of making a new ledger."""

KEEPING = ("before keeping", "inside keeping", "after keeping")
"""The steps of keeping an answer, after those of its release."""


def reach(step: str) -> None:
    """Nothing happens here; the crash tests put a kill in its place."""
