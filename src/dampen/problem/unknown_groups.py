"""How many people has each group, where nobody knows which groups there are? Names and counts inside a public frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, as_unit, default_unit, record_adjacency
from dampen.problem.counts import LARGEST_COUNT
from dampen.problem.rules import require_public
from dampen.vectors import Integers

MOST_GROUPS = 2**19
"""Of one person."""


@dataclass(frozen=True, init=False)
class UnknownGroupsFrame:
    """What is known of groups before the data is seen: not which there are.

    ``most``: in so many groups a person is counted, at most. ``at_least``: groups of fewer people are never shown.
    """

    adjacency: Adjacency
    most: int
    at_least: int
    unit: str

    def __init__(self, adjacency: Adjacency, most: int = 1, at_least: int = 1, unit: str = "") -> None:
        if whole(most=most, least=1) > MOST_GROUPS:
            raise ParameterError(f"most must be at most {MOST_GROUPS} groups of one person; got {most}")
        if whole(at_least=at_least, least=1) >= LARGEST_COUNT:
            raise ParameterError(f"at_least must be below 2**62; got {at_least}")
        fields = {
            "adjacency": record_adjacency(adjacency),
            "most": int(most),
            "at_least": int(at_least),
            "unit": default_unit(adjacency) if unit == "" else as_unit(unit),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def moved(self) -> int:
        """How many counts one step moves, each by 1: a replaced person may leave all own groups for others."""
        return self.most if self.adjacency is Adjacency.ADD_REMOVE else 2 * self.most


@dataclass(frozen=True, init=False, repr=False, eq=False)
class UnknownGroupsProblem:
    """The groups of one data set and how many people each has, inside their public frame.

    A group that is not named has nobody, as one that is named with 0 people: they are the same. Printing it shows its
    frame alone.
    """

    frame: UnknownGroupsFrame
    names: tuple[str, ...]
    people: Integers
    public: bool

    def __init__(self, frame: UnknownGroupsFrame, names: Sequence[str], people: Any) -> None:
        if not isinstance(frame, UnknownGroupsFrame):
            raise ParameterError(f"frame must be an UnknownGroupsFrame; got {type(frame).__name__}")
        listed = tuple(names)
        if not all(type(name) is str for name in listed) or len({*listed}) < len(listed):
            raise DataError("names must be different texts, one for each group")
        fields = {"frame": frame, "names": listed, "people": _as_people(people, len(listed)), "public": False}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def beyond(self) -> Integers:
        """How many people each group has from ``at_least`` on, none for smaller groups: this is what noise is added to.

        One person more or less moves it by 1 at most.
        """
        return np.maximum(self.people - (self.frame.at_least - 1), 0)

    def as_public(self) -> "UnknownGroupsProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = UnknownGroupsProblem(self.frame, self.names, self.people)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"UnknownGroupsProblem({self.frame!r}{', public' if self.public else ''})"


def _as_people(people: Any, size: int) -> Integers:
    try:
        given = np.array(people)
    except (TypeError, ValueError):
        given = np.empty((0, 0))
    if given.ndim != 1 or len(given) != size:
        raise DataError("people must be one count for each name")
    if size and (given.dtype.kind not in "iu" or int(given.min()) < 0 or int(given.max()) >= LARGEST_COUNT):
        raise DataError("people must be whole numbers from 0 to below 2**62")
    kept: Integers = given.astype(np.int64)
    kept.flags.writeable = False
    return kept
