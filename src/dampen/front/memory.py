"""Answers that a ledger keeps: the same question, in the same public words, is answered again for nothing.

The key is what was asked, never anything about the data: whether an answer is found must not tell that they changed.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

from dampen._validate import Number, exact, plain
from dampen.errors import ParameterError
from dampen.privacy import (
    CONFIDENCE,
    Accuracy,
    Adjacency,
    BudgetLike,
    GroupAccuracy,
    PrivacyLoss,
    PrivateAccuracy,
    Receipt,
    Release,
    release_of,
)

FREE = "remembered, nothing was spent"
NUMBERS = frozenset(
    ("p", "ps", "k", "fragment", "cap", "bounds", "step", "epsilon", "delta", "ends", "bars", "shift", "max_degree")
)
"""Options that are numbers, however they are written."""


def options_exactly(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Options of a question, ready for JSON, such that only equal ones look alike; ``None`` where one has no words."""
    try:
        return {name: _exactly(value, number=name in NUMBERS) for name, value in options.items()}
    except (TypeError, ParameterError):  # what is wrong with it the question says
        return None


def remembered(budget: BudgetLike, key: str | None, ask: Callable[[], Release]) -> Release:
    """The answer that the budget remembers under this key, else a new one, which it may keep.

    An answer that cannot be written down, because a label is neither a text, a number, a truth value nor a day, is not
    kept. Without a key nothing is remembered.
    """
    if not key:
        return ask()
    recall, keep = getattr(budget, "recall", None), getattr(budget, "keep", None)
    if recall is None or keep is None:
        return ask()
    if (found := recall(key)) is not None:
        return read_release(found)
    answer = ask()
    if (text := write_release(answer)) is not None:
        keep(key, text)
    return answer


@dataclass(frozen=True)
class KeptAccuracy(Accuracy):
    """The error at 95 %, as it was written down."""

    size: float
    of: str
    words: str

    @property
    def unit(self) -> str:
        """What the error counts."""
        return self.of

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The error that was kept; of no other confidence."""
        if exact(confidence=confidence) != CONFIDENCE:
            raise ParameterError("confidence must be 0.95: a remembered answer knows no other error")
        return self.size

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """What was said of it."""
        self.bound(confidence)
        return self.words


def write_release(answer: Release) -> str | None:
    """A release as one line of JSON; nothing where its value cannot be read back."""
    try:
        told = {
            "value": _encode(answer.value), "accuracy": _encode_accuracy(answer.accuracy),
            "loss": _encode_loss(answer.loss), "mechanism": answer.mechanism, "note": answer.note,
        }  # fmt: skip
        if answer.cap is not None:
            told |= {"cap": _encode(answer.cap), "at_stake": answer.at_stake}
        if answer.receipt is not None:
            told["receipt"] = asdict(answer.receipt)
        return json.dumps(told)
    except TypeError:
        return None


def read_release(text: str) -> Release:
    """The release that was written; what it cost then is told, who paid for it, and that it cost nothing now."""
    told = json.loads(text)
    loss = PrivacyLoss(**{"epsilon": None, **told["loss"], "adjacency": Adjacency(told["loss"]["adjacency"])})
    known = _decode_accuracy(told["accuracy"])
    parts = _decode(told["value"]), loss, told["mechanism"], told["note"], known
    found = release_of(*parts, _decode(told.get("cap")), told.get("at_stake", 0.0))
    receipt = Receipt(**told["receipt"]) if "receipt" in told else None
    return replace(found, note=f"{found.note} ({FREE})", receipt=receipt)


def _encode_loss(loss: PrivacyLoss) -> dict[str, str]:
    """Every part of a loss that is told, exactly."""
    parts = {name: getattr(loss, name) for name in ("epsilon", "delta", "bounded_range", "rho")}
    told = {name: str(part) for name, part in parts.items() if part is not None}
    return {**told, "adjacency": loss.adjacency.value, "unit": loss.unit}


def _encode(value: Any) -> Any:
    """Plain values as they are; days, tuples and mappings with a word for what they are."""
    if isinstance(value, bool | int | float | str) or value is None:
        if type(value) in (bool, int, float, str, type(None)):
            return value
    elif type(value) is date:
        return {"day": value.isoformat()}
    elif type(value) is tuple:
        return {"tuple": [_encode(each) for each in value]}
    elif type(value) is dict:
        return {"groups": [[_encode(label), _encode(each)] for label, each in value.items()]}
    raise TypeError


def _decode(told: Any) -> Any:
    if not isinstance(told, dict):
        return told
    [(kind, inner)] = told.items()
    if kind == "day":
        return date.fromisoformat(inner)
    if kind == "tuple":
        return tuple(map(_decode, inner))
    return {_decode(label): _decode(each) for label, each in inner}


def _encode_accuracy(known: Accuracy | None) -> Any:
    if known is None:
        return None
    if isinstance(known, GroupAccuracy):
        return {"groups": [[_encode(label), _encode_accuracy(each)] for label, each in known.groups.items()]}
    if isinstance(known, PrivateAccuracy):
        return {"private": known.reason}
    return {"kept": [known.bound(), known.unit, known.statement()]}


def _decode_accuracy(told: Any) -> Accuracy | None:
    if told is None:
        return None
    [(kind, inner)] = told.items()
    if kind == "groups":
        each = {_decode(label): _decode_accuracy(one) for label, one in inner}
        return GroupAccuracy({label: one for label, one in each.items() if one is not None})
    return PrivateAccuracy(inner) if kind == "private" else KeptAccuracy(*inner)


def _exactly(value: Any, *, number: bool = False) -> Any:
    """An option such that only equal ones look alike; a ``number`` may be written as a text."""
    if number and isinstance(value, str):
        return {"number": plain(exact(option=value))}
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, tuple):
        return [_exactly(each, number=number) for each in value]
    if isinstance(value, Real | Decimal):
        return {"number": plain(exact(option=value))}
    if isinstance(value, type):
        return {"class": f"{value.__module__}.{value.__qualname__}"}
    if type(value).__module__.startswith("dampen."):
        return {"object": repr(value)}
    raise TypeError
