"""A store in memory: what a store needs at least, and wrong ones that the contract of stores must reject."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field

from dampen.accounting.account import Account, branch_of
from dampen.accounting.chain import START, Entry, Head
from dampen.accounting.memory import Answer
from dampen.accounting.store import Purpose, Store, Transaction, View
from dampen.errors import BudgetError


@dataclass
class Books(Transaction):
    """A ledger as plain lists."""

    written: list[Entry] = field(default_factory=list)
    by_scope: dict[str, Account] = field(default_factory=dict)
    by_note: dict[tuple[str, str], Purpose] = field(default_factory=dict)
    running: dict[int, str] = field(default_factory=dict)
    kept: dict[str, Answer] | None = None
    damage = ()

    def head(self) -> Head:
        return Head(self.written[-1].number, self.written[-1].hash) if self.written else START

    def entries(self) -> Iterator[Entry]:
        return iter(self.written)

    def last_entries(self, scope: str, most: int) -> list[Entry]:
        found = [entry for entry in self.written if scope in branch_of(entry.scope)]
        return found if most < 0 else found[len(found) - most :]

    def account(self, scope: str) -> Account | None:
        return self.by_scope.get(scope)

    def accounts(self, scope: str) -> list[Account]:
        return [self.by_scope[name] for name in sorted(self.by_scope) if scope in branch_of(name)]

    def purpose(self, scope: str, note: str) -> Purpose | None:
        return self.by_note.get((scope, note))

    def purposes(self, scope: str, most: int) -> list[Purpose]:
        found = [purpose for purpose in self.by_note.values() if scope in branch_of(purpose.scope)]
        found.sort(key=lambda purpose: purpose.size, reverse=True)
        return found if most < 0 else found[:most]

    def unfinished(self, scope: str, most: int) -> list[Entry]:
        found = [entry for entry in self.last_entries(scope, -1) if entry.number in self.running]
        return found if most < 0 else found[:most]

    def count_unfinished(self, scope: str) -> int:
        return len(self.unfinished(scope, -1))

    def unfinished_scopes(self) -> dict[int, str]:
        return self.running

    def remembers(self) -> bool:
        return self.kept is not None

    def answer(self, key: str) -> Answer | None:
        return (self.kept or {}).get(key)

    def answers(self) -> Iterator[Answer]:
        return iter((self.kept or {}).values())

    def insert(self, entry: Entry) -> None:
        self.written.append(entry)

    def save_account(self, account: Account) -> None:
        self.by_scope[account.name] = account

    def save_purpose(self, purpose: Purpose) -> None:
        self.by_note[purpose.scope, purpose.note] = purpose

    def open_charge(self, charge: Entry) -> None:
        self.running[charge.number] = charge.scope

    def close_charge(self, charge: Entry) -> bool:
        return self.running.pop(charge.number, None) is not None

    def make_room_for_rules(self) -> None:
        pass

    def make_room_for_slots(self) -> None:
        pass

    def make_memory(self) -> None:
        self.kept = {}

    def save_answer(self, answer: Answer) -> None:
        assert self.kept is not None
        self.kept[answer.key] = answer


class MistakingBooks(Books):
    """Takes one question for another that begins alike."""

    def answer(self, key: str) -> Answer | None:
        return next((answer for answer in self.answers() if answer.key[:100] == key[:100]), None)


class ToyStore(Store):
    """Ledgers in the memory of this process."""

    shelf: dict[str, Books]
    kind: type[Books] = Books
    lock = threading.RLock()

    def __init_subclass__(cls) -> None:
        cls.shelf = {}

    @classmethod
    def accepts(cls, address: object) -> bool:
        return str(address).startswith("toy:")

    def __init__(self, address: object) -> None:
        self.address = self.name = str(address)

    def exists(self) -> bool:
        return self.address in self.shelf

    def create(self, fill: Callable[[Transaction], object]) -> None:
        books = self.kind()
        fill(books)
        self.shelf.setdefault(self.address, books)

    def require_ledger(self) -> None:
        if not isinstance(self.shelf[self.address], Books):
            raise BudgetError("this is not a ledger of dampen")

    @contextmanager
    def view(self) -> Iterator[View]:
        yield deepcopy(self.shelf[self.address])

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        with self.lock:
            books = deepcopy(self.shelf[self.address])
            yield books
            self.shelf[self.address] = books

    def synchronise(self) -> None:
        pass

    def close(self) -> None:
        pass


class Toy(ToyStore):
    """The right one."""


class KeepsHalf(ToyStore):
    """Forgets to take back what an error interrupted."""

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        with self.lock:
            yield self.shelf[self.address]


class Overlapping(ToyStore):
    """Lets writers work at the same time: the last one wins."""

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        books = deepcopy(self.shelf[self.address])
        yield books
        self.shelf[self.address] = books


class Moving(ToyStore):
    """Shows readers what is written meanwhile."""

    @contextmanager
    def view(self) -> Iterator[View]:
        yield self.shelf[self.address]

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        with self.lock:
            before = deepcopy(self.shelf[self.address])
            try:
                yield self.shelf[self.address]
            except BaseException:
                self.shelf[self.address] = before
                raise


class Forgetful(ToyStore):
    """Loses what was written when it is closed."""

    def close(self) -> None:
        self.shelf[self.address] = Books()


class Replacing(ToyStore):
    """Makes a ledger where there is one already."""

    def create(self, fill: Callable[[Transaction], object]) -> None:
        self.shelf.pop(self.address, None)
        super().create(fill)


class Mistaking(ToyStore):
    """Its books take one question for another."""

    kind = MistakingBooks


class Careless(ToyStore):
    """Takes anything for a ledger."""

    def require_ledger(self) -> None:
        pass
