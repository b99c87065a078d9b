"""Numbers in arrays: placed on a grid and counted, or moved into bounds and summed exactly."""

import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import ceil, floor
from typing import cast

import numpy as np

from dampen.tables.engines.digits import inner_ends
from dampen.tables.grid import EvenGrid, Grid
from dampen.vectors import Floats, Integers, Vector

FARTHEST = 2.0**62
"""Beyond every point of a whole grid."""
SPARSE = 4
"""A grid with more than so many points for each value is not walked through."""
BLOCK = 2**22
"""How many values one thread counts before it adds up."""
CHUNK = 2**15
"""How many values are located at a time, so that the steps in between stay in the cache."""
HALF = 27
"""Mantissas of 53 bits are added in two halves."""

AT_ONCE = 2**30
"""So many numbers of 32 bits have a sum that fits in 64."""


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
        return np.unique(_locate(numbers, grid), return_counts=True)
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
            counts += np.bincount(_locate(block, grid), minlength=len(grid))
        return counts

    if threads == 1:
        return count_share(0)
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(count_share, range(threads)), np.zeros(len(grid), dtype=np.int64))


def _locate(numbers: Vector, grid: Grid) -> Integers:
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


def sum_of_wholes(values: Integers, ends: tuple[Fraction, Fraction]) -> Fraction:
    """Values below the first whole number inside count as lo, those above the last as hi."""
    below, above = values < ceil(ends[0]), values > floor(ends[1])
    inner = values[~(below | above)]
    return _halves(inner, 32) + ends[0] * int(np.count_nonzero(below)) + ends[1] * int(np.count_nonzero(above))


def sum_of_reals(values: Floats, ends: tuple[Fraction, Fraction]) -> Fraction:
    """The same for floats: mantissas are added as whole numbers, exponent by exponent."""
    lowest, highest = inner_ends(ends)
    below, above = values < lowest, values > highest
    shares, powers = np.frexp(values[~(below | above)])
    mantissas, inner = np.ldexp(shares, 53).astype(np.int64), Fraction(0)
    for power in np.unique(powers).tolist():
        inner += _halves(mantissas[powers == power], HALF) * Fraction(2) ** (power - 53)
    return inner + ends[0] * int(np.count_nonzero(below)) + ends[1] * int(np.count_nonzero(above))


def _halves(values: Integers, bits: int) -> int:
    """The exact sum of whole numbers, cut at so many bits: NumPy adds in 64 bits and would wrap around in silence."""
    parts = (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))
    return sum((int((part >> bits).sum()) << bits) + int((part & ((1 << bits) - 1)).sum()) for part in parts)
