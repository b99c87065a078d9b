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
"""Mantissas of 53 bits are added in two halves, so that sums of products with counts fit in 64 bits."""


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

    def counted(first: int) -> Integers:
        counts = np.zeros(len(grid), dtype=np.int64)
        for block in blocks[first::threads]:
            counts += np.bincount(_locate(block, grid), minlength=len(grid))
        return counts

    if threads == 1:
        return counted(0)
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(counted, range(threads)), np.zeros(len(grid), dtype=np.int64))


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


def sum_of_wholes(values: Integers, ends: tuple[Fraction, Fraction], counts: Integers | None = None) -> Fraction:
    """Values below the first whole number inside count as lo, those above the last as hi."""
    weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
    below, above = values < ceil(ends[0]), values > floor(ends[1])
    inside = ~(below | above)
    high, low = values[inside] >> 32, values[inside] & 0xFFFFFFFF
    inner = (_dot(high, weights[inside]) << 32) + _dot(low, weights[inside])
    return inner + ends[0] * int(weights[below].sum()) + ends[1] * int(weights[above].sum())


def sum_of_reals(values: Floats, ends: tuple[Fraction, Fraction], counts: Integers | None = None) -> Fraction:
    """The same for floats: mantissas are added as whole numbers, exponent by exponent."""
    weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
    lowest, highest = inner_ends(ends)
    below, above = values < lowest, values > highest
    inside = ~(below | above)
    shares, powers = np.frexp(values[inside])
    mantissas, inner = np.ldexp(shares, 53).astype(np.int64), Fraction(0)
    for power in np.unique(powers).tolist():
        chosen, times = mantissas[powers == power], weights[inside][powers == power]
        added = (_dot(chosen >> HALF, times) << HALF) + _dot(chosen & (2**HALF - 1), times)
        inner += added * Fraction(2) ** (power - 53)
    return inner + ends[0] * int(weights[below].sum()) + ends[1] * int(weights[above].sum())


def _dot(values: Integers, weights: Integers) -> int:
    """The sum of products of numbers of at most 32 bits with counts, exactly."""
    fits = int(weights.sum()) < 2**30
    return int(np.dot(values, weights) if fits else np.dot(values.astype(object), weights.astype(object)))
