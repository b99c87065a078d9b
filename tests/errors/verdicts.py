"""What came of a question: an answer, or an error; and everything that is wrong with the way it was told."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dampen import Budget
from dampen.errors import CutOffWarning, DampenError
from tests.conftest import LONGEST_MESSAGE
from tests.errors.questions import SECRETS

ANSWERED = "answered"


@dataclass(frozen=True)
class Verdict:
    """``kind``: the name of the error's class, or ``ANSWERED``. ``faults``: what must never be, in words."""

    kind: str
    message: str = ""
    faults: tuple[str, ...] = ()


def asked(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Verdict:
    """Ask, and judge. Without a budget among the arguments a fresh one pays, and is looked at afterwards."""
    budget = Budget(epsilon=10, delta="1/10", composition="basic")
    error: BaseException | None = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("ignore", CutOffWarning)  # it knows released things alone
        try:
            function(**{"budget": budget, **arguments})
        except Exception as raised:
            error = raised
    faults = [f"warned: {warning.category.__name__}" for warning in told]
    if error is None:
        return Verdict(ANSWERED, faults=tuple(faults))
    if budget.spent.epsilon or budget.spent.delta or budget.adjacency is not None:
        faults.append("charged for an error")
    return Verdict(type(error).__name__, str(error), (*faults, *_faults(error)))


def _faults(error: BaseException) -> Iterator[str]:
    if not isinstance(error, DampenError):
        yield f"left as a {type(error).__name__}"
    if len(str(error)) >= LONGEST_MESSAGE or str(error).splitlines() != [str(error)]:
        yield "is not one short line"
    for each in _told_with(error):
        if each is not error:
            yield f"tells of a {type(each).__name__}"
        texts = (str(each), repr(each), repr(each.args))
        yield from (f"tells {secret}" for secret in SECRETS if any(secret in text for text in texts))


def _told_with(error: BaseException) -> Iterator[BaseException]:
    """The error and whatever a traceback would print before it."""
    yield error
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if behind is not None:
        yield from _told_with(behind)
