"""How many of each? A vector of whole counts inside a public frame."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, plain, positive, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, as_adjacency, default_unit
from dampen.problem.rules import require_public
from dampen.vectors import Integers

LARGEST_COUNT = 2**62
"""Counts are below this in size, so that a count and its noise fit 64 bits."""


@dataclass(frozen=True, init=False, repr=False)
class CountsFrame:
    """What is known of counts before the data is seen.

    ``size``: how many there are. ``l1``: how far one step moves all of them together, at most. ``largest``: how far it
    moves any one of them; ``l1`` where it is not given. A record more or less moves one count of a histogram by 1; a
    replaced record moves two of them.
    """

    size: int
    l1: Fraction
    largest: Fraction
    adjacency: Adjacency
    unit: str

    def __init__(
        self, size: int, l1: Number, adjacency: Adjacency, largest: Number | None = None, unit: str = ""
    ) -> None:
        reach = positive(l1=l1)
        each = reach if largest is None else positive(largest=largest)
        if each > reach:
            raise ParameterError(f"largest must not exceed l1, {plain(reach)}; got {plain(each)}")
        fields = {
            "size": whole(size=size, least=1),
            "l1": reach,
            "largest": each,
            "adjacency": as_adjacency(adjacency),
            "unit": unit or default_unit(adjacency),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        moves = f"l1={plain(self.l1)}, largest={plain(self.largest)}"
        return f"CountsFrame(size={self.size}, {moves}, {self.adjacency!r}, unit={self.unit!r})"


@dataclass(frozen=True, init=False, repr=False, eq=False)
class CountsProblem:
    """How many of each? The counts of one data set inside their public frame. Printing it shows its frame alone."""

    frame: CountsFrame
    counts: Integers
    public: bool

    def __init__(self, frame: CountsFrame, counts: Any) -> None:
        if not isinstance(frame, CountsFrame):
            raise ParameterError(f"frame must be a CountsFrame; got {type(frame).__name__}")
        for name, value in {"frame": frame, "counts": _as_counts(counts, frame.size), "public": False}.items():
            object.__setattr__(self, name, value)

    def as_public(self) -> "CountsProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = CountsProblem(self.frame, self.counts)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"CountsProblem({self.frame!r}{', public' if self.public else ''})"


def _as_counts(counts: Any, size: int) -> Integers:
    try:
        given = np.array(counts)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 1 or len(given) != size:
        raise DataError(f"counts must be exactly one per entry of the frame: {size} are needed")
    if given.dtype.kind not in "iu" or (given.size and max(int(given.max()), -int(given.min())) >= LARGEST_COUNT):
        raise DataError("counts must be whole numbers below 2**62 in size")
    kept: Integers = given.astype(np.int64)
    kept.flags.writeable = False
    return kept
