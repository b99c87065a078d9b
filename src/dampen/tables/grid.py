"""Public grids: strictly increasing numbers that an answer may take, and the place of a number among them."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from math import lcm
from numbers import Integral, Real
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, pair, positive, render, whole
from dampen.errors import ParameterError
from dampen.vectors import LARGEST_WHOLE, Floats, Integers, Vector

LARGEST_NUMERATOR, LARGEST_DENOMINATOR, LARGEST_RATIO = 2**52 - 1, 2**53 - 1, 2**49 - 1
"""How large the terms of a real grid may be, and its points in steps; :class:`EvenGrid` says why."""

LARGEST_ARRAY = 10**8
"""How many points ``np.asarray(grid)`` writes out at most."""

FORMS = "a range, or a list, tuple or array of numbers"
FARTHEST = 2.0**62
"""Beyond every point of a whole grid."""
SPARSE = 4
"""A grid with more than so many points for each value is not walked through."""
BLOCK = 2**22
"""How many values one thread counts before it adds up."""
CHUNK = 2**15
"""How many values are located at a time, so that the steps in between stay in the cache."""


class Grid(Sequence[Any]):
    """A strictly increasing public sequence of numbers, or of days (:class:`~dampen.tables.day_grid.DayGrid`).

    A grid is *whole*, all points Python integers below 2**62 in size, or *real*, all points floats. Made by
    :func:`as_grid`.
    """

    distinct = True
    """No point occurs twice, so that a frame need not look at all of them."""

    whole: bool

    def __iter__(self) -> Iterator[Any]:
        return (self._point(place) for place in range(len(self)))

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        chosen = range(len(self))[place]
        return tuple(map(self._point, chosen)) if isinstance(chosen, range) else self._point(chosen)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if len(self) > LARGEST_ARRAY:
            raise ParameterError(f"a grid of more than {LARGEST_ARRAY} points is not written out")
        return np.array(self.points(), dtype=dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        if len(self) != len(other) or self.whole != other.whole or self[0] != other[0] or self[-1] != other[-1]:
            return False
        if isinstance(self, EvenGrid) and isinstance(other, EvenGrid):
            return self.terms == other.terms
        return np.array_equal(self.points(), other.points())

    def __hash__(self) -> int:
        return hash((len(self), self[0], self[-1]))

    def __repr__(self) -> str:
        return f"Grid({len(self)} points from {self[0]} to {self[-1]})"

    @abstractmethod
    def _point(self, place: int) -> Any: ...

    @abstractmethod
    def points(self) -> Vector:
        """All points, as 64-bit integers or floats."""

    @abstractmethod
    def places(self, keys: Vector) -> Integers:
        """Where the largest point not above each key stands.

        The keys have the type of the points and lie between the first and the last.
        """


class EvenGrid(Grid):
    """The n points (A + i P) / Q: integers if Q = 1, else the floats nearest to these fractions.

    Numerators stay below M = 2**52 in size and Q below 2**53, so that one IEEE division gives the nearest float, in
    numpy and in SQL alike. Also M < 2**49 P, so that the points are distinct (their gap is P / Q, and floats of size
    M / Q are at most 2**-52 M / Q apart) and the place of a float v takes one comparison:

    Let u = 2**-53. In units of 1 / Q a point is at most u M away from its fraction. The rounding errors of the product
    v Q, its difference from A and the quotient by P are at most u M, 2 u M and 2 u M. So if v stands at place i, the
    rounded quotient is less than 6 u M / P < 1/2 outside of [i, i + 1], and the nearest whole number j is i or i + 1.
    The place is j, or j - 1 if v is below point j.
    """

    def __init__(self, start: int, step: int, divisor: int, size: int) -> None:
        self.terms = (start, step, divisor)
        self.size = size
        self.whole = divisor == 1

    def __len__(self) -> int:
        return self.size

    def _point(self, place: int) -> int | float:
        start, step, divisor = self.terms
        numerator = start + place * step
        return numerator if self.whole else numerator / divisor

    def points(self) -> Vector:
        """All points, as 64-bit integers or floats."""
        start, step, divisor = self.terms
        numerators: Integers = start + np.arange(self.size, dtype=np.int64) * step
        return numerators if self.whole else numerators / divisor

    def places(self, keys: Vector) -> Integers:
        """Where the largest point not above each key stands."""
        start, step, divisor = self.terms
        if self.whole:
            steps = keys if start == 0 else keys - start
            return (steps if step == 1 else steps // step).astype(np.int64)
        first, width, scale = float(start), float(step), float(divisor)
        near = keys * scale
        near -= first
        near /= width
        np.clip(np.rint(near, out=near), 0.0, float(self.size - 1), out=near)
        places = near.astype(np.int64)
        near *= width
        near += first
        near /= scale
        places -= keys < near
        return places


class ListedGrid(Grid):
    """Points that were listed one by one."""

    def __init__(self, points: Vector) -> None:
        self._points = points
        self._points.flags.writeable = False
        self.whole = points.dtype.kind == "i"

    def __len__(self) -> int:
        return len(self._points)

    def _point(self, place: int) -> int | float:
        point: int | float = self._points[place].item()
        return point

    def points(self) -> Vector:
        """All points, as 64-bit integers or floats."""
        return self._points

    def places(self, keys: Vector) -> Integers:
        """Where the largest point not above each key stands."""
        return np.searchsorted(self._points, keys, side="right").astype(np.int64) - 1


def as_grid(
    grid: Any = None,
    *,
    bounds: tuple[Number, Number] | None = None,
    step: Number | None = None,
    bins: int | None = None,
) -> Grid:
    """A public grid from its points, or from its bounds and a step or a number of bins.

    Parameters
    ----------
    grid
        A range, or a list, tuple or array of numbers, strictly increasing. Whole numbers stay whole; one float among
        them makes all of them floats.
    bounds
        ``(lo, hi)`` instead of ``grid``. Numbers are read as the decimals that they print as.
    step
        With bounds: the points lo, lo + step, ... up to at most hi.
    bins
        With bounds: the left edges lo + i (hi - lo) / bins of so many bins of equal width.

    Ranges and bounds are never written out, however many points they stand for.

    >>> list(as_grid(bounds=(0, 1), step=0.25))
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> list(as_grid(bounds=(0, 10), bins=5))
    [0, 2, 4, 6, 8]
    """
    if (grid is None) == (bounds is None):
        raise ParameterError("give either grid or bounds: a public grid is needed, and one alone")
    if bounds is not None:
        return _from_bounds(bounds, step, bins)
    if step is not None or bins is not None:
        raise ParameterError("step and bins go with bounds; a grid has its own steps")
    if isinstance(grid, Grid):
        return grid
    return _from_range(grid) if isinstance(grid, range) else _from_points(grid)


def _from_bounds(bounds: Any, step: Number | None, bins: int | None) -> Grid:
    low, high = pair(bounds=bounds)
    if (step is None) == (bins is None):
        raise ParameterError("bounds go with either step or bins, and one alone")
    if low > high:
        raise ParameterError(f"bounds must not be reversed: (lo, hi) with lo <= hi; got {render(bounds)}")
    if bins is None:
        width = positive(step=step)
        return _even(low, width, int((high - low) / width) + 1)
    edges = whole(bins=bins, least=1)
    if low == high and edges > 1:
        raise ParameterError(f"bounds must differ to hold {edges} bins; got {render(bounds)}")
    return _even(low, (high - low) / edges, edges)


def _even(low: Fraction, width: Fraction, size: int) -> Grid:
    width = width if size > 1 else Fraction(1)
    divisor = lcm(low.denominator, width.denominator)
    start, step = int(low * divisor), int(width * divisor)
    largest = max(abs(start), abs(start + (size - 1) * step))
    if divisor == 1 and largest > LARGEST_WHOLE:
        raise ParameterError("grid points must be below 2**62 in size")
    if divisor > 1 and (largest > min(LARGEST_NUMERATOR, LARGEST_RATIO * step) or divisor > LARGEST_DENOMINATOR):
        raise ParameterError(
            "bounds, step or bins must have fewer digits: as fractions with one denominator the grid points need more "
            "than 15 digits; round them, or give the points themselves with grid="
        )
    return EvenGrid(start, step, divisor, size)


def _from_range(grid: range) -> Grid:
    if not grid:
        raise ParameterError(f"grid must not be empty; got {render(grid)}")
    if grid.step < 0 and grid[0] != grid[-1]:
        raise ParameterError(f"grid must be strictly increasing; got {render(grid)}")
    size = (grid[-1] - grid[0]) // grid.step + 1
    return _even(Fraction(grid[0]), Fraction(abs(grid.step)), size)


def _from_points(grid: Any) -> Grid:
    if hasattr(grid, "__array__") and not isinstance(grid, np.generic):
        grid = np.asarray(grid)
        grid = grid.tolist() if grid.dtype == object else grid
    if isinstance(grid, list | tuple):
        points = _points_of(grid)
    elif isinstance(grid, np.ndarray) and grid.ndim == 1 and grid.dtype.kind in "iuf":
        points = _whole_points(grid) if grid.dtype.kind in "iu" else grid.astype(np.float64) + 0.0
    else:
        raise ParameterError(f"grid must be {FORMS}; got {type(grid).__name__}")
    if not len(points):
        raise ParameterError("grid must not be empty")
    if not np.isfinite(points).all():
        raise ParameterError("grid must hold finite numbers: no NaN, no infinity")
    gaps = np.diff(points) if points.dtype.kind == "i" else points[1:] > points[:-1]
    if (gaps <= 0).any():
        raise ParameterError("grid must be strictly increasing")
    if points.dtype.kind == "i" and (gaps == gaps[:1]).all():
        return EvenGrid(int(points[0]), int(gaps[0]) if len(gaps) else 1, 1, len(points))
    return ListedGrid(points)


def _points_of(grid: Sequence[Any]) -> Vector:
    if not all(isinstance(point, Real | Decimal) and not isinstance(point, bool) for point in grid):
        raise ParameterError(f"grid must be {FORMS}; an entry is no number")
    if all(isinstance(point, Integral) for point in grid):
        return _whole_points([int(point) for point in grid])
    try:
        floats = [float(point) for point in grid]
    except (OverflowError, ValueError):
        raise ParameterError("grid must hold finite numbers: no NaN, no infinity") from None
    if any(isinstance(point, Integral) and int(point) != near for point, near in zip(grid, floats, strict=True)):
        raise ParameterError("grid must not mix floats with whole numbers that no float equals")
    points: Floats = np.array(floats, dtype=np.float64) + 0.0
    return points


def _whole_points(points: Any) -> Integers:
    ends = (points.min(), points.max()) if isinstance(points, np.ndarray) and len(points) else points
    if len(points) and not (min(ends) >= -LARGEST_WHOLE and max(ends) <= LARGEST_WHOLE):
        raise ParameterError("grid points must be below 2**62 in size")
    return np.array(points, dtype=np.int64)


def count_places(parts: list[Vector], grid: Grid) -> tuple[Integers, Integers]:
    """Occupied places and how many of the numbers, in parts of one type each, stand there."""
    return _merge([_count(part, grid) for part in parts if len(part)])


def _keys(grid: Grid, numbers: Vector) -> Vector:
    """Numbers of the type of the grid's points, with the same points not above them; the ends are not yet enforced."""
    if grid.whole and numbers.dtype.kind == "f":
        near = np.clip(numbers, -FARTHEST, FARTHEST)
        return np.floor(near, out=near).astype(np.int64)
    if not grid.whole and numbers.dtype.kind == "i":
        return _round_down(numbers)
    return numbers


