"""How much have all people together, if no one counts for more than a cap? Totals under every cap of a public list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import Any

from dampen._validate import Number, plain, positive, render, text, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, default_unit, record_adjacency
from dampen.problem.rules import require_public

LARGEST_CAP = 2**20
"""The last cap, where nobody says another."""
PERSON, NODE = "person", "node"
"""What a person is called where nobody says, and the unit of losses that hide a node of a graph with all its edges."""
SPREADS = {Adjacency.ADD_REMOVE: 3, Adjacency.REPLACE: 6}
"""Of rows that belong to two people each: how far apart the changes of two scores can lie, where somebody's rows are
removed, and where they are replaced (docs/proofs/edge_race.md)."""


@dataclass(frozen=True, init=False, repr=False)
class CapFrame:
    """What is known of totals per person before the data is seen.

    ``caps``: increasing whole numbers, or the last of 1, 2, 4, ... up to it. ``spread``: the length of an
    interval that holds 0 and the changes of all counts in one step, 1 where they are counts of the people above a cap.
    ``resolution``: what one unit of a total stands for; caps and answers are told in its multiples. ``unit``: whose
    loss it is, a person with all rows, by a public name. One step adds, removes or replaces a person.
    """

    caps: tuple[int, ...]
    adjacency: Adjacency
    spread: Fraction
    resolution: Fraction
    unit: str

    def __init__(
        self,
        adjacency: Adjacency,
        caps: Sequence[int] | int = LARGEST_CAP,
        spread: Number = 1,
        resolution: Number = 1,
        unit: str = PERSON,
    ) -> None:
        fields = {
            "caps": _doublings(caps) if isinstance(caps, Integral) else _as_caps(caps),
            "adjacency": record_adjacency(adjacency),
            "spread": positive(spread=spread),
            "resolution": positive(resolution=resolution),
            "unit": text(unit=unit, longest=100) or PERSON,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def last(self) -> int:
        """The place of the largest cap."""
        return len(self.caps) - 1

    @property
    def words(self) -> tuple[str, str]:
        """What is cut, and whose it is: a table without persons has rows, each with one value."""
        return ("values", "rows") if self.unit == default_unit(self.adjacency) else ("totals", "people")

    def __repr__(self) -> str:
        known = f"spread={plain(self.spread)}, resolution={plain(self.resolution)}, unit={self.unit!r}"
        return f"CapFrame({self.adjacency!r}, {len(self.caps)} caps up to {self.caps[-1]}, {known})"


@dataclass(frozen=True, init=False, repr=False, eq=False)
class CapProblem:
    """The totals of one data set under every cap. Printing it shows its frame alone.

    ``above``: for every cap, how many people have more, exactly; or another number whose changes lie in the interval
    of the frame. ``sums``: for every cap t, the sum of min(total, t) over all people, or another number that one step
    moves by at most t; left out where a cap alone is wanted.
    """

    frame: CapFrame
    above: tuple[Fraction, ...]
    sums: tuple[int, ...] | None
    public: bool

    def __init__(self, frame: CapFrame, above: Iterable[Any], sums: Iterable[Any] | None = None) -> None:
        if not isinstance(frame, CapFrame):
            raise ParameterError(f"frame must be a CapFrame; got {type(frame).__name__}")
        fields = {
            "frame": frame,
            "above": tuple(map(_exact, _one_per_cap("above", above, frame))),
            "sums": None if sums is None else tuple(map(_whole, _one_per_cap("sums", sums, frame))),
            "public": False,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def as_public(self) -> "CapProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = CapProblem(self.frame, self.above, self.sums)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"CapProblem({self.frame!r}{', public' if self.public else ''})"


@dataclass(frozen=True, init=False, repr=False, eq=False)
class SignedCapProblem:
    """Totals of both signs: those above 0, and the sizes of those below, in one frame."""

    frame: CapFrame
    positive: CapProblem
    negative: CapProblem
    public: bool

    def __init__(self, positive: CapProblem, negative: CapProblem) -> None:
        if not (isinstance(positive, CapProblem) and isinstance(negative, CapProblem)):
            raise ParameterError("positive and negative must be a CapProblem each")
        if positive.frame != negative.frame or None in (positive.sums, negative.sums):
            raise ParameterError("positive and negative must have the same frame, and sums")
        both = {"frame": positive.frame, "public": positive.public and negative.public}
        for name, value in {**both, "positive": positive, "negative": negative}.items():
            object.__setattr__(self, name, value)

    def as_public(self) -> "SignedCapProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        return SignedCapProblem(self.positive.as_public(), self.negative.as_public())

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"SignedCapProblem({self.frame!r}{', public' if self.public else ''})"


def _doublings(largest: Any) -> tuple[int, ...]:
    last = whole(caps=largest, least=1)
    return (*(1 << place for place in range((last - 1).bit_length())), last)


def _as_caps(caps: Any) -> tuple[int, ...]:
    try:
        given = tuple(whole(caps=cap, least=1) for cap in caps)
    except (TypeError, ParameterError):
        given = ()
    if not given or any(one >= other for one, other in pairwise(given)):
        raise ParameterError(
            f"caps must be increasing whole numbers of at least 1, or the last one; got {render(caps)}"
        )
    return given


def _one_per_cap(name: str, values: Iterable[Any], frame: CapFrame) -> list[Any]:
    listed = list(values)
    if len(listed) != len(frame.caps):
        raise DataError(f"{name} must be exactly one number per cap: {len(frame.caps)} are needed")
    return listed


def _exact(value: Any) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return Fraction(int(value))
    raise DataError("above must be whole numbers or fractions")


def _whole(value: Any) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    raise DataError("sums must be whole numbers")
