"""The budget that lives in memory: exact, thread-safe, one of its kind."""

import threading
import uuid
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dampen._validate import Number, flag, text
from dampen.accounting.account import LONGEST_NOTE, Batch, Reservation, new_account, reserve_list
from dampen.accounting.composition import composed
from dampen.accounting.memory import Answer, as_line
from dampen.accounting.rules import AskedLimit
from dampen.entropy import this_process
from dampen.errors import BudgetError, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

if TYPE_CHECKING:
    from dampen.accounting.ledger import Ledger

_living: "weakref.WeakValueDictionary[str, Budget]" = weakref.WeakValueDictionary()


class Budget:
    """How much privacy may be spent on one data set, and how much has been.

    Charges are exact fractions. How they add up is the ``composition``: ``"pure"`` adds epsilons and takes no delta;
    ``"basic"`` adds epsilons and deltas; ``"zcdp"``, the rule of ``Budget(rho=...)``, adds concentrated losses;
    ``"approx"`` grants what fits by adding epsilons *or* by adding rhos, with half of delta set aside for the latter.
    Left out, it is ``"basic"`` without a delta and ``"approx"`` with one. docs/ledger.md says when which pays.

    With ``slots`` it is a list of losses instead, fixed now and priced as a whole, which is refused where it costs more
    than epsilon and delta: every release takes the smallest unused slot that covers it, and nothing else is granted.

    One budget guards one data set under one adjacency and one unit; the first reservation fixes both unless they are
    given. A ``REPLACE`` budget also takes ``ADD_REMOVE`` losses at their price under ``REPLACE``; every other mixture
    is refused.

    A budget is never copied, since two copies would each spend it: ``copy.deepcopy`` shares it, its pickle is a
    reference that only the same process can follow, and after a fork the child refuses. It ends with its process;
    :meth:`open` makes one that survives.

    With ``remember`` it keeps what was released: the same question asked again is answered for nothing.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> for _ in range(10):
    ...     _ = dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon=0.1, budget=budget)
    >>> budget.remaining.epsilon
    Fraction(0, 1)
    >>> small = dampen.PrivacyLoss("1/10", adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> study = dampen.Budget(slots=[small] * 50, epsilon="3.2", delta="1e-6")  # 5 by adding up
    >>> _ = dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon=0.1, budget=study)
    >>> study
    Budget(spent: 1 of 50 slots)
    """

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number = 0,
        rho: Number | None = None,
        composition: str | None = None,
        slots: Iterable[PrivacyLoss] | None = None,
        adjacency: Adjacency | None = None,
        unit: str | None = None,
        remember: bool = False,
    ) -> None:
        self._account = new_account(AskedLimit(epsilon, delta, rho, composition, slots), adjacency, unit)
        self._answers: dict[str, str] | None = {} if flag(remember=remember) else None
        self._lock = threading.Lock()
        self._process = this_process()
        self._token = uuid.uuid4().hex
        _living[self._token] = self

    @staticmethod
    def open(
        path: str | Path,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        composition: str | None = None,
        slots: Iterable[PrivacyLoss] | None = None,
        adjacency: Adjacency | None = None,
        unit: str | None = None,
        remember: bool | None = None,
    ) -> "Ledger":
        """A budget in a file, which survives crashes: made when limits are given and the file is missing, else opened.

        ``path`` may also be the address of a PostgreSQL server, ``"postgresql://user@host/database?ledger=name"``.

        To make one only ``epsilon`` or ``rho`` is needed: delta is then 0, the first reservation fixes adjacency and
        unit, and no answers are kept. Opening a missing file without limits, or an existing one with other settings, is
        an error; the composition and the ``slots`` stay what the file was made with. See docs/ledger.md.
        """
        from dampen.accounting.ledger import open_ledger

        asked = AskedLimit(epsilon, delta, rho, composition, slots)
        return open_ledger(path, asked, adjacency=adjacency, unit=unit, remember=remember)

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Reservation:
        """Charge ``loss`` now, or raise and change nothing."""
        if not isinstance(loss, PrivacyLoss):
            raise ParameterError(f"loss must be a PrivacyLoss; got {type(loss).__name__}")
        [reservation], _ = self._grant((loss,), note)
        return reservation

    def batch(self, losses: Iterable[PrivacyLoss], *, delta: Number = 0, note: str = "") -> Batch:
        """Charge a whole list now, or raise and change nothing. The batch is a budget for exactly these releases.

        With a ``delta`` it is one charge at the price that :meth:`quote` tells for it.
        """
        return reserve_list(self._account, self._grant, losses, delta, note)

    def quote(self, losses: Iterable[PrivacyLoss], *, delta: Number = 0) -> PrivacyLoss:
        """What a list would cost here; nothing is charged.

        Losses add up. For so much of ``delta`` beside their own a list that is fixed beforehand may cost less epsilon:
        the least that holds for it is told.
        """
        return self._account.quote(losses, delta)

    def recall(self, key: str) -> str | None:
        """The answer kept for a question in exactly these public words; ``None`` where there is none. It is free."""
        key = as_line(key=key)
        return None if self._answers is None else self._answers.get(key)

    def keep(self, key: str, answer: str) -> None:
        """Keep the text of what was released; the first for a question stays. Nothing happens without ``remember``."""
        kept = Answer(as_line(key=key), as_line(answer=answer))
        if self._answers is not None and kept.is_short:
            self._answers.setdefault(*kept[:2])

    @property
    def remembers(self) -> bool:
        """Whether answers are kept."""
        return self._answers is not None

    @property
    def limit(self) -> Amount:
        """What may be spent in all."""
        return self._account.limit

    @property
    def spent(self) -> Amount:
        """What has been spent."""
        self._require_home()
        return self._account.spent

    @property
    def remaining(self) -> Amount:
        """What is left."""
        self._require_home()
        return self._account.remaining

    @property
    def composition(self) -> str:
        """The name of the rule by which charges add up."""
        return self._account.composition.name

    @property
    def adjacency(self) -> Adjacency | None:
        """Under which adjacency losses are counted; ``None`` before the first reservation fixes it."""
        return self._account.adjacency

    @property
    def unit(self) -> str | None:
        """What one neighbour step moves; ``None`` before the first reservation fixes it."""
        return self._account.unit

    def _grant(self, losses: tuple[PrivacyLoss, ...], note: str) -> tuple[list[Reservation], PrivacyLoss]:
        """Charge a list or nothing; its reservations, and what it costs together."""
        note = text(note=note, longest=LONGEST_NOTE)
        self._require_home()
        with self._lock:
            charges = self._account.price(losses)
            self._account = self._account.charge(charges)
        return [Reservation(charge, note) for charge in charges], composed(charges)

    def _require_home(self) -> None:
        if this_process() != self._process:
            raise BudgetError("this budget lives in the process that made it; a forked child cannot spend from it")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _follow, (self._token,)

    def __repr__(self) -> str:
        return f"Budget(spent: {self._account})"


def _follow(token: str) -> Budget:
    """The budget that a pickle refers to, in the process that made it."""
    budget = _living.get(token)
    if budget is None or budget._process != this_process():
        raise BudgetError("a budget in memory cannot leave its process: a copy could be spent twice")
    return budget
