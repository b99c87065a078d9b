"""Several percentiles at one price: an even split of epsilon against recursive halving, by their mean absolute errors.

Public data; the percentiles are q equally spaced ones. Halving is measured by real releases of
:func:`dampen.percentiles`, the even split by draws from its exact laws.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

import dampen
from dampen import Adjacency
from dampen.datasets import load_sf_salaries
from dampen.mechanisms import PermuteAndFlip
from dampen.queries import percentile_value_problem
from dampen.tables.counts import GridCounts, count_on_grid
from dampen.tables.grid import as_grid
from dampen.vectors import Floats

COUNTS = (2, 3, 4, 5, 7, 9, 19, 99)
N = 10_000


@dataclass(frozen=True)
class Duel:
    """Mean absolute errors of both strategies, with their standard errors."""

    data: str
    count: int
    epsilon: float
    step: float
    even: float
    even_spread: float
    halving: float
    halving_spread: float

    @property
    def excess(self) -> float:
        """By how many steps of the grid halving errs more."""
        return (self.halving - self.even) / self.step

    @property
    def ratio(self) -> float:
        """Below 1 halving errs less; an even split that never erred is not divided by."""
        return self.halving / self.even if self.even else inf if self.halving else 1.0


def data_sets() -> Mapping[str, GridCounts]:
    """Salaries, a rounded normal over 201 values, and data of which half are one value."""
    rng = np.random.default_rng(0)
    half = np.where(np.arange(N) % 2, 100, rng.integers(0, 1001, size=N))
    return {
        "salaries": count_on_grid(load_sf_salaries()["TotalPay"], as_grid(range(0, 600_001, 5))),
        "normal": count_on_grid(np.clip(np.rint(rng.normal(100, 20, size=N)), 0, 200), as_grid(range(201))),
        "half tied": count_on_grid(half, as_grid(range(1001))),
    }


def duels(counts: Iterable[int], *, runs: int, epsilon: float) -> list[Duel]:
    """Every data set and number of percentiles."""
    found = []
    for name, counted in data_sets().items():
        for q in counts:
            truth, few = _percentiles(counted, q), max(20, runs // (1 + q // 20))
            even = _mean(_evenly(counted, q, 4 * runs, epsilon) - truth)
            halving = _mean(_by_halving(counted, q, few, epsilon) - truth)
            found.append(Duel(name, q, epsilon, float(counted.grid[1] - counted.grid[0]), *even, *halving))
    return found


def _shares(q: int) -> list[Fraction]:
    return [Fraction(i, q + 1) for i in range(1, q + 1)]


def _percentiles(counted: GridCounts, q: int) -> Floats:
    """The right answers."""
    ranks = [int(share * counted.n) for share in _shares(q)]
    places = counted.places[np.searchsorted(np.cumsum(counted.counts), ranks, side="right")]
    return np.asarray([counted.grid[int(place)] for place in places], dtype=np.float64)


def _mean(gaps: Floats) -> tuple[float, float]:
    """The mean absolute error over runs and percentiles, and the standard error of it over runs."""
    errors = np.abs(gaps).mean(axis=1)
    return float(errors.mean()), float(errors.std(ddof=1) / np.sqrt(len(errors)))


def _evenly(counted: GridCounts, q: int, runs: int, epsilon: float) -> Floats:
    """One row of sorted answers per run, drawn from the exact laws of the even split by a seeded generator."""
    rng, mechanism = np.random.default_rng(q), PermuteAndFlip(Fraction(str(epsilon)) / q)
    answers = np.empty((runs, q))
    for column, share in enumerate(_shares(q)):
        problem = percentile_value_problem(counted, 100 * share, grid=counted.grid, adjacency=Adjacency.ADD_REMOVE)
        places = mechanism.simulate(problem.as_public(), rng, runs)
        answers[:, column] = [counted.grid[int(place)] for place in places]
    return np.sort(answers, axis=1)


def _by_halving(counted: GridCounts, q: int, runs: int, epsilon: float) -> Floats:
    """One row of answers per run: real releases."""
    budget, ps = dampen.Budget(epsilon=epsilon * runs), [100 * share for share in _shares(q)]
    drawn = (
        dampen.percentiles(counted, ps, bounds=counted.grid, epsilon=epsilon, budget=budget, strategy="halving")
        for _ in range(runs)
    )
    return np.array(list(drawn), dtype=np.float64)
