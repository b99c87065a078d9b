"""The budget in a file or on a server: it survives crashes, is shared, and remembers who spent what on what."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from dampen._validate import Number, flag, is_address, render, text, whole
from dampen.accounting import store
from dampen.accounting.account import (
    LONGEST_NOTE,
    Account,
    Batch,
    Outcome,
    Reservation,
    branch_of,
    child_of,
    new_account,
    reserve_list,
    tell_of_charge,
)
from dampen.accounting.chain import (
    Entry,
    answer_entry,
    charge_entry,
    limit_entry,
    outcome_entry,
    parse_head,
    remember_entry,
    rule_entry,
    slots_entry,
)
from dampen.accounting.composition import composed, least
from dampen.accounting.copying import copy_ledger, export_ledger
from dampen.accounting.memory import Answer, as_line
from dampen.accounting.postgres_store import PostgresStore
from dampen.accounting.rules import BASIC, CONCENTRATED, AskedLimit, promise_of
from dampen.accounting.slots import SLOTS, SlotAmount
from dampen.accounting.sqlite_store import SqliteStore
from dampen.accounting.store import Purpose, Store, Transaction, View
from dampen.accounting.summary import LAST, Summary, room_for_more
from dampen.accounting.verify import LedgerReport, Progress, verify_entries
from dampen.errors import BudgetError, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

STORES: tuple[type[Store], ...] = (PostgresStore, SqliteStore)
"""Where a ledger may be kept. The first that accepts a path keeps it; files come last, since any text may name one."""
LARGEST_COUNT = 2**62 - 1
NO_LIMIT = AskedLimit()


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
        store.reach("after the draw")
        store.reach("before the outcome")
        try:
            with self._store.transaction(durable=False) as transaction:
                if transaction.close_charge(self._entry):
                    transaction.append(outcome_entry(self._entry, outcome))
                store.reach("inside the outcome")
        except BudgetError:
            return
        store.reach("after the outcome")


class Ledger:
    """A budget in a file or on a server, or one scope of it. Made by :meth:`dampen.Budget.open`.

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
        [reservation], _ = self._grant((loss,), note)
        return reservation

    def batch(self, losses: Iterable[PrivacyLoss], *, delta: Number = 0, note: str = "") -> Batch:
        """Charge a whole list now, or raise and change nothing. The batch is a budget for exactly these releases.

        With a ``delta`` it is one charge at the price that :meth:`quote` tells for it.
        """
        return reserve_list(self._root, self._grant, losses, delta, note)

    def quote(self, losses: Iterable[PrivacyLoss], *, delta: Number = 0) -> PrivacyLoss:
        """What a list would cost here; nothing is charged. See :meth:`dampen.Budget.quote`."""
        return self._root.quote(losses, delta)

    def scope(
        self,
        kind: str,
        name: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
    ) -> "Ledger":
        """A part of this budget with a limit of its own, such as ``scope("analyst", "ann", epsilon=1)``.

        What is reserved there is charged there and in all parents, or nowhere. Made when a limit is given and there is
        none of that name, else opened; opening one with another limit is an error. Losses add up as in the whole, but
        for a part without delta of an ``"approx"`` budget, where epsilons add.
        """
        child, asked = Ledger(self._store, child_of(self._scope, kind, name)), AskedLimit(epsilon, delta, rho)
        if not asked.is_given and delta is not None:
            raise ParameterError(f"epsilon must be given where delta is; got delta {render(delta)} alone")
        rule, wanted = self._root.composition, None
        if rule is SLOTS:
            raise BudgetError("a ledger of slots has no scopes: whoever comes first takes a slot")
        if asked.is_given:
            limit, own = asked.settle_in(rule)
            wanted = Account(limit, name=child._scope, composition=own)
        with self._store.view() as view:
            known = view.account(child._scope)
        if known is None and wanted is not None:
            with self._store.transaction() as transaction:
                known = transaction.account(child._scope) or _save_limit(transaction, wanted)
        if known is None:
            given = "rho" if rule is CONCENTRATED else "epsilon"
            raise BudgetError(
                f"there is no scope {child._scope[-80:]!r} here; give {given}=... or use `dampen budget create --scope`"
            )
        _require_same(f"scope {child._scope[-80:]!r}", known.limit, None if wanted is None else wanted.limit)
        return child

    def change_limit(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        note: str = "",
    ) -> Amount:
        """Set another limit, never below what is spent. What is promised is the largest of each part ever set."""
        if epsilon is None and delta is None and rho is None:
            raise ParameterError("epsilon, delta or rho must be given to change the limit; got none of them")
        note = text(note=note, longest=LONGEST_NOTE)
        with self._store.transaction() as transaction:
            account = self._account(transaction, self._scope)
            if account.composition is SLOTS:
                raise BudgetError("the limit of a ledger of slots is fixed with its slots, when it is made")
            kept = promise_of(account.limit)
            asked = AskedLimit(
                kept.epsilon if epsilon is None else epsilon,
                kept.delta if delta is None else delta,
                kept.rho if rho is None else rho,
            )
            limit = asked.limit_under(account.composition)
            if not account.composition.fits(account.spent, limit):
                raise BudgetError(f"the limit cannot be {limit}: {account.spent} is spent already")
            _save_limit(transaction, replace(account, limit=limit), note)
        return limit

    def recall(self, key: str) -> str | None:
        """The answer kept for a question in exactly these public words, whoever asked it; ``None`` where there is none.

        It is free: what was released once may be told again, from every scope and also when nothing is left.
        """
        key = as_line(key=key)
        with self._store.view() as view:
            kept = view.answer(key)
        return None if kept is None else kept.text

    def keep(self, key: str, answer: str) -> None:
        """Keep the text of what was released; the first for a question stays. Nothing happens without ``remember``.

        Where it cannot be written nothing is kept: an answer that was paid for is not withheld because of it.
        """
        kept = Answer(as_line(key=key), as_line(answer=answer))
        store.reach("before keeping")
        try:
            if kept.is_short and self.remembers:
                self._keep(kept)
        except BudgetError:
            return
        store.reach("after keeping")

    def start_remembering(self) -> None:
        """Keep answers from now on; nothing happens where they are kept already."""
        with self._store.transaction() as transaction:
            if not transaction.remembers():
                _make_memory(transaction)

    def questions(self) -> list[str]:
        """The questions whose answers are kept, in their public words, oldest first."""
        with self._store.view() as view:
            return [answer.key for answer in view.answers()]

    def summary(self, most: int = 10) -> Summary:
        """What is spent, by whom, on what: the ``most`` largest purposes, the ``most`` first unfinished charges."""
        listed = _count(most=most)
        with self._store.view() as view:
            head = view.head()
            accounts = tuple(view.accounts(self._scope))
            purposes = tuple(view.purposes(self._scope, listed))
            unfinished = tuple(view.unfinished(self._scope, listed))
            count = view.count_unfinished(self._scope)
            remembers = view.remembers()
            last = view.last_entries(self._scope, LAST)
            room = room_for_more([self._account(view, scope) for scope in self._branch], last)
        self._store.synchronise()
        return Summary(accounts, purposes, unfinished, count, remembers, room, head.number, str(head))

    def history(self, last: int | None = None) -> list[Entry]:
        """The entries of this scope and those below it, oldest first; only the ``last`` few where asked."""
        listed = -1 if last is None else _count(last=last)
        with self._store.view() as view:
            return view.last_entries(self._scope, listed)

    def unfinished(self) -> list[Entry]:
        """Charges whose outcome is not recorded: the work goes on, or its process died. They stay spent."""
        with self._store.view() as view:
            return view.unfinished(self._scope, -1)

    def verify(self, *, head: str | None = None, progress: Progress | None = None) -> LedgerReport:
        """Recompute the whole ledger, all scopes, from its entries. The report is true when everything fits.

        ``head`` is one that ``show`` printed or ``export`` wrote earlier and that was kept elsewhere: with it the
        report also tells whether entries were cut off or replaced since. ``progress`` is called now and then with the
        number of entries done.
        """
        known = None if head is None else parse_head(head)
        with self._store.view() as view:
            return verify_entries(view, known, progress)

    def export(self, path: str | Path) -> str:
        """Write all entries as lines of JSON after a first line with the head; returns the head."""
        if not isinstance(path, str | Path) or "\0" in str(path) or is_address(str(path)):
            raise ParameterError(f"path must name a new file; got {render(path)}")
        return str(export_ledger(self._store, Path(path)))

    def close(self) -> None:
        """Close the file or the connection; it is opened again when needed."""
        self._store.close()

    def copy(self, path: str | Path, *, head: str | None = None, progress: Progress | None = None) -> "Ledger":
        """The whole ledger in a new place, such as a server: every entry, and the same head.

        Only an intact one is copied, and with ``head`` only one that still contains it. Afterwards there are two: put
        the first away, for neither knows what is spent from the other.
        """
        target = store_of(path)
        copy_ledger(self._store, target, None if head is None else parse_head(head), progress)
        return Ledger(target)

    @property
    def name(self) -> str:
        """What people call it: the name of the file, or the database and the ledger in it."""
        return self._store.name

    @property
    def path(self) -> Path:
        """The file; a ledger on a server has none, which is an error."""
        if self._store.path is None:
            raise BudgetError(f"{self.name[-60:]} is kept on a server, and has no path")
        return self._store.path

    @property
    def head(self) -> str:
        """The number and hash of the last entry, on the disk. Keep it elsewhere; ``verify(head=...)`` needs it."""
        with self._store.view() as view:
            head = view.head()
        self._store.synchronise()
        return str(head)

    @property
    def remembers(self) -> bool:
        """Whether answers are kept, in all scopes."""
        with self._store.view() as view:
            return view.remembers()

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
        with self._store.view() as view:
            accounts = [self._account(view, scope) for scope in self._branch]
        return least([account.remaining for account in accounts])

    @property
    def composition(self) -> str:
        """The name of the rule by which charges add up."""
        return self._here.composition.name

    @property
    def adjacency(self) -> Adjacency | None:
        """Under which adjacency losses are counted; ``None`` before the first reservation fixes it."""
        return self._root.adjacency

    @property
    def unit(self) -> str | None:
        """What one neighbour step moves; ``None`` before the first reservation fixes it."""
        return self._root.unit

    def _grant(self, losses: tuple[PrivacyLoss, ...], note: str) -> tuple[list[LedgerReservation], PrivacyLoss]:
        """Charge a list here and in all parents, or nowhere; its reservations, and what it costs together."""
        begun: list[Transaction] = []
        try:
            return self._charge(losses, text(note=note, longest=LONGEST_NOTE), begun)
        except BaseException as error:
            if any(transaction.committed for transaction in begun):
                tell_of_charge(error)
            raise

    def _charge(
        self, losses: tuple[PrivacyLoss, ...], note: str, begun: list[Transaction]
    ) -> tuple[list[LedgerReservation], PrivacyLoss]:
        """The same; the transaction is noted among those ``begun``, so that an interrupt behind it finds it there."""
        store.reach("before BEGIN")
        with self._store.transaction() as transaction:
            begun.append(transaction)
            accounts = [self._account(transaction, scope) for scope in self._branch]
            charges = accounts[0].price(losses)
            charged = [account.charge(charges) for account in accounts]
            store.reach("after the check")
            entries = [transaction.append(charge_entry(self._scope, charge, note)) for charge in charges]
            store.reach("after INSERT")
            for account in charged:
                transaction.save_account(account)
            for entry in entries:
                purpose = transaction.purpose(entry.scope, entry.note) or Purpose(entry.scope, entry.note)
                transaction.save_purpose(purpose.add(accounts[0].composition.count(entry.loss)))
                transaction.open_charge(entry)
            store.reach("before COMMIT")
        store.reach("after COMMIT")
        return [LedgerReservation(self._store, entry) for entry in entries], composed(charges)

    def _keep(self, answer: Answer) -> None:
        with self._store.transaction() as transaction:
            if transaction.answer(answer.key) is None:
                placed = transaction.append(answer_entry(self._scope, answer))
                transaction.save_answer(answer._replace(number=placed.number))
            store.reach("inside keeping")

    def _account(self, view: View, scope: str) -> Account:
        account = view.account(scope)
        if account is None:
            raise BudgetError(f"there is no scope {scope[-80:]!r} in {self._store.name[-60:]}")
        return account

    @property
    def _here(self) -> Account:
        with self._store.view() as view:
            return self._account(view, self._scope)

    @property
    def _root(self) -> Account:
        with self._store.view() as view:
            return self._account(view, "")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self._store.address, self._scope)

    def __repr__(self) -> str:
        place = f", scope {self._scope!r}" if self._scope else ""
        return f"Ledger({self._store.name!r}{place}, spent: {self._here})"


