"""The budget that lives in memory: exact, thread-safe, one of its kind."""

import os
import threading
import uuid
import weakref
from types import TracebackType
from typing import Any, Self

from dampen._validate import Number, brief, positive, probability
from dampen.accounting.compose import converted
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss, as_adjacency

_living: "weakref.WeakValueDictionary[str, Budget]" = weakref.WeakValueDictionary()


class Reservation:
    """A charge that has been made. As a context manager it only marks where the paid work happens."""

    def __init__(self, loss: PrivacyLoss, note: str) -> None:
        self.loss = loss
        """What was charged, in the budget's own adjacency."""
        self.note = note

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is given back, whatever happened."""


class Budget:
    """How much privacy may be spent on one data set, and how much has been.

    Charges are exact fractions and add up (basic composition). One budget guards one data set under one adjacency and
    one unit; the first reservation fixes both unless they are given. A ``REPLACE`` budget also takes ``ADD_REMOVE``
    losses at their price under ``REPLACE``; every other mixture is refused.

    A budget is never copied, since two copies would each spend it: ``copy.deepcopy`` shares it, its pickle is a
    reference that only the same process can follow, and after a fork the child refuses.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> for _ in range(10):
    ...     _ = dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon=0.1, budget=budget)
    >>> budget.remaining.epsilon
    Fraction(0, 1)
    """

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number = 0,
        adjacency: Adjacency | None = None,
        unit: str | None = None,
    ) -> None:
        self._limit = Amount(positive(epsilon=epsilon), probability(delta=delta))
        self._spent = Amount(self._limit.epsilon * 0, self._limit.delta * 0)
        self._adjacency = None if adjacency is None else as_adjacency(adjacency)
        self._unit = unit
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._token = uuid.uuid4().hex
        _living[self._token] = self

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Reservation:
        """Charge ``loss`` now, or raise and change nothing."""
        if not isinstance(loss, PrivacyLoss):
            raise ParameterError(f"loss must be a PrivacyLoss; got {type(loss).__name__}")
        self._require_home()
        with self._lock:
            adjacency, unit = self._adjacency or loss.adjacency, self._unit or loss.unit
            charge = converted(loss, adjacency, unit)
            total = Amount(self._spent.epsilon + charge.epsilon, self._spent.delta + charge.delta)
            if total.epsilon > self._limit.epsilon or total.delta > self._limit.delta:
                asked = Amount(charge.epsilon, charge.delta)
                raise BudgetExceeded(f"not enough budget: asked {asked}; spent {self._spent}; limit {self._limit}")
            self._spent, self._adjacency, self._unit = total, adjacency, unit
        return Reservation(charge, note)

    @property
    def limit(self) -> Amount:
        """What may be spent in all."""
        return self._limit

    @property
    def spent(self) -> Amount:
        """What has been spent."""
        self._require_home()
        return self._spent

    @property
    def remaining(self) -> Amount:
        """What is left."""
        spent = self.spent
        return Amount(self._limit.epsilon - spent.epsilon, self._limit.delta - spent.delta)

    @property
    def adjacency(self) -> Adjacency | None:
        """Under which adjacency losses are counted; ``None`` before the first reservation fixes it."""
        return self._adjacency

    @property
    def unit(self) -> str | None:
        """What one neighbour step moves; ``None`` before the first reservation fixes it."""
        return self._unit

    def _require_home(self) -> None:
        if os.getpid() != self._process:
            raise BudgetError("this budget lives in the process that made it; a forked child cannot spend from it")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _follow, (self._token,)

    def __repr__(self) -> str:
        spent = self._spent
        delta = f", delta {brief(spent.delta)} of {brief(self._limit.delta)}" if self._limit.delta else ""
        return f"Budget(spent: epsilon {brief(spent.epsilon)} of {brief(self._limit.epsilon)}{delta})"


def _follow(token: str) -> Budget:
    """The budget that a pickle refers to, in the process that made it."""
    budget = _living.get(token)
    if budget is None or budget._process != os.getpid():
        raise BudgetError("a budget in memory cannot leave its process: a copy could be spent twice")
    return budget
