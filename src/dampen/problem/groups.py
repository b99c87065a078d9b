"""Who belongs to which group? Everybody's category inside a public frame."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, default_unit
from dampen.vectors import Integers


@dataclass(frozen=True, init=False)
class GroupFrame:
    """How many people and categories there are, both public. A neighbour has one person in another category."""

    people: int
    kinds: int

    adjacency = Adjacency.REPLACE
    unit = default_unit(Adjacency.REPLACE)

    def __init__(self, people: int, kinds: int) -> None:
        object.__setattr__(self, "people", whole(people=people, least=0))
        object.__setattr__(self, "kinds", whole(kinds=kinds, least=1))


@dataclass(frozen=True, init=False, repr=False, eq=False)
class GroupProblem:
    """The place of each person's category among all categories. Printing it shows its frame alone."""

    frame: GroupFrame
    places: Integers

    def __init__(self, frame: GroupFrame, places: Any) -> None:
        if not isinstance(frame, GroupFrame):
            raise ParameterError(f"frame must be a GroupFrame; got {type(frame).__name__}")
        given = np.asarray(places, dtype=np.int64)
        if given.shape != (frame.people,) or (given.size and not 0 <= given.min() <= given.max() < frame.kinds):
            raise DataError(f"places must be one category for each person: {frame.people} are needed")
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "places", given)

    def __repr__(self) -> str:
        return f"GroupProblem({self.frame!r})"
