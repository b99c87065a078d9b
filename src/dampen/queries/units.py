"""Numbers read to a public unit: the nearest multiple each, the upper of two that are equally near."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from dampen._validate import plain
from dampen.errors import ParameterError
from dampen.queries.sums import fine_unit
from dampen.tables.grid import Grid, as_grid


@dataclass(frozen=True)
class UnitGrid:
    """Multiples of a unit, from the ``first`` to the ``last``: a value outside counts as the nearer of both.

    >>> units = unit_grid((Fraction(0), Fraction(10)), Fraction(1))
    >>> units.first, units.last, units.bounds == (0, 10)
    (0, 10, True)
    """

    unit: Fraction
    first: int
    last: int

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The lowest and the highest value."""
        return self.first * self.unit, self.last * self.unit

    @property
    def grid(self) -> Grid:
        """A grid on which the place of a value is that of its multiple, counted from the first."""
        low, high = self.bounds
        return as_grid(bounds=(low - self.unit / 2, high - self.unit / 2), step=self.unit)

    @property
    def largest(self) -> int:
        """How many units a value has at most, in size."""
        return max(abs(self.first), abs(self.last))


def unit_grid(bounds: tuple[Fraction, Fraction], unit: Fraction | None) -> UnitGrid:
    """The multiples nearest to the bounds and those between; the unit is 1, or what cuts a narrow range finely."""
    low, high = bounds
    width = fine_unit(high - low) if unit is None else unit
    first, last = (floor(end / width + Fraction(1, 2)) for end in bounds)
    if first == last:
        raise ParameterError(f"unit must not exceed the distance of the bounds; got {plain(width)}")
    return UnitGrid(width, first, last)
