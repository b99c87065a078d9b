"""Public values, or a public shape, in place of a column whose own values are never looked at.

An error of a percentile is one of people. How many people lie between two values only data can say: public data that
are like the private ones, or a shape that somebody declares.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np

from dampen._validate import Number, only_own_errors, render, whole
from dampen.accuracy.before import NO_SIZE, SizedAccuracy
from dampen.describe.labels import as_named
from dampen.describe.shapes import Knots, as_knots
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms.selection_errors import PercentileAccuracy
from dampen.privacy import CONFIDENCE, Accuracy, GroupAccuracy, PrivateAccuracy
from dampen.tables.counts import GridCounts, count_on_grid
from dampen.tables.engines import Source
from dampen.tables.grid import Grid

PRIVATE_ROWS = "a stand-in must be public values: the rows of a table that is asked are private"


class StandIn:
    """What stands in for a column, where an error depends on how its values lie: public values, or a shape.

    ``StandIn(values)`` is a public sample; :meth:`uniform` and :meth:`percentiles` declare a shape. Whatever comes from
    data says by :meth:`as_public` that these are public. The rows of a table that is asked are never a stand-in.

    >>> StandIn([1200, 2500, 3100]).as_public()
    StandIn(a sample, public)
    >>> StandIn.percentiles({10: 1400, 50: 2600, 90: 5200}).as_public()
    StandIn(percentiles, public)
    """

    def __init__(self, values: Any) -> None:
        if hasattr(values, "budget") or hasattr(values, "_table"):  # a table, its groups, or one number for each person
            raise ParameterError(PRIVATE_ROWS)
        self.values, self._kind, self.public = values, "a sample", False
        self.knots: Knots = ()
        self._counted: tuple[Grid, GridCounts] | None = None

    @classmethod
    def uniform(cls) -> "StandIn":
        """Values that lie evenly between the bounds of their column. It comes from no data, so it is public."""
        made = cls(())
        made.values, made._kind, made.public = None, "uniform", True
        return made

    @classmethod
    def percentiles(cls, known: Mapping[Number, Number]) -> "StandIn":
        """Percentiles that are known from elsewhere, ``{50: 2600, 90: 5200}``; values lie evenly between them."""
        knots = as_knots(known)
        made = cls(())
        made.values, made.knots, made._kind = None, knots, "percentiles"
        return made

    @classmethod
    def described(cls, knots: Knots) -> "StandIn":
        """The shape that a description declares, which is public."""
        made = cls.uniform()
        made.knots, made._kind = knots, "percentiles" if knots else "uniform"
        return made

    def require_other_than(self, data: Any) -> None:
        """Refuse the data that are asked, by what they are called or by what they are; nothing of them is read."""
        own = self.values.data if isinstance(self.values, Source) else self.values
        if isinstance(own, str | Path) and isinstance(data, str | Path):
            same = Path(own).resolve() == Path(data).resolve()
        else:
            columns = data.values() if type(data) is dict else ()
            same = own is not None and any(own is each for each in (data, *columns))
        if same:
            raise ParameterError(PRIVATE_ROWS)

    def as_public(self) -> "StandIn":
        """A copy marked public: what is told of it may show its values."""
        made = StandIn(())
        made.__dict__ |= {**self.__dict__, "public": True}
        return made

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless it is marked public."""
        if not self.public:
            raise NotPublic(f"{what} shows the stand-in itself: mark public values with stand_in.as_public() first")

    def __repr__(self) -> str:
        return f"StandIn({self._kind}{', public' if self.public else ''})"

    def span(self, share: Fraction, reach: Fraction, grid: Grid) -> float:
        """How far a value lies at most from the percentile at a share, where it is off by so many of all people.

        ``reach`` is a share of all people too. Values are rounded down to the grid.
        """
        self.require_public("an error in values")
        low, high = max(share - reach, Fraction(0)), min(share + reach, Fraction(1))
        if self.values is None:
            knots = self._knots_on(grid)
            middle, below, above = (_place_on(grid, _value_at(each, knots)) for each in (share, low, high))
        else:
            counted = self.counted_on(grid)
            ends = np.cumsum(counted.counts)
            middle = _place_of(floor(share * counted.n) + 1, counted, ends)
            below = 0 if low <= 0 else _place_of(ceil(low * counted.n), counted, ends)
            last = floor(high * counted.n) + 1
            above = len(grid) - 1 if last > counted.n else _place_of(last, counted, ends)
        return float(max(grid[above] - grid[middle], grid[middle] - grid[below]))

    def _knots_on(self, grid: Grid) -> Knots:
        """The shape between the ends of a grid."""
        low, high = (Fraction(grid[place]) for place in (0, len(grid) - 1))
        inner = tuple((share, min(max(value, low), high)) for share, value in self.knots if 0 < share < 1)
        return ((Fraction(0), low), *inner, (Fraction(1), high))

    def counted_on(self, grid: Grid) -> GridCounts:
        """Its values, which must be a sample, on a grid."""
        if self._counted is None or self._counted[0] != grid:
            with only_own_errors():
                self._counted = grid, count_on_grid(self.values, grid)
        if not self._counted[1].n:
            raise ParameterError("a stand-in must have a value")
        return self._counted[1]


