"""One dampened choice of an attribute by information gain, in plain Python: the stand-in for the authors' program.

Their code is not shipped here. This is the algorithm as the thesis states it: the element local sensitivity at distance
t is a maximum over all cells that t additions and removals can reach, so the set of reachable cells grows with t,
breadth first, and every cell is looked at for every t, for every class of every value of every attribute. (Its guard,
which stops too early, is left out: docs/proofs/split.md.)
"""

import math
import random
from collections.abc import Sequence

Table = Sequence[Sequence[int]]
"""Counts of an attribute: a row for each value, a column for each class."""


def choose(tables: Sequence[Table], epsilon: float) -> int:
    """The place of an attribute, by the exponential mechanism on dampened scores."""
    scores = [dampened(table) for table in tables]
    best = max(scores)
    return random.choices(range(len(scores)), [math.exp(epsilon / 2 * (score - best)) for score in scores])[0]


def dampened(table: Table) -> float:
    """How many steps it takes to move the gain to 0, with the sign of the gain."""
    gain = sum(_entropy(count) for row in table for count in row) - sum(_entropy(sum(row)) for row in table)
    reached = {(sum(row), count) for row in table for count in row}
    rest, steps = abs(gain), 0.0
    while rest > 0:
        rung = max(_change(total, count) for total, count in reached)
        if rest <= rung:
            return math.copysign(steps + rest / rung, gain)
        rest, steps = rest - rung, steps + 1
        reached = {cell for total, count in reached for cell in _next(total, count)}
    return math.copysign(steps, gain)


def _next(total: int, count: int) -> list[tuple[int, int]]:
    """One record of another class more, or one of this class less."""
    return [(total + 1, count), (total - 1, count - 1)] if count > 0 else [(total + 1, count)]


def _change(total: int, count: int) -> float:
    """By how much one record more or less moves the gain."""
    if count == 0:
        return _increment(total)
    return _increment(total - 1) - _increment(count - 1)


def _increment(number: int) -> float:
    return _entropy(number + 1) - _entropy(number) if number > 0 else 0.0


def _entropy(number: int) -> float:
    return number * math.log2(number) if number > 0 else 0.0
