"""The definitions, word for word and in fractions: slow, and with little to get wrong.

Also small random worlds: connected graphs of databases with random utilities and random admissible rungs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np

from dampen.sensitivity import SensitivityFunction
from dampen.sensitivity.base import LARGEST_DAMPENED
from dampen.vectors import Floats

Rung = Callable[[int], Fraction]
LARGEST = Fraction(LARGEST_DAMPENED)


class Listed(SensitivityFunction):
    """Rows as they are and the last one for ever: a function that knows only ``at``, with a bound or without."""

    def __init__(self, rows: Sequence[Sequence[float]], *, bound: Fraction | None, floor: Fraction) -> None:
        super().__init__(size=len(rows[0]), bound=bound, floor=floor)
        self._rows = np.array(rows, dtype=np.float64)

    def at(self, t: int) -> Floats:
        return np.asarray(self._rows[min(t, len(self._rows) - 1)])


def rung_of(function: SensitivityFunction, place: int) -> Rung:
    """The rungs of one candidate as the fractions that they are."""
    known: list[Fraction] = []

    def rung(t: int) -> Fraction:
        while len(known) <= t:
            known.append(max(Fraction(float(function.at(len(known))[place])), function.floor))
        return known[t]

    return rung


def dampened(u: Fraction, rung: Rung, *, flat_from: int | None = None) -> Fraction:
    """The k at which the integral of the rungs over [0, k] is abs(u), with the sign of u.

    Where all rungs from ``flat_from`` on are known to be equal, it takes those in one stride.
    """
    rest, t = abs(u), 0
    while rest > rung(t) and t != flat_from:
        rest -= rung(t)
        t += 1
    steps = min(t + rest / rung(t), LARGEST)
    return steps if u >= 0 else -steps


def deficits(u: Sequence[Fraction], pair: Callable[[int, int], Rung]) -> list[Fraction]:
    """For each r the largest dampened u_q - u_r over q != r; minus the largest number where there is no rival."""
    everyone = range(len(u))
    return [max((dampened(u[q] - u[r], pair(r, q)) for q in everyone if q != r), default=-LARGEST) for r in everyone]


def summed(rungs: Sequence[Rung]) -> Callable[[int, int], Rung]:
    return lambda r, q: lambda t: rungs[r](t) + rungs[q](t)


def larger(rungs: Sequence[Rung]) -> Callable[[int, int], Rung]:
    return lambda r, q: lambda t: max(rungs[r](t), rungs[q](t))


@dataclass(frozen=True)
class World:
    """``utilities[x][r]`` and ``rows[x][t][r]`` of databases x; beyond the rows every rung is the bound."""

    edges: list[tuple[int, int]]
    utilities: list[list[Fraction]]
    rows: list[list[list[Fraction]]]
    bound: Fraction
    floor: Fraction

    def rung(self, x: int, r: int) -> Rung:
        return lambda t: max(self.rows[x][t][r] if t < len(self.rows[x]) else self.bound, self.floor)

    def rungs(self, x: int) -> list[Rung]:
        return [self.rung(x, r) for r in range(len(self.utilities[x]))]


def random_world(seed: int, *, monotone: bool = False) -> World:
    """A connected graph of 2 to 6 databases and 1 to 4 candidates, by the rules of admissibility.

    s(x, 0) is the local sensitivity, now and then inflated; s(x, t+1) is the largest s(y, t) over y = x and its
    neighbours, now and then inflated. Utilities are few and repeat, so that zeros, plateaus, sign crossings and
    breakpoints are common. ``monotone``: along every edge all utilities move in one direction.
    """
    random = Random(seed)
    size, candidates, length = random.randint(2, 6), random.randint(1, 4), random.randint(1, 5)
    edges = [(random.randrange(x), x) for x in range(1, size)]
    edges += [(x, y) for x in range(size) for y in range(x + 1, size) if (x, y) not in edges and random.random() < 0.15]
    around = {x: [x, *(a + b - x for a, b in edges if x in (a, b))] for x in range(size)}
    utilities = _rising_utilities(random, size, candidates) if monotone else _any_utilities(random, size, candidates)
    inflated = random.choice([0.0, 0.3])

    def more() -> Fraction:
        return Fraction(random.randint(1, 6), 4) if random.random() < inflated else Fraction(0)

    first = [
        [max(abs(utilities[x][r] - utilities[y][r]) for y in around[x]) + more() for r in range(candidates)]
        for x in range(size)
    ]
    levels = [first]
    for _ in range(length - 1):
        last = levels[-1]
        levels.append([[max(last[y][r] for y in around[x]) + more() for r in range(candidates)] for x in range(size)])
    bound = max(max(map(max, level)) for level in levels) + random.choice([0, 0, 1])
    rows = [[level[x] for level in levels] for x in range(size)]
    return World(edges, utilities, rows, bound or Fraction(1), Fraction(1, random.choice([4, 64])))


def _any_utilities(random: Random, size: int, candidates: int) -> list[list[Fraction]]:
    choices = [Fraction(n, 4) for n in random.choice([(0, 0, 0, 1), (-8, -3, 0, 0, 2, 5, 12), range(-20, 21)])]
    return [[random.choice(choices) for _ in range(candidates)] for _ in range(size)]


def _rising_utilities(random: Random, size: int, candidates: int) -> list[list[Fraction]]:
    """Each utility is a function, not decreasing, of one number of the database: its index."""
    columns = []
    for _ in range(candidates):
        steps = [Fraction(random.choice([0, 0, 1, 2, 7]), 4) for _ in range(size)]
        start = Fraction(random.randint(-8, 8), 4)
        columns.append([start + sum(steps[: x + 1]) for x in range(size)])
    return [[column[x] for column in columns] for x in range(size)]


def is_sorted(values: Sequence[float]) -> bool:
    return all(low <= high for low, high in pairwise(values))
