"""What tables and their groups are asked, in public things alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dampen._validate import Number


@dataclass(frozen=True)
class Asking:
    """What is asked, at which price, in public things alone."""

    question: str
    column: str | None
    options: Mapping[str, Any]
    by: tuple[str, ...]
    epsilon: Number
    note: str | None


def as_tuple(values: Any) -> Any:
    """What may be read only once, as a tuple; what is no list is left for the question to refuse."""
    if isinstance(values, str | bytes):
        return values
    try:
        return tuple(values)
    except Exception:  # an object of the caller's own may raise anything
        return values