def _round_down(wholes: Vector) -> Vector:
    """The largest floats not above 64-bit whole numbers."""
    near = np.minimum(wholes.astype(np.float64), np.nextafter(2.0**63, 0))
    return np.where(near.astype(np.int64) > wholes, np.nextafter(near, -np.inf), near)


def _count(numbers: Vector, grid: Grid) -> tuple[Integers, Integers]:
    """Occupied places and their counts: numbers are located on even grids, else the points among the sorted numbers."""
    if len(grid) > SPARSE * len(numbers):
        return np.unique(locate(numbers, grid), return_counts=True)
    if isinstance(grid, EvenGrid):
        counts = _count_even(numbers, grid)
    else:
        ends = np.searchsorted(np.sort(_keys(grid, numbers)), grid.points()[1:], side="left")
        counts = np.diff(ends, prepend=0, append=len(numbers))
    places = np.flatnonzero(counts)
    return places, counts[places]


def _count_even(numbers: Vector, grid: Grid) -> Integers:
    """How many numbers stand at each place: blocks are shared out among threads, and places are never all held."""
    blocks = [numbers[start : start + BLOCK] for start in range(0, len(numbers), BLOCK)]
    threads = min(len(blocks), os.cpu_count() or 1)

    def count_share(first: int) -> Integers:
        counts = np.zeros(len(grid), dtype=np.int64)
        for block in blocks[first::threads]:
            counts += np.bincount(locate(block, grid), minlength=len(grid))
        return counts

    if threads == 1:
        return count_share(0)
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(count_share, range(threads)), np.zeros(len(grid), dtype=np.int64))


def locate(numbers: Vector, grid: Grid) -> Integers:
    """The place of each number, all of one type: of the largest point not above it, or of the first."""
    places = np.empty(len(numbers), dtype=np.int64)
    for start in range(0, len(numbers), CHUNK):
        part = slice(start, start + CHUNK)
        keys = np.clip(_keys(grid, numbers[part]), grid[0], grid[-1])
        places[part] = grid.places(cast(Vector, keys))
    return places


def _merge(groups: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """The counts of several groups of values added up."""
    if len(groups) == 1:
        return groups[0]
    nothing = np.empty(0, dtype=np.int64)
    places, counts = (np.concatenate([nothing, *(group[side] for group in groups)]) for side in (0, 1))
    return add_counts(places, counts)


def add_counts(places: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Each place once, increasing, its counts added up."""
    occupied, where = np.unique(places, return_inverse=True)
    sums = np.zeros(len(occupied), dtype=np.int64)
    np.add.at(sums, where, counts)
    return occupied, sums
