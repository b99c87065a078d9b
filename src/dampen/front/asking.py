"""What tables and their groups are asked, in public things alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.questions.record import Price

BY_PERSON = "for a table with a person"


@dataclass(frozen=True)
class Asking:
    """What is asked, at which price, in public things alone."""

    question: str
    column: str | None
    options: Mapping[str, Any]
    by: tuple[str, ...]
    price: Price
    note: str | None

    @property
    def epsilon(self) -> Fraction:
        """The price of what is never asked at a rho: answers by person, and groups that nobody listed."""
        return self.price.require_epsilon(BY_PERSON)


def as_tuple(values: Any) -> Any:
    """What may be read only once, as a tuple; what is no list is left for the question to refuse."""
    if isinstance(values, str | bytes):
        return values
    try:
        return tuple(values)
    except Exception:  # an object of the caller's own may raise anything
        return values


def given(**options: Any) -> dict[str, Any]:
    """What was said: options that nobody names are no part of a question."""
    return {name: option for name, option in options.items() if option is not None}


def as_names(public: Any) -> tuple[str, ...]:
    """Names of columns: all of those listed, or the one that stands alone. A text is never searched for a name."""
    several = (public,) if isinstance(public, str) else public
    listed = as_tuple(several) if isinstance(several, list | tuple | set | frozenset) else several
    if not isinstance(listed, tuple) or not all(isinstance(name, str) for name in listed):
        raise ParameterError(f"public must be a list of names of columns; got {render(public)}")
    return listed