def _value_at(share: Fraction, knots: Knots) -> float:
    shares, values = ([float(knot[part]) for knot in knots] for part in (0, 1))
    return float(np.interp(float(share), shares, values))


def _place_on(grid: Grid, value: float) -> int:
    """The place of the largest point of a grid that is not above a value."""
    key = np.array([floor(value) if grid.whole else value])
    return int(grid.places(key)[0])


def _place_of(rank: int, counted: GridCounts, ends: Any) -> int:
    """The place of the value of a rank, counted from 1; that of the last for a larger one."""
    return int(counted.places[min(int(np.searchsorted(ends, rank)), len(ends) - 1)])


@dataclass(frozen=True, eq=False)
class ValuesAccuracy(SizedAccuracy):
    """Percentiles at ``shares``, whose error in ranks is known, in the unit of their values: as a stand-in has them."""

    known: Accuracy
    shares: tuple[Fraction, ...]
    grid: Grid
    stand_in: StandIn
    size: int | None = None

    def of_size(self, size: int) -> Accuracy:
        """For so many people at least."""
        return replace(self, size=whole(size=size, least=1))

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The largest distance that so many ranks make in the stand-in."""
        if self.size is None:
            raise ParameterError(NO_SIZE)
        ranks = self.known.ranks if isinstance(self.known, PercentileAccuracy) else self.known.bound
        points = Fraction(getattr(self.known, "points", 0)) / 100
        off = ranks(confidence)
        if not np.isfinite(off):
            return float(self.grid[-1] - self.grid[0])
        reach = Fraction(off) / self.size + points
        return max(self.stand_in.span(share, reach, self.grid) for share in self.shares)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        return f"{super().statement(confidence)}, if the values lie as in the stand-in"


def in_values(known: Accuracy, shares: tuple[Fraction, ...], grid: Grid, stand_in: StandIn) -> Accuracy:
    """An error of percentiles in the unit of their values, in every group."""
    if isinstance(known, GroupAccuracy):
        return GroupAccuracy({label: in_values(each, shares, grid, stand_in) for label, each in known.groups.items()})
    return known if isinstance(known, PrivateAccuracy) else ValuesAccuracy(known, shares, grid, stand_in)


def as_stand_ins(given: Any) -> dict[str, StandIn]:
    """A mapping from names of columns to stand-ins that are marked public."""
    named = {} if given is None else as_named(given)
    if named is None or not all(isinstance(each, StandIn) for each in named.values()):
        raise ParameterError(f"stand_ins must be names of columns and a dampen.StandIn each; got {render(given)}")
    for stand_in in named.values():
        stand_in.require_public("a plan")
    return dict(named)
