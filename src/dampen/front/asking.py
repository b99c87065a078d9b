"""What tables and their groups are asked, in public things alone; and what is said beside an answer."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dampen._validate import Number
from dampen.errors import CutOffWarning, ParameterError
from dampen.privacy import Release
from dampen.questions.record import RECORD

CUT_OFF = (
    "so much may lie above the cap that what was cut off may exceed the answer: "
    "ask with a larger epsilon or with a cap of your own, or of a sum with a coarser unit of its column"
)


@dataclass(frozen=True)
class Asking:
    """What is asked, at which price, in public things alone."""

    question: str
    column: str | None
    options: Mapping[str, Any]
    by: tuple[str, ...]
    epsilon: Number
    note: str | None


def warn_of_cut(found: Release, *, stacklevel: int) -> None:
    """Say, by released things alone, that what was cut off may exceed the answer. ``stacklevel``: the asker's."""
    if found.doubtful:
        warnings.warn(CutOffWarning(CUT_OFF), stacklevel=stacklevel + 1)


def missing_method(whose: object, name: str, rule: str) -> Exception:
    """What is raised for a method that there is not: ``rule``, where it is the name of a question."""
    if name in RECORD:
        return ParameterError(rule)
    return AttributeError(f"{type(whose).__name__!r} object has no attribute {name!r}")


def as_tuple(values: Any) -> Any:
    """What may be read only once, as a tuple; what is no list is left for the question to refuse."""
    if isinstance(values, str | bytes):
        return values
    try:
        return tuple(values)
    except Exception:  # an object of the caller's own may raise anything
        return values
