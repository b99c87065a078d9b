"""Is a ledger what it was? Every number in it, recomputed from its entries."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dampen.accounting.account import Account, branch_of
from dampen.accounting.chain import START, Entry, Head, Unreadable, parse_adjacency, parse_slots
from dampen.accounting.composition import Composition
from dampen.accounting.rules import BASIC, COMPOSITIONS, rule_of_scope
from dampen.accounting.slots import SLOTS, Kinds, SlotAmount, kinds_of
from dampen.accounting.store import Purpose, View
from dampen.errors import BudgetError, ParameterError
from dampen.privacy import Amount

Progress = Callable[[int], None]
"""Called now and then with the number of entries done."""

MOST_FAULTS = 20
"""A report lists so many faults; a ledger with more is no better understood by the rest."""


@dataclass(frozen=True)
class LedgerReport:
    """What ``verify`` found: true when the ledger is intact."""

    entries: int
    head: str
    faults: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        if not self.faults:
            return f"intact: {self.entries} entries, head {self.head}"
        return "\n".join((f"not intact: {self.entries} entries, head {self.head}", *self.faults))


@dataclass
class Books:
    """The sums that follow from the entries, and what is wrong with the entries themselves."""

    accounts: dict[str, Account] = field(default_factory=dict)
    purposes: dict[tuple[str, str], Purpose] = field(default_factory=dict)
    unfinished: dict[int, str] = field(default_factory=dict)
    remembers: bool = False
    answers: dict[int, str] = field(default_factory=dict)
    """The digest of each."""
    faults: list[str] = field(default_factory=list)
    rule: Composition = BASIC
    slots: Kinds = ()
    head: Head = START

    def enter(self, entry: Entry) -> None:
        """Follow the chain to this entry and add it up."""
        if entry.number != self.head.number + 1:
            self.faults.append(f"entries {self.head.number + 1} to {entry.number - 1} are missing")
        elif entry.digest(self.head.hash) != entry.hash:
            self.faults.append(f"entry {entry.number} was changed or moved: its hash does not follow from it")
        self.head = Head(entry.number, entry.hash)
        try:
            if not self._add(entry):
                self.faults.append(f"entry {entry.number} does not fit what precedes it")
        except (BudgetError, ParameterError, Unreadable, KeyError):
            self.faults.append(f"entry {entry.number} charges what was not allowed, or cannot be read")

    def _add(self, entry: Entry) -> bool:
        """Whether the entry fits what precedes it."""
        match entry.kind:
            case "rule":
                self.rule = COMPOSITIONS[entry.note]
                return self.rule is not BASIC and entry.scope == "" and not self.accounts
            case "slots":
                self.slots += (parse_slots(entry),)
                return self.rule is SLOTS and entry.scope == "" and not self.accounts
            case "limit":
                return self._add_limit(entry)
            case "charge":
                return self._add_charge(entry)
            case "outcome":
                return self.unfinished.pop(entry.refers or 0, None) == entry.scope
            case "remember":
                known, self.remembers = self.remembers, True
                return not known and entry.scope == "" and "" in self.accounts
            case "answer":
                self.answers[entry.number] = entry.note
                return self.remembers and entry.scope in self.accounts
        return False

    def _add_limit(self, entry: Entry) -> bool:
        adjacency = None if entry.adjacency is None else parse_adjacency(entry.adjacency)
        limit, rule = self._limit_of(entry), rule_of_scope(self.rule, entry.amount.delta) if entry.scope else self.rule
        account = self.accounts.get(entry.scope) or Account(
            limit, adjacency=adjacency, unit=entry.unit, name=entry.scope, composition=rule
        )
        fixed = self.rule is SLOTS and bool(self.accounts)
        self.accounts[entry.scope] = replace(account, limit=limit)
        return not fixed and account.composition.keeps_promise(limit) and account.composition.fits(account.spent, limit)

    def _limit_of(self, entry: Entry) -> Amount:
        """With slots, their list: each kind once, and in order."""
        if self.rule is not SLOTS:
            return entry.amount
        ordered = self.slots if self.slots == kinds_of(Counter(dict(self.slots))) else ()
        return SlotAmount(entry.amount.epsilon, entry.amount.delta, entry.amount.rho, ordered)

    def _add_charge(self, entry: Entry) -> bool:
        self.unfinished[entry.number] = entry.scope
        key = (entry.scope, entry.note)
        counted = self.rule.count(entry.loss)
        self.purposes[key] = (self.purposes.get(key) or Purpose(*key)).add(counted)
        root = self.accounts[""]
        fits = (root.adjacency or entry.loss.adjacency, root.unit or entry.unit) == (entry.loss.adjacency, entry.unit)
        for scope in branch_of(entry.scope):
            self.accounts[scope] = self.accounts[scope].charge([entry.loss])
        return fits

    def differences(self, view: View) -> list[str]:
        """Where the stored sums are not those of the entries."""
        sums = {
            "limits and spending are": lambda: {a.name: a for a in view.accounts("")} == self.accounts,
            "the sums by note are": lambda: (
                {(p.scope, p.note): p for p in view.purposes("", -1)} == self.purposes and view.has_right_order()
            ),
            "the list of unfinished charges is": lambda: view.unfinished_scopes() == self.unfinished,
            "the answers are": lambda: (
                view.remembers() == self.remembers and {a.number: a.digest for a in view.answers()} == self.answers
            ),
        }
        return [f"{name} not what the entries say" for name, same in sums.items() if not _readable(same)]


def _readable(same: Callable[[], bool]) -> bool:
    try:
        return same()
    except (Unreadable, UnicodeDecodeError):
        return False


def verify_entries(view: View, known: Head | None, progress: Progress | None) -> LedgerReport:
    """See :meth:`dampen.accounting.Ledger.verify`."""
    books = Books()
    met = known is None or known == books.head
    try:
        for entry in view.entries():
            books.enter(entry)
            met = met or known == books.head
            if progress is not None and entry.number % 10_000 == 0:
                progress(entry.number)
        books.faults += books.differences(view)
    except Unreadable:
        after = books.head.number
        books.faults.append(f"what follows entry {after} cannot be read: it was changed, or the file is damaged")
    except view.damage:
        books.faults.append("the file is damaged: it cannot be read to the end")
    if not met:
        cut = known is not None and known.number > books.head.number
        books.faults.append(
            "entries were cut off: the ledger ends before the given head"
            if cut
            else "the ledger is not the one of the given head: entries were replaced"
        )
    return LedgerReport(books.head.number, str(books.head), tuple(books.faults[:MOST_FAULTS]))
