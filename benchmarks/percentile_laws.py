"""Expected absolute errors of percentiles from exact laws: ours, the papers' and the two peers'.

A *cell* is one DPBench histogram, whose 4096 counts are taken as records, and one p. Everybody gets the same records,
counted at the points of a public grid, and the error is the distance of the answer from their percentile, the element
floor(p n / 100) counted from 0.

The peers' laws are read off their code, and ``benchmarks.percentiles`` compares them with real releases:

- OpenDP 0.16 draws by permute-and-flip from the plain rank scores -abs((1 - a) lt - a (n - le)) of a list of
  candidates, at the rate epsilon / 2 over their sensitivity: our ``"plain"`` rank problem.
- diffprivlib 0.6.6 sorts the records between its bounds, draws one of the n + 1 intervals with weight
  width * exp(-epsilon / 2 * abs(i - a n)), and answers with a uniform point of it. An interval between tied records has
  no width. If all intervals near the percentile have none, the weights underflow and it raises a ``RuntimeError``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import dampen
from dampen import Adjacency
from dampen.accuracy import expected_error
from dampen.datasets import load_dpbench
from dampen.mechanisms import LocalDampening, ParetoNoisyMax, PermuteAndFlip, SelectionMechanism, StableArgmax
from dampen.queries import (
    percentile_hit_problem,
    percentile_label_problem,
    percentile_rank_problem,
    percentile_value_problem,
)
from dampen.vectors import Floats, Integers

STEPS = {"PATENT": 1, "HEPTH": 1, "INCOME": 100}
"""How far the points of each data set's grid are apart."""
PERCENTS = (50, 90, 95, 99)

DEFAULT, OPENDP, DIFFPRIVLIB = "dampen.percentile", "OpenDP", "diffprivlib"
DIFFPRIVLIB_ROUNDED = "diffprivlib, rounded down to the grid"
LABEL = "label, dampened (REPLACE)"
HITS: Mapping[str, type[SelectionMechanism]] = {
    "0/1, stable argmax": StableArgmax,
    "0/1, dampened": LocalDampening,
    "0/1, Pareto noise": ParetoNoisyMax,
}