def store_of(path: str | Path) -> Store:
    """The place that is meant; nothing is touched."""
    return next(kind for kind in STORES if kind.accepts(path))(path)


def open_ledger(
    path: str | Path,
    asked: AskedLimit = NO_LIMIT,
    *,
    adjacency: Adjacency | None = None,
    unit: str | None = None,
    remember: bool | None = None,
) -> Ledger:
    """See :meth:`dampen.Budget.open`."""
    store = store_of(path)
    name = store.name[-60:]
    others = (asked.delta, asked.composition, asked.slots, adjacency, unit, remember)
    if not asked.is_given and any(each is not None for each in others):
        raise ParameterError("epsilon must be given, or rho, where any other setting is; got None")
    wanted = new_account(asked, adjacency, unit) if asked.is_given else None
    remembering = None if remember is None else flag(remember=remember)
    if not store.exists():
        if wanted is None:
            raise BudgetError(f"{name} does not exist; make it with epsilon=... or `dampen budget create`")
        store.create(lambda transaction: _fill(transaction, wanted, remembering))
    store.require_ledger()
    ledger = Ledger(store)
    kept = ledger._root
    if wanted is not None:
        _require_settings(name, kept, wanted, asked)
    if remembering not in (None, ledger.remembers):
        does = "keeps no answers; only `dampen budget remember` lets it" if remembering else "keeps answers"
        raise BudgetError(f"{name} {does}; asked remember={remembering}")
    return ledger


