"""Which rows are meant: public rules, each about one column, and each row judged by itself."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Among:
    """Rows whose value stands for one of these labels: the ``places`` that are meant among all declared ``labels``.

    A value stands for one label at most, so the parts of a table that distinct places leave never overlap.
    """

    column: str
    labels: tuple[Any, ...]
    places: frozenset[int]


@dataclass(frozen=True)
class Between:
    """Rows whose number is at least ``low`` and at most ``high``; an end that is ``None`` is open.

    ``days``: the column holds days or moments, each read as its day's number, counted from 1970-01-01.
    """

    column: str
    low: Fraction | None
    high: Fraction | None
    days: bool = False


Condition = Among | Between