@dataclass(frozen=True)
class Cell:
    """One data set and one percentage; ``step`` is that of the grid, 0 to the first multiple not below the maximum."""

    name: str
    p: int
    step: int

    def __str__(self) -> str:
        return f"{self.name} {self.p}"

    @cached_property
    def grid(self) -> range:
        """All possible answers."""
        return range(0, -(-int(load_dpbench(self.name).max()) // self.step) * self.step + 1, self.step)

    @cached_property
    def records(self) -> Integers:
        """The sorted records, each at its grid point."""
        return np.sort(load_dpbench(self.name)) // self.step * self.step

    @property
    def percentile(self) -> int:
        """The right answer."""
        return int(self.records[self.p * len(self.records) // 100])


def cells() -> list[Cell]:
    """The twelve cells."""
    return [Cell(name, p, step) for name, step in STEPS.items() for p in PERCENTS]


def value_error(mechanism: SelectionMechanism, problem: dampen.SelectionProblem, truth: int) -> float:
    """The mean distance of a released grid value from the truth."""
    law = np.exp(np.asarray(mechanism.log_probabilities(problem), dtype=np.float64))
    return float(law @ np.abs(np.asarray(problem.frame.candidates, dtype=np.float64) - truth))


def distance_error(cell: Cell, epsilon: float, *, stable: bool = True) -> float:
    """What :func:`dampen.percentile` does by default, or with the classical utility."""
    problem = percentile_value_problem(
        cell.records, cell.p, grid=cell.grid, adjacency=Adjacency.ADD_REMOVE, stable=stable
    )
    return value_error(PermuteAndFlip(epsilon), problem, cell.percentile)


def aware_rank_error(cell: Cell, epsilon: float) -> float:
    """Method "rank"."""
    problem = percentile_rank_problem(cell.records, cell.p, grid=cell.grid, adjacency=Adjacency.ADD_REMOVE)
    return value_error(PermuteAndFlip(epsilon), problem, cell.percentile)


def opendp_error(cell: Cell, epsilon: float) -> float:
    """OpenDP's ``make_private_quantile`` under ``max_divergence()`` and ``symmetric_distance()``."""
    problem = percentile_rank_problem(
        cell.records, cell.p, grid=cell.grid, adjacency=Adjacency.ADD_REMOVE, ties="plain"
    )
    return value_error(PermuteAndFlip(epsilon), problem, cell.percentile)


def hit_error(mechanism: type[SelectionMechanism]) -> Callable[[Cell, float], float]:
    """The 0/1 utility of the thesis with its exact distances."""

    def error(cell: Cell, epsilon: float) -> float:
        problem = percentile_hit_problem(cell.records, cell.p, grid=cell.grid, adjacency=Adjacency.ADD_REMOVE)
        return value_error(mechanism(epsilon), problem, cell.percentile)

    return error


def label_error(cell: Cell, epsilon: float) -> float:
    """The dampening paper's question: the value of the chosen label, by the paper's own rank rule."""
    problem = percentile_label_problem(cell.records, cell.p, bound=cell.grid[-1]).as_public()
    return expected_error(LocalDampening(epsilon), problem)


def diffprivlib_intervals(cell: Cell, epsilon: float) -> tuple[Floats, Floats]:
    """The n + 2 ends of the intervals, and the probability of each interval."""
    n = len(cell.records)
    ends = np.concatenate([[0], cell.records, [cell.grid[-1]]]).astype(np.float64)
    utilities = -np.abs(np.arange(n + 1) - cell.p / 100 * n)
    weights = np.exp(epsilon / 2 * (utilities - utilities.max())) * np.diff(ends)
    return ends, weights / weights.sum()


def diffprivlib_error(cell: Cell, epsilon: float) -> float:
    """diffprivlib's ``quantile`` as it is: a uniform point of the drawn interval.

    The percentile is a record, so it lies inside no interval, and the mean distance from it is that of the middle.
    """
    ends, law = diffprivlib_intervals(cell, epsilon)
    return float(law @ np.abs((ends[:-1] + ends[1:]) / 2 - cell.percentile))


def diffprivlib_rounded_error(cell: Cell, epsilon: float) -> float:
    """The same with the answer put at the largest grid point not above it, which costs nothing."""
    ends, law = diffprivlib_intervals(cell, epsilon)
    widths = np.diff(ends) / cell.step
    each = np.repeat(np.divide(law, widths, out=np.zeros_like(law), where=widths > 0), widths.astype(np.int64))
    return float(each @ np.abs(np.asarray(cell.grid)[: len(each)] - cell.percentile))


ERRORS: Mapping[str, Callable[[Cell, float], float]] = {
    DEFAULT: distance_error,
    "classical distance, 0 at the percentile": lambda cell, epsilon: distance_error(cell, epsilon, stable=False),
    'method "rank"': aware_rank_error,
    OPENDP: opendp_error,
    DIFFPRIVLIB: diffprivlib_error,
    DIFFPRIVLIB_ROUNDED: diffprivlib_rounded_error,
    LABEL: label_error,
    **{name: hit_error(mechanism) for name, mechanism in HITS.items()},
}
"""Expected absolute error by contestant; the plain rank score of ours is OpenDP's row."""


def wins(mine: Mapping[Cell, float], theirs: Mapping[Cell, float]) -> tuple[list[Cell], list[Cell], list[Cell]]:
    """Where the first errs less, errs more, and errs alike (both below 1e-9, or equal to 9 digits)."""
    alike = [cell for cell in mine if np.isclose(mine[cell], theirs[cell], rtol=1e-9, atol=1e-9)]
    won = [cell for cell in mine if cell not in alike and mine[cell] < theirs[cell]]
    return won, [cell for cell in mine if cell not in alike and cell not in won], alike
