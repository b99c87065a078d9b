"""The budget in a file: it survives crashes, is shared by processes, and remembers who spent what on what."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Self

from dampen._validate import Number, positive, probability, render, text, whole
from dampen.accounting import steps, tables
from dampen.accounting.account import Account, as_losses
from dampen.accounting.chain import Entry, parse_head
from dampen.accounting.compose import composed
from dampen.accounting.reservation import LONGEST_NOTE, Batch, Outcome, Reservation
from dampen.accounting.scopes import branch_of, child_of
from dampen.accounting.store import Store, create, require_ledger
from dampen.accounting.verify import LedgerReport, Progress, verified
from dampen.errors import BudgetError, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss, as_adjacency, as_unit

LARGEST_COUNT = 2**62 - 1
LONGEST_PATH, LONGEST_NAME = 4000, 200
"""In characters; SQLite keeps a second file beside a ledger, whose name is longer."""


class LedgerReservation(Reservation):
    """A charge that is on the disk. Until its outcome is recorded it is listed as unfinished."""

    def __init__(self, store: Store, entry: Entry) -> None:
        super().__init__(entry.loss, entry.note)
        self._store, self._entry = store, entry

    @property
    def number(self) -> int:
        """The number of the charge in the ledger."""
        return self._entry.number

    def settle(self, outcome: Outcome) -> None:
        """Record how the paid work ended, once.

        Where that cannot be written the charge stays listed as unfinished: an answer that was paid for is not withheld
        because of it.
        """
        steps.reached("after the draw")
        steps.reached("before the outcome")
        try:
            with self._store.writing(synchronous=False) as db:
                tables.append_outcome(db, self._entry, outcome)
                steps.reached("inside the outcome")
        except BudgetError:
            return
        steps.reached("after the outcome")


@dataclass(frozen=True)
class Summary:
    """What ``dampen budget show`` draws: all from one moment."""

    accounts: tuple[Account, ...]
    """This scope first, then those below it."""
    purposes: tuple[tables.Purpose, ...]
    """What was spent on what, the largest first."""
    unfinished: tuple[Entry, ...]
    """The first charges without an outcome: the work goes on, or its process died."""
    unfinished_count: int
    entries: int
    head: str


class Ledger:
    """A budget in a SQLite file, or one scope of it. Made by :meth:`dampen.Budget.open`.

    It does what :class:`dampen.Budget` does, and a charge is on the disk before anything is drawn. The file may be used
    by many threads and processes at once; a pickle of a ledger opens the same file again, a forked child reconnects.
    docs/ledger.md says what is promised when the machine dies at each point.

    >>> import dampen, tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = dampen.Budget.open(pathlib.Path(folder.name) / "study.db", epsilon=1)
    >>> ann = ledger.scope("analyst", "ann", epsilon="1/2")
    >>> _ = dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon="1/4", budget=ann)
    >>> ann.remaining.epsilon, ledger.remaining.epsilon, bool(ledger.verify())
    (Fraction(1, 4), Fraction(3, 4), True)
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(self, store: Store, scope: str = "") -> None:
        self._store, self._scope = store, scope
        self._branch = branch_of(scope)

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> LedgerReservation:
        """Charge ``loss`` here and in all parents, on the disk, or raise and change nothing."""
        if not isinstance(loss, PrivacyLoss):
            raise ParameterError(f"loss must be a PrivacyLoss; got {type(loss).__name__}")
        return self._grant((loss,), note)[0]

    def batch(self, losses: Iterable[PrivacyLoss], *, note: str = "") -> Batch:
        """Charge a whole list now, or raise and change nothing. The batch is a budget for exactly these releases."""
        return Batch(self._grant(as_losses(losses), note))

    def quote(self, losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
        """What a list would cost here; nothing is charged."""
        return composed(self._root.priced(as_losses(losses)))

    def scope(self, kind: str, name: str, *, epsilon: Number | None = None, delta: Number | None = None) -> "Ledger":
        """A part of this budget with a limit of its own, such as ``scope("analyst", "ann", epsilon=1)``.

        What is reserved there is charged there and in all parents, or nowhere. Made when a limit is given and there is
        none of that name, else opened; opening one with another limit is an error.
        """
        child = Ledger(self._store, child_of(self._scope, kind, name))
        asked = None if epsilon is None else _limit(epsilon, delta)
        if asked is None and delta is not None:
            raise ParameterError(f"epsilon must be given where delta is; got delta {render(delta)} alone")
        with self._store.reading() as db:
            known = tables.load_account(db, child._scope)
        if known is None and asked is not None:
            with self._store.writing() as db:
                known = tables.load_account(db, child._scope) or _new_account(db, Account(asked, name=child._scope))
        if known is None:
            raise BudgetError(
                f"there is no scope {child._scope[-80:]!r} here; give epsilon=... or use `dampen budget create --scope`"
            )
        _require_same(f"scope {child._scope[-80:]!r}", known.limit, asked)
        return child

    def change_limit(self, *, epsilon: Number | None = None, delta: Number | None = None, note: str = "") -> Amount:
        """Set another limit, never below what is spent; from then on the new limit is what is promised."""
        if epsilon is None and delta is None:
            raise ParameterError("epsilon or delta must be given to change the limit; got neither")
        note = text(note=note, longest=LONGEST_NOTE)
        with self._store.writing() as db:
            account = self._account(db, self._scope)
            limit = Amount(
                account.limit.epsilon if epsilon is None else positive(epsilon=epsilon),
                account.limit.delta if delta is None else probability(delta=delta),
            )
            if limit.epsilon < account.spent.epsilon or limit.delta < account.spent.delta:
                raise BudgetError(f"the limit cannot be {limit}: {account.spent} is spent already")
            account = replace(account, limit=limit)
            tables.append_limit(db, account, note)
            tables.save_account(db, account)
        return limit

    def summary(self, most: int = 10) -> Summary:
        """What is spent, by whom, on what: the ``most`` largest purposes, the ``most`` first unfinished charges."""
        listed = _count(most=most)
        with self._store.reading() as db:
            head = tables.head_of(db)
            accounts = tuple(tables.load_accounts(db, self._scope))
            purposes = tuple(tables.read_purposes(db, self._scope, listed))
            unfinished = tuple(tables.read_unfinished(db, self._scope, listed))
            count = tables.count_unfinished(db, self._scope)
        self._store.synchronise()
        return Summary(accounts, purposes, unfinished, count, head.number, str(head))

    def history(self, last: int | None = None) -> list[Entry]:
        """The entries of this scope and those below it, oldest first; only the ``last`` few where asked."""
        listed = -1 if last is None else _count(last=last)
        with self._store.reading() as db:
            return tables.read_last(db, self._scope, listed)

    def unfinished(self) -> list[Entry]:
        """Charges whose outcome is not recorded: the work goes on, or its process died. They stay spent."""
        with self._store.reading() as db:
            return tables.read_unfinished(db, self._scope)

    def verify(self, *, head: str | None = None, progress: Progress | None = None) -> LedgerReport:
        """Recompute the whole ledger, all scopes, from its entries. The report is true when everything fits.

        ``head`` is one that ``show`` printed or ``export`` wrote earlier and that was kept elsewhere: with it the
        report also tells whether entries were cut off or replaced since. ``progress`` is called now and then with the
        number of entries done.
        """
        known = None if head is None else parse_head(head)
        with self._store.reading() as db:
            return verified(db, known, progress)

    def export(self, path: str | Path) -> str:
        """Write all entries as lines of JSON after a first line with the head; returns the head."""
        if not isinstance(path, str | Path) or "\0" in str(path):
            raise ParameterError(f"path must name a new file; got {render(path)}")
        file = Path(path)
        try:
            with file.open("x", encoding="utf-8") as out, self._store.reading() as db:
                head = tables.head_of(db)
                first = {"ledger": self.path.name, "entries": head.number, "head": str(head)}
                out.write(json.dumps(first) + "\n")
                out.writelines(json.dumps(entry._asdict()) + "\n" for entry in tables.read_entries(db))
                out.flush()
                os.fsync(out.fileno())
        except OSError:
            raise BudgetError(f"{file.name[-60:]} could not be written; it must be a new file in a folder") from None
        self._store.synchronise()
        return str(head)

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        self._store.close()

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def head(self) -> str:
        """The number and hash of the last entry, on the disk. Keep it elsewhere; ``verify(head=...)`` needs it."""
        with self._store.reading() as db:
            head = tables.head_of(db)
        self._store.synchronise()
        return str(head)

    @property
    def limit(self) -> Amount:
        """What may be spent here in all; parents may allow less."""
        return self._here.limit

    @property
    def spent(self) -> Amount:
        """What has been spent here."""
        return self._here.spent

    @property
    def remaining(self) -> Amount:
        """What is left: here, and in every parent."""
        with self._store.reading() as db:
            left = [self._account(db, scope).remaining for scope in self._branch]
        return Amount(min(amount.epsilon for amount in left), min(amount.delta for amount in left))

    @property
    def adjacency(self) -> Adjacency | None:
        """Under which adjacency losses are counted; ``None`` before the first reservation fixes it."""
        return self._root.adjacency

    @property
    def unit(self) -> str | None:
        """What one neighbour step moves; ``None`` before the first reservation fixes it."""
        return self._root.unit

    def _grant(self, losses: tuple[PrivacyLoss, ...], note: str) -> list[LedgerReservation]:
        note = text(note=note, longest=LONGEST_NOTE)
        steps.reached("before BEGIN")
        with self._store.writing() as db:
            accounts = [self._account(db, scope) for scope in self._branch]
            charges = accounts[0].priced(losses)
            charged = [account.charged(charges) for account in accounts]
            steps.reached("after the check")
            entries = [tables.append_charge(db, self._scope, charge, note) for charge in charges]
            steps.reached("after INSERT")
            for account in charged:
                tables.save_account(db, account)
            for entry in entries:
                tables.save_purpose(db, entry)
            steps.reached("before COMMIT")
        steps.reached("after COMMIT")
        return [LedgerReservation(self._store, entry) for entry in entries]

    def _account(self, db: Connection, scope: str) -> Account:
        account = tables.load_account(db, scope)
        if account is None:
            raise BudgetError(f"there is no scope {scope[-80:]!r} in {self.path.name[-60:]}")
        return account

    @property
    def _here(self) -> Account:
        with self._store.reading() as db:
            return self._account(db, self._scope)

    @property
    def _root(self) -> Account:
        with self._store.reading() as db:
            return self._account(db, "")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (str(self.path), self._scope)

    def __repr__(self) -> str:
        place = f", scope {self._scope!r}" if self._scope else ""
        return f"Ledger({self.path.name!r}{place}, spent: {self._here})"


def open_ledger(
    path: str | Path,
    *,
    epsilon: Number | None,
    delta: Number | None,
    adjacency: Adjacency | None,
    unit: str | None,
) -> Ledger:
    """See :meth:`dampen.Budget.open`."""
    file = _file(path)
    if epsilon is None and not (delta is None and adjacency is None and unit is None):
        raise ParameterError("epsilon must be given where delta, adjacency or unit is; got None")
    asked = None if epsilon is None else _limit(epsilon, delta)
    fixed = None if adjacency is None else as_adjacency(adjacency)
    measured = None if unit is None else as_unit(unit)
    if not file.exists() and asked is None:
        raise BudgetError(f"{file.name[-60:]} does not exist; make it with epsilon=... or `dampen budget create`")
    if not file.exists() and asked is not None:
        _create(file, Account(asked, adjacency=fixed, unit=measured))
    require_ledger(file)
    ledger = Ledger(Store(file))
    root = ledger._root
    _require_same(file.name[-60:], root.limit, asked)
    for name, kept, wanted in (("adjacency", root.adjacency, fixed), ("unit", root.unit, measured)):
        if wanted is not None and wanted != kept:
            raise BudgetError(f"{file.name[-60:]} has {name} {kept!r}; asked {wanted!r}")
    return ledger


def _reopened(path: str, scope: str) -> Ledger:
    """The ledger that a pickle refers to: the same file."""
    root = open_ledger(path, epsilon=None, delta=None, adjacency=None, unit=None)
    return Ledger(root._store, scope)


def _create(file: Path, root: Account) -> None:
    def fill(db: Connection) -> None:
        for statement in tables.SCHEMA:
            db.execute(statement)
        _new_account(db, root)

    create(file, fill)


def _new_account(db: Connection, account: Account) -> Account:
    tables.append_limit(db, account)
    tables.save_account(db, account)
    return account


def _require_same(place: str, kept: Amount, asked: Amount | None) -> None:
    if asked is not None and asked != kept:
        raise BudgetError(f"{place} has the limit {kept}; asked {asked}; only `dampen budget limit` changes limits")


def _limit(epsilon: Number, delta: Number | None) -> Amount:
    return Amount(positive(epsilon=epsilon), probability(delta=0 if delta is None else delta))


def _count(**named: object) -> int:
    number = whole(least=0, **named)
    if number > LARGEST_COUNT:
        [(name, value)] = named.items()
        raise ParameterError(f"{name} must be below 2**62; got {render(value)}")
    return number


def _file(path: object) -> Path:
    if not isinstance(path, str | Path) or not Path(path).name:
        raise ParameterError(f"path must name the file of a ledger; got {render(path)}")
    text(path=str(path), longest=LONGEST_PATH)
    text(path=Path(path).name, longest=LONGEST_NAME)
    file = Path(path).absolute()
    try:
        fits = file.parent.is_dir() and (file.is_file() or not file.exists())
    except OSError:
        fits = False
    if not fits:
        raise ParameterError(f"path must name a file in a folder that exists and is open; got {render(file.name)}")
    return file
