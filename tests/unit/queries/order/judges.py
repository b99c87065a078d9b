"""Judges: definitions spelled out over all small data sets, with no formula in between."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor
from typing import Any

from dampen import Adjacency
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours

BOTH = (Adjacency.ADD_REMOVE, Adjacency.REPLACE)
PERCENTS = ("0", "1", "10", "25", "100/3", "49", "49.5", "50", "50.5", "51", "200/3", "75", "90", "99", "100")
Records = tuple[int, ...]


def percentile(x: Records, share: Fraction) -> int | None:
    """The 0-based element min(n - 1, floor(share n)) of the sorted records, if there are any."""
    return sorted(x)[min(len(x) - 1, floor(share * len(x)))] if x else None


@cache
def nearby(points: int, largest: int, adjacency: Adjacency) -> dict[Records, tuple[Records, ...]]:
    """All data sets that matter for distances from those of up to ``largest`` records, and their neighbours.

    Any value is the percentile after n + 1 steps, so no shortest way passes through more than 2 n + 1 records.
    """
    adds = adjacency is Adjacency.ADD_REMOVE
    around = add_remove_neighbours(range(points)) if adds else replace_neighbours(range(points))
    known = set(multisets(range(points), largest=2 * largest + 1 if adds else largest))
    return {x: tuple(y for y in around(x) if y in known) for x in known}


def distances(sources: Iterable[Any], neighbours: Callable[[Any], Iterable[Any]]) -> dict[Hashable, int]:
    """Breadth first: the number of steps from the nearest source."""
    found: dict[Any, int] = dict.fromkeys(sources, 0)
    queue = deque(found)
    while queue:
        x = queue.popleft()
        for y in neighbours(x):
            if y not in found:
                found[y] = found[x] + 1
                queue.append(y)
    return found


def distances_to_and_from(
    points: int, largest: int, value: int, share: Fraction, adjacency: Adjacency
) -> tuple[dict[Any, int], dict[Any, int]]:
    """How far each data set is from one whose percentile is ``value``, and from one whose percentile is not."""
    around = nearby(points, largest, adjacency)
    inside = {x for x in around if percentile(x, share) == value}
    return distances(inside, around.__getitem__), distances(set(around) - inside, around.__getitem__)


def label_utilities(x: Records, k: int) -> list[int]:
    """-abs(x_(k) - x_r) of each label."""
    return [-abs(sorted(x)[k - 1] - value) for value in x]


def label_sensitivities(top: int, n: int, k: int) -> list[dict[Records, list[int]]]:
    """For t = 0, ..., n + 1 and every data set: the largest one-step change of each label's utility within t steps."""
    everything = list(product(range(top + 1), repeat=n))
    utilities = {x: label_utilities(x, k) for x in everything}
    around = {
        x: [(*x[:r], value, *x[r + 1 :]) for r in range(n) for value in range(top + 1) if value != x[r]]
        for x in everything
    }
    rows = [{x: [max(abs(utilities[x][r] - utilities[y][r]) for y in around[x]) for r in range(n)] for x in everything}]
    for _ in range(n + 1):
        row = rows[-1]
        rows.append({x: [max(row[x][r], *(row[y][r] for y in around[x])) for r in range(n)] for x in everything})
    return rows