def _reopen(address: str, scope: str) -> Ledger:
    """The ledger that a pickle refers to: the same file."""
    return Ledger(open_ledger(address)._store, scope)


def _require_settings(name: str, kept: Account, wanted: Account, asked: AskedLimit) -> None:
    """Refuse to open a ledger with other settings than it has."""
    rule, named = wanted.composition, asked.composition is not None or asked.slots is not None
    if named and rule is not kept.composition:
        raise BudgetError(f"{name} has composition {kept.composition.name!r}; asked {rule.name!r}")
    _require_same(name, kept.limit, wanted.limit)
    if rule is SLOTS and wanted.limit != kept.limit:
        raise BudgetError(f"{name} has other slots; they were fixed when it was made")
    for what, known, given in (("adjacency", kept.adjacency, wanted.adjacency), ("unit", kept.unit, wanted.unit)):
        if given is not None and given != known:
            raise BudgetError(f"{name} has {what} {known!r}; asked {given!r}")


def _fill(transaction: Transaction, root: Account, remember: bool | None) -> None:
    """Write the first entries of a new ledger."""
    if root.composition is not BASIC:
        transaction.make_room_for_rules()
        transaction.append(rule_entry(root.composition.name))
    if isinstance(root.limit, SlotAmount):
        transaction.make_room_for_slots()
        for slot, count in root.limit.kinds:
            transaction.append(slots_entry(slot, count))
    _save_limit(transaction, root)
    if remember:
        _make_memory(transaction)


def _make_memory(transaction: Transaction) -> None:
    transaction.append(remember_entry())
    transaction.make_memory()


def _save_limit(transaction: Transaction, account: Account, note: str = "") -> Account:
    transaction.append(limit_entry(account, note))
    transaction.save_account(account)
    return account


def _require_same(place: str, kept: Amount, asked: Amount | None) -> None:
    if asked is not None and promise_of(asked) != promise_of(kept):
        told = f"has the limit {promise_of(kept)}; asked {promise_of(asked)}"
        raise BudgetError(f"{place} {told}; only `dampen budget limit` changes limits")


def _count(**named: object) -> int:
    number = whole(least=0, **named)
    if number > LARGEST_COUNT:
        [(name, value)] = named.items()
        raise ParameterError(f"{name} must be below 2**62; got {render(value)}")
    return number
